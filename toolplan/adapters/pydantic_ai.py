"""Pydantic AI: `Toolplan`, a capability that steers the model requests of an agent and takes each of its calls to the gate.

What Pydantic AI would answer by itself comes to the gate, too: arguments that do not fit, tools it has none of. So the gate's words are all
that a model gets, and no such call counts as a retry of the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, cast

from pydantic_ai import RunContext, ToolOrOutput, ToolReturn
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipModelRequest, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool, WrapperToolset

from toolplan.adapters.guide import Ask, Choose, Guide, Make
from toolplan.adapters.results import readable
from toolplan.catalog import Catalog, RealTool
from toolplan.exposure import Payload, Provider, parsed
from toolplan.exposure.declarations import DISPATCHER, dispatcher
from toolplan.exposure.surfaces import SURFACES
from toolplan.frontier import Call
from toolplan.gate import Allow, Hold, Permit, Ran, Refuse, ToolCall
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.session.events import AskedCall

Context = RunContext[Any]
Tools = dict[str, ToolsetTool[Any]]
Conversation = Callable[[Context], Guide]
Asks = Literal["text", "deferred"]
"""How questions reach the user: as what the agent says, or as deferred tool requests, which its `output_type` must then include."""

MARK = "toolplan"
"""The key of what is ours in the metadata of messages."""
NOTE = {MARK: "note"}
ASK_USER = "ask_user"
"""The tool that stands for a deferred question. No model is shown it."""


@dataclass
class Toolplan(AbstractCapability[Any]):
    """Guards all function tools of an agent. `conversation` is the guide of one conversation, or tells that of a run.

    At the end of a run the last message holds a snapshot, see `snapshot_in`: a history is all that has to be kept. Raises DomainError for a
    guide that adds tools by reference, which Pydantic AI does only for tools that its model may search.
    """

    conversation: Guide | Conversation
    asks: Asks = "text"
    tools: Tools = field(default_factory=dict, init=False)
    asked: set[str] = field(default_factory=set, init=False)
    answered: set[str] = field(default_factory=set, init=False)

    def get_ordering(self) -> CapabilityOrdering:
        """After all others: nothing comes after the note, and nothing changes a call that the gate has seen."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: Context) -> Toolplan:
        """The same for one run."""
        guide = self.conversation if isinstance(self.conversation, Guide) else await asyncio.to_thread(self.conversation, ctx)
        if guide.exposure.strategy in ("append", "search"):
            message = f"Pydantic AI cannot follow the strategy `{guide.exposure.strategy}`"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "take the strategy `dispatch` or `trim`")])
        return Toolplan(guide, self.asks)

    @property
    def guide(self) -> Guide:
        """The guide of this run."""
        assert isinstance(self.conversation, Guide)
        return self.conversation

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> GuardedToolset:
        """The tools behind the gate."""
        return GuardedToolset(toolset, self.guide, self.asks, self.tools, self.asked, self.answered)

    async def before_model_request(self, ctx: Context, request_context: ModelRequestContext) -> ModelRequestContext:
        """Hear what is new, then ask the user, make a call, or let the model choose."""
        for identity, part in _new_parts(request_context.messages):
            await self._take(identity, part)
        match await self.guide.astep():
            case Ask(_, text) if self.asks == "deferred":
                question = ToolCallPart(ASK_USER, {"question": text})
                self.asked.add(question.tool_call_id)
                raise SkipModelRequest(_response(question))
            case Ask(_, text):
                raise SkipModelRequest(_response(TextPart(text)))
            case Make(call):
                raise SkipModelRequest(_response(self._part(call, request_context.messages)))
            case Choose(payload):
                self._restrict(request_context, payload)
                _tell(ctx, request_context, payload.note)
        return request_context

    async def after_model_request(self, ctx: Context, *, request_context: ModelRequestContext, response: ModelResponse) -> ModelResponse:
        """Tell the gate of the calls, in their order; words may have been a step, after which the run goes on."""
        output = {tool.name for tool in request_context.model_request_parameters.output_tools}
        calls = [part for part in response.tool_calls if part.tool_name not in output]
        if calls:
            self.guide.turn([part.tool_call_id for part in calls])
            self._stand_in(ctx, {part.tool_name for part in calls})
        elif (text := response.text) is not None and await self.guide.asaid(text):
            ctx.enqueue(TextContent("Go on.", metadata=NOTE))
        return response

    async def after_run(self, ctx: Context, *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Keep a snapshot with the last message."""
        last = result.all_messages()[-1]
        last.metadata = {**(last.metadata or {}), MARK: await self.guide.gate.soon(self.guide.snapshot)}
        return result

    def _restrict(self, request_context: ModelRequestContext, payload: Payload) -> None:
        """Declare what the strategy declares, and allow what may be called: which a provider is told where it takes it."""
        parameters = request_context.model_request_parameters
        shown = [payload.names.shown(name) for name in payload.shown]
        declared = parameters.function_tools
        if self.asks == "deferred":
            declared = [tool for tool in declared if tool.name != ASK_USER]
        if payload.strategy == "trim":
            # What the provider wants to see declared because it was shown before.
            wanted = {*payload.shown, *self.guide.exposure.held}
            declared = [tool for tool in declared if payload.names.real(tool.name) in wanted]
        if payload.strategy == "dispatch":
            shown = [DISPATCHER] if shown else []
        allowed = [tool.name for tool in declared if tool.name in shown]
        choice = ModelSettings(tool_choice=ToolOrOutput(function_tools=allowed))
        request_context.model_settings = ModelSettings(**{**(request_context.model_settings or {}), **choice})
        if len(declared) < len(parameters.function_tools):
            request_context.model_request_parameters = replace(parameters, function_tools=declared)

    def _stand_in(self, ctx: Context, names: set[str]) -> None:
        """Let the gate answer calls of tools that there are none of. Pydantic AI would name all that there are, and end the second time."""
        tools = (ctx.tool_manager.tools if ctx.tool_manager is not None else None) or {}
        for name in names - tools.keys():
            guarded = next((tool for tool in tools.values() if tool.args_validator is ANYTHING), None)
            if guarded is not None:
                tools[name] = replace(guarded, tool_def=ToolDefinition(name=name))

    async def _take(self, identity: str, part: ModelRequestPart) -> None:
        """Hear a part of a message that no model has seen yet."""
        match part:
            case UserPromptPart(content=content) if text := _text_of(content):
                await self.guide.aheard(identity, text)
            case ToolReturnPart() if identity not in self.answered:
                await asyncio.to_thread(self._returned, part)
            case _:
                pass

    def _returned(self, part: ToolReturnPart) -> None:
        """A result that came from outside is an answer, a denial, or what became of a call that ran elsewhere."""
        gate, identity = self.guide.gate, self.guide.own(part.tool_call_id)
        memory = self.guide.session.memory
        if part.tool_name == ASK_USER and memory.open is not None:
            self._answered(identity, part)
        elif part.outcome == "denied" and isinstance(memory.open, AskedCall) and memory.open.call.id == identity:
            gate.answer(False)
        elif identity in memory.running:
            call = memory.running[identity].call
            result = part.content if part.outcome == "success" else ToolFailed(part.model_response_str())
            gate.observe(Permit(ToolCall(identity, call.tool, call.values), call), result)

    def _answered(self, identity: str, part: ToolReturnPart) -> None:
        match part:
            case ToolReturnPart(outcome="success", content=None):
                self.guide.gate.decline()
            case ToolReturnPart(outcome="success", content=str(text)):
                self.guide.heard(identity, text)
            case ToolReturnPart(outcome="success", content=value):
                self.guide.gate.answer(value)
            case _:
                self.guide.gate.unseen()

    def _part(self, call: Call, messages: Sequence[ModelMessage]) -> ToolCallPart:
        """The call as the model would have made it."""
        name, values = self.guide.shown(call)
        taken = {part.tool_call_id for message in messages if isinstance(message, ModelResponse) for part in message.tool_calls}
        return ToolCallPart(name, values, tool_call_id=self.guide.free(call, taken))


@dataclass
class GuardedToolset(WrapperToolset[Any]):
    """The function tools of an agent, behind the gate and under the names that its provider takes.

    `asked` are the ids of calls that stand for questions, `answered` those of calls whose results are the gate's.
    """

    guide: Guide
    asks: Asks
    tools: Tools
    asked: set[str]
    answered: set[str]
    described: Mapping[str, tuple[object, object]] = field(default_factory=dict, init=False)
    guards: Tools = field(default_factory=dict, init=False)

    async def get_tools(self, ctx: Context) -> Tools:
        """All of them, or the one that calls all others."""
        self.tools.clear()
        self.tools.update(await self.wrapped.get_tools(ctx))
        self._offer()
        exposure = self.guide.exposure
        if exposure.strategy == "dispatch":
            guarded = {DISPATCHER: _unvalidated(self, _dispatcher(exposure.provider), 1)}
        else:
            guarded = {
                shown: self._guard(shown, tool)
                for name, tool in self.tools.items()
                if (shown := exposure.names.shown_as.get(name)) is not None
            }
        if self.asks == "deferred":
            guarded[ASK_USER] = _unvalidated(self, ToolDefinition(name=ASK_USER), 1)
        return guarded

    def _guard(self, name: str, tool: ToolsetTool[Any]) -> ToolsetTool[Any]:
        """What stands for `tool` under `name`: that of the step before, if there was one, since every step lists all tools anew."""
        guard = self.guards.get(name)
        if guard is None:
            guard = self.guards[name] = _unvalidated(self, tool.tool_def, tool.max_retries)
        guard.tool_def, guard.max_retries = _called(name, tool.tool_def), tool.max_retries
        return guard

    async def call_tool(self, name: str, tool_args: Any, ctx: Context, tool: ToolsetTool[Any]) -> Any:
        """What the gate says of the call: the result, or why there is none."""
        if ctx.tool_call_id in self.asked:
            raise CallDeferred(tool_args, kind="question")
        assert ctx.tool_call_id is not None
        self.answered.discard(ctx.tool_call_id)  # Some models use an id again.
        call, gate = self.guide.call(ctx.tool_call_id, name, tool_args), self.guide.gate
        if ctx.tool_call_approved:
            by = str(ctx.tool_call_metadata.get("by", "")) if isinstance(ctx.tool_call_metadata, Mapping) else ""
            await asyncio.to_thread(partial(self.guide.agree, call, by=by))

        async def execute(arguments: dict[str, object]) -> Any:
            return await self._execute(call.tool, arguments, ctx)

        try:
            ran = await gate.arun(call, execute, raw=_raw, pauses=(CallDeferred, ApprovalRequired))
        except CallDeferred:
            # Somebody else runs it: it counts as running until its result comes, and nothing waits for that.
            match await gate.acheck(call):
                case Allow():
                    gate.skip(call.id)
                    raise
                case closed:
                    ran = closed
        if isinstance(ran, Hold) and self.asks == "deferred":
            self.guide.waits(call, ran.call)
            raise ApprovalRequired({"question": ran.question.text, "by": ran.question.by})
        self.answered.add(ctx.tool_call_id)
        match ran:
            case Ran(result):
                return result
            case Refuse():
                raise ToolFailed(ran.message)
            case Hold():
                return ran.message

    async def _execute(self, name: str, arguments: dict[str, object], ctx: Context) -> Any:
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailed(f"{quoted(name)} is not to be had here.")
        if tool.tool_def.kind == "external":
            raise CallDeferred
        if tool.tool_def.kind == "unapproved" and not ctx.tool_call_approved:
            raise ApprovalRequired
        if ctx.tool_name != name:
            ctx = replace(ctx, tool_name=name)
        validated = tool.args_validator.validate_python(arguments, context=ctx.validation_context)
        if tool.args_validator_func is not None and (checking := tool.args_validator_func(ctx, **validated)) is not None:
            await checking
        return await self.wrapped.call_tool(name, validated, ctx, tool)

    def _offer(self) -> None:
        """A server may have changed its tools since they were listed."""
        # Definitions are new at every step, and what they hold is nearly always the same.
        described = {name: (tool.tool_def.description, tool.tool_def.parameters_json_schema) for name, tool in self.tools.items()}
        if described == self.described:
            return
        self.described = described
        catalog = self.guide.session.catalog
        real = {name: _real_tool(tool.tool_def, catalog[name]) for name, tool in self.tools.items() if name in catalog}
        if any(tool is not catalog[name] for name, tool in real.items()):
            self.guide.session.offer(Catalog(real.get(name, tool) for name, tool in catalog.items()))


class _Anything:
    """Takes all arguments as they are: what they have to be, the gate knows."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> Any:
        return parsed(input if isinstance(input, str) else bytes(input).decode("utf-8", "replace"))

    def validate_python(self, input: Any, **_: Any) -> Any:
        return input


ANYTHING = _Anything()


def catalog_of(toolset: FunctionToolset[Any], origin: str = "") -> Catalog:
    """The tools of `toolset`, for the session."""
    return Catalog(_real_tool(tool.tool_def, RealTool(name, origin=origin)) for name, tool in toolset.tools.items())


def snapshot_in(messages: Sequence[ModelMessage]) -> str | None:
    """The snapshot of the guide at the end of `messages`, None where there is none: it began later, or nowhere."""
    for message in reversed(messages):
        if message.metadata is not None and isinstance(snapshot := message.metadata.get(MARK), str):
            return snapshot
    return None


def _real_tool(tool: ToolDefinition, known: RealTool) -> RealTool:
    """`known` as the toolset describes it now; itself where that is the same."""
    description, schema = tool.description or "", tool.parameters_json_schema
    return known if (known.description, known.schema) == (description, schema) else replace(known, description=description, schema=schema)


def _called(name: str, definition: ToolDefinition) -> ToolDefinition:
    """`definition` under `name`. What somebody has to approve or to run elsewhere comes to the gate first, as all else."""
    if definition.name == name and definition.kind == "function":
        return definition
    return replace(definition, name=name, kind="function")


def _dispatcher(provider: Provider) -> ToolDefinition:
    declared = dispatcher(SURFACES[provider].limits.dispatched)
    return ToolDefinition(name=declared.name, description=declared.description, parameters_json_schema=dict(declared.schema))


def _unvalidated(toolset: AbstractToolset[Any], definition: ToolDefinition, retries: int) -> ToolsetTool[Any]:
    return ToolsetTool(toolset=toolset, tool_def=definition, max_retries=retries, args_validator=ANYTHING)


def _new_parts(messages: Sequence[ModelMessage]) -> Iterator[tuple[str, ModelRequestPart]]:
    """The parts after the last answer of a model, each with an identity of its own."""
    after = next((number for number in range(len(messages), 0, -1) if isinstance(messages[number - 1], ModelResponse)), 0)
    # A model may call a tool of that name, too. What comes of it is no answer of the user.
    is_ours = after > 0 and cast(ModelResponse, messages[after - 1]).model_name == MARK
    parts = [part for message in messages[after:] if isinstance(message, ModelRequest) for part in message.parts]
    for number, part in enumerate(parts):
        match part:
            case UserPromptPart(timestamp=said):
                yield f"{said.isoformat()} {number}", part
            case ToolReturnPart(tool_name=name, tool_call_id=identity) if name != ASK_USER or is_ours:
                yield identity, part


def _tell(ctx: Context, request_context: ModelRequestContext, note: str) -> None:
    """Put `note` last into the request that is made, and so into the history."""
    request = request_context.messages[-1]
    if not isinstance(request, ModelRequest) or ctx.messages[-1] is not request:
        # Another capability has put something else in its place, for this request alone.
        ctx.enqueue(TextContent(note, metadata=NOTE))
        return
    told = replace(request, parts=[*request.parts, UserPromptPart([TextContent(note, metadata=NOTE)])])
    request_context.messages[-1] = ctx.messages[-1] = told


def _text_of(content: object) -> str:
    """What the user has said, without notes and pictures."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.content if isinstance(part, TextContent) else part for part in parts if getattr(part, "metadata", None) != NOTE]
    return "\n".join(text for text in texts if isinstance(text, str))


def _raw(result: Any) -> object:
    return readable(result.return_value if isinstance(result, ToolReturn) else result)


def _response(part: ModelResponsePart) -> ModelResponse:
    """What the agent says without its model."""
    return ModelResponse(parts=[part], model_name=MARK)
