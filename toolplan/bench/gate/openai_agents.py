"""An agent of the OpenAI Agents SDK."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from agents import Agent, FunctionTool, RunConfig, Runner, Tool
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext

from toolplan.adapters.guide import Guide
from toolplan.adapters.openai_agents import guarded as steered
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


async def alone(talk: Talk) -> None:
    """The agent as it is."""
    await _led(talk, _agent(talk))


async def guarded(talk: Talk, gate: Gate) -> None:
    """The agent as a guide drives it."""
    await _led(talk, steered(_agent(talk), Guide.of(gate, "openai")))


async def _led(talk: Talk, agent: Agent[None]) -> None:
    with talk.timed():
        await Runner.run(agent, desk.REQUEST, run_config=RunConfig(tracing_disabled=True))


def _agent(talk: Talk) -> Agent[None]:
    def said(call: ModelCall) -> ModelStep:
        match talk.asked():
            case Use(identity, tool, arguments):
                return ModelStep(output=[function_call(tool, arguments, call_id=identity)])
            case str(words):
                return ModelStep(output=[assistant_message(words)])

    tools: list[Tool] = [
        FunctionTool(tool.name, tool.description, dict(tool.schema), _invoked(talk, tool.name), strict_json_schema=False)
        for tool in desk.catalog().values()
    ]
    steps = len(desk.uses(talk.number)) + 1
    return Agent("desk", model=ScriptedModel([ModelStep(responder=said)] * steps), tools=tools)


def _invoked(talk: Talk, name: str) -> Callable[[ToolContext[Any], str], Awaitable[object]]:
    async def run(context: ToolContext[Any], arguments: str) -> object:
        json.loads(arguments)
        return talk.run(name)

    return run
