"""OpenAI Agents SDK in the conformance suite: a guarded agent, whose questions and approvals are interruptions of its run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from adapters.hosting import Executed, Host, Request, Run, Says, Scripted, Setting, text_of
from agents import Agent, FunctionTool, Runner, RunState, set_tracing_disabled
from agents.items import TResponseInputItem, TResponseOutputItem
from agents.result import RunResult, RunResultStreaming
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from toolplan.adapters.guide import Ask, Guide, session_in
from toolplan.adapters.openai_agents import guarded
from toolplan.catalog import ANY_ARGUMENTS, RealTool
from toolplan.exposure import Strategy

BUTTONS = {"yes": True, "no": False}
State = RunState[Any, Agent[Any]]
Items = list[TResponseInputItem]
set_tracing_disabled(True)


class AgentsRun:
    """A conversation. What is kept between its turns is the history or the paused run, and beside it what the guide knows."""

    def __init__(self, setting: Setting, guide: Guide, history: Items) -> None:
        self.model, self.executed = Scripted(setting.script), Executed()
        self._setting, self._guide, self._history = setting, guide, history
        self._scripted = ScriptedModel([ModelStep.respond(self._answer)])
        self.agent = guarded(Agent(name="desk", model=self._scripted, tools=[*self._tools()]), guide, asks="interruption")
        self.paused: State | None = None

    def user(self, text: str) -> str:
        if self._setting.asynchronous or self._setting.streaming:
            return asyncio.run(self.auser(text))
        with asyncio.Runner() as runner:  # The loop that `run_sync` would make stays open.
            asyncio.set_event_loop(runner.get_loop())
            return self._goes_on(text, lambda given: Runner.run_sync(self.agent, given))

    async def auser(self, text: str) -> str:
        given = await asyncio.to_thread(self._given, text)
        if not self._setting.streaming:
            return await asyncio.to_thread(self._seen, await Runner.run(self.agent, given))
        streamed = Runner.run_streamed(self.agent, given)
        async for _ in streamed.stream_events():
            pass
        return await asyncio.to_thread(self._seen, streamed)

    def approve(self, answer: bool) -> str:
        return self.user("yes" if answer else "no")

    def save(self) -> str:
        paused = self.paused.to_json() if self.paused is not None else None
        return json.dumps({"guide": self._guide.snapshot(), "history": self._history, "paused": paused})

    def _goes_on(self, text: str, run: Callable[[State | Items], RunResult]) -> str:
        return self._seen(run(self._given(text)))

    def _given(self, text: str) -> State | Items:
        """What the user says, as the reply or the button that it is where the run waits for one. Other words leave the run where it is."""
        waiting = self.paused.get_interruptions() if self.paused is not None else []
        pressed = BUTTONS.get(text.lower())
        asked = any(interruption.name == "ask_user" for interruption in waiting)
        if self.paused is None or (pressed is None and not asked):
            left: Any = [{"type": "function_call_output", "call_id": one.call_id, "output": "Nobody has approved it."} for one in waiting]
            return [*self._history, *left, {"role": "user", "content": text}]
        if asked:
            self._guide.heard(uuid4().hex, text)
        for interruption in waiting:
            if asked or pressed:
                self.paused.approve(interruption)
            else:
                self.paused.reject(interruption)
        return self.paused

    def _seen(self, ran: RunResult | RunResultStreaming) -> str:
        self._history = ran.to_input_list()
        self.paused = ran.to_state() if ran.interruptions else None
        if self.paused is None:
            return str(ran.final_output)
        directions = self._guide.step()
        assert isinstance(directions, Ask)
        return directions.text

    def _tools(self) -> list[FunctionTool]:
        counted = self.executed.wrapped(self._setting.tools)
        names = dict.fromkeys([*self._setting.catalog, *self._setting.tools])
        real = [self._setting.catalog.get(name, RealTool(name, schema=ANY_ARGUMENTS)) for name in names]
        return [
            FunctionTool(tool.name, tool.description, dict(tool.schema), _function(tool.name, counted), strict_json_schema=False)
            for tool in real
        ]

    # The model

    def _answer(self, call: ModelCall) -> list[TResponseOutputItem]:
        self._scripted.enqueue(ModelStep.respond(self._answer))
        turn = self.model.answer(_request(call))
        if isinstance(turn, Says):
            return [assistant_message(turn.text)]
        return [function_call(name, arguments, call_id=self.model.new_id()) for name, arguments in turn.calls]


class OpenAIAgents:
    """OpenAI Agents SDK."""

    name = "openai_agents"
    strategies: tuple[Strategy, ...] = ("allow", "dispatch", "trim")
    cannot: Mapping[str, str] = {"ids again": "the SDK ends a run whose model uses the id of a call that is done for another"}

    def start(self, setting: Setting) -> Run:
        return AgentsRun(setting, Guide.of(setting.gate(), "openai-responses", strategy=setting.strategy), [])

    def resume(self, setting: Setting, saved: str) -> Run:
        kept = json.loads(saved)
        guide = Guide.restore(setting.gate(session_in(kept["guide"])), "openai-responses", kept["guide"])
        run = AgentsRun(setting, guide, kept["history"])
        if kept["paused"] is not None:
            run.paused = asyncio.run(RunState.from_json(run.agent, kept["paused"]))
        return run


HOST: Host = OpenAIAgents()


def _request(call: ModelCall) -> Request:
    items: list[Any] = call.input if isinstance(call.input, list) else [{"role": "user", "content": call.input}]
    names = tuple(tool.name for tool in call.tools)
    choice: Any = (call.model_settings.extra_args or {}).get("tool_choice")
    allowed = tuple(tool["name"] for tool in choice["tools"]) if choice else () if call.model_settings.tool_choice == "none" else names
    declared = json.dumps([[t.name, t.description, t.params_json_schema] for t in call.tools if isinstance(t, FunctionTool)])
    results = {item["call_id"]: text_of(item["output"]) for item in items if item.get("type") == "function_call_output"}
    text = "\n".join([call.system_instructions or "", *(text_of(item.get("content", item)) for item in items)])
    return Request(declared, names, allowed, text, results)


def _function(name: str, tools: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Any:
    async def run(context: object, arguments: str) -> Any:
        return await asyncio.to_thread(tools[name], json.loads(arguments))

    return run
