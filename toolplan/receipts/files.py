"""Receipts in files: one for each session, in a folder that several processes and threads may write to at once."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.receipts.lines import ENCODING, MENDED, START, Receipt, lines_in, receipt_in, sealed_line, torn_content
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
MOST_LEFT = 1_000
"""Files of which it is known how they were left; the others are read when they are written next."""


@dataclass(frozen=True, slots=True)
class Head:
    """How many receipts a session has, and the hash of the last; kept elsewhere, it shows later that none of them was cut off."""

    count: int
    hash: str


class _End(NamedTuple):
    """The end of a file: where its session stands, the lines after its last receipt, which are none, and whether the last line has its end."""

    head: Head
    torn: Sequence[str] = ()
    is_terminated: bool = True


class _Left(NamedTuple):
    """How a file was left here: which one it is, how long it was, and where its session stood. Whoever adds to it makes it longer."""

    file: int
    size: int
    head: Head


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

    prompt = True

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
        self._left: OrderedDict[str, _Left] = OrderedDict()
        self._lock = Lock()
        with self._using():
            self._folder.mkdir(parents=True, exist_ok=True)

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Append one receipt to the file of `session`. Raises DomainError where it cannot be written."""
        redacted = kept(content) if self._redact == "none" else digested(content, session, self._secret)
        with self._locked(session) as file:
            end = self._end(session, file)
            head, lines = end.head, "" if end.is_terminated else "\n"
            for each, what in [*([(MENDED, torn_content(end.torn))] if end.torn else []), (kind, redacted)]:
                line, hash = sealed_line(Receipt(head.count + 1, self._time(), session, each, what, head.hash), self._seal)
                head, lines = Head(head.count + 1, hash), f"{lines}{line}\n"
            _append(file, lines.encode())
            self._leave(session, file, head)

    def head(self, session: str) -> Head:
        """Where `session` stands now. Raises DomainError where its file cannot be read."""
        with self._locked(session) as file:
            return _end_of(file).head

    def path(self, session: str) -> Path:
        """The file of `session`. Any text gives a name that every file system takes, and no two give the same."""
        return self._folder / _name(session)

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat()

    def _end(self, session: str, file: FileIO) -> _End:
        """The end of `file`, which is read where others have added to it since it was left here."""
        left, status = self._left.get(session), os.fstat(file.fileno())
        return _End(left.head) if left is not None and left[:2] == (status.st_ino, status.st_size) else _end_of(file)

    def _leave(self, session: str, file: FileIO, head: Head) -> None:
        status = os.fstat(file.fileno())
        with self._lock:
            self._left[session] = _Left(status.st_ino, status.st_size, head)
            self._left.move_to_end(session)
            if len(self._left) > MOST_LEFT:
                self._left.popitem(last=False)

    @contextmanager
    def _locked(self, session: str) -> Iterator[FileIO]:
        """The file of `session`, opened for appending and locked against everybody else, also against other threads."""
        with self._using(), FileIO(self.path(session), "a+") as file:
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


@lru_cache(MOST_LEFT)
def _name(session: str) -> str:
    shown = re.sub(r"[^a-z0-9]+", "-", session.lower())[:NAME_SHOWN].strip("-")
    digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{shown}-{digest}{SUFFIX}".lstrip("-")


def _end_of(file: FileIO) -> _End:
    size = file.seek(0, os.SEEK_END)
    text = ""
    for start in (size - BLOCK, 0) if size > BLOCK else (0,):
        file.seek(start)
        text = file.readall().decode(*ENCODING)
        lines = lines_in(text)
        for number in range(len(lines) - 1, -1 if start == 0 else 0, -1):
            if receipt := receipt_in(lines[number]):
                return _End(Head(receipt.seq, receipt.hash), lines[number + 1 :], text.endswith("\n"))
    return _End(Head(START.seq, START.hash), lines_in(text), not text or text.endswith("\n"))


def _append(file: FileIO, data: bytes) -> None:
    """Write all of `data`: one call writes less where the disk fills up, and the next one says so."""
    while data:
        data = data[file.write(data) :]
