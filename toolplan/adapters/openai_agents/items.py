"""The conversation in the items of the SDK: what a model has seen and made, and what the SDK is to take up of it.

The SDK would end the run for a call of a tool that there is none of, and let a person approve arguments that are no object. Such a call is
a call of `STAND_IN` in its history, and the model finds it there as it made it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from agents import Handoff, Tool
from agents.items import ItemHelpers, TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.models.fake_id import FAKE_RESPONSES_ID
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from toolplan.exposure import parsed
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError

Item = Mapping[str, Any]
Asks = Literal["text", "interruption"]
"""How questions reach the user: as what the agent says, or as interruptions of the run, which a host approves or rejects."""

STAND_IN = "toolplan"
"""The tool that takes the calls that the SDK would not. No model is shown it."""
ASK_USER = "ask_user"
"""The tool that stands for a question as an interruption. No model is shown it."""


def as_made(input: str | list[TResponseInputItem], kept_elsewhere: str | None) -> list[Item]:
    """The conversation as the model has seen it and made it."""
    if kept_elsewhere is not None:
        hint = "let the run or a session keep it: no `conversation_id` and no `previous_response_id`"
        raise DomainError([Diagnostic(Code.BAD_CALL, "the provider keeps this conversation", None, hint)])
    items = [dict(cast(Item, item)) for item in ItemHelpers.input_to_new_input_list(input)]
    stood_in = {item["call_id"]: parsed(item["arguments"]) for item in items if item.get("name") == STAND_IN}
    made: list[Item] = []
    for item in items:
        match stood_in.get(item.get("call_id")):
            case None:
                made.append(item)
            case {"name": name, "arguments": arguments}:
                made.append({**item, "name": name, "arguments": arguments} if item["type"] == "function_call" else item)
    return made


def names(tools: Sequence[Tool], handoffs: Sequence[Handoff]) -> set[str]:
    """What a model may name, as far as the SDK knows it."""
    return {tool.name for tool in tools} - {STAND_IN, ASK_USER} | {handoff.tool_name for handoff in handoffs}


def taken_up(item: TResponseOutputItem, names: set[str]) -> TResponseOutputItem:
    """`item`, or the call of the stand-in for it."""
    if not isinstance(item, ResponseFunctionToolCall) or (item.name in names and _is_object(item.arguments)):
        return item
    return item.model_copy(update={"name": STAND_IN, "arguments": json.dumps({"name": item.name, "arguments": item.arguments})})


def _is_object(arguments: str) -> bool:
    """Whether the SDK can read them, who takes no NaN for a number."""
    try:
        return isinstance(json.loads(arguments, parse_constant=_no_number), dict)
    except (ValueError, RecursionError):
        return False


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def is_of_the_model(item: Item) -> bool:
    """Whether the agent has said or called that."""
    return item["role"] == "assistant" if "role" in item else not str(item.get("type")).endswith("_output")


def digest(conversation: Sequence[Item]) -> str:
    """The identity of the last message: messages have none, and a session may show only the latest."""
    return hashlib.sha256(json.dumps(conversation, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def text_of(content: object) -> str:
    """What the user has said, without pictures and files."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    return "\n".join(part["text"] for part in parts if isinstance(part, Mapping) and part.get("type") == "input_text")


def message_item(text: str) -> ResponseOutputMessage:
    """`text` as what the agent says."""
    content = ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    return ResponseOutputMessage(id=FAKE_RESPONSES_ID, type="message", role="assistant", status="completed", content=[content])


def call_item(identity: str, name: str, arguments: str) -> ResponseFunctionToolCall:
    """A call as the agent makes it."""
    return ResponseFunctionToolCall(type="function_call", call_id=identity, name=name, arguments=arguments)


def events(item: TResponseOutputItem) -> Iterator[TResponseStreamEvent]:
    """`item` as a stream of its own."""
    if text := ItemHelpers.extract_text(item):
        yield ResponseTextDeltaEvent(
            type="response.output_text.delta",
            delta=text,
            item_id=FAKE_RESPONSES_ID,
            content_index=0,
            output_index=0,
            sequence_number=0,
            logprobs=[],
        )
    yield ResponseOutputItemDoneEvent(type="response.output_item.done", item=item, output_index=0, sequence_number=1)
    response = Response(
        id=FAKE_RESPONSES_ID,
        object="response",
        created_at=0,
        model=STAND_IN,
        output=[item],
        tools=[],
        tool_choice="none",
        parallel_tool_calls=False,
    )
    yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=2)
