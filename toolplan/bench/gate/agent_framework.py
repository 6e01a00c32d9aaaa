"""An agent of Microsoft Agent Framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatContext,
    ChatMiddleware,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    ContextProvider,
    FunctionInvocationContext,
    FunctionInvocationLayer,
    FunctionMiddleware,
    FunctionTool,
    Message,
    SessionContext,
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


class PassingChat(ChatMiddleware):
    """A middleware around the client that does nothing."""

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Go on."""
        await call_next()


class PassingFunctions(FunctionMiddleware):
    """A middleware around tools that does nothing."""

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Go on."""
        await call_next()


class Passing(ContextProvider):
    """A provider of both."""

    async def before_run(self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]) -> None:
        """Add them to the run."""
        context.extend_middleware(self.source_id, [PassingChat(), PassingFunctions()])


async def alone(talk: Talk) -> None:
    """The agent without providers of context."""
    await _led(talk, [])


async def hooked(talk: Talk) -> None:
    """The agent with middleware that does nothing."""
    await _led(talk, [Passing("passing")])


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
