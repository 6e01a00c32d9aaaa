"""Logs of other programs to records, one module for each form.

- `documents`: files to JSON values. `pairing`: calls and results of one conversation to records. `conversations`: what logs of messages have in
  common.
- `openai`, `anthropic`, `langchain`, `pydantic_ai`: logs of messages. `opentelemetry` (and `spans`): spans. `receipts`, `sessions`, `lines`: our own.

A reader is `read(documents) -> records and diagnostics`: what cannot be used gives a diagnostic and ends nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.learning.readers import anthropic, langchain, lines, openai, opentelemetry, pydantic_ai, receipts, sessions
from toolplan.learning.readers.conversations import conversations
from toolplan.learning.readers.documents import Document, documents
from toolplan.learning.traces import Record

__all__ = ["Format", "detect", "read", "read_file"]

LOOKED_AT = 100
"""Values at the start of a file in which its form is looked for: conversations in which no tool was called do not tell."""


class Format(enum.StrEnum):
    """The forms that can be read."""

    TRACES = "traces"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    LANGCHAIN = "langchain"
    PYDANTIC_AI = "pydantic-ai"
    OPENTELEMETRY = "opentelemetry"
    RECEIPTS = "receipts"
    SESSIONS = "sessions"


Reader = Callable[[Iterable[Document]], Iterator[Record | Diagnostic]]
Telling = Callable[[object], bool]
READERS: dict[Format, Reader] = {
    Format.TRACES: lines.read,
    Format.OPENAI: openai.read,
    Format.ANTHROPIC: anthropic.read,
    Format.LANGCHAIN: langchain.read,
    Format.PYDANTIC_AI: pydantic_ai.read,
    Format.OPENTELEMETRY: opentelemetry.read,
    Format.RECEIPTS: receipts.read,
    Format.SESSIONS: sessions.read,
}
BY_DOCUMENT: dict[Format, Telling] = {
    Format.SESSIONS: sessions.tells,
    Format.RECEIPTS: receipts.tells,
    Format.OPENTELEMETRY: opentelemetry.tells,
    Format.TRACES: lines.tells,
}
BY_MESSAGE: dict[Format, Telling] = {
    Format.PYDANTIC_AI: pydantic_ai.tells,
    Format.LANGCHAIN: langchain.tells,
    Format.ANTHROPIC: anthropic.tells,
    Format.OPENAI: openai.tells,
}


def detect(document: Document) -> Format | None:
    """The form of a document; None where it may be several, or is none that is known."""
    for form, tells in BY_DOCUMENT.items():
        if tells(document.data):
            return form
    messages = [message for _, messages, _ in conversations(document) for message in messages]
    return next((form for form, tells in BY_MESSAGE.items() if any(map(tells, messages))), None)


def read(values: Iterable[Document | Diagnostic], name: str, form: Format | None = None) -> Iterator[Record | Diagnostic]:
    """The records of a file, called `name`, of the given form, else of the first that one of its values tells.

    Raises DomainError where none of the first does.
    """
    values = iter(values)
    if form is None:
        seen: list[Document | Diagnostic] = []
        for value in values:
            seen.append(value)
            form = detect(value) if isinstance(value, Document) else None
            if form is not None or len(seen) == LOOKED_AT:
                break
        if form is None:
            raise _unknown(name, seen)
        values = chain(seen, values)
    found: list[Diagnostic] = []
    for record in READERS[form](_telling(values, found)):
        yield from found
        found.clear()
        yield record
    yield from found


def read_file(
    path: Path, form: Format | None = None, opened: Callable[[Path], BinaryIO] = lambda path: path.open("rb")
) -> Iterator[Record | Diagnostic]:
    """The records of the file at `path`, as it is read. Raises DomainError where it cannot be, or its form is not known."""
    try:
        with opened(path) as file:
            yield from read(documents(file, str(path)), str(path), form)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: {reason}")]) from None


def _telling(values: Iterable[Document | Diagnostic], found: list[Diagnostic]) -> Iterator[Document]:
    """The documents among `values`; the diagnostics go to `found`."""
    for value in values:
        if isinstance(value, Diagnostic):
            found.append(value)
        else:
            yield value


def _unknown(name: str, seen: Iterable[Document | Diagnostic]) -> DomainError:
    findings = [each for each in seen if isinstance(each, Diagnostic)]
    hint = f"name its form with `--format`: {', '.join(Format)}"
    return DomainError([Diagnostic(Code.BAD_JSON, f"no known form of runs is in {quoted(name)}", None, hint), *findings[:1]])
