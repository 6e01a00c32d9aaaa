"""FastMCP in the conformance suite: a host that mounts its servers in process, with the middleware, and the loop of `host_mcp` over its client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from adapters.host_mcp import McpRun, Tools, offering, result_of
from adapters.hosting import Run, Setting
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitRequestParams, ElicitResult
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool, ToolResult
from mcp_types import CallToolResult, TextContent

from toolplan.adapters.fastmcp import CALL_ID, Toolplan
from toolplan.adapters.guide import Directions, Guide, parsed, session_in
from toolplan.catalog import RealTool
from toolplan.exposure import Strategy
from toolplan.frontier import Call
from toolplan.gate import ToolCall
from toolplan.session.events import AskedCall


class Counted(Tool):
    """A tool of the suite under the schema of its catalog."""

    tools: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        try:
            return ToolResult.from_mcp_result(result_of(await asyncio.to_thread(self.tools[self.name], arguments)))
        except Exception as error:
            raise ToolError(str(error)) from error


class Agent:
    """What the loop needs of a host: the guide says what is next, the client lists and calls."""

    def __init__(self, run: McpRun, client: Client[Any]) -> None:
        self._run, self._client = run, client

    async def step(self) -> Directions:
        held = self._run.guide.session.memory.open
        if self._run.button is not None and isinstance(held, AskedCall):  # The form comes with a call.
            await self.make(held.call)
        return await self._run.guide.astep()

    async def list_tools(self) -> Sequence[Any]:
        return await self._client.list_tools()

    async def make(self, call: Call) -> CallToolResult:
        name, arguments = self._run.guide.shown(call)
        return await self._call(ToolCall(call.id, name, arguments))

    async def call_tools(self, calls: Sequence[ToolCall]) -> Sequence[CallToolResult]:
        self._run.guide.gate.turn([call.id for call in calls])
        return await asyncio.gather(*map(self._call, calls))

    async def _call(self, call: ToolCall) -> CallToolResult:
        arguments = parsed(call.arguments)
        if not isinstance(arguments, Mapping):  # MCP has no way to send these.
            self._run.guide.gate.skip(call.id)
            return CallToolResult(content=[TextContent(type="text", text="the arguments are no JSON object")], is_error=True)
        return await self._client.call_tool_mcp(call.tool, dict(arguments), meta={CALL_ID: call.id})


class FastMcpRun(McpRun):
    """A conversation of a host of its own."""

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Agent]:
        host = FastMCP("host", middleware=[Toolplan(self.guide)])
        catalog = self.setting.catalog
        for origin in dict.fromkeys(tool.origin for tool in catalog.values()):
            host.mount(_server(origin, [tool for tool in catalog.values() if tool.origin == origin], self.tools))
        async with Client(host, elicitation_handler=self._form) as client:
            yield Agent(self, client)

    async def _form(self, message: str, response_type: Any, params: ElicitRequestParams, context: Any) -> Any:
        return await self.elicit(params) or ElicitResult(action="cancel")  # type: ignore[arg-type]  # only forms are sent


def _server(origin: str, offered: Sequence[RealTool], tools: Tools) -> FastMCP:
    server = FastMCP(origin)
    for tool in offered:
        server.add_tool(Counted(name=tool.name, description=tool.description, parameters=dict(tool.schema), tools=tools))
    return server


class FastMcpHost:
    """Hosts of FastMCP."""

    name = "fastmcp"
    strategies: tuple[Strategy, ...] = ("dispatch", "trim")
    cannot: Mapping[str, str] = {
        "streaming": "a call of MCP has one result, and models are none of its business",
        "ids again": "whoever calls through the client names the call",
        "waiting together": "every call is asked about by itself, in a form that is answered before the next one comes",
    }

    def start(self, setting: Setting) -> Run:
        setting = offering(setting)
        return FastMcpRun(setting, Guide.of(setting.gate(), "plain", strategy=setting.strategy))

    def resume(self, setting: Setting, saved: str) -> Run:
        setting = offering(setting)
        snapshot, said, results = json.loads(saved)
        run = FastMcpRun(setting, Guide.restore(setting.gate(session_in(snapshot)), "plain", snapshot))
        run.said, run.results = said, results
        return run


HOST = FastMcpHost()
