"""A host of FastMCP with a server mounted in process, and its client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.server.middleware import Middleware
from fastmcp.tools import Tool, ToolResult

from toolplan.adapters.fastmcp import CALL_ID, Toolplan
from toolplan.adapters.guide import Choose, Guide
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate


class Answered(Tool):
    """A tool whose results are those of a talk."""

    talk: Any

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """What the talk gives."""
        return ToolResult(json.dumps(self.talk.run(self.name)))


async def alone(talk: Talk) -> None:
    """Calls of the client."""
    await _called(talk, [])


async def guarded(talk: Talk, gate: Gate) -> None:
    """The same with `Toolplan`, and the guide asked before each call."""
    guide = Guide.of(gate, "openai")
    async with _connected(talk, [Toolplan(guide)]) as client:
        with talk.timed():
            await guide.aheard("request", desk.REQUEST)
            while isinstance(await guide.astep(), Choose) and isinstance(use := talk.asked(), Use):
                gate.turn([use.id])
                await client.call_tool_mcp(use.tool, use.arguments, meta={CALL_ID: use.id})


async def _called(talk: Talk, middleware: Sequence[Middleware]) -> None:
    async with _connected(talk, middleware) as client:
        with talk.timed():
            while isinstance(use := talk.asked(), Use):
                await client.call_tool_mcp(use.tool, use.arguments)


@asynccontextmanager
async def _connected(talk: Talk, middleware: Sequence[Middleware]) -> AsyncIterator[Client[Any]]:
    """A client that has seen the list of tools."""
    server = FastMCP("desk")
    for tool in desk.catalog().values():
        server.add_tool(Answered(name=tool.name, description=tool.description, parameters=dict(tool.schema), talk=talk))
    host = FastMCP("host", middleware=middleware)
    host.mount(server)
    async with Client(host) as client:
        await client.list_tools()
        yield client
