"""Runs in a file, so that an evaluation which takes hours can be taken up where it was left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from toolplan.bench.funnel.records import Measured
from toolplan.language.codec import codec_of
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

Key = tuple[str, ...]
"""What a run is found by: who chose, the menu, the change or the turn, the task."""


class Keeping(Protocol):
    """Whether a run is made, or was made before."""

    def run(self, key: Key, make: Callable[[], Measured]) -> Measured:
        """The run called `key`."""
        ...


class Unkept:
    """Every run is made."""

    def run(self, key: Key, make: Callable[[], Measured]) -> Measured:
        """The run that `make` makes."""
        return make()


class Kept:
    """Runs of one `subject`, a digest of all that they depend on besides their keys, are kept in the file at `path`, each as soon as it has ended.

    A line that was cut off, as the last may be, goes, and its run is made again. Raises DomainError where the file is that of another subject,
    or holds something else.
    """

    def __init__(self, path: Path, subject: str) -> None:
        self._path = path
        self._runs: dict[Key, Measured] = {}
        try:
            whole = self._opened(subject)
        except OSError as error:
            message = f"cannot keep runs in {quoted(str(path))}: {(error.strerror or str(error)).lower()}"
            raise DomainError([Diagnostic(Code.UNREADABLE_FILE, message)]) from None
        first, *lines = whole.splitlines()
        try:
            known = json.loads(first)["subject"]
            self._runs = dict(_CODEC.decode(json.loads(line)) for line in lines)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise DomainError([Diagnostic(Code.BAD_JSON, f"{quoted(str(path))} holds no runs", None, "name a new file")]) from None
        if known != subject:
            message = f"{quoted(str(path))} holds runs of other tools or other tasks"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "name a new file: these runs are none of this suite")])

    def _opened(self, subject: str) -> bytes:
        """The whole lines of the file, the first of which names the subject."""
        data = self._path.read_bytes() if self._path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1] or json.dumps({"subject": subject}).encode() + b"\n"
        if whole != data:
            self._path.write_bytes(whole)
        return whole

    def run(self, key: Key, make: Callable[[], Measured]) -> Measured:
        """The run that was kept, else the one that `make` makes."""
        if key not in self._runs:
            self._runs[key] = make()
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(_CODEC.encode((key, self._runs[key])), ensure_ascii=False, separators=(",", ":")) + "\n")
        return self._runs[key]


_CODEC = codec_of(tuple[Key, Measured])
