"""Clients of MCP in the conformance suite: a loop of a host over real clients and servers in process, with no framework."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from adapters.hosting import Calls, Executed, Request, Run, Scripted, Setting, text_of
from mcp import Client
from mcp.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitResult,
    ListToolsResult,
    TextContent,
    Tool,
)

from toolplan.adapters.guide import Ask, Choose, Guide, Make, session_in
from toolplan.adapters.mcp import Connection, Host
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Payload, Strategy
from toolplan.gate import ToolCall

Tools = Mapping[str, Callable[[dict[str, Any]], Any]]


def offering(setting: Setting) -> Setting:
    """`setting` with a catalog, which is what its servers offer."""
    return replace(setting, catalog=setting.catalog or Catalog(RealTool(name) for name in setting.tools))


class McpRun:
    """A conversation, of which a guide keeps what counts. `button` is what the user presses in the next form, if they are there."""

    def __init__(self, setting: Setting, guide: Guide) -> None:
        self.model, self.executed, self.guide, self.setting = Scripted(setting.script), Executed(), guide, setting
        self.tools = self.executed.wrapped(setting.tools)
        self.said: list[str] = []
        self.results: dict[str, str] = {}
        self.button: bool | None = None

    def user(self, text: str) -> str:
        return asyncio.run(self.auser(text))

    async def auser(self, text: str) -> str:
        await self.guide.aheard(f"user{len(self.said)}", text)
        self.said.append(text)
        return await self._go_on()

    def approve(self, answer: bool) -> str:
        self.button = answer
        return asyncio.run(self._go_on())

    def save(self) -> str:
        return json.dumps([self.guide.snapshot(), self.said, self.results])

    async def _go_on(self) -> str:
        async with self.connected() as host:
            for _ in range(30):
                match await host.step():
                    case Ask(_, question):
                        return question
                    case Make(call):
                        self._read(call.id, await host.make(call))
                    case Choose(payload):
                        answer = self.model.answer(self._request(payload, await host.list_tools()))
                        if isinstance(answer, Calls):
                            await self._call(host, answer)
                        elif not await asyncio.to_thread(self.guide.said, answer.text):
                            return answer.text
        raise AssertionError("the agent goes round in circles")

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        """The clients, behind the gate: one for each server of the catalog."""
        catalog = self.setting.catalog
        async with AsyncExitStack() as open_:
            connections = []
            for origin in dict.fromkeys(tool.origin for tool in catalog.values()):
                server = _server([tool for tool in catalog.values() if tool.origin == origin], self.tools)
                connections.append(Connection(await open_.enter_async_context(Client(server)), origin))
            yield Host(self.guide, connections, self.elicit)

    async def elicit(self, form: ElicitRequestFormParams) -> ElicitResult | None:
        """The user presses the button, if they are to."""
        pressed, self.button = self.button, None
        return None if pressed is None else ElicitResult(action="accept", content={"answer": pressed})

    async def _call(self, host: Any, answer: Calls) -> None:
        made = [ToolCall(self.model.new_id(), name, arguments) for name, arguments in answer.calls]
        for call, result in zip(made, await host.call_tools(made), strict=True):
            self._read(call.id, result)

    def _read(self, identity: str, result: CallToolResult) -> None:
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        self.results[identity] = text
        self.said.append(text)

    def _request(self, payload: Payload, listed: Sequence[Any]) -> Request:
        declared = json.dumps(
            [[tool.name, tool.description, tool.model_dump(mode="json", by_alias=True)["inputSchema"]] for tool in listed]
        )
        names = tuple(tool.name for tool in listed)
        self.said.append(payload.note)
        return Request(declared, names, names if payload.shown else (), "\n".join(self.said), dict(self.results))


def result_of(value: Any) -> CallToolResult:
    """`value` as a server sends it: results that were recorded as they are, all else as text."""
    if isinstance(value, dict) and "content" in value:
        return CallToolResult.model_validate(value)
    return CallToolResult(content=[TextContent(type="text", text=text_of(value))])


def _server(offered: Sequence[RealTool], tools: Tools) -> Server[Any]:
    async def listing(context: object, params: object) -> ListToolsResult:
        return ListToolsResult(
            tools=[Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema)) for tool in offered]
        )

    async def calling(context: object, params: CallToolRequestParams) -> CallToolResult:
        try:
            value = await asyncio.to_thread(tools[params.name], dict(params.arguments or {}))
        except Exception as error:
            return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
        return result_of(value)

    return Server("tools", on_list_tools=listing, on_call_tool=calling)


class McpHost:
    """Clients of the official package."""

    name = "mcp"
    strategies: tuple[Strategy, ...] = ("dispatch", "trim")
    cannot: Mapping[str, str] = {
        "streaming": "a call of MCP has one result, and models are none of its business",
        "ids again": "whoever calls through the client names the call",
    }

    def start(self, setting: Setting) -> Run:
        setting = offering(setting)
        return McpRun(setting, Guide.of(setting.gate(), "plain", strategy=setting.strategy))

    def resume(self, setting: Setting, saved: str) -> Run:
        setting = offering(setting)
        snapshot, said, results = json.loads(saved)
        run = McpRun(setting, Guide.restore(setting.gate(session_in(snapshot)), "plain", snapshot))
        run.said, run.results = said, results
        return run


HOST = McpHost()
