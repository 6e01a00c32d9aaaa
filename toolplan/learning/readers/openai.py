"""Logs of OpenAI: messages of Chat Completions (`tool_calls`, role `tool`), and items of Responses (`function_call`, `function_call_output`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.conversations import Message, read_conversations, returned, text_of
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.pairing import Pairing
from toolplan.learning.traces import Record

ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The records of conversations. Calls of one message, or of one response, are started together; its text is their thought."""
    return read_conversations(documents, _take)


def tells(message: object) -> bool:
    """Whether a message is of this form, and of no other."""
    match message:
        case {"role": "assistant", "tool_calls": [*_]} | {"role": "assistant", "function_call": {}}:
            return True
        case {"role": "tool" | "function"}:
            return True
        case {"type": str(type)}:
            return type in ITEMS
        case _:
            return False


def _take(pairing: Pairing, messages: Iterable[object]) -> None:
    items = _Items(pairing)
    for message in messages:
        match message:
            case {"type": str(type), **item} if type in ITEMS or type == "reasoning":
                items.take(type, item)
            case {"role": "user", **said}:
                items.is_over = True
                pairing.requested(text_of(said.get("content")))
            case {"role": "assistant", **said}:
                items.said(text_of(said.get("content")))
                _take_calls(pairing, said)
            case {"role": "tool", **told}:
                pairing.ended(told.get("tool_call_id"), returned(told.get("content")))
            case {"role": "function", **told}:
                pairing.ended(None, returned(told.get("content")))
            case {"role": _} | {"type": _}:
                pass
            case _:
                pairing.wrong("a message", "it has no `role`")


def _take_calls(pairing: Pairing, said: Message) -> None:
    thought = text_of(said.get("content"))
    calls, function = said.get("tool_calls"), said.get("function_call")
    # A message among the items of a response has no calls in it, and parts nothing that was started together.
    if calls or function:
        pairing.begin_turn()
    for call in calls if isinstance(calls, list) else []:
        match call:
            case {"function": {"name": name, **inside}, **rest}:
                pairing.called(rest.get("id"), name, inside.get("arguments"), thought)
            case {"custom": {"name": name, **inside}, **rest}:
                pairing.called(rest.get("id"), name, {"input": inside.get("input")}, thought)
            case _:
                pairing.wrong("a call", "it has no `function` with a `name`")
    match function:
        case {"name": name, **inside}:
            pairing.called(None, name, inside.get("arguments"), thought)


class _Items:
    """The items of responses, which have no message around them: a response is over where a result or the user comes."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._thoughts: list[str] = []
        self.is_over = True

    def said(self, text: str) -> None:
        """The assistant says `text` before it calls."""
        if text:
            self._begin()
            self._thoughts.append(text)

    def take(self, type: str, item: Message) -> None:
        """The next item, of the form `type`."""
        match type:
            case "function_call":
                self._called(item, item.get("arguments"))
            case "custom_tool_call":
                self._called(item, {"input": item.get("input")})
            case "reasoning":
                self.said(text_of(item.get("summary")))
            case _:
                self.is_over = True
                self._pairing.ended(item.get("call_id"), returned(item.get("output")))

    def _called(self, item: Message, arguments: object) -> None:
        self._begin()
        self._pairing.called(item.get("call_id"), item.get("name"), arguments, "\n".join(self._thoughts))

    def _begin(self) -> None:
        if self.is_over:
            self._pairing.begin_turn()
            self._thoughts.clear()
            self.is_over = False
