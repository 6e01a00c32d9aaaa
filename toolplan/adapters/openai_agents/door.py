"""`Door`: the tools of an agent, behind the gate."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, cast

from agents import FunctionTool, ToolInputGuardrail
from agents.run_context import RunContextWrapper
from agents.tool import ToolOutputText, set_function_tool_failure_error_function, with_function_tool_failure_error_handler
from agents.tool_context import ToolContext
from agents.tool_guardrails import ToolGuardrailFunctionOutput, ToolInputGuardrailData

from toolplan.adapters.guide import Guide
from toolplan.adapters.openai_agents.items import ASK_USER, STAND_IN, Asks
from toolplan.adapters.results import readable
from toolplan.exposure.declarations import DISPATCHER, dispatcher
from toolplan.exposure.surfaces import SURFACES
from toolplan.gate import Allow, Hold, Ran
from toolplan.language.diagnostics import quoted

Context = RunContextWrapper[Any]


class Door:
    """The function tools of an agent, behind the gate and under the names that its provider takes.

    `waiting` are the gate's ids of calls whose result was that they wait, and not that somebody has rejected them.
    """

    def __init__(self, guide: Guide, asks: Asks, tools: Sequence[FunctionTool]) -> None:
        self._guide, self._asks = guide, asks
        self.waiting: set[str] = set()
        # Without their own words for what they raise: the gate has to see that.
        self._tools = {tool.name: set_function_tool_failure_error_function(copy.copy(tool), None) for tool in tools}
        shown = guide.exposure.names.shown_as
        self._declared = [self._behind(tool, shown[tool.name]) for tool in tools if tool.name in shown]

    def tools(self) -> list[FunctionTool]:
        """All that the agent has: those that a model may be shown, and those that take up what it makes of them."""
        host = [self._stand_in()] if self._asks == "text" else [self._stand_in(), self._ask_user()]
        return [self._dispatcher(), *host] if self._guide.exposure.strategy == "dispatch" else [*self._declared, *host]

    def _behind(self, tool: FunctionTool, name: str) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            return await self._run(context, name, arguments)

        async def waits(context: Context, arguments: dict[str, Any], identity: str) -> bool:
            return await self._waits(context, identity, name, arguments)

        return replace(
            tool,
            name=name,
            on_invoke_tool=_reporting(invoke),
            needs_approval=waits,
            # What the plan does not show is never called, and a model that is shown less than before reads everything again.
            is_enabled=True,
            tool_input_guardrails=[_settling(self._guide, guardrail) for guardrail in tool.tool_input_guardrails or ()],
        )

    def _dispatcher(self) -> FunctionTool:
        exposure = self._guide.exposure
        declared = dispatcher(SURFACES[exposure.provider].limits.dispatched)
        schema = cast(dict[str, Any], declared.schema)

        async def nothing(context: ToolContext[Any], arguments: str) -> Any:
            raise AssertionError("it is behind the gate")

        return self._behind(FunctionTool(DISPATCHER, declared.description, schema, nothing, strict_json_schema=False), DISPATCHER)

    def _stand_in(self) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            match json.loads(arguments):
                case {"name": str(name), "arguments": made}:
                    return await self._run(context, name, made)
                case _:
                    return "Go on."

        return FunctionTool(STAND_IN, "", {"type": "object", "properties": {}}, _reporting(invoke), strict_json_schema=False)

    def _ask_user(self) -> FunctionTool:
        async def invoke(context: ToolContext[Any], arguments: str) -> Any:
            if self._guide.session.memory.open is not None:
                await asyncio.to_thread(self._guide.gate.unseen)
            return "They have answered."

        schema = {"type": "object", "properties": {"question": {"type": "string"}}}
        return FunctionTool(ASK_USER, "", schema, invoke, strict_json_schema=False, needs_approval=True)

    async def _waits(self, context: Context, identity: str, name: str, arguments: object) -> bool:
        """Whether a person has to see the call first: because the plan, or because the tool itself says so."""
        call, gate = self._guide.call(identity, name, arguments), self._guide.gate
        match await gate.acheck(call):
            case Hold(_, held) if self._asks == "interruption":
                self._guide.waits(call, held)
                return True
            case Allow(permit) if call.tool in self._tools and await _says(
                self._tools[call.tool].needs_approval, context, permit.arguments, identity
            ):
                gate.withdraw(permit)
                return True
            case _:
                return False

    async def _run(self, context: ToolContext[Any], name: str, arguments: object) -> Any:
        """What the gate says of the call: the result, or why there is none."""
        call, gate = self._guide.call(context.tool_call_id, name, arguments), self._guide.gate
        if self._is_approved(context):
            # Whoever has another role has to answer the gate themselves: an approval does not say whose it is.
            await asyncio.to_thread(self._guide.agree, call)

        async def execute(values: dict[str, object]) -> Any:
            return await self._execute(context, call.tool, values)

        try:
            ran = await gate.arun(call, execute, raw=_raw)
        except _NotThereError as error:
            return str(error)
        if isinstance(ran, Hold):
            self.waiting.add(call.id)
        return ran.result if isinstance(ran, Ran) else ran.message

    async def _execute(self, context: ToolContext[Any], name: str, values: dict[str, object]) -> Any:
        tool = self._tools.get(name)
        if tool is None or not await _says(tool.is_enabled, context, context.agent):
            raise _NotThereError(f"{quoted(name)} is not to be had here now.")
        context.tool_arguments = json.dumps(values)
        return await tool.on_invoke_tool(context, context.tool_arguments)

    def _is_approved(self, context: ToolContext[Any]) -> bool:
        return self._asks == "interruption" and context.is_tool_approved(context.tool_name, context.tool_call_id) is True


class _NotThereError(Exception):
    """The agent has no such tool, or has disabled it."""


def _settling(guide: Guide, guardrail: ToolInputGuardrail[Any]) -> ToolInputGuardrail[Any]:
    """As `guardrail`, but nothing waits for a call that it has kept from the gate."""

    async def check(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        output = await guardrail.run(data)
        if output.behavior["type"] != "allow":
            guide.gate.skip(guide.own(data.context.tool_call_id))
        return output

    return ToolInputGuardrail(check, guardrail.get_name())


def _reporting(invoke: Callable[[ToolContext[Any], str], Awaitable[Any]]) -> Callable[[ToolContext[Any], str], Awaitable[Any]]:
    """As `invoke`; what it raises is told to the model in the words of its tool."""
    return with_function_tool_failure_error_handler(invoke, lambda *_: None)


async def _says(setting: object, *arguments: object) -> bool:
    """A setting that may be a function, and that one asynchronous."""
    value = setting(*arguments) if callable(setting) else setting
    return bool(await value if inspect.isawaitable(value) else value)


def _raw(result: object) -> object:
    return result.text if isinstance(result, ToolOutputText) else readable(result)
