"""OpenAI Agents SDK: what it does by itself and the adapter must not let through, against the real package with scripted models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import httpx
import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    RunState,
    SQLiteSession,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from agents.exceptions import ModelBehaviorError
from agents.items import TResponseInputItem, TResponseOutputItem
from agents.result import RunResult
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call
from openai import AsyncOpenAI
from pydantic import BaseModel

import toolplan
from toolplan.adapters.guide import Guide, session_in
from toolplan.adapters.openai_agents import Asks, catalog_of, guarded
from toolplan.catalog import Catalog
from toolplan.exposure import Provider, Strategy
from toolplan.gate import Gate
from toolplan.language.diagnostics import DomainError
from toolplan.session import Session

OFFICE = """
domain office "Office"
fact date: date            "the day"
fact event_id: text        "the event"
fact new_time: datetime    "when it should be instead"
fact event_updated
fact people_told
fact summary: text         "a summary"
fact filed

tool find calls "search_events" {
  "Search events."
  requires date  passes day = date  produces event_id  returns event_id = $.id  risk read
}
tool move_it calls "update_event" {
  "Change an event."
  requires event_id, new_time  passes id = event_id, start = new_time  produces event_updated  risk write
}
tool tell calls "send_mail" {
  "Tell the others."
  requires event_updated  passes text free  produces people_told  risk send
}
tool sum_up by model { "Sum the event up." requires event_id produces summary risk read }
tool file_it calls "file_summary" { "File the summary." requires summary passes text = summary produces filed verifies filed risk read }

ask when_ { "When should it be instead?" produces new_time }

goal move   { "Move an event"  achieves event_updated given new_time phrases "move my appointment" }
goal inform { "Tell the others" achieves people_told phrases "tell the others" }
goal filing { "File a summary" achieves filed phrases "file a summary" }
policy { risk read 0 safe, write 1, send 3 confirm }
"""
DOMAIN = toolplan.loads(OFFICE)
KNOWN = {"date": "2026-12-01", "new_time": "2026-12-01T16:00:00"}
MOVED = {"event_id": "e1", "event_updated": True}
NAMES = ("search_events", "update_event", "send_mail", "file_summary")
Output = Sequence[TResponseOutputItem]
set_tracing_disabled(True)


class Office:
    """The tools of an office, and what was done with them."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Mapping[str, object]]] = []

        @function_tool(strict_mode=False)
        async def search_events(day: str = "") -> dict[str, str]:
            """Search events."""
            await asyncio.sleep(0.01)  # Whatever starts at the same time would be first.
            self.done.append(("search_events", {"day": day}))
            return {"id": "e1"}

        @function_tool(strict_mode=False)
        def update_event(id: str = "", start: str = "") -> str:
            """Change an event."""
            self.done.append(("update_event", {"id": id, "start": start}))
            return "ok"

        @function_tool
        def send_mail(text: str) -> str:
            """Send a mail."""
            self.done.append(("send_mail", {"text": text}))
            return "sent"

        @function_tool
        def file_summary(text: str) -> str:
            """File it."""
            self.done.append(("file_summary", {"text": text}))
            return "filed"

        self.tools: list[Any] = [search_events, update_event, send_mail, file_summary]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.done]

    def guide(
        self,
        goal: str = "move",
        state: Mapping[str, object] = KNOWN,
        strategy: Strategy = "allow",
        provider: Provider = "openai-responses",
    ) -> Guide:
        session = Session(DOMAIN, state=dict(state), catalog=catalog_of(self.tools))
        session.want(goal)
        return Guide.of(Gate(session), provider, strategy=strategy)

    def kept(self, snapshot: str) -> Guide:
        """The guide in another process."""
        session = Session.restore(DOMAIN, session_in(snapshot), catalog=catalog_of(self.tools))
        return Guide.restore(Gate(session), "openai-responses", snapshot)

    def agent(self, model: Any, guide: Guide, asks: Asks = "text", **others: Any) -> Agent[Any]:
        return guarded(Agent(name="office", model=model, tools=self.tools, **others), guide, asks=asks)

    def run(self, model: Any, guide: Guide, said: str = "Do it") -> RunResult:
        return run(self.agent(model, guide), said)


def run(agent: Agent[Any], said: Any, **others: Any) -> RunResult:
    return asyncio.run(Runner.run(agent, said, **others))


IDENTITIES = count(1)


def calls(*names: str, **arguments: object) -> Output:
    return [function_call(name, arguments, call_id=f"c{next(IDENTITIES)}") for name in names]


def made(name: str, arguments: str) -> Output:
    return [function_call(name, arguments, call_id=f"c{next(IDENTITIES)}")]


def says(text: str) -> Output:
    return [assistant_message(text)]


def results(ran: RunResult) -> list[str]:
    return [str(item["output"]) for item in ran.to_input_list() if item.get("type") == "function_call_output"]


def declared(call: ModelCall) -> list[str]:
    return [tool.name for tool in call.tools]


def allowed(call: ModelCall) -> list[str]:
    choice: Any = (call.model_settings.extra_args or {}).get("tool_choice")
    return [tool["name"] for tool in choice["tools"]] if choice else [f"({call.model_settings.tool_choice})"]


# What a model must not call


@pytest.mark.parametrize("strategy", ["allow", "trim"])
def test_t4_hidden_tool_is_refused_as_often_as_it_is_called_and_the_run_goes_on(strategy: Strategy) -> None:
    office = Office()
    model = ScriptedModel([*(calls("send_mail", text="hello") for _ in range(4)), says("I cannot.")])
    ran = office.run(model, office.guide(strategy=strategy))
    assert ran.final_output == "I cannot."
    assert office.done == []
    assert results(ran) == ["`send_mail` cannot be called now; what can be called now: `search_events`."] * 4


@pytest.mark.parametrize("strategy", ["allow", "trim", "dispatch"])
def test_t2_t4_unknown_tool_is_refused_and_stays_in_the_conversation_as_it_was_called(strategy: Strategy) -> None:
    office = Office()
    model = ScriptedModel([made("delete_all", '{"x": 1}'), made("delete_all", '{"x": 1}'), says("Sorry.")])
    ran = office.run(model, office.guide(strategy=strategy))
    assert ran.final_output == "Sorry."
    assert results(ran) == ["`delete_all` cannot be called now; what can be called now: `search_events`."] * 2
    seen = [item for item in model.calls[2].input if isinstance(item, dict) and item.get("type") == "function_call"]
    assert [(item["name"], item["arguments"]) for item in seen] == [("delete_all", '{"x": 1}')] * 2
    assert "toolplan" not in json.dumps(model.calls[2].input)
    assert all("toolplan" not in declared(call) for call in model.calls)


def test_without_the_adapter_an_unknown_tool_ends_the_run() -> None:
    agent = Agent(name="office", model=ScriptedModel([calls("delete_all")]), tools=Office().tools)
    with pytest.raises(ModelBehaviorError, match="delete_all not found"):
        run(agent, "Do it")


def test_t3_what_is_disabled_after_it_was_shown_does_not_run() -> None:
    office, enabled = Office(), [True]

    def disable(call: ModelCall) -> Output:
        enabled.clear()
        return calls("search_events")

    office.tools[0].is_enabled = lambda context, agent: bool(enabled)
    ran = office.run(ScriptedModel([ModelStep.respond(disable), says("Sorry.")]), office.guide())
    assert ran.final_output == "Sorry."
    assert office.done == []
    assert "`search_events` is not to be had here now" in results(ran)[0]


def test_t3_state_that_changes_after_a_tool_was_shown_is_seen() -> None:
    office = Office()
    guide = office.guide()

    def found_elsewhere(call: ModelCall) -> Output:
        guide.session.observe("find", {"id": "e1"})
        return calls("search_events")

    ran = office.run(ScriptedModel([ModelStep.respond(found_elsewhere), says("Sorry.")]), guide)
    assert office.done == []
    assert results(ran) == ["`search_events` cannot be called now; what can be called now: `update_event`."]


@pytest.mark.parametrize("asks", ["text", "interruption"])
@pytest.mark.parametrize("arguments", ["", '{"day": ', '["2026-12-01"]', '{"day": 7}', '{"day": "2027-01-01"}', '{"day": NaN}'])
def test_bad_arguments_are_the_models_mistake_and_nobody_has_to_approve_them(arguments: str, asks: Asks) -> None:
    office = Office()
    model = ScriptedModel([*(made("update_event", arguments) for _ in range(3)), says("Sorry.")])
    ran = run(office.agent(model, office.guide(), asks), "Do it")
    assert ran.final_output == "Sorry."
    assert ran.interruptions == []
    assert office.done == []
    assert len(results(ran)) == 3


def test_what_is_executed_are_the_arguments_of_the_permit() -> None:
    office, seen = Office(), list[str]()

    async def see(context: Any, arguments: str) -> str:
        seen.extend([arguments, context.tool_arguments])
        return '{"id": "e7"}'

    office.tools[0] = FunctionTool("search_events", "Search events.", {"type": "object"}, see, strict_json_schema=False)
    model = ScriptedModel([calls("search_events"), calls("update_event", id="e7"), says("Moved.")])
    office.run(model, office.guide())
    assert seen == ['{"day": "2026-12-01"}'] * 2
    assert office.done == [("update_event", {"id": "e7", "start": "2026-12-01T16:00:00"})]


def test_t29_calls_of_one_turn_wait_for_each_other() -> None:
    office = Office()
    model = ScriptedModel([calls("search_events", "nothing", "update_event", "update_event"), says("Moved.")])
    ran = office.run(model, office.guide())
    assert office.names == ["search_events", "update_event"]
    assert "cannot be called now" in results(ran)[1]
    assert len(results(ran)) == 4


def test_call_that_a_guardrail_rejects_keeps_no_other_waiting() -> None:
    office = Office()
    rejecting = ToolInputGuardrail(lambda data: ToolGuardrailFunctionOutput.reject_content("not today"), "never")
    office.tools[2].tool_input_guardrails = [rejecting]
    ran = office.run(ScriptedModel([calls("send_mail", "search_events"), says("Found.")]), office.guide())
    assert office.names == ["search_events"]
    assert results(ran)[0] == "not today"


def test_tool_that_raises_has_failed_and_says_so_in_its_own_words() -> None:
    office = Office()

    @function_tool(strict_mode=False, failure_error_function=lambda context, error: f"no luck: {error}")
    def search_events(day: str = "") -> str:
        """Search events."""
        raise OSError("no line")

    office.tools[0] = search_events
    guide = office.guide()
    ran = office.run(ScriptedModel([calls("search_events"), says("Sorry.")]), guide)
    assert results(ran) == ["no luck: no line"]
    assert {outcome.value for outcome in guide.session.memory.outcomes.values()} == {"failed, may be tried again"}


def test_result_with_bytes_that_are_no_text_is_a_result() -> None:
    office = Office()

    async def invoke(context: Any, arguments: str) -> object:
        return {"id": "e1", "picture": b"\xff\xd8"}

    office.tools[0] = replace(office.tools[0], on_invoke_tool=invoke)
    guide = office.guide()
    assert office.run(ScriptedModel([calls("search_events"), calls("update_event"), says("Moved.")]), guide).final_output == "Moved."
    assert office.names == ["update_event"]


def test_t12_two_tools_of_one_name_are_never_silent() -> None:
    office = Office()
    twice = Agent(name="office", tools=[*office.tools, office.tools[0], Office().tools[0]], model=ScriptedModel())
    with pytest.raises(DomainError, match="two tools are called `search_events`"):
        guarded(twice, office.guide())
    with pytest.raises(DomainError, match="of `first` and `second`"):
        Catalog([*catalog_of(office.tools, "first").values(), *catalog_of(Office().tools, "second").values()])


def test_tools_that_would_run_past_the_gate_are_no_silent_doors() -> None:
    office = Office()
    with pytest.raises(DomainError, match="`web_search` is run past the gate"):
        guarded(Agent(name="office", tools=[*office.tools, WebSearchTool()], model=ScriptedModel()), office.guide())


# What a model is sent


def test_t6_allow_declares_the_same_tools_at_every_step_and_changes_the_choice_alone() -> None:
    office = Office()
    model = ScriptedModel([calls("search_events"), calls("update_event"), says("Moved.")])
    office.run(model, office.guide())
    assert [declared(call) for call in model.calls] == [list(NAMES)] * 3
    assert [allowed(call) for call in model.calls] == [["search_events"], ["update_event"], ["(none)"]]
    assert all("Note of the host" in str(call.input[-1]) for call in model.calls)
    for earlier, later in zip(model.calls, model.calls[1:], strict=False):
        assert later.input[: len(earlier.input) - 1] == earlier.input[:-1]


def test_choice_of_the_host_itself_gives_way() -> None:
    office = Office()
    model = ScriptedModel([calls("search_events"), says("Found.")])
    settings = ModelSettings(tool_choice="required", extra_args={"seed": 1, "tool_choice": "required"})
    run(office.agent(model, office.guide(), model_settings=settings), "Do it")
    assert [call.model_settings.tool_choice for call in model.calls] == [None, None]
    assert [allowed(call) for call in model.calls] == [["search_events"], ["update_event"]]
    assert all((call.model_settings.extra_args or {})["seed"] == 1 for call in model.calls)


def test_trim_declares_what_can_be_called() -> None:
    office = Office()
    model = ScriptedModel([calls("search_events"), calls("update_event"), says("Moved.")])
    office.run(model, office.guide(strategy="trim"))
    assert [declared(call) for call in model.calls] == [["search_events"], ["update_event"], []]
    # A choice among no tools would be an error.
    assert [call.model_settings.tool_choice for call in model.calls] == ["auto", "auto", None]
    assert "send_mail" not in str([call.input for call in model.calls])


def test_dispatch_declares_one_tool_and_calls_through_it() -> None:
    office = Office()
    model = ScriptedModel(
        [*(calls("call", name=name, arguments={}) for name in ("search_events", "send_mail", "update_event")), says("Moved.")]
    )
    ran = office.run(model, office.guide(strategy="dispatch"))
    assert [declared(call) for call in model.calls] == [["call"]] * 4
    assert [call.model_settings.tool_choice for call in model.calls] == ["auto", "auto", "auto", "none"]
    assert office.names == ["search_events", "update_event"]
    assert results(ran)[1] == "`send_mail` cannot be called now; what can be called now: `update_event`."


@pytest.mark.parametrize(("provider", "strategy"), [("anthropic", "append"), ("gemini", "allow")])
def test_strategy_that_the_sdk_cannot_follow_is_a_mistake_that_is_told(provider: Provider, strategy: Strategy) -> None:
    office = Office()
    with pytest.raises(DomainError, match="cannot follow the strategy"):
        office.agent(ScriptedModel(), office.guide(strategy=strategy, provider=provider))


def test_conversation_that_the_provider_keeps_is_a_mistake_that_is_told() -> None:
    office = Office()
    agent = office.agent(ScriptedModel([says("Hi")]), office.guide())
    with pytest.raises(DomainError, match="the provider keeps this conversation"):
        run(agent, "Do it", conversation_id="conv_1")


def test_t14_names_that_a_provider_does_not_take_are_shown_as_others_and_run_as_themselves() -> None:
    done: list[str] = []
    tool = function_tool(lambda: done.append("ran"), name_override="events.search", description_override="Search.")
    domain = toolplan.loads(
        'fact found tool find calls "events.search" { "Search." produces found risk read } goal g { "Find." achieves found }'
    )
    session = Session(domain, catalog=catalog_of([tool]))
    session.want("g")
    guide = Guide.of(Gate(session), "openai-responses")
    shown = guide.exposure.names.shown("events.search")
    model = ScriptedModel([calls(shown), says("Found.")])
    run(guarded(Agent(name="a", model=model, tools=[tool]), guide), "Do it")
    assert declared(model.calls[0]) == [shown] != ["events.search"]
    assert done == ["ran"]


@pytest.mark.parametrize("provider", ["openai", "openai-responses"])
def test_openai_gets_the_same_bytes_of_tools_and_a_subset(provider: Provider) -> None:
    office, sent = Office(), list[dict[str, Any]]()

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        name = ("search_events", "update_event", "")[len(sent) - 1]
        return httpx.Response(200, json=_chat(name) if provider == "openai" else _response(name))

    client = AsyncOpenAI(api_key="none", http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)))
    model = {"openai": OpenAIChatCompletionsModel, "openai-responses": OpenAIResponsesModel}[provider]("gpt-5", client)
    assert office.run(model, office.guide(provider=provider)).final_output == "Moved."
    assert len({json.dumps(request["tools"]) for request in sent}) == 1
    choices = [request["tool_choice"] for request in sent]
    subsets = [choice.get("allowed_tools", choice)["tools"] for choice in choices[:2]]
    assert [[tool.get("function", tool)["name"] for tool in subset] for subset in subsets] == [["search_events"], ["update_event"]]
    assert choices[2] == "none"


def _chat(name: str) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": None if name else "Moved."}
    if name:
        message["tool_calls"] = [{"id": f"c{name}", "type": "function", "function": {"name": name, "arguments": "{}"}}]
    choice = {"index": 0, "finish_reason": "tool_calls" if name else "stop", "message": message}
    return {"id": "r", "object": "chat.completion", "created": 0, "model": "gpt-5", "choices": [choice]}


def _response(name: str) -> dict[str, object]:
    output: dict[str, object] = {"type": "function_call", "id": f"f{name}", "call_id": f"c{name}", "name": name, "arguments": "{}"}
    if not name:
        text = {"type": "output_text", "text": "Moved.", "annotations": []}
        output = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    body = {"id": "r", "object": "response", "created_at": 0, "model": "gpt-5", "status": "completed", "output": [output]}
    return {**body, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


# Questions, and calls that wait for a yes


def test_question_ends_the_run_and_the_next_message_answers_it() -> None:
    office = Office()
    guide = office.guide("move", {"date": "2026-12-01"})
    model = ScriptedModel([calls("search_events"), calls("update_event"), says("Moved.")])
    asked = office.run(model, guide, "Please")
    assert asked.final_output == "When should it be instead?"
    assert model.calls == ()
    again: list[TResponseInputItem] = [*asked.to_input_list(), {"role": "user", "content": "2026-12-01T16:00"}]
    ran = run(office.agent(model, office.kept(guide.snapshot())), json.loads(json.dumps(again)))
    assert ran.final_output == "Moved."
    assert office.names == ["search_events", "update_event"]


def test_every_message_of_a_session_is_heard_once() -> None:
    office, memory = Office(), SQLiteSession("one")
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="Hi"), says("Told."), says("You are welcome.")])
    agent = office.agent(model, guide)
    assert "Shall I do this?" in run(agent, "Please", session=memory).final_output
    assert run(agent, "yes", session=memory).final_output == "Told."
    assert run(agent, "yes", session=memory).final_output == "You are welcome."
    assert office.done == [("send_mail", {"text": "Hi"})]


def test_agreed_call_runs_without_the_model_under_an_id_of_its_own() -> None:
    office = Office()
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="It is at four."), says("Told.")])
    held = office.run(model, guide, "Please")
    assert "It is at four." in held.final_output
    assert "Shall I do this?" in held.final_output
    assert office.done == []
    ran = run(office.agent(model, guide), [*held.to_input_list(), {"role": "user", "content": "yes"}])
    assert office.done == [("send_mail", {"text": "It is at four."})]
    assert ran.final_output == "Told."
    identities = [item["call_id"] for item in ran.to_input_list() if item.get("type") == "function_call"]
    assert len(identities) == len(set(identities)) == 2


@pytest.mark.parametrize(("answer", "done"), [("yes", 1), ("no", 0)])
def test_fork_of_an_older_history_knows_nothing_of_the_newer(answer: str, done: int) -> None:
    office = Office()
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="Hi"), says("Told."), says("One.")])
    held = office.run(model, guide, "Please").to_input_list()
    then = guide.snapshot()
    run(office.agent(model, guide), [*held, {"role": "user", "content": "yes"}])
    office.done.clear()
    run(office.agent(model, office.kept(then)), [*held, {"role": "user", "content": answer}])
    assert len(office.done) == done


def elsewhere(office: Office, guide: Guide, held: RunResult, model: ScriptedModel) -> tuple[Agent[Any], RunState[Any]]:
    """Agent and run in another process, which got nothing but texts."""
    kept, snapshot = json.dumps(held.to_state().to_json()), guide.snapshot()
    agent = office.agent(model, office.kept(snapshot), "interruption")
    return agent, asyncio.run(RunState.from_json(agent, json.loads(kept)))


@pytest.mark.parametrize("agrees", [True, False])
def test_t19_approval_in_another_process_is_of_that_call_alone(agrees: bool) -> None:
    office = Office()
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="Hi"), says("Well.")])
    held = run(office.agent(model, guide, "interruption"), "Please")
    (interruption,) = held.interruptions
    assert json.loads(interruption.arguments or "") == {"text": "Hi"}
    assert office.done == []
    agent, state = elsewhere(office, guide, held, model)
    answer = state.approve if agrees else state.reject
    answer(state.get_interruptions()[0])
    ran = run(agent, state)
    assert ran.final_output == "Well."
    assert office.done == ([("send_mail", {"text": "Hi"})] if agrees else [])


def test_t19_approval_does_not_outlive_what_it_rests_on() -> None:
    office = Office()
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="Hi"), says("Well.")])
    held = run(office.agent(model, guide, "interruption"), "Please")
    state = held.to_state()
    guide.heard("meanwhile", "Stop, never mind.")
    state.approve(state.get_interruptions()[0])
    run(office.agent(model, guide, "interruption"), state)
    assert office.done == []


def test_standing_approval_is_none_of_other_arguments() -> None:
    office = Office()
    guide = office.guide("inform", MOVED)
    model = ScriptedModel([calls("send_mail", text="Hi"), says("Told."), calls("send_mail", text="Other")])
    agent = office.agent(model, guide, "interruption")
    state = run(agent, "Please").to_state()
    state.approve(state.get_interruptions()[0], always_approve=True)
    told = run(agent, state)
    guide.session.want("inform")
    held = run(agent, [*told.to_input_list(), {"role": "user", "content": "Once more"}], context=told.context_wrapper)
    assert office.done == [("send_mail", {"text": "Hi"})]
    assert "waits for the user to agree" in results(held)[-1]
    assert 'text = "Other"' in str(held.interruptions[0].arguments).replace("\\", "")


def test_tool_that_always_needs_approval_is_approved_after_the_gate() -> None:
    office = Office()
    office.tools[0].needs_approval = True
    guide = office.guide()
    model = ScriptedModel([[*calls("send_mail", text="x"), *calls("search_events")], calls("update_event"), says("Moved.")])
    held = run(office.agent(model, guide), "Please")
    assert [item.name for item in held.interruptions] == ["search_events"]
    agent, state = elsewhere(office, guide, held, model)
    state.approve(state.get_interruptions()[0])
    run(agent, state)
    assert office.names == ["search_events", "update_event"]


class Moved(BaseModel):
    moved: bool


def test_question_is_an_interruption_where_the_answer_is_structured() -> None:
    office = Office()
    guide = office.guide("move", {"date": "2026-12-01"})
    model = ScriptedModel([calls("search_events"), calls("update_event"), says('{"moved": true}')])
    agent = office.agent(model, guide, "interruption", output_type=Moved)
    asked = run(agent, "Please")
    (interruption,) = asked.interruptions
    assert json.loads(interruption.arguments or "") == {"question": "When should it be instead?"}
    state = asked.to_state()
    guide.gate.answer("2026-12-01T16:00")
    state.approve(interruption)
    assert run(agent, state).final_output == Moved(moved=True)
    assert office.names == ["search_events", "update_event"]
    assert all("ask_user" not in declared(call) for call in model.calls)


@pytest.mark.parametrize("approves", [True, False])
def test_t23_question_that_nobody_answers_is_no_answer(approves: bool) -> None:
    office = Office()
    guide = office.guide("move", {"date": "2026-12-01"})
    agent = office.agent(ScriptedModel([says("Well.")]), guide, "interruption")
    state = run(agent, "Please").to_state()
    (state.approve if approves else state.reject)(state.get_interruptions()[0])
    again = run(agent, state)
    # Declined it is not asked again; unseen it is.
    assert bool(again.interruptions) == approves
    assert office.done == []


def test_words_that_are_a_step_do_not_end_the_run() -> None:
    office = Office()
    model = ScriptedModel([says("A short summary."), calls("file_summary"), says("Filed.")])
    ran = office.run(model, office.guide("filing", {"event_id": "e1"}))
    assert ran.final_output == "Filed."
    assert office.done == [("file_summary", {"text": "A short summary."})]
    assert "toolplan" not in str(model.calls[1].input)
    assert "Go on." not in str(model.calls[1].input)


# Ways to run an agent


def test_without_an_event_loop() -> None:
    office, loop = Office(), asyncio.new_event_loop()
    asyncio.set_event_loop(loop)  # Left to itself, `run_sync` makes one and leaves it open.
    model = ScriptedModel([calls("search_events"), calls("update_event"), says("Moved.")])
    assert Runner.run_sync(office.agent(model, office.guide()), "Do it").final_output == "Moved."
    assert office.names == ["search_events", "update_event"]
    asyncio.set_event_loop(None)
    loop.close()


def test_streaming() -> None:
    office = Office()
    model = ScriptedModel([calls("delete_all", "search_events"), calls("update_event"), says("Moved.")])

    async def streaming() -> tuple[str, str]:
        streamed = Runner.run_streamed(office.agent(model, office.guide()), "Do it")
        deltas = [getattr(event.data, "delta", "") async for event in streamed.stream_events() if event.type == "raw_response_event"]
        return streamed.final_output, "".join(deltas)

    output, deltas = asyncio.run(streaming())
    assert output == "Moved."
    assert deltas.endswith("Moved.")
    assert office.names == ["search_events", "update_event"]
    assert [allowed(call) for call in model.calls] == [["search_events"], ["update_event"], ["(none)"]]


def test_streamed_question_is_streamed() -> None:
    office = Office()
    agent = office.agent(ScriptedModel([]), office.guide("move", {"date": "2026-12-01"}))

    async def streaming() -> tuple[str, str]:
        streamed = Runner.run_streamed(agent, "Please")
        deltas = [getattr(event.data, "delta", "") async for event in streamed.stream_events() if event.type == "raw_response_event"]
        return streamed.final_output, "".join(deltas)

    assert asyncio.run(streaming()) == ("When should it be instead?",) * 2


def test_streamed_words_that_are_a_step_do_not_end_the_run() -> None:
    office = Office()
    model = ScriptedModel([says("A short summary."), calls("file_summary"), says("Filed.")])

    async def streaming() -> str:
        streamed = Runner.run_streamed(office.agent(model, office.guide("filing", {"event_id": "e1"})), "Do it")
        async for _ in streamed.stream_events():
            pass
        return str(streamed.final_output)

    assert asyncio.run(streaming()) == "Filed."
    assert office.names == ["file_summary"]


def test_handoff_stays_possible_and_waits_for_nothing() -> None:
    office = Office()
    other = Agent(name="other", model=ScriptedModel([says("Here.")]))
    model = ScriptedModel([calls("transfer_to_other")])
    agent = guarded(Agent(name="office", model=model, tools=office.tools, handoffs=[other]), office.guide())
    assert run(agent, "Do it").final_output == "Here."
    assert allowed(model.calls[0]) == ["search_events", "transfer_to_other"]


def test_model_of_a_run_takes_the_place_of_the_steered_one_and_the_gate_stays() -> None:
    office = Office()
    model = ScriptedModel([calls("send_mail", text="x"), says("Sorry.")])
    run(office.agent(ScriptedModel(), office.guide()), "Do it", run_config=RunConfig(model=model))
    assert office.done == []
