"""Pydantic AI: what it does by itself and the adapter must not let through, against the real package with scripted models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import httpx
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolApproved, ToolDenied, ToolOrOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import CallDeferred, ToolFailed, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.models.openai import OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

import toolplan
from toolplan.adapters.guide import Guide, session_in
from toolplan.adapters.pydantic_ai import Asks, Conversation, Toolplan, catalog_of, snapshot_in
from toolplan.catalog import Catalog
from toolplan.domain import Principal
from toolplan.exposure import Strategy
from toolplan.gate import Gate
from toolplan.language.diagnostics import DomainError
from toolplan.session import Outcome, Session

OFFICE = """
domain office "Office"
fact date: date            "the day"
fact event_id: text        "the event"
fact new_time: datetime    "when it should be instead"
fact event_updated
fact people_told
fact summary: text         "a summary"

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
fact filed

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
Script = Sequence[ModelResponse]


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """One for `run_sync`, which leaves the one that it makes itself open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


class Office:
    """The tools of an office, and what was done with them."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Mapping[str, object]]] = []
        self.toolset = FunctionToolset[None]()
        self.toolset.add_function(self._search, name="search_events")
        self.toolset.add_function(self._update, name="update_event")
        self.toolset.add_function(self._send, name="send_mail")
        self.toolset.add_function(self._file, name="file_summary")

    async def _search(self, day: str) -> dict[str, str]:
        """Search events."""
        await asyncio.sleep(0.01)  # Whatever starts at the same time would be first.
        self.done.append(("search_events", {"day": day}))
        return {"id": "e1"}

    def _update(self, id: str, start: str) -> str:
        """Change an event."""
        self.done.append(("update_event", {"id": id, "start": start}))
        return "ok"

    def _send(self, text: str) -> str:
        """Send a mail."""
        self.done.append(("send_mail", {"text": text}))
        return "sent"

    def _file(self, text: str) -> str:
        """File it."""
        self.done.append(("file_summary", {"text": text}))
        return "filed"

    def session(self, goal: str, state: Mapping[str, object]) -> Session:
        session = Session(DOMAIN, state=dict(state), catalog=catalog_of(self.toolset))
        session.want(goal)
        return session

    def guide(self, goal: str = "move", state: Mapping[str, object] = KNOWN, strategy: Strategy = "allow") -> Guide:
        return Guide.of(Gate(self.session(goal, state)), "openai", strategy=strategy)

    def kept(self, goal: str, state: Mapping[str, object]) -> Conversation:
        """What a host does that keeps nothing but the messages."""

        def conversation(ctx: RunContext[None]) -> Guide:
            snapshot = snapshot_in(ctx.messages)
            if snapshot is None:
                return self.guide(goal, state)
            session = Session.restore(DOMAIN, session_in(snapshot), catalog=catalog_of(self.toolset))
            return Guide.restore(Gate(session), "openai", snapshot)

        return conversation


class Scripted:
    """A model that says what it is told to say, and remembers what it was sent."""

    def __init__(self, *script: ModelResponse | Exception) -> None:
        self.script, self.seen, self.infos = list(script), list[list[ModelMessage]](), list[AgentInfo]()

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append(list(messages))
        self.infos.append(info)
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    @property
    def allowed(self) -> list[list[str]]:
        choices = [(info.model_settings or {}).get("tool_choice") for info in self.infos]
        return [list(choice.function_tools) if isinstance(choice, ToolOrOutput) else ["no choice"] for choice in choices]

    @property
    def declared(self) -> list[list[str]]:
        return [[tool.name for tool in info.function_tools] for info in self.infos]


def agent_of(office: Office, model: Scripted, conversation: Guide | Conversation, asks: Asks = "text") -> Agent[None, object]:
    output = [str, DeferredToolRequests] if asks == "deferred" else str
    return Agent(FunctionModel(model), toolsets=[office.toolset], capabilities=[Toolplan(conversation, asks)], output_type=output)


def calls(*names: str, **arguments: object) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(name, dict(arguments)) for name in names])


def says(text: str) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)])


def results(messages: Sequence[ModelMessage]) -> list[str]:
    return [str(part.content) for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def stored(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """As another process reads them."""
    return ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(list(messages)))


# What a model must not call


@pytest.mark.parametrize("strategy", ["allow", "trim"])
def test_hidden_tool_is_refused_as_often_as_it_is_called_and_the_run_goes_on(strategy: Strategy) -> None:
    office = Office()
    model = Scripted(*[calls("send_mail", text="hello")] * 4, says("I cannot."))
    ran = agent_of(office, model, office.guide(strategy=strategy)).run_sync("Do it")
    assert ran.output == "I cannot."
    assert office.done == []
    assert results(ran.all_messages()) == ["`send_mail` cannot be called now; what can be called now: `search_events`."] * 4


@pytest.mark.parametrize("strategy", ["allow", "trim", "dispatch"])
def test_unknown_tool_names_only_what_can_be_called(strategy: Strategy) -> None:
    # Pydantic AI names every tool that there is, and ends the run the second time (pydantic-ai#7552).
    office = Office()
    model = Scripted(*[calls("delete_all")] * 3, says("Sorry."))
    ran = agent_of(office, model, office.guide(strategy=strategy)).run_sync("Do it")
    assert ran.output == "Sorry."
    assert results(ran.all_messages()) == ["`delete_all` cannot be called now; what can be called now: `search_events`."] * 3


def test_without_the_adapter_the_error_names_everything() -> None:
    office = Office()
    ran = Agent(FunctionModel(Scripted(calls("delete_all"), says("Sorry."))), toolsets=[office.toolset]).run_sync("Do it")
    assert all(name in results(ran.all_messages())[0] for name in NAMES)


@pytest.mark.parametrize("arguments", ['{"day": ', '["2026-12-01"]', '{"day": 7}', '{"day": "2027-01-01"}'])
def test_bad_arguments_come_back_as_a_result_as_often_as_they_are_made(arguments: str) -> None:
    office = Office()
    bad = ModelResponse(parts=[ToolCallPart("search_events", arguments)])
    ran = agent_of(office, Scripted(*[replace(bad, parts=[replace(bad.parts[0])])] * 3, says("Sorry.")), office.guide()).run_sync("Do it")
    assert ran.output == "Sorry."
    assert office.done == []
    assert len(results(ran.all_messages())) == 3


def test_contract_without_its_tool_is_a_failed_call() -> None:
    office = Office()
    guide = office.guide()
    del office.toolset.tools["search_events"]
    ran = agent_of(office, Scripted(calls("search_events"), says("Sorry.")), guide).run_sync("Do it")
    assert ran.output == "Sorry."
    assert results(ran.all_messages()) == ["`search_events` is not to be had here."]


def test_what_is_executed_are_the_arguments_of_the_permit() -> None:
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event", id="e1"), says("Moved."))
    agent_of(office, model, office.guide()).run_sync("Do it")
    assert office.done == [("search_events", {"day": "2026-12-01"}), ("update_event", {"id": "e1", "start": "2026-12-01T16:00:00"})]


def test_calls_of_one_turn_wait_for_each_other() -> None:
    office = Office()
    model = Scripted(calls("search_events", "nothing", "update_event", "update_event"), says("Moved."))
    ran = agent_of(office, model, office.guide()).run_sync("Do it")
    assert [name for name, _ in office.done] == ["search_events", "update_event"]
    assert "cannot be called now" in results(ran.all_messages())[1]
    assert len(results(ran.all_messages())) == 4


def test_two_tools_of_one_name_are_never_silent() -> None:
    one, other = Office(), Office()
    agent: Agent[None, object] = Agent(
        FunctionModel(Scripted()), toolsets=[one.toolset, other.toolset], capabilities=[Toolplan(one.guide())]
    )
    with pytest.raises(UserError, match=r"search_events.*conflict"):
        agent.run_sync("Do it")
    with pytest.raises(DomainError, match="two tools are called `search_events`"):
        Catalog([*catalog_of(one.toolset, "first").values(), *catalog_of(other.toolset, "second").values()])


# What a model is sent


def test_allow_declares_the_same_tools_at_every_step_and_only_ever_appends() -> None:
    # pydantic-ai#5672: trimmed tools destroy the cache of the prompt. A changed history would, too.
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent_of(office, model, office.guide()).run_sync("Do it")
    assert model.declared == [list(NAMES)] * 3
    assert [info.function_tools for info in model.infos] == [model.infos[0].function_tools] * 3
    assert model.allowed == [["search_events"], ["update_event"], []]
    for earlier, later in zip(model.seen, model.seen[1:], strict=False):
        assert later[: len(earlier)] == earlier
    assert all("Note of the host" in str(messages[-1].parts[-1]) for messages in model.seen)
    assert all(info.instructions is None for info in model.infos)


def test_trim_declares_what_can_be_called() -> None:
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent_of(office, model, office.guide(strategy="trim")).run_sync("Do it")
    assert model.declared == [["search_events"], ["update_event"], []]
    assert "send_mail" not in str(model.seen)


def test_dispatch_declares_one_tool_and_calls_through_it() -> None:
    office = Office()

    def through(name: str) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("call", {"name": name, "arguments": {}})])

    model = Scripted(through("search_events"), through("send_mail"), through("update_event"), says("Moved."))
    ran = agent_of(office, model, office.guide(strategy="dispatch")).run_sync("Do it")
    assert model.declared == [["call"]] * 4
    assert model.allowed == [["call"], ["call"], ["call"], []]
    assert [name for name, _ in office.done] == ["search_events", "update_event"]
    assert results(ran.all_messages())[1] == "`send_mail` cannot be called now; what can be called now: `update_event`."


def test_append_is_a_mistake_that_is_told() -> None:
    office = Office()
    guide = Guide.of(Gate(office.session("move", KNOWN)), "anthropic", strategy="append")
    with pytest.raises(DomainError, match="cannot follow the strategy `append`"):
        agent_of(office, Scripted(), guide).run_sync("Do it")


def test_names_that_a_provider_does_not_take_are_shown_as_others_and_run_as_themselves() -> None:
    done: list[str] = []
    toolset = FunctionToolset[None]()
    toolset.add_function(lambda: done.append("ran"), name="events.search", description="Search.")
    domain = toolplan.loads(
        'fact found tool find calls "events.search" { "Search." produces found risk read } goal g { "Find." achieves found }'
    )
    session = Session(domain, catalog=catalog_of(toolset))
    session.want("g")
    guide = Guide.of(Gate(session), "openai")
    shown = guide.exposure.names.shown("events.search")
    model = Scripted(calls(shown), says("Found."))
    Agent(FunctionModel(model), toolsets=[toolset], capabilities=[Toolplan(guide)]).run_sync("Do it")
    assert model.declared[0] == [shown] != ["events.search"]
    assert done == ["ran"]


def test_openai_gets_the_same_bytes_of_tools_and_a_subset() -> None:
    office, sent = Office(), list[dict[str, object]]()

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        name = ("search_events", "update_event", "")[len(sent) - 1]
        output: dict[str, object] = {"type": "function_call", "id": f"f{name}", "call_id": f"c{name}", "name": name, "arguments": "{}"}
        if not name:
            text = {"type": "output_text", "text": "Moved.", "annotations": []}
            output = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
        body = {"id": f"r{len(sent)}", "object": "response", "created_at": 0, "model": "gpt-5", "status": "completed", "output": [output]}
        return httpx.Response(200, json={**body, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []})

    client = AsyncOpenAI(api_key="none", http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)))
    model = OpenAIResponsesModel("gpt-5", provider=OpenAIProvider(openai_client=client))
    ran = Agent(model, toolsets=[office.toolset], capabilities=[Toolplan(office.guide())]).run_sync("Do it")
    assert ran.output == "Moved."
    assert len({json.dumps(request["tools"]) for request in sent}) == 1
    subsets = [[tool["name"] for tool in request["tool_choice"]["tools"]] for request in sent[:2]]
    assert subsets == [["search_events"], ["update_event"]]
    assert sent[2]["tool_choice"] == "none"


# Questions, and calls that wait for a yes


def test_question_ends_the_run_and_the_next_message_answers_it() -> None:
    office = Office()
    state = {"date": "2026-12-01"}
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent = agent_of(office, model, office.kept("move", state))
    asked = agent.run_sync("Please")
    assert asked.output == "When should it be instead?"
    ran = agent.run_sync("2026-12-01T16:00", message_history=stored(asked.all_messages()))
    assert ran.output == "Moved."
    assert [name for name, _ in office.done] == ["search_events", "update_event"]
    assert str(office.done[-1][1]["start"]).startswith("2026-12-01T16:00:00")


def test_question_is_a_deferred_request_where_the_host_wants_it() -> None:
    office = Office()
    model = Scripted(calls("search_events"), says("Found."))
    agent = agent_of(office, model, office.kept("move", {"date": "2026-12-01"}), "deferred")
    asked = agent.run_sync("Please")
    assert isinstance(asked.output, DeferredToolRequests)
    (question,) = asked.output.calls
    assert asked.output.kind(question.tool_call_id) == "question"
    assert asked.output.metadata[question.tool_call_id] == {"question": "When should it be instead?"}
    answers = DeferredToolResults(calls={question.tool_call_id: "2026-12-01T16:00"})
    agent.run_sync(message_history=stored(asked.all_messages()), deferred_tool_results=answers)
    assert model.declared == [list(NAMES)] * 2
    assert model.allowed == [["search_events"], ["update_event"]]


@pytest.mark.parametrize("result", [None, ToolFailed("nobody was there")])
def test_question_that_nobody_answers_is_no_answer(result: ToolFailed | None) -> None:
    office = Office()
    model = Scripted(says("Well."))
    agent = agent_of(office, model, office.kept("move", {"date": "2026-12-01"}), "deferred")
    asked = agent.run_sync("Please")
    assert isinstance(asked.output, DeferredToolRequests)
    answers = DeferredToolResults(calls={asked.output.calls[0].tool_call_id: result})
    again = agent.run_sync(message_history=stored(asked.all_messages()), deferred_tool_results=answers)
    # Declined it is not asked again; unseen it is.
    assert (again.output == "Well.") == (result is None)
    assert office.done == []


def test_agreed_call_runs_without_the_model_under_an_id_of_its_own() -> None:
    office = Office()
    model = Scripted(calls("send_mail", text="It is at four."), says("Told."))
    agent = agent_of(office, model, office.kept("inform", MOVED))
    held = agent.run_sync("Please")
    assert "Shall I do this?" in str(held.output)
    assert "It is at four." in str(held.output)
    assert office.done == []
    ran = agent.run_sync("yes", message_history=stored(held.all_messages()))
    assert office.done == [("send_mail", {"text": "It is at four."})]
    assert ran.output == "Told."
    assert len(model.seen) == 2
    made = [call.tool_call_id for message in ran.all_messages() if isinstance(message, ModelResponse) for call in message.tool_calls]
    assert len(made) == len(set(made)) == 2


@pytest.mark.parametrize(("answer", "done"), [("yes", 1), ("no", 0)])
def test_fork_of_an_older_history_knows_nothing_of_the_newer(answer: str, done: int) -> None:
    office = Office()
    model = Scripted(calls("send_mail", text="Hi"), says("Told."), says("One."))
    agent = agent_of(office, model, office.kept("inform", MOVED))
    held = stored(agent.run_sync("Please").all_messages())
    agent.run_sync("yes", message_history=held)
    office.done.clear()
    agent.run_sync(answer, message_history=held)
    assert len(office.done) == done


@pytest.mark.parametrize(
    ("result", "done"),
    [
        (True, [("send_mail", {"text": "Hi"})]),
        (False, []),
        (ToolDenied("not now"), []),
    ],
)
def test_approval_in_another_process_is_of_that_call_alone(result: object, done: object) -> None:
    office = Office()
    model = Scripted(calls("send_mail", text="Hi"), says("Well."))
    agent = agent_of(office, model, office.kept("inform", MOVED), "deferred")
    held = agent.run_sync("Please")
    assert isinstance(held.output, DeferredToolRequests)
    (call,) = held.output.approvals
    assert 'text = "Hi"' in held.output.metadata[call.tool_call_id]["question"]
    approvals = DeferredToolResults(approvals={call.tool_call_id: result})
    agent.run_sync(message_history=stored(held.all_messages()), deferred_tool_results=approvals)
    assert office.done == done


def test_approval_of_other_arguments_is_none() -> None:
    office = Office()
    model = Scripted(calls("send_mail", text="Hi"), says("Well."))
    agent = agent_of(office, model, office.kept("inform", MOVED), "deferred")
    held = agent.run_sync("Please")
    assert isinstance(held.output, DeferredToolRequests)
    (call,) = held.output.approvals
    other = DeferredToolResults(approvals={call.tool_call_id: ToolApproved(override_args={"text": "Other"})})
    again = agent.run_sync(message_history=stored(held.all_messages()), deferred_tool_results=other)
    assert isinstance(again.output, DeferredToolRequests)
    assert 'text = "Other"' in again.output.metadata[call.tool_call_id]["question"]
    assert office.done == []
    agent.run_sync(message_history=stored(again.all_messages()), deferred_tool_results=other)
    assert office.done == [("send_mail", {"text": "Other"})]


def test_model_that_asks_by_itself_is_no_user() -> None:
    office = Office()
    asks = ModelResponse(parts=[ToolCallPart("send_mail", {"text": "Hi"}), ToolCallPart("ask_user", {"question": "Is it warm?"})])
    agent = agent_of(office, Scripted(asks), office.kept("inform", MOVED), "deferred")
    held = agent.run_sync("Please")
    assert isinstance(held.output, DeferredToolRequests)
    assert held.output.calls == []
    assert [call.tool_name for call in held.output.approvals] == ["send_mail"]


@pytest.mark.parametrize("asks", ["text", "deferred"])
def test_output_tools_are_the_answer_and_hidden_tools_are_refused_beside_them(asks: Asks) -> None:
    class Answer(BaseModel):
        moved: bool

    office = Office()
    answer = ModelResponse(parts=[ToolCallPart("final_result", {"moved": True})])
    model = Scripted(calls("delete_all", "send_mail", text="x"), calls("search_events"), answer)
    output = [Answer, DeferredToolRequests] if asks == "deferred" else Answer
    agent: Agent[None, object] = Agent(
        FunctionModel(model), toolsets=[office.toolset], capabilities=[Toolplan(office.guide(), asks)], output_type=output
    )
    ran = agent.run_sync("Please")
    assert ran.output == Answer(moved=True)
    assert [name for name, _ in office.done] == ["search_events"]


def test_approval_is_not_inherited_by_another_tool_of_that_name() -> None:
    office, swapped = Office(), Office()
    model = Scripted(calls("send_mail", text="Hi"))
    held = agent_of(office, model, office.kept("inform", MOVED), "deferred").run_sync("Please")
    assert isinstance(held.output, DeferredToolRequests)
    (call,) = held.output.approvals
    swapped.toolset.tools["send_mail"].description = "Send a mail, and a copy to everybody."
    agent = agent_of(swapped, Scripted(), office.kept("inform", MOVED), "deferred")
    results = DeferredToolResults(approvals={call.tool_call_id: True})
    again = agent.run_sync(message_history=stored(held.all_messages()), deferred_tool_results=results)
    assert isinstance(again.output, DeferredToolRequests)
    assert swapped.done == []


def test_call_that_runs_elsewhere_is_observed_when_its_result_comes() -> None:
    office = Office()

    def later(day: str) -> str:
        raise CallDeferred

    del office.toolset.tools["search_events"]
    office.toolset.add_function(later, name="search_events")
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent = agent_of(office, model, office.kept("move", KNOWN), "deferred")
    waiting = agent.run_sync("Please")
    assert isinstance(waiting.output, DeferredToolRequests)
    (call,) = waiting.output.calls
    results = DeferredToolResults(calls={call.tool_call_id: {"id": "e9"}})
    agent.run_sync(message_history=stored(waiting.all_messages()), deferred_tool_results=results)
    assert office.done == [("update_event", {"id": "e9", "start": "2026-12-01T16:00:00"})]


def test_call_that_ran_elsewhere_is_not_handed_over_once_more() -> None:
    office, handed = Office(), list[str]()

    def later(day: str) -> str:
        handed.append(day)
        raise CallDeferred

    def numbered(name: str) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(name, {}, "call_0")])

    del office.toolset.tools["search_events"]
    office.toolset.add_function(later, name="search_events")
    model = Scripted(*map(numbered, ["search_events", "search_events", "update_event"]), says("Moved."))
    agent = agent_of(office, model, office.guide(), "deferred")
    waiting = agent.run_sync("Please")
    results = DeferredToolResults(calls={"call_0": {"id": "e9"}})
    ran = agent.run_sync(message_history=waiting.all_messages(), deferred_tool_results=results)
    assert ran.output == "Moved." and len(handed) == 1
    assert [name for name, _ in office.done] == ["update_event"]


def test_call_that_may_not_run_any_more_is_not_handed_over() -> None:
    office, scopes = Office(), [frozenset({"calendar"})]

    def later(day: str) -> str:
        scopes[0] = frozenset()
        raise CallDeferred

    del office.toolset.tools["search_events"]
    office.toolset.add_function(later, name="search_events")
    domain = toolplan.loads(OFFICE.replace("returns event_id = $.id  risk read", 'returns event_id = $.id  risk read  scopes "calendar"'))
    session = Session(domain, state=KNOWN, catalog=catalog_of(office.toolset))
    session.want("move")
    gate = Gate(session, principal=lambda: Principal(scopes=scopes[0]))
    agent = agent_of(office, Scripted(calls("search_events"), says("I may not.")), Guide.of(gate, "openai"), "deferred")
    ran = agent.run_sync("Please")
    assert ran.output == "I may not."
    assert "cannot be called now" in results(ran.all_messages())[0]


@pytest.mark.parametrize("result", [b"\xff\xd8", {"id": "e1", "picture": b"\xff\xd8"}], ids=["bytes", "bytes in it"])
def test_result_with_bytes_that_are_no_text_is_a_result(result: object) -> None:
    office = Office()
    del office.toolset.tools["search_events"]
    office.toolset.add_function(lambda day: result, name="search_events")
    guide = office.guide()
    assert agent_of(office, Scripted(calls("search_events"), says("Found.")), guide).run_sync("Please").output == "Found."
    (outcome,) = guide.session.memory.outcomes.values()
    assert outcome is not Outcome.RETRY


@pytest.mark.parametrize("kind", ["external", "unapproved"])
def test_what_the_framework_would_hand_over_comes_to_the_gate_first(kind: Literal["external", "unapproved"]) -> None:
    office = Office()
    agent: Agent[None, object] = Agent(
        FunctionModel(Scripted(calls("update_event"), calls("search_events"))),
        toolsets=[office.toolset.prepared(lambda ctx, tools: [replace(tool, kind=kind) for tool in tools])],
        capabilities=[Toolplan(office.guide(), "deferred")],
        output_type=[str, DeferredToolRequests],
    )
    waiting = agent.run_sync("Please")
    assert isinstance(waiting.output, DeferredToolRequests)
    assert [call.tool_name for call in (*waiting.output.calls, *waiting.output.approvals)] == ["search_events"]
    assert bool(waiting.output.calls) == (kind == "external")
    assert results(waiting.all_messages())[0].startswith("`update_event` cannot be called now")


@pytest.mark.parametrize(("metadata", "done"), [({}, 0), ({"by": "clerk"}, 0), ({"by": "boss"}, 1)])
def test_only_the_role_that_has_to_agree_agrees(metadata: dict[str, str], done: int) -> None:
    office = Office()
    domain = toolplan.loads(OFFICE.replace("produces people_told  risk send", "produces people_told  risk send  confirm by boss"))
    session = Session(domain, state=MOVED, catalog=catalog_of(office.toolset))
    session.want("inform")
    model = Scripted(calls("send_mail", text="Hi"), *[says("Well.")] * 3)
    agent = agent_of(office, model, Guide.of(Gate(session), "openai"), "deferred")
    held = agent.run_sync("Please")
    assert isinstance(held.output, DeferredToolRequests)
    (call,) = held.output.approvals
    assert held.output.metadata[call.tool_call_id]["by"] == "boss"
    approvals = DeferredToolResults(approvals={call.tool_call_id: True}, metadata={call.tool_call_id: metadata})
    agent.run_sync(message_history=held.all_messages(), deferred_tool_results=approvals)
    assert len(office.done) == done


def test_words_that_are_a_step_do_not_end_the_run() -> None:
    office = Office()
    model = Scripted(says("A short summary."), calls("file_summary"), says("Filed."))
    ran = agent_of(office, model, office.guide("filing", {"event_id": "e1"})).run_sync("Please")
    assert ran.output == "Filed."
    assert office.done == [("file_summary", {"text": "A short summary."})]


# Ways to run an agent


def streamed(*turns: str | list[str]) -> FunctionModel:
    script = list(turns)

    async def stream(messages: list[ModelMessage], info: AgentInfo):
        turn = script.pop(0)
        if isinstance(turn, str):
            for letter in turn:
                yield letter
        else:
            for number, name in enumerate(turn):
                made: DeltaToolCalls = {number: DeltaToolCall(name=name, json_args="{}", tool_call_id=f"{len(script)}{name}")}
                yield made

    return FunctionModel(stream_function=stream)


def test_streaming() -> None:
    office = Office()
    model = streamed(["send_mail", "search_events"], ["update_event"], "Moved.")
    agent = Agent(model, toolsets=[office.toolset], capabilities=[Toolplan(office.guide())])

    async def run() -> str:
        async with agent.run_stream("Please") as stream:
            return "".join([text async for text in stream.stream_text(delta=True)])

    assert asyncio.run(run()) == "Moved."
    assert [name for name, _ in office.done] == ["search_events", "update_event"]


def test_streaming_of_a_question_needs_no_model() -> None:
    office = Office()
    agent = Agent(streamed(), toolsets=[office.toolset], capabilities=[Toolplan(office.guide(state={"date": "2026-12-01"}))])

    async def run() -> str:
        async with agent.run_stream("Please") as stream:
            return await stream.get_output()

    assert asyncio.run(run()) == "When should it be instead?"


def test_node_by_node() -> None:
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent = agent_of(office, model, office.guide())

    async def run() -> object:
        async with agent.iter("Please") as running:
            async for _ in running:
                pass
            assert running.result is not None
            return running.result.output

    assert asyncio.run(run()) == "Moved."


def test_two_conversations_of_one_agent_do_not_mix() -> None:
    office = Office()
    guides = {"a": office.guide(), "b": office.guide("inform", MOVED)}
    seen: dict[str, list[list[str]]] = {"a": [], "b": []}

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        name = "a" if "Prompt a" in str(messages[0]) else "b"
        choice = (info.model_settings or {}).get("tool_choice")
        assert isinstance(choice, ToolOrOutput)
        seen[name].append(list(choice.function_tools))
        return says("Well.") if len(seen[name]) > 1 else calls("search_events")

    def of(ctx: RunContext[str]) -> Guide:
        return guides[ctx.deps]

    agent: Agent[str, str] = Agent(FunctionModel(model), deps_type=str, capabilities=[Toolplan(of)], toolsets=[office.toolset])

    async def both() -> None:
        await asyncio.gather(agent.run("Prompt a", deps="a"), agent.run("Prompt b", deps="b"))

    asyncio.run(both())
    assert seen == {"a": [["search_events"], ["update_event"]], "b": [["send_mail"], ["send_mail"]]}


def test_user_is_heard_once_and_notes_never_are() -> None:
    office = Office()
    guide = office.guide()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent_of(office, model, guide).run_sync("Please")
    told, once = guide.session.snapshot(), office.session("move", KNOWN)
    once.hear("Please")
    assert told.count("Please") == once.snapshot().count("Please") > 0
    assert "Note of the host" not in told


def is_note(part: object) -> bool:
    match part:
        case UserPromptPart(content=[TextContent(metadata={"toolplan": "note"})]):
            return True
        case _:
            return False


def test_note_is_the_last_part_of_its_request() -> None:
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    ran = agent_of(office, model, office.guide()).run_sync("Please")
    requests = [message for message in ran.all_messages() if isinstance(message, ModelRequest)]
    assert [[is_note(part) for part in request.parts] for request in requests] == [[False, True]] * 3
    assert [message.kind for message in ran.all_messages()] == ["request", "response"] * 3


def test_history_that_a_run_goes_on_from_is_left_as_it_was() -> None:
    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    history: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("Please")])]
    ran = agent_of(office, model, office.guide()).run_sync(message_history=history)
    assert [len(message.parts) for message in history] == [1]
    assert is_note(ran.all_messages()[0].parts[-1])
    assert [message.kind for message in ran.new_messages()] == ["response", "request"] * 2 + ["response"]


def test_note_is_told_and_kept_where_another_capability_rewrites_the_request() -> None:
    class Rewriting(AbstractCapability[None]):
        async def before_model_request(self, ctx: RunContext[None], request_context: ModelRequestContext) -> ModelRequestContext:
            messages = request_context.messages
            request_context.messages = [*messages[:-1], replace(messages[-1])]
            return request_context

    office = Office()
    model = Scripted(calls("search_events"), says("Found."))
    agent = Agent(FunctionModel(model), toolsets=[office.toolset], capabilities=[Toolplan(office.guide()), Rewriting()])
    ran = agent.run_sync("Please")
    assert [is_note(seen[-1].parts[-1]) for seen in model.seen] == [True, True]
    assert sum(is_note(part) for message in ran.all_messages() for part in message.parts) == 2


def test_definitions_that_change_between_steps_are_declared_as_they_are() -> None:
    async def prepared(ctx: RunContext[None], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        return [replace(tool, strict=bool(ctx.run_step % 2)) for tool in tools]

    office = Office()
    model = Scripted(calls("search_events"), calls("update_event"), says("Moved."))
    agent = Agent(FunctionModel(model), toolsets=[office.toolset.prepared(prepared)], capabilities=[Toolplan(office.guide())])
    agent.run_sync("Please")
    assert [{tool.strict for tool in info.function_tools} for info in model.infos] == [{True}, {False}, {True}]
