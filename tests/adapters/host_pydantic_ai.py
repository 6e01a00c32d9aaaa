"""Pydantic AI in the conformance suite: an agent with the `Toolplan` capability, whose questions and approvals are deferred requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from adapters.hosting import Executed, Host, Request, Run, Says, Scripted, Setting, Turn
from pydantic import TypeAdapter
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, Tool, ToolApproved, ToolDenied, ToolOrOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.tools import ToolDefinition

from toolplan.adapters.guide import Guide, session_in
from toolplan.adapters.pydantic_ai import Toolplan, snapshot_in
from toolplan.catalog import ANY_ARGUMENTS, RealTool
from toolplan.exposure import Strategy

PENDING: TypeAdapter[DeferredToolRequests] = TypeAdapter(DeferredToolRequests)
BUTTONS = {"yes": True, "no": False}


class GoesOn(AbstractCapability[None]):
    """A tool that raises is a failed result, where Pydantic AI would end the run."""

    async def on_tool_execute_error(
        self, ctx: RunContext[None], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], error: Exception
    ) -> Any:
        raise ToolFailed(str(error))


class PydanticRun:
    """A conversation. What is kept between its turns are the messages, and the requests that somebody has to answer."""

    def __init__(self, setting: Setting, messages: list[ModelMessage], pending: DeferredToolRequests) -> None:
        self.model, self.executed = Scripted(setting.script), Executed()
        self._setting, self._messages, self._pending = setting, messages, pending
        self._guide: Guide | None = None
        self._agent: Agent[None, str | DeferredToolRequests] = Agent(
            FunctionModel(self._answer, stream_function=self._stream),
            tools=self._tools(),
            capabilities=[GoesOn(), Toolplan(self._conversation, "deferred")],
            output_type=[str, DeferredToolRequests],
        )

    def user(self, text: str) -> str:
        if self._setting.asynchronous or self._setting.streaming:
            return asyncio.run(self.auser(text))
        with asyncio.Runner() as runner:  # The loop that `run_sync` would make stays open.
            asyncio.set_event_loop(runner.get_loop())
            said, deferred = self._answered(text)
            ran = self._agent.run_sync(said, message_history=self._messages, deferred_tool_results=deferred)
        return self._seen(ran.all_messages(), ran.output)

    async def auser(self, text: str) -> str:
        said, deferred = self._answered(text)
        if not self._setting.streaming:
            ran = await self._agent.run(said, message_history=self._messages, deferred_tool_results=deferred)
            return self._seen(ran.all_messages(), ran.output)
        async with self._agent.run_stream(said, message_history=self._messages, deferred_tool_results=deferred) as stream:
            output = await stream.get_output()
        return self._seen(stream.all_messages(), output)

    def approve(self, answer: bool) -> str:
        return self.user("yes" if answer else "no")

    def save(self) -> str:
        messages = ModelMessagesTypeAdapter.dump_json(self._messages).decode()
        return json.dumps([messages, PENDING.dump_json(self._pending).decode()])

    def _answered(self, text: str) -> tuple[str | None, DeferredToolResults | None]:
        """What the user says, as the reply or the button that it is where something waits for one."""
        pressed = BUTTONS.get(text.lower())
        approvals: dict[str, bool | ToolApproved | ToolDenied] = {call.tool_call_id: pressed is True for call in self._pending.approvals}
        questions: dict[str, Any] = {call.tool_call_id: text for call in self._pending.calls}
        is_answer = bool(questions) or (bool(approvals) and pressed is not None)
        deferred = DeferredToolResults(calls=questions, approvals=approvals) if questions or approvals else None
        return None if is_answer else text, deferred

    def _seen(self, messages: list[ModelMessage], output: str | DeferredToolRequests) -> str:
        self._messages = messages
        self._pending = output if isinstance(output, DeferredToolRequests) else DeferredToolRequests()
        return output if isinstance(output, str) else "\n".join(str(told["question"]) for told in output.metadata.values())

    def _conversation(self, ctx: RunContext[None]) -> Guide:
        if self._guide is None:
            setting, snapshot = self._setting, snapshot_in(self._messages)
            if snapshot is None:
                self._guide = Guide.of(setting.gate(), "openai", strategy=setting.strategy)
            else:
                self._guide = Guide.restore(setting.gate(session_in(snapshot)), "openai", snapshot)
        return self._guide

    def _tools(self) -> list[Tool[None]]:
        counted = self.executed.wrapped(self._setting.tools)
        names = dict.fromkeys([*self._setting.catalog, *self._setting.tools])
        real = [self._setting.catalog.get(name, RealTool(name, schema=ANY_ARGUMENTS)) for name in names]
        return [Tool.from_schema(_function(tool.name, counted), tool.name, tool.description, dict(tool.schema)) for tool in real]

    # The model

    def _turn(self, messages: list[ModelMessage], info: AgentInfo) -> Turn:
        choice = (info.model_settings or {}).get("tool_choice")
        names = tuple(tool.name for tool in info.function_tools)
        allowed = tuple(choice.function_tools) if isinstance(choice, ToolOrOutput) else names
        declared = json.dumps([[tool.name, tool.description, tool.parameters_json_schema] for tool in info.function_tools])
        parts = [part for message in messages for part in message.parts]
        results = {part.tool_call_id: part.model_response_str() for part in parts if isinstance(part, ToolReturnPart)}
        text = "\n".join([info.instructions or "", *map(_text_of, parts)])
        return self.model.answer(Request(declared, names, allowed, text, results))

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = self._turn(messages, info)
        if isinstance(turn, Says):
            return ModelResponse(parts=[TextPart(turn.text)])
        made: list[ModelResponsePart] = [ToolCallPart(name, _given(args), self.model.new_id()) for name, args in turn.calls]
        return ModelResponse(parts=made)

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        turn = self._turn(messages, info)
        if isinstance(turn, Says):
            for letter in turn.text:
                yield letter
            return
        for number, (name, args) in enumerate(turn.calls):
            given = args if isinstance(args, str) else json.dumps(args)
            yield {number: DeltaToolCall(name=name, json_args=given, tool_call_id=self.model.new_id())}


class PydanticAI:
    """Pydantic AI."""

    name = "pydantic_ai"
    strategies: tuple[Strategy, ...] = ("allow", "dispatch", "trim")
    cannot: Mapping[str, str] = {"one id": "Pydantic AI ends a run whose model gives two calls one id"}

    def start(self, setting: Setting) -> Run:
        return PydanticRun(setting, [], DeferredToolRequests())

    def resume(self, setting: Setting, saved: str) -> Run:
        messages, pending = json.loads(saved)
        return PydanticRun(setting, ModelMessagesTypeAdapter.validate_json(messages), PENDING.validate_json(pending))


HOST: Host = PydanticAI()


def _function(name: str, tools: Mapping[str, Any]) -> Any:
    def run(**arguments: Any) -> Any:
        return tools[name](arguments)

    return run


def _given(arguments: Mapping[str, Any] | str) -> str | dict[str, Any]:
    return arguments if isinstance(arguments, str) else dict(arguments)


def _text_of(part: object) -> str:
    """What a model reads of it, which is not its metadata."""
    match part:
        case UserPromptPart(content=str(text)) | TextPart(content=text):
            return text
        case UserPromptPart(content=content):
            return "\n".join(one.content if isinstance(one, TextContent) else str(one) for one in content)
        case ToolReturnPart():
            return part.model_response_str()
        case ToolCallPart():
            return f"{part.tool_name} {part.args_as_json_str()}"
        case _:
            return str(part)
