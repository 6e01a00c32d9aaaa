"""Logs of Anthropic: messages whose content has `tool_use` and `tool_result` blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.conversations import Message, as_text, blocks, read_conversations, text_of, value_of
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import Failed, Record, Result, Returned

CALL, RESULT = "tool_use", "tool_result"
"""How the types of blocks end; those of tools that Anthropic runs itself have more before it (`mcp_tool_use`)."""


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The records of conversations. Calls of one message are started together; its text, or else its thinking, is their thought."""
    return read_conversations(documents, _take)


def tells(message: object) -> bool:
    """Whether a message is of this form, and of no other."""
    match message:
        case {"role": str(), "content": [*parts]}:
            types = [part.get("type") for part in blocks(parts)]
            return any(isinstance(type, str) and type.endswith((CALL, RESULT)) for type in types)
        case _:
            return False


def _take(pairing: Pairing, messages: Iterable[object]) -> None:
    for message in messages:
        match message:
            case {"role": "user" | "assistant" as role, **said}:
                _take_message(pairing, role, said.get("content"))
            case {"role": _}:
                pass
            case _:
                pairing.wrong("a message", "it has no `role`")


def _take_message(pairing: Pairing, role: str, content: object) -> None:
    parts = list(blocks(content))
    if role == "user":
        pairing.requested(text_of(parts))
    pairing.begin_turn()
    thought = text_of(parts) or _thinking(parts)
    for part in parts:
        type = part.get("type")
        if not isinstance(type, str):
            pairing.wrong("a block", "it has no `type`")
        elif type.endswith(CALL):
            pairing.called(part.get("id"), part.get("name"), part.get("input"), thought)
        elif type.endswith(RESULT):
            pairing.ended(part.get("tool_use_id"), _result(part))


def _thinking(parts: Iterable[Message]) -> str:
    return "\n".join(thought for part in parts if isinstance(thought := part.get("thinking"), str))


def _result(part: Message) -> Result:
    value = value_of(part.get("content"))
    return Failed(as_text(value)) if part.get("is_error") is True else Returned(value)
