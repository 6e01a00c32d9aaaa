"""A client of MCP, with its server in the same process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp.server import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool

from toolplan.adapters.guide import Choose, Guide
from toolplan.adapters.mcp import Connection, Host
from toolplan.bench.gate import desk
from toolplan.bench.gate.desk import Use
from toolplan.bench.gate.talks import Talk
from toolplan.gate import Gate, ToolCall


async def alone(talk: Talk) -> None:
    """Calls of the client."""
    async with _connected(talk) as client:
        with talk.timed():
            while isinstance(use := talk.asked(), Use):
                await client.call_tool(use.tool, use.arguments)


async def guarded(talk: Talk, gate: Gate) -> None:
    """Steps and calls of a `Host`."""
    async with _connected(talk) as client:
        guide = Guide.of(gate, "openai")
        host = Host(guide, [Connection(client, "desk")])
        with talk.timed():
            await guide.aheard("request", desk.REQUEST)
            while isinstance(await host.step(), Choose) and isinstance(use := talk.asked(), Use):
                await host.call_tools([ToolCall(*use)])


@asynccontextmanager
async def _connected(talk: Talk) -> AsyncIterator[Client]:
    """A client that has seen the list of tools."""
    listed = [Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema)) for tool in desk.catalog().values()]

    async def list_tools(context: Any, request: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Any, request: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=json.dumps(talk.run(request.name)))])

    async with Client(Server("desk", on_list_tools=list_tools, on_call_tool=call_tool)) as client:
        await client.list_tools()
        yield client
