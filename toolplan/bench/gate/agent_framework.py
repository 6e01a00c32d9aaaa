"""An agent of Microsoft Agent Framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    ContextProvider,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
)

from toolplan.adapters.agent_framework import Toolplan
from toolplan.adapters.guide import Guide
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


class Scripted(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A client whose model says what the talk has it say."""

    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self.talk = talk

    async def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any) -> Any:
        return ChatResponse[Any](messages=[Message("assistant", [_said(self.talk.asked())])])


async def alone(talk: Talk) -> None:
    """The agent without providers of context."""
    await _led(talk, [])


async def guarded(talk: Talk, gate: Gate) -> None:
    """The agent with `Toolplan`."""
    await _led(talk, [Toolplan(Guide.of(gate, "openai"))])


async def _led(talk: Talk, providers: Sequence[ContextProvider]) -> None:
    tools = [
        FunctionTool(name=tool.name, description=tool.description, func=talk.async_tool(tool.name), input_model=tool.schema)
        for tool in desk.catalog().values()
    ]
    agent: Agent[Any] = Agent(Scripted(talk), tools=tools, context_providers=providers)
    with talk.timed():
        await agent.run(desk.REQUEST, session=AgentSession())


def _said(line: Use | str) -> Content:
    match line:
        case Use(identity, tool, arguments):
            return Content.from_function_call(identity, tool, arguments=arguments)
        case str(words):
            return Content.from_text(words)
