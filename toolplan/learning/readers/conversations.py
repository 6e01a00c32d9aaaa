"""What logs of messages have in common, whoever wrote them: where the messages lie, what the text in them is, and when it tells a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import OUTCOMES, Ended, Failed, Record, Result, Returned, left_out, parsed

Message = Mapping[Any, object]
HINT = 'a conversation is a list of messages, or {"messages": [...]}'
_ERROR = re.compile(r"\s*(error\b|Traceback \(most recent call last\))", re.IGNORECASE)


def conversations(document: Document) -> Iterator[tuple[str, list[object], Message]]:
    """The conversations in a document: for each its name, its messages and what stands beside them.

    A document is a list of messages, an object with `messages` (or `input` and `output`), or a list of such. A conversation is called as its
    `trace` says, else after its place.
    """
    match document.data:
        case {"messages": list(messages), **beside}:
            yield _named(document.name, beside), messages, beside
        case {"output": list(output), **beside}:
            before = beside.get("input")
            asked = before if isinstance(before, list) else [{"role": "user", "content": before}]
            yield _named(document.name, beside), [*asked, *output], beside
        case [*items] if any(_is_conversation(item) for item in items):
            for number, item in enumerate(items, 1):
                yield from conversations(Document(f"{document.name}#{number}", item))
        case list(messages):
            yield document.name, messages, {}


def read_conversations(documents: Iterable[Document], take: Callable[[Pairing, Iterable[object]], None]) -> Iterator[Record | Diagnostic]:
    """The records of all conversations, whose messages `take` tells to the pairing of each, in order.

    Where `ended` stands beside the messages, it says how the run ended; elsewhere nobody knows.
    """
    for document in documents:
        is_empty = True
        for name, messages, beside in conversations(document):
            is_empty = False
            pairing = Pairing(name, document.name)
            take(pairing, messages)
            yield from pairing.records()
            outcome = beside.get("ended")
            if isinstance(outcome, str) and outcome in OUTCOMES:
                yield Ended(name, OUTCOMES[outcome])
        if is_empty:
            yield left_out(document.name, "there is no conversation in it", HINT)


def blocks(content: object) -> Iterator[Message]:
    """The parts of the content of a message; a text is one part."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, Mapping):
                yield part
            elif isinstance(part, str):
                yield {"type": "text", "text": part}


def text_of(content: object) -> str:
    """All text in the content of a message, a line for each part."""
    return "\n".join(text for part in blocks(content) if isinstance(text := part.get("text"), str) and text)


def returned(content: object) -> Result:
    """What a tool said where nobody tells failures apart: one is a text that begins with `Error`, or an object that has nothing but an `error`."""
    value = value_of(content)
    return Failed(as_text(value)) if _tells_error(value) else Returned(value)


def value_of(content: object) -> object:
    """The result in the content of a message: the text of its parts, or what is no list of parts."""
    match content:
        case [{"type": str()}, *_]:
            return text_of(content) or content
        case _:
            return content


def as_text(value: object) -> str:
    """A text as it is, any other value as JSON; nothing where it is nested too deep to be written."""
    if isinstance(value, str):
        return value
    with suppress(RecursionError):
        return json.dumps(value, ensure_ascii=False)
    return ""


def _tells_error(value: object) -> bool:
    if isinstance(value, str):
        if _ERROR.match(value):
            return True
        if not value.lstrip().startswith("{"):
            return False
        with suppress(ValueError):
            value = parsed(value)
    return isinstance(value, Mapping) and set(value) == {"error"} and bool(value["error"])


def _is_conversation(item: object) -> bool:
    match item:
        case {"messages": list()} | {"output": list(), "object": "response"} | [{}, *_]:
            return True
        case _:
            return False


def _named(place: str, beside: Message) -> str:
    name = beside.get("trace")
    return name if isinstance(name, str) and name else place
