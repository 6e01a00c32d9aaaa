"""FastMCP: `Toolplan`, a middleware for a host that mounts its servers in process, or proxies of them, and calls their tools for a model.

This is a filter of the host and no server: the list of a server must not depend on what was called, says the protocol.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from fastmcp import Context, FastMCP
from fastmcp.server.middleware import CallNext, MiddlewareContext
from fastmcp.server.middleware.tool_injection import ToolInjectionMiddleware
from fastmcp.server.providers import FastMCPProvider, Provider
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.exceptions import is_timeout_error
from fastmcp.utilities.versions import version_sort_key
from mcp import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolRequestParams,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListToolsRequest,
    TextContent,
)

from toolplan.adapters.elicitation import asked, digest_of
from toolplan.adapters.guide import Guide
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure.declarations import dispatcher
from toolplan.exposure.surfaces import SURFACES
from toolplan.frontier import Clarify, Frontier, callable_tools
from toolplan.gate import Allow, Hold, Ran, Refuse, ToolCall

Conversation = Callable[[Context], Guide]

CALL_ID = "toolplan/call-id"
"""The key of the `_meta` of a request under which a host may give the id of a call: what is asked for twice runs once."""
UNANSWERED = (REQUEST_TIMEOUT, CONNECTION_CLOSED)
"""Errors after which nobody knows whether a call has run."""


class _Leg(Exception):
    """The request ends with a question to the client, who sends it again with the answer."""

    def __init__(self, result: InputRequiredToolResult) -> None:
        self.result = result


class Toolplan(ToolInjectionMiddleware):
    """Guards all tools of a host. `conversation` is the guide of one conversation, or tells that of a request.

    Questions go to the client as elicitations if it takes them, when a call comes; what is not answered there is for the next `step`. The
    tool that was found for the gate is injected for the time of its call: the host does not look it up again, whatever version a client names.
    """

    def __init__(self, conversation: Guide | Conversation) -> None:
        super().__init__(())
        self._conversation = conversation

    def get_injected_tool(self, name: str) -> Tool | None:
        """The tool of the call that runs now."""
        running = _RUNNING.get()
        tool = running.tool if running is not None and running.guard is self else None
        return tool if tool is not None and tool.name == name else None

    async def on_list_tools(
        self,
        context: MiddlewareContext[ListToolsRequest],
        call_next: CallNext[ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """What the model is to be shown now: under `trim` what may be called, under `dispatch` the dispatcher, else always all."""
        guide, tools = self._guide(context), _newest(await call_next(context))
        await self._offer(guide, [_known(tool, guide.session.catalog) for tool in tools])
        exposure = guide.exposure
        if exposure.strategy in ("dispatch", "search"):
            declared = dispatcher(SURFACES[exposure.provider].limits.dispatched)
            return [Tool(name=declared.name, description=declared.description, parameters=dict(declared.schema))]
        now = await guide.gate.anext()
        names = callable_tools(now) if exposure.strategy == "trim" else tuple(exposure.names.shown_as)
        by_name = {tool.name: tool for tool in tools}
        return [by_name[name].model_copy(update={"name": exposure.names.shown(name)}) for name in names if name in by_name]

    async def on_call_tool(
        self,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """What the gate says of the call: its result, or why there is none."""
        guide = self._guide(context)
        client = _Client(guide, context)
        call = guide.call(client.call_id, context.message.name, context.message.arguments or {})
        try:
            now = await _settled(guide, client)
            found = await self._look_again(guide, context, call.tool)
            verdict = await guide.gate.acheck(call)
            if isinstance(verdict, Hold) and not isinstance(now.decision, Clarify) and await asked(guide.gate, client.elicit):
                verdict = await guide.gate.acheck(call)
            if not isinstance(verdict, Allow):
                return _unmade(verdict)
            with self._running(found):
                return await self._run(guide, call, verdict.permit.tool, context, call_next)
        except _Leg as leg:
            return leg.result

    async def _run(
        self,
        guide: Guide,
        call: ToolCall,
        tool: str,
        context: MiddlewareContext[CallToolRequestParams],
        call_next: CallNext[CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        async def execute(arguments: dict[str, object]) -> ToolResult:
            message = context.message.model_copy(update={"name": tool, "arguments": arguments})
            try:
                result = await call_next(context.copy(message=message))
            except Exception as error:
                if any(map(_is_unanswered, _causes(error))):
                    raise TimeoutError(str(error)) from error
                raise
            if isinstance(result, InputRequiredToolResult):
                raise _Leg(result)
            return result

        try:
            ran = await guide.gate.arun(call, execute, raw=_raw, pauses=(_Leg,))
        except TimeoutError as error:
            return ToolResult(str(error), is_error=True)
        return ran.result if isinstance(ran, Ran) else _unmade(ran)

    async def _look_again(self, guide: Guide, context: MiddlewareContext[CallToolRequestParams], name: str) -> Tool | None:
        """The tool `name`, which may have changed since it was listed."""
        assert context.fastmcp_context is not None
        catalog, server = guide.session.catalog, context.fastmcp_context.fastmcp
        tool = await server.get_tool(name) if name in catalog else None
        if tool is not None and (real := _known(tool, catalog)) != catalog[name]:
            await self._offer(guide, [real if known.name == name else known for known in catalog.values()])
        return tool

    @contextmanager
    def _running(self, tool: Tool | None) -> Iterator[None]:
        """Within, the server finds `tool` under its name. Tasks that outlive the block find what there is."""
        running = _Running(self, tool)
        token = _RUNNING.set(running)
        try:
            yield
        finally:
            running.tool = None
            _RUNNING.reset(token)

    async def _offer(self, guide: Guide, tools: Sequence[RealTool]) -> None:
        if list(tools) != list(guide.session.catalog.values()):
            await asyncio.to_thread(guide.offer, Catalog(tools))

    def _guide(self, context: MiddlewareContext[Any]) -> Guide:
        assert context.fastmcp_context is not None
        return self._conversation if isinstance(self._conversation, Guide) else self._conversation(context.fastmcp_context)


@dataclass
class _Running:
    """A call that `guard` has let through to `tool`; to none that is known of, once it is over."""

    guard: Toolplan
    tool: Tool | None


_RUNNING: ContextVar[_Running | None] = ContextVar("running", default=None)


class _Client:
    """Whoever sent a request to call a tool."""

    def __init__(self, guide: Guide, context: MiddlewareContext[CallToolRequestParams]) -> None:
        assert context.fastmcp_context is not None
        self._guide, self._context, self._message = guide, context.fastmcp_context, context.message
        request = self._context.request_context
        given = (request.meta or {}).get(CALL_ID) if request is not None else None
        self.call_id = given if isinstance(given, str) and given else uuid4().hex

    async def elicit(self, form: ElicitRequestFormParams) -> ElicitResult | None:
        """Show `form` to the user, as far as the client takes forms. Raises _Leg where the answer comes with another request."""
        request, question = self._context.request_context, self._guide.session.memory.open
        if request is None or question is None or not _takes_forms(request.session.client_capabilities):
            return None
        if request.session.can_send_request:
            try:
                return await request.session.elicit_form(form.message, form.requested_schema, self._context.request_id)
            except MCPError:
                return None
        # What the answer belongs to is all that is known of it: to another question, or to another call, it is none.
        key = digest_of(question)
        answer = (self._message.input_responses or {}).get(key)
        if isinstance(answer, ElicitResult):
            return answer
        raise _Leg(InputRequiredToolResult(InputRequiredResult(input_requests={key: ElicitRequest(params=form)})))


async def _settled(guide: Guide, client: _Client) -> Frontier:
    """What is next, once the client was asked what is to be asked before anything is called."""
    while True:
        now = await guide.gate.anext()
        if not isinstance(now.decision, Clarify) or not await asked(guide.gate, client.elicit):
            return now


async def catalog_of(server: FastMCP) -> Catalog:
    """The tools of a host, in the order in which it lists them, for the session.

    Raises DomainError, with both origins, where two mounted servers have one name: FastMCP would let the first win. Mount each in a
    namespace of its own.
    """
    origins: defaultdict[tuple[str, str | None], deque[str]] = defaultdict(deque)
    for provider in server.providers:
        for tool in await provider.list_tools():
            origins[tool.name, tool.version].append(_origin(provider, server))
    listed = _newest(await server.list_tools(run_middleware=False))
    # What the host itself renames is listed by no provider.
    return Catalog(_real_tool(tool, from_.popleft() if (from_ := origins[tool.name, tool.version]) else server.name) for tool in listed)


def _unmade(verdict: Refuse | Hold) -> ToolResult:
    """Why there is no result. Clients take what is no error for one, and hold it against the schema of results."""
    return ToolResult(verdict.message, is_error=True)


def _raw(result: ToolResult) -> object:
    """What there is to be read. An error is what the tool of another server has raised, and may pass."""
    return RuntimeError(*(block.text for block in result.content if isinstance(block, TextContent))) if result.is_error else result


def _origin(provider: Provider, server: FastMCP) -> str:
    return provider.server.name if isinstance(provider, FastMCPProvider) else server.name


def _newest(tools: Sequence[Tool]) -> list[Tool]:
    """The latest version of each, as FastMCP shows them."""
    latest = {tool.name: tool.version for tool in sorted(tools, key=version_sort_key)}
    return [tool for tool in tools if tool.version == latest[tool.name]]


def _known(tool: Tool, catalog: Catalog) -> RealTool:
    """`tool` as it is now, with the origin that the catalog has for it."""
    return _real_tool(tool, catalog[tool.name].origin if tool.name in catalog else "")


def _real_tool(tool: Tool, origin: str) -> RealTool:
    hints = tool.annotations.model_dump(mode="json", by_alias=True, exclude_none=True) if tool.annotations is not None else {}
    return RealTool(tool.name, tool.description or "", tool.parameters, origin, hints, tool.output_schema or {})


def _takes_forms(capabilities: ClientCapabilities | None) -> bool:
    taken = capabilities.elicitation if capabilities is not None else None
    return taken is not None and (taken.form is not None or taken.url is None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _is_unanswered(error: BaseException) -> bool:
    return (
        isinstance(error, TimeoutError | ConnectionError)
        or is_timeout_error(error)
        or (isinstance(error, MCPError) and error.code in UNANSWERED)
    )
