"""Runs of LangChain and LangGraph: messages as `messages_to_dict` and as `dumpd` write them, also in the `messages` of a state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.conversations import Message, as_text, read_conversations, text_of, value_of
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import Failed, Record, Result, Returned

CHUNK = "MessageChunk"
"""How the types of messages that were streamed end: `AIMessageChunk`."""


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The records of conversations. Calls of one message are started together; its text is their thought."""
    return read_conversations(documents, _take)


def tells(message: object) -> bool:
    """Whether a message is of this form, and of no other."""
    match message:
        case {"type": str(), "data": {"content": _}}:
            return True
        case {"lc": int(), "kwargs": {"content": _}}:
            return True
        case _:
            return False


def _take(pairing: Pairing, messages: Iterable[object]) -> None:
    for message in messages:
        match message:
            case {"lc": int(), "kwargs": {"type": str(type), **said}} | {"type": str(type), "data": {**said}}:
                _take_message(pairing, type.removesuffix(CHUNK).lower(), said)
            case {"lc": int()}:
                pass
            case _:
                pairing.wrong("a message", "it has neither `data` nor `kwargs`")


def _take_message(pairing: Pairing, type: str, said: Message) -> None:
    content = said.get("content")
    match type:
        case "human":
            pairing.requested(text_of(content))
        case "ai":
            pairing.begin_turn()
            for call in _listed(said, "tool_calls"):
                match call:
                    case {"name": name, **rest}:
                        pairing.called(rest.get("id"), name, rest.get("args"), text_of(content))
                    case _:
                        pairing.wrong("a call", "it has no `name`")
            for call in _listed(said, "invalid_tool_calls"):
                pairing.unusable(call.get("id") if isinstance(call, Mapping) else None, "its arguments could not be read when it was made")
        case "tool":
            pairing.ended(said.get("tool_call_id"), _result(content, said.get("status")))


def _listed(said: Message, name: str) -> list[object]:
    found = said.get(name)
    return found if isinstance(found, list) else []


def _result(content: object, status: object) -> Result:
    value = value_of(content)
    return Failed(as_text(value)) if status == "error" else Returned(value)
