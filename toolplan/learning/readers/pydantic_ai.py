"""Runs of Pydantic AI: messages as `ModelMessagesTypeAdapter` and `all_messages_json()` write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.conversations import Message, as_text, read_conversations, text_of
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import Failed, Record, Result, Returned

CALL, RESULT = "tool-call", "tool-return"
"""How the kinds of parts end; those of tools that the provider runs have more before it (`builtin-tool-call`)."""


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The records of conversations. Calls of one response are started together; its text, or else its thinking, is their thought.

    What the model was told to try again has failed.
    """
    return read_conversations(documents, _take)


def tells(message: object) -> bool:
    """Whether a message is of this form, and of no other."""
    match message:
        case {"kind": "request" | "response", "parts": [*_]}:
            return True
        case _:
            return False


def _take(pairing: Pairing, messages: Iterable[object]) -> None:
    for message in messages:
        match message:
            case {"kind": str(), "parts": [*parts]}:
                pairing.begin_turn()
                thought = _said(parts, "text") or _said(parts, "thinking")
                for part in parts:
                    _take_part(pairing, part, thought)
            case _:
                pairing.wrong("a message", "it has no `kind` or no `parts`")


def _take_part(pairing: Pairing, part: object, thought: str) -> None:
    match part:
        case {"part_kind": "user-prompt", **said}:
            pairing.requested(text_of(said.get("content")))
        case {"part_kind": "retry-prompt", "tool_name": str(), **told}:
            pairing.ended(told.get("tool_call_id"), Failed(as_text(told.get("content"))))
        case {"part_kind": str(kind), **call} if kind.endswith(CALL):
            pairing.called(call.get("tool_call_id"), call.get("tool_name"), call.get("args"), thought)
        case {"part_kind": str(kind), **told} if kind.endswith(RESULT):
            pairing.ended(told.get("tool_call_id"), _result(told))
        case {"part_kind": _}:
            pass
        case _:
            pairing.wrong("a part", "it has no `part_kind`")


def _said(parts: Iterable[object], kind: str) -> str:
    return "\n".join(
        text
        for part in parts
        if isinstance(part, Mapping) and part.get("part_kind") == kind and isinstance(text := part.get("content"), str)
    )


def _result(told: Message) -> Result:
    content = told.get("content")
    return Returned(content) if told.get("outcome", "success") == "success" else Failed(as_text(content))
