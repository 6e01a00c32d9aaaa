"""Receipts in files: one for each session, in a folder that several processes and threads may write to at once."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.receipts.lines import ENCODING, MENDED, START, Receipt, line_of, lines_in, receipt_in, sealed, torn_content
from toolplan.receipts.private import Redaction, digested, kept
from toolplan.receipts.seals import Keyed, Plain, Seal
from toolplan.receipts.writers import Kind

if sys.platform != "win32":
    import fcntl

SUFFIX = ".jsonl"
BLOCK = 65_536
"""Bytes at the end of a file that are searched for the last receipt, before the whole file is."""
NAME_SHOWN = 40
"""Characters of a session's name that are seen in the name of its file."""


@dataclass(frozen=True, slots=True)
class Head:
    """How many receipts a session has, and the hash of the last; kept elsewhere, it shows later that none of them was cut off."""

    count: int
    hash: str


class _End(NamedTuple):
    """The end of a file: its last receipt, the lines after that, which are none, and whether the last line has its end."""

    last: Receipt
    torn: list[str]
    is_terminated: bool


def _now() -> datetime:
    return datetime.now(UTC)


class FileReceipts:
    """Appends receipts to one file for each session in `folder`, which it makes where there is none.

    With `key`, hashes are HMACs, so that an edit shows even where the file was chained anew, and digests of values can be compared by
    whoever has it. `redact="none"` keeps private values as they are.

    A receipt is in the file when `write` returns, so that a killed process loses none; a power failure may lose the last ones. What
    an interrupted write has left stays where it is, and the next receipt says so. The folder must not lie on a network drive: its locks
    do not reach over one. Raises DomainError where the folder cannot be used, the key is too short, or the system has no locks of POSIX.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        key: bytes | None = None,
        redact: Redaction = "digests",
        clock: Callable[[], datetime] = _now,
    ) -> None:
        if redact not in ("digests", "none"):
            message = f"{quoted(str(redact))} is no way to redact receipts"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "choose `digests` or `none`")])
        self._seal: Seal = Plain() if key is None else Keyed(key)
        self._secret = secrets.token_bytes() if key is None else key
        self._redact, self._clock = redact, clock
        self._folder = Path(folder)
        with self._using():
            self._folder.mkdir(parents=True, exist_ok=True)

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Append one receipt to the file of `session`. Raises DomainError where it cannot be written."""
        redacted = kept(content) if self._redact == "none" else digested(content, session, self._secret)
        with self._locked(session) as file:
            end = _end_of(file)
            added = [self._next(end.last, session, MENDED, torn_content(end.torn))] if end.torn else []
            added.append(self._next(added[-1] if added else end.last, session, kind, redacted))
            lines = "".join(f"{line_of(receipt)}\n" for receipt in added)
            _append(file, (lines if end.is_terminated else f"\n{lines}").encode())

    def head(self, session: str) -> Head:
        """Where `session` stands now. Raises DomainError where its file cannot be read."""
        with self._locked(session) as file:
            last = _end_of(file).last
            return Head(last.seq, last.hash)

    def path(self, session: str) -> Path:
        """The file of `session`. Any text gives a name that every file system takes, and no two give the same."""
        shown = re.sub(r"[^a-z0-9]+", "-", session.lower())[:NAME_SHOWN].strip("-")
        digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return self._folder / f"{shown}-{digest}{SUFFIX}".lstrip("-")

    def _next(self, last: Receipt, session: str, kind: str, content: object) -> Receipt:
        at = self._clock().astimezone(UTC).isoformat()
        return sealed(Receipt(last.seq + 1, at, session, kind, content, last.hash), self._seal)

    @contextmanager
    def _locked(self, session: str) -> Iterator[FileIO]:
        """The file of `session`, opened for appending and locked against everybody else, also against other threads."""
        with self._using(), open(self.path(session), "a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # Closing the file gives the lock back.
            yield file

    @contextmanager
    def _using(self) -> Iterator[None]:
        if sys.platform == "win32":
            raise self._unusable("this system has no locks of POSIX", "hand in an object of your own that has `write`")
        try:
            yield
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self._unusable(reason.lower(), "this user must be allowed to write the folder, and the disk must have room") from None

    def _unusable(self, reason: str, hint: str) -> DomainError:
        return DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot keep receipts in {quoted(str(self._folder))}: {reason}", None, hint)])


def _end_of(file: FileIO) -> _End:
    size = file.seek(0, os.SEEK_END)
    text = ""
    for start in (size - BLOCK, 0) if size > BLOCK else (0,):
        file.seek(start)
        text = file.readall().decode(*ENCODING)
        lines = lines_in(text)
        for number in range(len(lines) - 1, -1 if start == 0 else 0, -1):
            if receipt := receipt_in(lines[number]):
                return _End(receipt, lines[number + 1 :], text.endswith("\n"))
    return _End(START, lines_in(text), not text or text.endswith("\n"))


def _append(file: FileIO, data: bytes) -> None:
    """Write all of `data`: one call writes less where the disk fills up, and the next one says so."""
    while data:
        data = data[file.write(data) :]
