"""The file to which sessions are recorded: a domain file, or one beside it that imports it."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toolplan.checks.recording import Recording, json_text
from toolplan.checks.testing import Report, load_tests, run
from toolplan.checks.worlds import Engine
from toolplan.domain import Domain
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.loading import load, loads


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The file at `path`, to which test blocks of the domain at `domain` are added. What it holds already is kept."""

    path: Path
    domain: Path

    def check(self, domain: Domain) -> None:
        """Raises DomainError where no test of `domain` can stand in the file."""
        if not self.domain.exists():
            message = f"{quoted(str(self.domain))} ships with toolplan, and no file beside it can be written"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "copy its files, and give the path of the copy")])
        if not self.path.parent.is_dir():
            raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"there is no directory {quoted(str(self.path.parent))}")])
        if not self.path.exists():
            loads(self._import(), str(self.path), self.path.parent)
        elif domain.tools.keys() - load(self.path).tools.keys():
            message = f"{quoted(str(self.path))} has another domain than {quoted(str(self.domain))}"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "record to the file itself, or to a new one beside it")])

    def append(self, recording: Recording, engine: Engine) -> Report:
        """Add the test that `recording` is, and run it. The file has all of it or nothing. Raises DomainError, and OSError."""
        names = [test.name for test in load_tests(str(self.path))] if self.path.exists() else []
        before = self.path.read_bytes() if self.path.exists() else self._import().encode("utf-8")
        block = recording.block(names).encode("utf-8")
        separate = b"\n" if before.endswith(b"\n") else b"\n\n"
        added = (separate + block).replace(b"\n", b"\r\n") if b"\r\n" in before else separate + block
        loads((before + added).decode("utf-8-sig"), str(self.path), self.path.parent)
        _write(Path(os.path.realpath(self.path)), before + added)
        return run(load_tests(str(self.path))[-1], engine)

    def _import(self) -> str:
        written = os.path.relpath(os.path.realpath(self.domain), os.path.realpath(self.path.parent))
        return f"import {json_text(Path(written).as_posix())}\n"


def _write(path: Path, data: bytes) -> None:
    """Put `data` in the place of what the file holds, at once."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, _mode(path))
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _mode(path: Path) -> int:
    """The permissions of the file, or those that a new one gets."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
