"""Microsoft Agent Framework: `Toolplan`, a context provider that steers the model requests of an agent and takes each of its calls to the gate.

What the framework answers by itself comes to the gate, too: tools that there are none of, arguments that do not fit. In the framework's
messages such a call is a call of `STAND_IN`, and the model finds it there as it made it.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, cast
from uuid import uuid4

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    ContextProvider,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    Message,
    ResponseStream,
    SessionContext,
)
from agent_framework.exceptions import UserInputRequiredException

from toolplan.adapters.guide import Ask, Choose, Guide, Make
from toolplan.adapters.results import readable
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Payload, parsed
from toolplan.exposure.declarations import DISPATCHER, dispatcher
from toolplan.exposure.surfaces import SURFACES
from toolplan.gate import Hold, Ran, ToolCall
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.session.events import AskedCall

Asks = Literal["text", "approval"]
"""How a call that waits for a yes reaches the user: as what the agent says, or as an approval request. Other questions are text."""
Conversation = Callable[[str], Guide]
Made = tuple[str, object]
"""A call as the model made it: the name and the arguments."""
Next = Callable[[], Awaitable[None]]

STAND_IN = "toolplan"
"""The tool that takes the calls that the framework would not. The ids of calls that only let a run go on begin with it."""


class Toolplan(ContextProvider):
    """Guards all function tools of an agent. `conversation` is the guide of one conversation, or makes that of a snapshot: "" is a new one.

    The snapshot is in the state of the agent's session, wherever that is kept. Raises DomainError for a guide that adds tools by reference,
    which the framework cannot, and for tools that a provider would run past the gate.
    """

    def __init__(self, conversation: Guide | Conversation, *, asks: Asks = "text") -> None:
        super().__init__(STAND_IN)
        self._conversation, self._asks = conversation, asks

    async def before_run(self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]) -> None:
        """Hear what is new, and guard the run."""
        guide = self._conversation
        if not isinstance(guide, Guide):
            guide = await asyncio.to_thread(guide, state.get("snapshot", ""))
        if guide.exposure.strategy in ("append", "search"):
            refused = f"Agent Framework cannot follow the strategy `{guide.exposure.strategy}`"
            raise DomainError([Diagnostic(Code.BAD_CALL, refused, None, "take the strategy `dispatch` or `trim`")])
        for message in context.input_messages:
            await _hear(guide, message)
        steering = Steering(guide, state)
        context.extend_tools(self.source_id, list(_host_tools(guide)))
        context.extend_middleware(self.source_id, [steering, Door(guide, self._asks, steering.made)])

    async def after_run(self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]) -> None:
        """Keep what is known at the end. A guide that was asked nothing has nothing to keep."""
        for middleware in context.middleware.get(self.source_id, []):
            if isinstance(middleware, Steering):
                await middleware.keep()


class Steering(ChatMiddleware):
    """Asks the model only where there is a choice. `made` are the calls of the run as they were made, by id."""

    def __init__(self, guide: Guide, state: dict[str, Any]) -> None:
        self.guide, self._state = guide, state
        self.made: dict[str, Made] = {}

    async def keep(self) -> None:
        """Keep what is known by now."""
        self._state["snapshot"] = await self.guide.gate.soon(self.guide.snapshot)

    async def process(self, context: ChatContext, call_next: Next) -> None:
        """Ask the user, make a call, or let the model choose."""
        directions, self._state["snapshot"] = await self.guide.akept_step()
        match directions:
            case Ask(_, text):
                _answer(context, Content.from_text(text))
                return
            case Make(call):
                taken = {content.call_id for message in context.messages for content in message.contents}
                name, values = self.guide.shown(call)
                _answer(context, Content.from_function_call(self.guide.free(call, taken), name, arguments=values))
            case Choose(payload):
                self._restrict(context, payload)
                await call_next()
        if context.stream:
            context.stream_result_transforms = [*context.stream_result_transforms, self._taken]
        else:
            context.result = await self._taken(cast("ChatResponse[Any]", context.result))

    def _restrict(self, context: ChatContext, payload: Payload) -> None:
        """Declare what the strategy declares, and allow what may be called: which a client passes on where its provider takes it."""
        options, shown_as = dict(context.options or {}), payload.names.shown_as
        tools = _function_tools(options.pop("tools", None) or [])
        options.pop("tool_choice", None)
        if payload.strategy == "dispatch":
            declared = [tool for tool in tools if tool.name == DISPATCHER]
        else:
            # What the provider wants to see declared because it was shown before.
            names = {*payload.shown, *self.guide.exposure.held} if payload.strategy == "trim" else shown_as
            declared = [_called(shown_as[tool.name], tool) for tool in tools if tool.name in names and tool.name in shown_as]
        if declared:
            allowed = {"allowed_tools": [shown_as[name] for name in payload.shown]} if payload.strategy == "allow" else {}
            options |= {"tools": declared, "tool_choice": {"mode": "auto", **allowed} if payload.shown else "none"}
        context.options = options
        context.messages = [*self._as_made(context.messages), Message("user", [payload.note])]

    async def _taken(self, response: ChatResponse[Any]) -> ChatResponse[Any]:
        """The answer as the framework is to take it up. The gate knows of its calls, in their order; words may have been a step of the plan."""
        calls = [content for message in response.messages for content in message.contents if content.type == "function_call"]
        if calls:
            self.guide.turn([str(call.call_id) for call in calls])
        elif (words := response.text) and await self.guide.asaid(words):
            # Words end the run, so there has to be a call that does not.
            response.messages.append(Message("assistant", [Content.from_function_call(f"{STAND_IN}-{uuid4().hex}", STAND_IN)]))
        for call in calls:
            name = str(call.name)
            self.made[str(call.call_id)] = name, call.arguments
            real = self.guide.exposure.names.real(name)
            if name != DISPATCHER and (real not in self.guide.exposure.names.shown_as or not isinstance(parsed(call.arguments), Mapping)):
                real, call.arguments = STAND_IN, json.dumps({"name": name, "arguments": call.arguments})
            call.name = real
        return response

    def _as_made(self, messages: Sequence[Message]) -> Iterator[Message]:
        """The conversation as the model has seen it and made it."""
        for message in messages:
            contents = [self._made(content) for content in message.contents if not str(content.call_id).startswith(f"{STAND_IN}-")]
            if contents or not message.contents:
                message = copy.copy(message)
                message.contents = contents
                yield message

    def _made(self, content: Content) -> Content:
        if content.type != "function_call":
            return content
        made = copy.copy(content)
        name, arguments = _made(str(content.name), content.arguments)
        made.arguments = cast("str | Mapping[str, Any] | None", arguments)
        made.name = self.guide.exposure.names.shown_as.get(name, name)
        return made


class Door(FunctionMiddleware):
    """The gate before every tool of the run."""

    def __init__(self, guide: Guide, asks: Asks, made: Mapping[str, Made]) -> None:
        self._guide, self._asks, self._made = guide, asks, made

    async def process(self, context: FunctionInvocationContext, call_next: Next) -> None:
        """What the gate says of the call: the result, or why there is none."""
        identity, gate = context.metadata["call_id"], self._guide.gate
        if identity.startswith(f"{STAND_IN}-"):
            context.result = "Go on."
            return
        approval: Content | None = context.metadata.get("approval_response")
        name, arguments = self._made.get(identity, (context.function.name, context.arguments))
        if approval is not None and approval.function_call is not None:
            name, arguments = _made(str(approval.function_call.name), approval.function_call.arguments)
        call = self._guide.call(identity, name, arguments)
        if approval is not None:
            # Whoever has another role has to answer the gate themselves: an approval does not say whose it is.
            await asyncio.to_thread(self._guide.agree, call)

        async def execute(values: dict[str, object]) -> Any:
            return await _execute(context, call.tool, values, call_next)

        try:
            ran = await gate.arun(call, execute, raw=_raw, pauses=(UserInputRequiredException, _ApprovalNeeded))
        except _ApprovalNeeded as needed:
            context.result = _request(context, call, needed.values)
            return
        match ran:
            case Ran(result):
                context.result = result
            case Hold(_, held) if self._asks == "approval":
                self._guide.waits(call, held)
                context.result = _request(context, call, held.values)
            case closed:
                context.result = closed.message


class _ApprovalNeeded(Exception):
    """The tool itself says that somebody has to see `values` first."""

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__()
        self.values = values


def catalog_of(tools: Iterable[FunctionTool], origin: str = "") -> Catalog:
    """`tools`, for the session."""
    return Catalog(RealTool(tool.name, tool.description, tool.parameters(), origin) for tool in tools)


async def _hear(guide: Guide, message: Message) -> None:
    """What is new in `message`: words of the user, or a no to a call."""
    if message.role == "user" and message.text:
        await guide.aheard(message.message_id or uuid4().hex, message.text)
    for content in message.contents:
        if content.type == "function_approval_response" and not content.approved and content.function_call is not None:
            await asyncio.to_thread(_rejected, guide, str(content.function_call.call_id))


def _rejected(guide: Guide, identity: str) -> None:
    asked = guide.session.memory.open
    if isinstance(asked, AskedCall) and asked.call.id == guide.own(identity):
        guide.gate.answer(False)
    guide.gate.skip(guide.own(identity))


def _host_tools(guide: Guide) -> Iterator[FunctionTool]:
    """The tools that take up what a model makes of the others. They are behind the gate, and so never run themselves."""
    yield FunctionTool(name=STAND_IN, func=lambda: None, input_model={"type": "object", "properties": {}})
    if guide.exposure.strategy == "dispatch":
        declared = dispatcher(SURFACES[guide.exposure.provider].limits.dispatched)
        yield FunctionTool(name=DISPATCHER, description=declared.description, func=lambda: None, input_model=declared.schema)


def _function_tools(tools: Sequence[object]) -> list[FunctionTool]:
    """`tools`. Raises DomainError where one of them is run past the gate."""
    past = [tool for tool in tools if not isinstance(tool, FunctionTool)]
    if past:
        names = [tool.get("type", "a tool") if isinstance(tool, Mapping) else type(tool).__name__ for tool in past]
        hint = "give it to an agent of its own"
        raise DomainError([Diagnostic(Code.BAD_CALL, f"{quoted(name)} is run past the gate", None, hint) for name in names])
    return [tool for tool in tools if isinstance(tool, FunctionTool)]


def _called(name: str, tool: FunctionTool) -> FunctionTool:
    """`tool` under `name`."""
    if name == tool.name:
        return tool
    renamed = copy.copy(tool)
    renamed.name = name
    return renamed


def _made(name: str, arguments: object) -> Made:
    """A call that the stand-in took, as it was made; any other as it is."""
    match parsed(arguments):
        case {"name": str(made), "arguments": given} if name == STAND_IN:
            return made, given
        case _:
            return name, arguments


async def _execute(context: FunctionInvocationContext, name: str, values: dict[str, object], call_next: Next) -> Any:
    if name == context.function.name:
        context.arguments = values
        await call_next()
        return context.result
    tool = next((tool for tool in context.tools or [] if isinstance(tool, FunctionTool) and tool.name == name), None)
    if tool is None:
        raise LookupError(f"{quoted(name)} is not to be had here")
    if tool.approval_mode == "always_require" and "approval_response" not in context.metadata:
        raise _ApprovalNeeded(values)
    inner = FunctionInvocationContext(function=tool, arguments=values, session=context.session, kwargs=context.kwargs, tools=context.tools)
    return await tool.invoke(arguments=values, context=inner, tool_call_id=context.metadata["call_id"])


def _request(context: FunctionInvocationContext, call: ToolCall, values: Mapping[str, object]) -> Content:
    """The request to approve `call` with `values`, under the name by which the framework will take it up again."""
    name, identity = context.function.name, context.metadata["call_id"]
    arguments = values if name == call.tool else {"name": call.tool, "arguments": dict(values)}
    occurrence = context.metadata.get("function_call_occurrence_id", identity)
    function_call = Content.from_function_call(identity, name, arguments=arguments, id=occurrence)
    return Content.from_function_approval_request(occurrence, function_call)


def _answer(context: ChatContext, content: Content) -> None:
    """Say or call `content` in the place of the model."""

    async def updates() -> AsyncIterator[ChatResponseUpdate]:
        yield ChatResponseUpdate(role="assistant", contents=[content])

    if context.stream:
        context.result = ResponseStream(updates(), finalizer=ChatResponse.from_updates)
    else:
        context.result = ChatResponse(messages=[Message("assistant", [content])])


def _raw(result: object) -> object:
    """What there is to be read: the text that the framework made of it, or what it left as it was."""
    if isinstance(result, list) and all(isinstance(item, Content) and item.type == "text" for item in result):
        text = "\n".join(item.text or "" for item in result)
        return parsed(text) if text else text
    return readable(result)
