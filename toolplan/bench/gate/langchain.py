"""An agent of LangChain's `create_agent`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool

from toolplan.adapters.langchain import Toolplan
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


class Scripted(BaseChatModel):
    """A model that says what the talk has it say."""

    talk: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **settings: Any) -> Any:
        """The same model: it reads no tools."""
        return self.bind(**settings)

    def _generate(self, messages: list[BaseMessage], *args: object, **settings: object) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_said(self.talk.asked()))])

    async def _agenerate(self, messages: list[BaseMessage], *args: object, **settings: object) -> ChatResult:
        return self._generate(messages)


async def alone(talk: Talk) -> None:
    """The agent without middleware."""
    await _led(talk, [])


async def guarded(talk: Talk, gate: Gate) -> None:
    """The agent with `Toolplan`."""
    await _led(talk, [Toolplan(lambda *_: gate, {"desk": _tools(talk)}, provider="openai")])


async def _led(talk: Talk, middleware: Sequence[AgentMiddleware[Any, Any, Any]]) -> None:
    agent = create_agent(Scripted(talk=talk), [] if middleware else _tools(talk), middleware=middleware)
    with talk.timed():
        await agent.ainvoke({"messages": [HumanMessage(desk.REQUEST, id="request")]})


def _tools(talk: Talk) -> list[StructuredTool]:
    return [
        StructuredTool(name=tool.name, description=tool.description, args_schema=dict(tool.schema), coroutine=talk.async_tool(tool.name))
        for tool in desk.catalog().values()
    ]


def _said(line: Use | str) -> AIMessage:
    match line:
        case Use(identity, tool, arguments):
            return AIMessage("", tool_calls=[ToolCall(name=tool, args=arguments, id=identity)])
        case str(words):
            return AIMessage(words)
