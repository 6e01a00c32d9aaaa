"""Our own lines of traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.documents import Document
from toolplan.learning.traces import HINT, Record, left_out, record_of


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The record of each document, or of each item of one that is a list."""
    for document in documents:
        for data in document.data if isinstance(document.data, list) else [document.data]:
            try:
                yield record_of(data)
            except ValueError as error:
                yield left_out(document.name, str(error), HINT)


def tells(data: object) -> bool:
    """Whether a document is of this form, and of no other."""
    match data[0] if isinstance(data, list) and data else data:
        case {"messages": _}:
            return False
        case {"trace": str(), "tool": _} | {"trace": str(), "request": _} | {"trace": str(), "ended": str()}:
            return True
        case _:
            return False
