"""An agent of Pydantic AI."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, Tool, ToolCallPart
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.function import AgentInfo, FunctionModel

from toolplan.adapters.guide import Guide
from toolplan.adapters.pydantic_ai import Toolplan
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


async def alone(talk: Talk) -> None:
    """The agent without capabilities."""
    await _led(talk, [])


async def guarded(talk: Talk, gate: Gate) -> None:
    """The agent with `Toolplan`."""
    await _led(talk, [Toolplan(Guide.of(gate, "openai"))])


async def _led(talk: Talk, capabilities: Sequence[AbstractCapability[None]]) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        match talk.asked():
            case Use(identity, tool, arguments):
                return ModelResponse(parts=[ToolCallPart(tool, arguments, identity)])
            case str(words):
                return ModelResponse(parts=[TextPart(words)])

    tools = [
        Tool[None].from_schema(talk.async_tool(tool.name), tool.name, tool.description, dict(tool.schema))
        for tool in desk.catalog().values()
    ]
    agent: Agent[None, str] = Agent(FunctionModel(model), tools=tools, capabilities=capabilities)
    with talk.timed():
        await agent.run(desk.REQUEST)
