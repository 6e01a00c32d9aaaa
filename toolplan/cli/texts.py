"""Domain files: where they are, as bytes, and the texts in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, visible

MARK = b"\xef\xbb\xbf"


def domain_files(names: Iterable[str]) -> Iterator[str]:
    """The files themselves: directories are searched, except those whose names start with a dot."""
    for name in names:
        if not os.path.isdir(name):
            yield name
        for directory, inner, found in os.walk(name):
            inner[:] = sorted(entry for entry in inner if not entry.startswith("."))
            yield from (os.path.join(directory, file) for file in sorted(found) if file.endswith(".toolplan"))


def decoded(data: bytes, name: str) -> str:
    """The text of the file `name`, without the mark of UTF-8. Raises DomainError where it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"`{visible(name)}` is not UTF-8: byte 0x{data[error.start]:02x} on line {line}"
        raise DomainError([Diagnostic(Code.NOT_UTF8, message, hint="save the file as UTF-8")]) from None


def in_place_of(data: bytes, text: str) -> bytes:
    """`text` as bytes, with the mark of UTF-8 where `data` has it, whose place it takes."""
    return (MARK if data.startswith(MARK) else b"") + text.encode("utf-8")
