"""Files to JSON values, one at a time, with the places where they stand.

A file holds a value on each line, or is one value as a whole. Nothing is read at once but one value, and none that is longer than a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.learning.traces import left_out, parsed

MEBIBYTE = 2**20
LARGEST = 64 * MEBIBYTE
"""Bytes of a value, which are read and parsed at once."""
LINES = "write one JSON value on each line: `jq -c '.[]' FILE` does so with a list"


class Document(NamedTuple):
    """A JSON value, and where it stands: `FILE:LINE`, or `FILE`."""

    name: str
    data: object


def documents(file: BinaryIO, name: str, largest: int = LARGEST) -> Iterator[Document | Diagnostic]:
    """The values in `file`, which is called `name` and stands at its start; a line that is none gives a diagnostic in its place.

    Raises DomainError where the file is one value of more than `largest` bytes.
    """
    first = file.readline(largest)
    file.seek(0)
    if _is_value(first):
        yield from _lines(file, name, largest)
        return
    head = file.read(largest + 1)
    file.seek(0)
    if len(head) <= largest:
        try:
            yield Document(name, parsed(head))
        except ValueError:
            yield from _lines(file, name, largest)
    elif _is_value(head[len(first) :].partition(b"\n")[0]):
        yield from _lines(file, name, largest)
    else:
        message = f"{quoted(name)} is one JSON value of more than {largest // MEBIBYTE} MiB, which is too much to read at once"
        raise DomainError([Diagnostic(Code.BAD_JSON, message, None, LINES)])


def _lines(file: BinaryIO, name: str, largest: int) -> Iterator[Document | Diagnostic]:
    number = 0
    while line := file.readline(largest + 1):
        number += 1
        place = f"{name}:{number}"
        if len(line) > largest:
            while line and not line.endswith(b"\n"):
                line = file.readline(largest)
            yield left_out(place, f"it is longer than {largest // MEBIBYTE} MiB")
        elif line.strip():
            try:
                yield Document(place, parsed(line))
            except ValueError as error:
                yield left_out(place, str(error), LINES)


def _is_value(line: bytes) -> bool:
    try:
        return isinstance(parsed(line), dict | list)
    except ValueError:
        return False
