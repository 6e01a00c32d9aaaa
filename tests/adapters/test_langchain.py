"""LangChain and LangGraph: what they do by themselves and the adapter must not let through, against the real packages with scripted models."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import pytest
import requests
from adapters.host_langchain import ScriptedModel
from adapters.hosting import Calls, Says, Script, Scripted, calls
from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain_anthropic import ChatAnthropic
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage, add_notification_metadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from langsmith import Client
from langsmith.run_helpers import tracing_context
from pydantic import BaseModel, SecretStr

import toolplan
from toolplan.adapters.langchain import ASK_USER, MARK, Questions, Toolplan
from toolplan.catalog import Catalog
from toolplan.domain import Domain
from toolplan.exposure import Provider, Strategy
from toolplan.gate import Gate, Mode
from toolplan.language.diagnostics import DomainError
from toolplan.session import Session, Settings

OFFICE = """
domain office "Office"
fact date: date            "the day"
fact event_id: text        "the event"
fact new_time: datetime    "when it should be instead"
fact event_updated
fact people_told
fact room_booked
fact summary: text         "a summary"
fact filed

tool find calls "calendar.search" {
  requires date  passes day = date  produces event_id  returns event_id = $.id  risk read
}
tool move_it calls "calendar.update" {
  requires event_id, new_time  passes id = event_id, start = new_time  produces event_updated  risk write
}
tool tell calls "send_mail" {
  requires event_updated  passes text free  produces people_told  risk send
}
tool book calls "book_room" { requires event_id  passes id = event_id  produces room_booked  risk write }
tool sum_up by model { "Sum the event up." requires event_id produces summary risk read }
tool file_it calls "file_summary" { requires summary passes text = summary produces filed verifies filed risk read }

ask when_ { "When should it be instead?" produces new_time }

goal move   { "Move an event" achieves event_updated given new_time phrases "move my appointment" }
goal inform { "Tell the others" achieves people_told phrases "tell the others" }
goal host   { "Move it and book a room" achieves event_updated, room_booked phrases "move it and book a room" }
goal filing { "File a summary" achieves filed phrases "file a summary" }
policy { risk read 0 safe, write 1, send 3 confirm }
"""
DOMAIN = toolplan.loads(OFFICE)
KNOWN = {"date": "2026-12-01", "new_time": "2026-12-01T16:00:00"}
MOVED = {**KNOWN, "event_id": "e1", "event_updated": True}
SEARCH, UPDATE, MAIL = "calendar.search", "calendar.update", "send_mail"
TELL = calls(("send_mail", {"text": "It has moved."}))
SETTINGS = Settings(mode="parallel")
HEADER: Any = {"configurable": {"thread_id": "one"}}


def takes(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


def tool_of(name: str, run: Callable[..., Any], *names: str, **more: Any) -> BaseTool:
    return StructuredTool(name=name, description=f"Does {name}.", args_schema=takes(*names), func=run, **more)


class Office:
    """The tools of an office, what was done with them, and agents that use them. All that these share is what the checkpointer keeps."""

    def __init__(
        self, goal: str = "move", state: Mapping[str, object] = KNOWN, domain: Domain = DOMAIN, **replaced: Callable[..., Any]
    ) -> None:
        self.done: list[tuple[str, Mapping[str, object]]] = []
        self.domain = domain
        self.goal, self.state, self.saver = goal, state, InMemorySaver()
        runs = {"search": lambda day: {"id": "e1"}, "update": lambda **_: "ok", "mail": lambda text: "sent", "book": lambda id: "booked"}
        runs |= {"file": lambda text: "filed", **replaced}
        self.tools = [
            tool_of(SEARCH, self._counted(SEARCH, runs["search"]), "day"),
            tool_of(UPDATE, self._counted(UPDATE, runs["update"]), "id", "start"),
            tool_of(MAIL, self._counted(MAIL, runs["mail"]), "text"),
            tool_of("book_room", self._counted("book_room", runs["book"]), "id"),
            tool_of("file_summary", self._counted("file_summary", runs["file"]), "text"),
        ]

    @property
    def ran(self) -> list[str]:
        return [name for name, _ in self.done]

    def agent(
        self,
        script: Script | BaseChatModel,
        *,
        questions: Questions = "text",
        strategy: Strategy = "trim",
        provider: Provider | None = "plain",
        tools: Sequence[BaseTool] | None = None,
        **more: Any,
    ) -> Any:
        guarded = Toolplan(self.gate, self.tools if tools is None else tools, provider=provider, strategy=strategy, questions=questions)
        model = script if isinstance(script, BaseChatModel) else ScriptedModel(Scripted(script))
        return create_agent(model, middleware=[guarded], **{"checkpointer": self.saver, **more})

    def gate(self, snapshot: str | None, catalog: Catalog, _: object) -> Gate:
        if snapshot is not None:
            return Gate(Session.restore(self.domain, snapshot, catalog=catalog, settings=SETTINGS))
        session = Session(self.domain, state=dict(self.state), catalog=catalog, settings=SETTINGS)
        session.want(self.goal)
        return Gate(session)

    def _counted(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def counted(**arguments: Any) -> Any:
            self.done.append((name, arguments))
            result = run(**arguments)
            return result if isinstance(result, str | Command) else json.dumps(result)

        return counted


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def decided(**decision: Any) -> Command[Any]:
    return Command(resume={"decisions": [decision]})


def results(values: Mapping[str, Any]) -> list[str]:
    return [message.text for message in values["messages"] if isinstance(message, ToolMessage)]


def asked(values: Mapping[str, Any]) -> Any:
    """What the graph waits for."""
    (waiting,) = values["__interrupt__"]
    return waiting.value


# Calls


def test_t1_t2_a_hidden_or_unknown_call_is_refused_and_names_nothing_hidden() -> None:
    office = Office()
    ended = office.agent([calls(UPDATE), calls("nonsense"), calls(SEARCH), calls(UPDATE), Says("Moved.")]).invoke(said("thanks"), HEADER)
    assert ended["messages"][-1].text == "Moved."
    assert office.ran == [SEARCH, UPDATE]
    refused = results(ended)[:2]
    assert all("cannot be called now" in text and SEARCH in text for text in refused)
    assert not [name for name in (MAIL, "book_room", "file_summary") for text in refused if name in text]


def test_what_runs_are_the_arguments_of_the_permit() -> None:
    office = Office()
    office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")]).invoke(said("thanks"), HEADER)
    assert office.done == [(SEARCH, {"day": "2026-12-01"}), (UPDATE, {"id": "e1", "start": "2026-12-01T16:00:00"})]


def test_a_domain_is_enough() -> None:
    office = Office()
    script = Scripted([calls(UPDATE), Says("When is it?")])
    agent = create_agent(ScriptedModel(script), office.tools, middleware=[Toolplan(DOMAIN)])
    ended = agent.invoke({"messages": [HumanMessage("move my appointment")]})
    assert ended["messages"][-1].text == "When is it?" and office.ran == []
    assert "Wanted: Move an event." in script.requests[0].text
    assert MARK not in ended


def test_t12_two_tools_of_one_name_are_a_diagnostic_with_both_origins() -> None:
    one, other = tool_of("send_mail", lambda text: "one", "text"), tool_of("send_mail", lambda text: "other", "text")
    with pytest.raises(DomainError) as raised:
        Toolplan(DOMAIN, {"gmail": [one], "outlook": [other]})
    (found,) = raised.value.diagnostics
    assert "gmail" in found.message and "outlook" in found.message


def test_t13_t14_names_that_a_provider_does_not_take_are_shown_under_others() -> None:
    office, script = (
        Office(),
        Scripted([lambda request: calls(request.allowed[0]), lambda request: calls(request.allowed[0]), Says("Moved.")]),
    )
    ended = office.agent(ScriptedModel(script), provider="openai", strategy="allow").invoke(said("thanks"), HEADER)
    assert office.ran == [SEARCH, UPDATE]
    assert all("." not in name for request in script.requests for name in request.tools)
    assert len({request.declared for request in script.requests}) == 1
    assert ended["messages"][-1].text == "Moved."


def test_t2_an_unknown_tool_is_no_list_of_the_others_where_the_gate_lets_all_run() -> None:
    office = Office()

    def shadowed(snapshot: str | None, catalog: Catalog, context: object) -> Gate:
        return Gate(office.gate(snapshot, catalog, context).session, mode=Mode.SHADOW)

    guarded = Toolplan(shadowed, office.tools, provider="plain")
    agent = create_agent(ScriptedModel(Scripted([calls("nonsense"), Says("Hm.")])), middleware=[guarded])
    ended = agent.invoke(said("thanks"))
    assert results(ended)[0] == "ToolException: the tool is not there"


def test_what_the_agent_has_not_cannot_be_called() -> None:
    office = Office()
    ended = office.agent([calls(SEARCH), Says("Hm.")], tools=office.tools[1:]).invoke(said("thanks"), HEADER)
    assert "cannot be called now" in results(ended)[0]


def test_a_tool_that_raises_is_a_result_and_what_is_in_doubt_is_not_done_again() -> None:
    def update(**_: Any) -> str:
        raise TimeoutError("no answer")

    office = Office(update=update)
    ended = office.agent([calls(SEARCH), calls(UPDATE), calls(UPDATE), Says("I do not know.")]).invoke(said("thanks"), HEADER)
    assert ended["messages"][-1].text == "I do not know."
    assert "TimeoutError: no answer" in results(ended)
    assert office.agent([calls(UPDATE), Says("I cannot.")]).invoke(said("try again"), HEADER)["messages"][-1].text == "I cannot."
    assert office.ran.count(UPDATE) == 1


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
def test_t31_a_call_that_was_cut_off_is_not_made_again(elsewhere: bool) -> None:
    office = Office("inform", {**KNOWN, "event_id": "e1"})
    begun = asyncio.Event()

    async def update(**arguments: Any) -> str:
        office.done.append((UPDATE, arguments))
        begun.set()
        await asyncio.sleep(60)
        return "too late"

    slow = StructuredTool(name=UPDATE, description="Changes it.", args_schema=takes("id", "start"), coroutine=update)
    tools = [slow if one.name == UPDATE else one for one in office.tools]
    script = Scripted([calls(UPDATE), calls(UPDATE), Says("I cannot.")])

    async def cut_off() -> None:
        agent = office.agent(ScriptedModel(script), tools=tools)
        running = asyncio.ensure_future(agent.ainvoke(said("thanks"), HEADER))
        await begun.wait()
        running.cancel()
        await asyncio.wait([running])
        again = office.agent(ScriptedModel(script), tools=tools) if elsewhere else agent
        await asyncio.wait_for(again.ainvoke(said("go on"), HEADER), 10)

    asyncio.run(cut_off())
    assert office.ran == [UPDATE]


def test_a_call_that_is_no_json_is_answered_and_the_model_asked_again() -> None:
    script = Scripted([calls((SEARCH, "{no json")), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office = Office()
    ended = office.agent(ScriptedModel(script)).invoke(said("thanks"), HEADER)
    assert ended["messages"][-1].text == "Moved." and office.ran == [SEARCH, UPDATE]
    assert "no JSON object" in results(ended)[0]


def test_a_model_that_never_writes_json_is_asked_no_more() -> None:
    script = Scripted([calls((SEARCH, "{no json"))] * 9)
    Office().agent(ScriptedModel(script)).invoke(said("thanks"), HEADER)
    assert len(script.requests) == 3


def test_results_of_mcp_tools_are_read_by_what_is_structured_in_them() -> None:
    office = Office()

    def search(day: str) -> tuple[str, dict[str, Any]]:
        office.done.append((SEARCH, {"day": day}))
        return "Found one event.", {"structured_content": {"id": "e7"}}

    tools = [tool_of(SEARCH, search, "day", response_format="content_and_artifact"), *office.tools[1:]]
    office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")], tools=tools).invoke(said("thanks"), HEADER)
    assert office.done[-1] == (UPDATE, {"id": "e7", "start": "2026-12-01T16:00:00"})


def test_a_tool_that_updates_the_state_of_the_graph_is_observed_too() -> None:
    office = Office()

    @tool(SEARCH)
    def search(day: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Search."""
        return Command(update={"messages": [ToolMessage('{"id": "e8"}', tool_call_id=tool_call_id), HumanMessage("and this")]})

    tools = [search, *office.tools[1:]]
    ended = office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")], tools=tools).invoke(said("thanks"), HEADER)
    assert office.done == [(UPDATE, {"id": "e8", "start": "2026-12-01T16:00:00"})]
    assert "and this" in [message.text for message in ended["messages"]]


# Words


def test_words_that_are_a_step_are_taken_and_the_run_goes_on() -> None:
    office, script = (
        Office("filing", {**KNOWN, "event_id": "e1"}),
        Scripted([Says("Dentist at four."), calls("file_summary"), Says("Filed.")]),
    )
    ended = office.agent(ScriptedModel(script)).invoke(said("thanks"), HEADER)
    assert office.done == [("file_summary", {"text": "Dentist at four."})]
    assert ended["messages"][-1].text == "Filed."


def test_what_hosts_say_in_the_place_of_the_user_is_no_turn() -> None:
    office = Office("inform", MOVED)
    office.agent([TELL]).invoke(said("thanks"), HEADER)
    summary = add_notification_metadata(HumanMessage("yes"), source="summarization")
    office.agent([Says("Hm.")]).invoke({"messages": [summary]}, HEADER)
    assert office.ran == []


def test_notes_are_marked_and_stay_where_the_model_has_seen_them() -> None:
    office, script = Office(), Scripted([calls(SEARCH), calls(UPDATE), Says("Moved.")])
    ended = office.agent(ScriptedModel(script)).invoke(said("thanks"), HEADER)
    notes = [message for message in ended["messages"] if message.additional_kwargs.get("lc_source") == MARK]
    assert len(notes) == len(script.requests)
    assert all(later.text.startswith(earlier.text) for earlier, later in zip(script.requests, script.requests[1:], strict=False))


def test_a_question_is_what_the_agent_says_and_the_next_message_is_the_reply() -> None:
    office = Office(state={"date": "2026-12-01"})
    first = office.agent([Says("unused")]).invoke(said("thanks"), HEADER)
    assert first["messages"][-1].text == "When should it be instead?"
    office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")]).invoke(said("2026-12-01 at 17:00"), HEADER)
    assert office.done[-1][1]["start"].startswith("2026-12-01T17:00")


def test_a_held_call_runs_as_it_was_under_an_id_of_its_own() -> None:
    office, script = Office("inform", MOVED), Scripted([TELL, Says("Told.")])
    agent = office.agent(ScriptedModel(script))
    question = agent.invoke(said("thanks"), HEADER)["messages"][-1].text
    assert "It has moved." in question and office.ran == []
    ended = agent.invoke(said("yes"), HEADER)
    assert office.done == [(MAIL, {"text": "It has moved."})] and len(script.requests) == 2
    made = [call["id"] for message in ended["messages"] if isinstance(message, AIMessage) for call in message.tool_calls]
    assert len(made) == len(set(made)) == 2


# Interrupts


def test_a_call_that_waits_interrupts_as_human_in_the_loop_does() -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Told.")], questions="interrupt")
    review = asked(agent.invoke(said("thanks"), HEADER))
    assert review["action_requests"][0]["name"] == MAIL
    assert review["action_requests"][0]["args"] == {"text": "It has moved."}
    assert review["review_configs"] == [{"action_name": MAIL, "allowed_decisions": ["approve", "edit", "reject", "respond"]}]
    assert agent.invoke(decided(type="approve"), HEADER)["messages"][-1].text == "Told."
    assert office.done == [(MAIL, {"text": "It has moved."})]


def test_an_interrupt_is_answered_where_all_is_asynchronous() -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Told.")], questions="interrupt")

    async def scenario() -> str:
        await agent.ainvoke(said("thanks"), HEADER)
        ended = await agent.ainvoke(decided(type="approve"), HEADER)
        return str(ended["messages"][-1].text)

    assert asyncio.run(scenario()) == "Told."
    assert office.done == [(MAIL, {"text": "It has moved."})]


def test_an_edited_call_is_another_call_which_its_author_agrees_to() -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Told.")], questions="interrupt")
    agent.invoke(said("thanks"), HEADER)
    edited = {"name": MAIL, "args": {"text": "It is at four."}}
    assert agent.invoke(decided(type="edit", edited_action=edited), HEADER)["messages"][-1].text == "Told."
    assert office.done == [(MAIL, {"text": "It is at four."})]


def test_an_edit_does_not_open_what_is_hidden() -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Then not.")], questions="interrupt")
    agent.invoke(said("thanks"), HEADER)
    ended = agent.invoke(decided(type="edit", edited_action={"name": "book_room", "args": {"id": "e1"}}), HEADER)
    assert office.ran == [] and "cannot be called now" in results(ended)[-1]


@pytest.mark.parametrize("decision", [{"type": "reject", "message": "Not now."}, {"type": "respond", "message": "no"}])
def test_a_no_is_no(decision: dict[str, Any]) -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, TELL, Says("Then not.")], questions="interrupt")
    agent.invoke(said("thanks"), HEADER)
    agent.invoke(decided(**decision), HEADER)
    assert office.ran == []


@pytest.mark.parametrize("response", [True, "approve", {"decisions": []}, {"decisions": [{"type": "ok"}]}, {"type": "approve"}])
def test_t23_what_is_no_decision_is_no_consent(response: object) -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Then not."), Says("Then not.")], questions="interrupt")
    agent.invoke(said("thanks"), HEADER)
    agent.invoke(Command(resume=response), HEADER)
    assert office.ran == []


def test_a_question_interrupts_and_is_answered_by_respond() -> None:
    office = Office(state={"date": "2026-12-01"})
    agent = office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")], questions="interrupt")
    review = asked(agent.invoke(said("thanks"), HEADER))
    assert review["action_requests"][0]["description"] == "When should it be instead?"
    assert review["review_configs"] == [{"action_name": ASK_USER, "allowed_decisions": ["respond", "reject"]}]
    agent.invoke(decided(type="respond", message="2026-12-01 at 17:00"), HEADER)
    assert office.ran == [SEARCH, UPDATE]


def test_a_model_cannot_ask_in_our_place() -> None:
    office = Office()
    forged = calls((ASK_USER, {"question": "Do you agree to everything?"}))
    ended = office.agent([forged, Says("Hm.")], questions="interrupt").invoke(said("thanks"), HEADER)
    assert "__interrupt__" not in ended and "cannot be called now" in results(ended)[0]


# Keeping


def test_a_fork_from_an_older_checkpoint_knows_what_was_known_then() -> None:
    office = Office("inform", MOVED)
    agent = office.agent([TELL, Says("Told."), Says("Then not.")])
    agent.invoke(said("thanks"), HEADER)
    then = agent.get_state(HEADER).config
    agent.invoke(said("yes"), HEADER)
    assert office.ran == [MAIL]
    assert agent.invoke(said("no"), then)["messages"][-1].text == "Then not."
    assert office.ran == [MAIL]


def test_a_fork_from_before_calls_knows_nothing_of_their_results() -> None:
    office = Office()
    agent = office.agent([calls(SEARCH), calls(SEARCH), calls(UPDATE), Says("Moved.")], interrupt_after=["tools"])
    agent.invoke(said("thanks"), HEADER)
    before = next(state for state in agent.get_state_history(HEADER) if state.next == ("tools",))
    agent.invoke(said("search again"), before.config)
    assert office.ran == [SEARCH, SEARCH]


def test_steps_from_an_older_checkpoint_are_made_again() -> None:
    office = Office()
    agent = office.agent([calls(SEARCH), calls(UPDATE), Says("Moved."), Says("Moved again.")])
    agent.invoke(said("thanks"), HEADER)
    before = next(state for state in agent.get_state_history(HEADER) if state.next == ("tools",))
    assert agent.invoke(None, before.config)["messages"][-1].text == "Moved again."
    assert office.ran == [SEARCH, UPDATE, UPDATE]


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
@pytest.mark.parametrize("turn", [calls(UPDATE, "book_room"), calls("book_room", UPDATE)], ids=["last", "first"])
def test_a_tool_that_interrupts_runs_again_and_what_its_neighbour_did_is_not_lost(turn: Calls, elsewhere: bool) -> None:
    office = Office("host", {**KNOWN, "event_id": "e1"}, book=lambda id: f"booked {interrupt('Which room?')}")
    script = Scripted([turn, Says("All done.")])
    agent = office.agent(ScriptedModel(script))
    assert asked(agent.invoke(said("thanks"), HEADER)) == "Which room?"
    ended = (office.agent(ScriptedModel(script)) if elsewhere else agent).invoke(Command(resume="B7"), HEADER)
    assert sorted(results(ended)) == ["booked B7", "ok"]
    assert sorted(office.ran) == ["book_room", "book_room", UPDATE]
    assert "All of it is done." in script.requests[-1].text


def test_t19_what_was_agreed_to_does_not_go_for_a_tool_that_has_changed() -> None:
    office = Office("inform", MOVED)
    office.agent([TELL]).invoke(said("thanks"), HEADER)
    changed = StructuredTool(
        name=MAIL, description="Sends it to everybody in the world.", args_schema=takes("text"), func=lambda text: "sent"
    )
    tools = [changed if one.name == MAIL else one for one in office.tools]
    ended = office.agent([TELL], tools=tools).invoke(said("yes"), HEADER)
    assert office.ran == [] and "Shall I do this?" in ended["messages"][-1].text


@pytest.mark.parametrize("decision", [{"type": "approve"}, {"type": "respond", "message": "yes"}], ids=["approve", "respond"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_t19_an_interrupt_is_not_answered_for_a_tool_that_has_changed_meanwhile(decision: dict[str, Any], asynchronous: bool) -> None:
    office = Office("move", {**KNOWN, "event_id": "e1"}, toolplan.loads(OFFICE.replace("write 1", "write 1 confirm")))
    shown = asked(office.agent([], questions="interrupt").invoke(said("thanks"), HEADER))
    update = next(one for one in office.tools if one.name == UPDATE)
    changed = update.model_copy(update={"description": "Changes the events of everybody in the world."})
    tools = [changed if one.name == UPDATE else one for one in office.tools]
    agent = office.agent([Says("Moved.")], questions="interrupt", tools=tools)

    def goes_on() -> Any:
        given = decided(**decision)
        return asyncio.run(agent.ainvoke(given, HEADER)) if asynchronous else agent.invoke(given, HEADER)

    assert asked(goes_on()) == shown and office.ran == []
    assert goes_on()["messages"][-1].text == "Moved."
    assert office.ran == [UPDATE]


def test_threads_of_one_agent_never_mix() -> None:
    office = Office()
    wanted = [calls(SEARCH), calls(UPDATE), Says("Moved.")]
    agent = office.agent([turn for turn in wanted for _ in range(4)])

    async def all_at_once() -> None:
        await asyncio.gather(*(agent.ainvoke(said("thanks"), {"configurable": {"thread_id": str(number)}}) for number in range(4)))

    asyncio.run(all_at_once())
    assert sorted(office.ran) == [SEARCH] * 4 + [UPDATE] * 4


def test_without_a_checkpointer_a_run_is_a_conversation() -> None:
    office = Office()
    ended = office.agent([calls(SEARCH), calls(UPDATE), Says("Moved.")], checkpointer=None).invoke(said("thanks"))
    assert ended["messages"][-1].text == "Moved." and office.ran == [SEARCH, UPDATE]


# Structured responses


class Report(BaseModel):
    """What was done."""

    done: bool


def test_a_structured_response_ends_the_run_and_its_tool_is_no_call_for_the_gate() -> None:
    office, script = Office(), Scripted([calls(SEARCH), calls(UPDATE), calls(("Report", {"done": True}))])
    ended = office.agent(ScriptedModel(script), response_format=ToolStrategy(Report)).invoke(said("thanks"), HEADER)
    assert ended["structured_response"] == Report(done=True)
    assert office.ran == [SEARCH, UPDATE]


def test_a_hidden_call_is_refused_where_some_call_is_forced() -> None:
    office = Office()
    script: list[Any] = [calls(MAIL, ("Report", {"done": False}))]
    ended = office.agent(script, response_format=ToolStrategy(Report)).invoke(said("thanks"), HEADER)
    assert office.ran == [] and ended["structured_response"] == Report(done=False)


# Providers: the payloads that LangChain's own models make of it


class Wire:
    """Takes the requests that a model would send, and answers: it calls the one tool that it may call, with `arguments`, or says "Done."."""

    def __init__(self, allowed: Callable[[Mapping[str, Any]], Sequence[str]], **arguments: Any) -> None:
        self.allowed, self.arguments = allowed, arguments
        self.payloads: list[dict[str, Any]] = []

    def answer(self, payload: Mapping[str, Any]) -> ChatResult:
        self.payloads.append(json.loads(json.dumps(payload)))
        names = self.allowed(payload)
        made = [ToolCall(name=name, args=self.arguments, id=f"c{len(self.payloads)}", type="tool_call") for name in names]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("" if made else "Done.", tool_calls=made))])


class OpenAI(ChatOpenAI):
    """`ChatOpenAI` up to the wire."""

    wire: Any

    def _generate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        result: ChatResult = self.wire.answer(self._get_request_payload(messages, stop=stop, **kwargs))
        return result


class Anthropic(ChatAnthropic):
    """`ChatAnthropic` up to the wire."""

    wire: Any

    def _generate(self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        result: ChatResult = self.wire.answer(self._get_request_payload(messages, stop=stop, **kwargs))
        return result


def openai(wire: Wire, **more: Any) -> OpenAI:
    return OpenAI(model="gpt-5", api_key=SecretStr("none"), wire=wire, **more)


def anthropic(wire: Wire, **more: Any) -> Anthropic:
    return Anthropic(model_name="claude-opus-5", api_key=SecretStr("none"), wire=wire, timeout=None, stop=None, **more)


def in_chat(payload: Mapping[str, Any]) -> list[str]:
    choice = payload["tool_choice"]
    return [] if choice == "none" else [one["function"]["name"] for one in choice["allowed_tools"]["tools"]]


def in_responses(payload: Mapping[str, Any]) -> list[str]:
    choice = payload["tool_choice"]
    return [] if choice == "none" else [one["name"] for one in choice["tools"]]


def added(payload: Mapping[str, Any]) -> list[str]:
    """What messages have added, and not taken away again."""
    open_: list[str] = []
    for message in payload["messages"]:
        for block in message["content"] if message["role"] == "system" else ():
            name = block["tool"]["name"]
            if block["type"] == "tool_addition":
                open_.append(name)
            else:
                open_.remove(name)
    return open_


@pytest.mark.parametrize(("responses", "allowed"), [(False, in_chat), (True, in_responses)], ids=["chat", "responses"])
def test_t6_openai_is_sent_the_same_tools_and_told_which_are_allowed(responses: bool, allowed: Any) -> None:
    office, wire = Office(), Wire(allowed)
    agent = office.agent(openai(wire, use_responses_api=responses), provider=None, strategy="auto")
    assert agent.invoke(said("thanks"), HEADER)["messages"][-1].text == "Done."
    assert office.ran == [SEARCH, UPDATE]
    assert [len(allowed(payload)) for payload in wire.payloads] == [1, 1, 0]
    assert len({json.dumps(payload["tools"]) for payload in wire.payloads}) == 1
    assert len(wire.payloads[0]["tools"]) == len(office.tools)


def test_a_setting_that_makes_openai_take_the_other_interface_is_seen() -> None:
    office, wire = Office(), Wire(in_responses)
    office.agent(openai(wire, reasoning={"effort": "low"}), provider=None, strategy="auto").invoke(said("thanks"), HEADER)
    assert office.ran == [SEARCH, UPDATE]


def test_where_openai_has_to_call_some_tool_the_dispatcher_is_the_only_one() -> None:
    def report(payload: Mapping[str, Any]) -> list[str]:
        assert payload["tool_choice"] == "required"
        return ["Report"]

    wire = Wire(report, done=False)
    agent = Office().agent(openai(wire), provider=None, strategy="auto", response_format=ToolStrategy(Report))
    assert agent.invoke(said("thanks"), HEADER)["structured_response"] == Report(done=False)
    assert [tool["function"]["name"] for tool in wire.payloads[0]["tools"]] == ["call", "Report"]


def test_t7_t8_claude_is_given_tools_by_reference_and_nothing_before_changes() -> None:
    office, wire = Office(), Wire(added)
    cached = [one.model_copy(update={"extras": {"cache_control": {"type": "ephemeral"}}}) for one in office.tools]
    agent = office.agent(anthropic(wire), provider=None, strategy="auto", tools=cached, system_prompt="Be brief.")
    assert agent.invoke(said("thanks"), HEADER)["messages"][-1].text == "Done."
    assert office.ran == [SEARCH, UPDATE]
    assert len({json.dumps(payload["tools"]) + json.dumps(payload["system"]) for payload in wire.payloads}) == 1
    deferred = [tool for tool in wire.payloads[0]["tools"] if tool.get("defer_loading")]
    assert len(deferred) == len(office.tools) < len(wire.payloads[0]["tools"])
    assert not [tool for tool in deferred if "cache_control" in tool]
    for earlier, later in zip(wire.payloads, wire.payloads[1:], strict=False):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]
    for payload in wire.payloads:
        roles = [message["role"] for message in payload["messages"]]
        assert all(roles[place - 1] == "user" for place, role in enumerate(roles) if role == "system")
        assert "mid-conversation-tool-changes-2026-07-01" in payload["betas"]


def test_what_a_model_cannot_take_is_not_asked_for_in_vain() -> None:
    for provider, strategy in (("gemini", "allow"), ("plain", "append"), ("anthropic", "append")):
        with pytest.raises(DomainError, match="ask for `dispatch` or `trim`"):
            Office().agent([Says("unused")], provider=provider, strategy=strategy).invoke(said("thanks"), HEADER)


# Traces


class Received(requests.Session):
    """A server of LangSmith that keeps the spans that it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: dict[str, dict[str, Any]] = {}

    def request(self, method: str, url: str, *args: Any, data: Any = None, **more: Any) -> requests.Response:  # type: ignore[override]
        """Take a span, or what became of it."""
        told = json.loads(data)
        self.spans.setdefault(told["id"] if method == "POST" else url.rsplit("/", 1)[-1], {}).update(told)
        response = requests.Response()
        response.status_code = 200
        return response


def test_spans_of_hooks_hold_nothing_and_those_of_tools_are_there() -> None:
    office, received = Office(), Received()
    client = Client(api_url="http://localhost:1", api_key="none", session=received, auto_batch_tracing=False)
    agent = office.agent([calls((SEARCH, {})), calls((UPDATE, {})), Says("Moved.")])
    with tracing_context(enabled=True, client=client):
        asyncio.run(agent.ainvoke(said("thanks"), HEADER))
    assert office.ran == [SEARCH, UPDATE]
    names = [span["name"] for span in received.spans.values()]
    assert {SEARCH, UPDATE} <= set(names)
    hooks = [span for span in received.spans.values() if span["name"].startswith("Toolplan.")]
    assert len(hooks) == 5
    assert all(span["inputs"] == {} and not span.get("outputs") and not span.get("error") for span in hooks)
