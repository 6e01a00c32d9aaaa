"""An agent of Pydantic AI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelResponse, RunContext, TextPart, Tool, ToolCallPart
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset

from toolplan.adapters.guide import Guide
from toolplan.adapters.pydantic_ai import Toolplan
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


class Passing(AbstractCapability[None]):
    """A capability around models and tools that does nothing."""

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> WrapperToolset[Any]:
        """The tools."""
        return WrapperToolset(toolset)

    async def before_model_request(self, ctx: RunContext[None], request_context: ModelRequestContext) -> ModelRequestContext:
        """What the model is asked."""
        return request_context

    async def after_model_request(
        self, ctx: RunContext[None], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """What it answers."""
        return response


async def alone(talk: Talk) -> None:
    """The agent without capabilities."""
    await _led(talk, [])


async def hooked(talk: Talk) -> None:
    """The agent with a capability that does nothing."""
    await _led(talk, [Passing()])


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
