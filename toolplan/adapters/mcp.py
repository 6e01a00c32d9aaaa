"""MCP: the clients of a host, behind the gate of one conversation.

This is a filter of the host, in which no server takes part: the list of a server must not depend on what was called, says the protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from mcp import Client, InputRequiredRoundsExceededError, MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, TextContent, Tool
from pydantic import ValidationError

from toolplan.adapters.elicitation import Elicit, asked
from toolplan.adapters.guide import Ask, Directions, Guide
from toolplan.catalog import Catalog, RealTool, prefixed, real_tools
from toolplan.exposure import Exposure
from toolplan.exposure.declarations import described, dispatcher
from toolplan.exposure.surfaces import SURFACES
from toolplan.frontier import Call, callable_tools
from toolplan.gate import Allow, Ran, ToolCall
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.session import Session

UNANSWERED: Mapping[int, type[OSError]] = {REQUEST_TIMEOUT: TimeoutError, CONNECTION_CLOSED: ConnectionError}
"""Errors after which nobody knows whether a call has run."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connected client. `origin` is what the host calls its server; names of tools begin with `prefix` in contracts and for the model."""

    client: Client
    origin: str
    prefix: str = ""


class Host:
    """One conversation with the tools of `connections`, whose catalog its session was given (see `catalog_of`).

    With `elicit`, questions are put to the user as forms, and only those that nobody has answered there become text.
    """

    def __init__(self, guide: Guide, connections: Sequence[Connection], elicit: Elicit | None = None) -> None:
        self.guide, self._elicit = guide, elicit
        self._connections = {connection.origin: connection for connection in connections}
        self._latest = asyncio.Lock()

    async def step(self) -> Directions:
        """What the host does now: see `Guide.step`."""
        while True:
            directions = await self.guide.astep()
            if not isinstance(directions, Ask) or self._elicit is None:
                return directions
            if not await asked(self.guide.gate, self._elicit):
                # A form that was dismissed is no longer open: its question has to be, for the user's next words.
                return await self.guide.astep()

    async def list_tools(self) -> list[Tool]:
        """What the model is to be shown now: under `trim` what may be called, under `dispatch` the dispatcher, else always all.

        For hosts that make their requests from lists of tools; the payload of `step` holds the same, in the shape of the provider.
        """
        now, exposure = await self.guide.gate.anext(), self.guide.exposure
        if exposure.strategy in ("dispatch", "search"):
            declared = dispatcher(SURFACES[exposure.provider].limits.dispatched)
            return [Tool(name=declared.name, description=declared.description, input_schema=dict(declared.schema))]
        names = callable_tools(now) if exposure.strategy == "trim" else tuple(exposure.names.shown_as)
        return _tools(exposure, self.guide.session, [name for name in names if name in exposure.names.shown_as])

    async def call_tools(self, calls: Sequence[ToolCall]) -> list[CallToolResult]:
        """The results of all calls of one turn of the model, in their order, under the names that it was shown."""
        self.guide.gate.turn([call.id for call in calls])
        return list(await asyncio.gather(*(self.call_tool(call.tool, call.arguments, id=call.id) for call in calls)))

    async def call_tool(self, name: str, arguments: object = None, *, id: str = "") -> CallToolResult:
        """The result of a call of the model, under the name that it was shown; an error, for the model to read, where there is none.

        `id` is that of the call, if the host knows one: the same call asked for twice runs once.
        """
        return await self._result(self.guide.call(id or uuid4().hex, name, {} if arguments is None else arguments))

    async def make(self, call: Call) -> CallToolResult:
        """The result of a call that `step` says to make."""
        return await self._result(ToolCall(call.id, call.tool, call.values))

    async def refresh(self) -> Catalog:
        """Take up the lists of the servers as they are now. Raises DomainError, and leaves all as it was, as `catalog_of` does."""
        async with self._latest:
            catalog = await catalog_of(list(self._connections.values()))
            if list(catalog.values()) != list(self.guide.session.catalog.values()):
                await asyncio.to_thread(self.guide.offer, catalog)
            return catalog

    async def watch(self) -> None:
        """Refresh whenever a server says that its list has changed, until this is cancelled: a task of the host's.

        Raises mcp's ListenNotSupportedError for servers before 2026-07-28: let the message handlers of their clients call `refresh`.
        """
        async with asyncio.TaskGroup() as group:
            for connection in self._connections.values():
                group.create_task(self._watch(connection))

    async def _watch(self, connection: Connection) -> None:
        async with connection.client.listen(tools_list_changed=True) as changes:
            await self.refresh()
            async for _ in changes:
                await self.refresh()

    async def _result(self, call: ToolCall) -> CallToolResult:
        gate = self.guide.gate
        verdict = await gate.acheck(call)
        if not isinstance(verdict, Allow):
            return _error(verdict.message)
        tool = verdict.permit.tool

        async def execute(arguments: dict[str, object]) -> CallToolResult:
            return await self._executed(tool, arguments)

        try:
            ran = await gate.arun(call, execute, raw=_raw)
        except (MCPError, InputRequiredRoundsExceededError, TimeoutError, ConnectionError) as error:
            return _error(str(error))
        return ran.result if isinstance(ran, Ran) else _error(ran.message)

    async def _executed(self, name: str, arguments: dict[str, object]) -> CallToolResult:
        real = self.guide.session.catalog.get(name)
        if real is None or real.origin not in self._connections:
            return _error(f"no server offers {quoted(name)}")
        connection = self._connections[real.origin]
        try:
            return await connection.client.call_tool(name.removeprefix(connection.prefix), arguments)
        except MCPError as error:
            if error.code in UNANSWERED:
                raise UNANSWERED[error.code](error.message) from error
            raise
        except ValidationError as error:
            # Something came, so that the tool may have run.
            raise ConnectionError("the answer of the server does not follow the protocol") from error


async def catalog_of(connections: Sequence[Connection]) -> Catalog:
    """The tools of all servers, in the order of `connections`, for the session.

    Raises DomainError, with both origins, where two have one name: give each connection a prefix of its own.
    """
    listed = await asyncio.gather(*map(_listed, connections))
    return Catalog(tool for tools in listed for tool in tools)


async def _listed(connection: Connection) -> list[RealTool]:
    """The tools of one server, each with the version that the server says it has."""
    listed: list[object] = []
    cursors: list[str | None] = [None]
    while len(set(cursors)) == len(cursors):
        page = await connection.client.list_tools(cursor=cursors[-1], cache_mode="refresh")
        listed += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
        if page.next_cursor is None:
            about = connection.client.server_info
            tools = prefixed(real_tools(listed, connection.origin), connection.prefix)
            return [replace(tool, version="" if about is None else about.version) for tool in tools]
        cursors.append(page.next_cursor)
    message = f"the list of tools of {quoted(connection.origin)} goes round in circles"
    raise DomainError([Diagnostic(Code.BAD_JSON, message, None, "its pages have to end")])


def _tools(exposure: Exposure, session: Session, names: Sequence[str]) -> list[Tool]:
    """The real tools `names` as the model is shown them."""
    return [
        Tool(name=exposure.names.shown(name), description=tool.description, input_schema=dict(tool.schema))
        for name, tool in described(session.domain, session.catalog, names).items()
    ]


def _raw(result: CallToolResult) -> object:
    """What there is to be read. Whatever a tool raises comes as an error result, also what would pass: a lost connection, too many requests."""
    return RuntimeError(*(block.text for block in result.content if isinstance(block, TextContent))) if result.is_error else result


def _error(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)
