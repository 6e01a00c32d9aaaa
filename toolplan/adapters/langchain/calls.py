"""One call of a tool: as it runs, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from langchain.agents.middleware import ToolCallRequest
from langchain_core.messages import AnyMessage, ToolCall, ToolMessage
from langchain_core.tools import ToolException
from langgraph.types import Command

from toolplan.adapters.guide import Guide
from toolplan.gate import Allow, Hold, Ran, Refuse
from toolplan.session import Allowed

Result = ToolMessage | Command[Any]


def identity_of(request: ToolCallRequest) -> str:
    """The id of the call; empty where the model has given it none, and then it is the only such call of its answer that may run."""
    return request.tool_call["id"] or ""


def executed(request: ToolCallRequest, name: str, arguments: dict[str, object]) -> ToolCallRequest:
    """`request` for the real tool, with the arguments that the gate has let through.

    Raises ToolException where there is no such tool: LangChain itself would name all that there are.
    """
    tool = request.tool
    if tool is None or tool.name != name:
        tool = next((one for one in request.runtime.tools if one.name == name), None)
    if tool is None:
        raise ToolException("the tool is not there")
    call = ToolCall(name=name, args=arguments, id=identity_of(request), type="tool_call")
    return request.override(tool=tool, tool_call=call)


def said_of(request: ToolCallRequest, ran: Ran[Result] | Refuse | Hold) -> Result:
    """What the model gets."""
    match ran:
        case Ran(result):
            return result
        case Refuse():
            return message_of(request, ran.message, "error")
        case Hold():
            return message_of(request, ran.message)


def failed(request: ToolCallRequest, error: Exception) -> ToolMessage:
    """What the model gets of a tool that has raised."""
    return message_of(request, f"{type(error).__name__}: {error}", "error")


def message_of(request: ToolCallRequest, content: str, status: Literal["success", "error"] = "success") -> ToolMessage:
    """An answer to the call."""
    return ToolMessage(content, name=request.tool_call["name"], tool_call_id=identity_of(request), status=status)


def raw_of(result: Result) -> object:
    """What a tool gave back, as a session reads it. Tools of MCP servers keep what is structured beside what a model reads."""
    match result:
        case ToolMessage(artifact={"structured_content": structured}) if structured is not None:
            return {"content": result.content, "structuredContent": structured, "isError": result.status == "error"}
        case ToolMessage():
            # All of it that is read: a message as a whole takes long to become JSON.
            return {"type": "tool", "content": result.content, "status": result.status}
        case Command(update={"messages": [*messages]}):
            return next((raw_of(message) for message in messages if isinstance(message, ToolMessage)), None)
        case Command():
            return None


def cut_off(messages: Iterable[AnyMessage]) -> list[ToolCall]:
    """The calls that have no result when the model is asked again."""
    made: dict[str, ToolCall] = {}
    for message in messages:
        # By its type: what class it is of takes a model of Pydantic long to say.
        if message.type == "ai":
            made |= {call["id"]: call for call in message.tool_calls if call["id"]}
        elif message.type == "tool":
            made.pop(message.tool_call_id, None)
    return list(made.values())


def give_up(guide: Guide, calls: Iterable[ToolCall]) -> None:
    """Those of `calls`, which were cut off, that may have run are in doubt."""
    for made in calls:
        call = guide.call(made["id"] or "", made["name"], made["args"])
        if isinstance(call.arguments, dict) and isinstance(guide.session.would(call.tool, call.arguments, id=call.id), Allowed):
            match guide.gate.check(call):
                case Allow(permit):
                    guide.gate.observe(permit, TimeoutError("nothing was heard of it"))
