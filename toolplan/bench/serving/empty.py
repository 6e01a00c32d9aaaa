"""Servers of the same SDK without toolplan, as a program of their own: `python -m toolplan.bench.serving.empty PORT KEY [UPSTREAM]`.

They take the same tokens and the same requests. One does nothing; with the address of an upstream, calls are forwarded to it, and that is all.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from toolplan.bench.serving import shop
from toolplan.bench.serving.sites import HOST, ISSUER, url_of
from toolplan.serving.listing import CALL, FRONTIER
from toolplan.serving.tokens import Tokens, read_shared_key
from toolplan.serving.web import app_of, serve_http

Context = ServerRequestContext[Any, Any]
Forward = Callable[[str, Mapping[str, Any]], Awaitable[CallToolResult]]

CONSENT = ElicitRequest(
    params=ElicitRequestFormParams(message="Pay?", requested_schema={"type": "object", "properties": {"answer": {"type": "boolean"}}})
)
BEGUN = CallToolResult(content=[TextContent(type="text", text="ok")], structured_content={"conversation": "one"})


async def nothing(tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """What the shop would give: nobody calls it."""
    return CallToolResult(content=[TextContent(type="text", text="paid")], structured_content={"price": shop.price_of(arguments["order"])})


def server_of(forward: Forward) -> Server[Any]:
    """A server of two of the tools, whose calls are made by `forward`. Before a payment it asks, as that is part of the protocol."""
    listed = [Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema)) for tool in (FRONTIER, CALL)]

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        arguments = params.arguments or {}
        if params.name != CALL.name:
            return BEGUN
        if arguments["tool"] == shop.PAY and not params.input_responses:
            return InputRequiredResult(input_requests={str(arguments["arguments"]["order"]): CONSENT}, request_state="asked")
        result = await forward(arguments["tool"], arguments["arguments"])
        return result.model_copy(update={"structured_content": {"result": result.structured_content}})

    schemas = {tool.name: tool.schema for tool in (FRONTIER, CALL)}
    return Server("empty", get_tool_input_schema=schemas.get, on_list_tools=list_tools, on_call_tool=call_tool)


@asynccontextmanager
async def forwarding(upstream: str) -> AsyncIterator[Forward]:
    """Calls of the server at the address `upstream`; where there is none, nobody makes them."""
    if not upstream:
        yield nothing
        return
    async with Client(streamable_http_client(upstream)) as client:
        yield lambda tool, arguments: client.call_tool(tool, dict(arguments))


async def serve(port: int, key: Path, upstream: str) -> None:
    """Serve until the process is told to end."""
    tokens = Tokens(read_shared_key(key), issuer=ISSUER, audience=url_of(port))
    async with forwarding(upstream) as forward:
        await serve_http(app_of(server_of(forward), tokens, url=url_of(port)), HOST, port)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""))
