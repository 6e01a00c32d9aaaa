"""The constant tools to clients of the Model Context Protocol, of any version, over any transport."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple
from uuid import uuid4

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from toolplan.domain import Principal
from toolplan.serving.desk import Desk
from toolplan.serving.metatools import Announce, Answer, MetaTools, Passed, Told, Wrong, to_nobody
from toolplan.serving.principals import text_of

Context = ServerRequestContext[Any, Any]

CALL_ID = "toolplan/call-id"
"""The key of the `_meta` of a request under which a host may give the id of a call: what is asked for twice runs once."""
INPUT_REQUIRED = "2026-07-28"
"""The first version of the protocol in which a question is the result of a request, which is then sent again with the answer."""
PATIENCE = 600.0
"""Seconds in which such an answer is taken."""
NAME = "toolplan"
INSTRUCTIONS = (
    "The tools of other servers are called through this one. For each request of the user, tell `frontier` what they said; then `call` "
    "what it says can be called, and nothing else, until all of it is done. Questions to the user go to the user: never make up an answer."
)


def server_of(desk: Desk, *, principal: Callable[[Context], Principal], secret: bytes, announce: Announce = to_nobody) -> Server[Any]:
    """The server of the conversations of `desk`. `principal` tells for whom a request is, from its sign-in and from nothing in it.

    Servers that share `secret` take each other's questions up, those that share a store each other's conversations.
    """
    tools = MetaTools(desk, announce)
    listed = [Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema)) for tool in tools.listed]

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        try:
            return _result(await tools.use(params.name, params.arguments or {}, principal(context), _Client(context, params)))
        except _Leg as leg:
            return leg.result

    server: Server[Any] = Server(
        NAME,
        version=version("toolplan"),
        instructions=INSTRUCTIONS,
        # Without it, the SDK has all tools listed for every call, to look for headers that repeat arguments.
        get_tool_input_schema={tool.name: tool.schema for tool in tools.listed}.get,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )

    def bound(context: Context) -> str:
        return text_of(principal(context))

    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity(keys=[secret], ttl=PATIENCE, bind_principal=bound), default_audience=NAME)
    )
    return server


async def serve_stdio(server: Server[Any]) -> None:
    """Serve the one client at the other end of stdin and stdout, until it goes."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


class _Asked(NamedTuple):
    """What a request has asked for when it ended: in which conversation, and which question."""

    handle: str
    question: str


class _Leg(Exception):
    """The request ends with a question to the client, who sends it again with the answer."""

    def __init__(self, asked: _Asked, form: ElicitRequestFormParams) -> None:
        self.result = InputRequiredResult(input_requests={asked.question: ElicitRequest(params=form)}, request_state=json.dumps(asked))


class _Client:
    """Whoever sent a request to call a tool."""

    def __init__(self, context: Context, params: CallToolRequestParams) -> None:
        self._context, self._answers = context, params.input_responses or {}
        # The boundary has taken the seal off: only this server wrote it.
        self._asked = _Asked(*json.loads(params.request_state)) if params.request_state else None
        given = (context.meta or {}).get(CALL_ID)
        self.call_id = given if isinstance(given, str) and given else uuid4().hex

    @property
    def resumes(self) -> str:
        return self._asked.handle if self._asked is not None else ""

    @property
    def shows_forms(self) -> bool:
        session = self._context.session
        is_reached = session.can_send_request or is_version_at_least(session.protocol_version, INPUT_REQUIRED)
        return is_reached and _takes_forms(session.client_capabilities)

    async def ask(self, handle: str, question: str, form: ElicitRequestFormParams) -> ElicitResult | None:
        session = self._context.session
        if not self.shows_forms:
            return None
        if session.can_send_request:
            try:
                return await session.elicit_form(form.message, form.requested_schema, self._context.request_id)
            except (MCPError, ValidationError):
                return None
        if self._asked != _Asked(handle, question):
            raise _Leg(_Asked(handle, question), form)
        answer = self._answers.get(question)
        return answer if isinstance(answer, ElicitResult) else ElicitResult(action="cancel")

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        await self._context.session.report_progress(done, total, message)


def _takes_forms(capabilities: ClientCapabilities | None) -> bool:
    taken = capabilities.elicitation if capabilities is not None else None
    return taken is not None and (taken.form is not None or taken.url is None)


def _result(answer: Answer) -> CallToolResult:
    match answer:
        case Told(text, data):
            return CallToolResult(content=[_text(text)], structured_content=dict(data))
        case Passed(raw, text, data):
            result = _passed(raw)
            structured = {} if result.structured_content is None else {"result": result.structured_content}
            content = [*result.content, _text(text)]
            return CallToolResult(content=content, structured_content={**structured, **data}, is_error=result.is_error)
        case Wrong(text):
            return CallToolResult(content=[_text(text)], is_error=True)


def _passed(raw: object) -> CallToolResult:
    """The result of another server as it came; what is no such result, as text."""
    if isinstance(raw, Mapping) and "content" in raw:
        try:
            return CallToolResult.model_validate(raw)
        except ValidationError:
            pass
    return CallToolResult(content=[_text(raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False))])


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
