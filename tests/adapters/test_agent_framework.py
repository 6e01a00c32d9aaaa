"""Microsoft Agent Framework: what it does by itself and the adapter must not let through, against the real package with scripted clients."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from adapters.host_agent_framework import ScriptedClient
from agent_framework import Agent, AgentResponse, AgentSession, Content, FunctionInvocationContext, FunctionTool, Message, tool

import toolplan
from toolplan.adapters.agent_framework import Asks, Toolplan, catalog_of
from toolplan.adapters.guide import Guide, session_in
from toolplan.exposure import Strategy
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

goal move   { "Move an event"  achieves event_updated given new_time phrases "move my appointment" }
goal inform { "Tell the others" achieves people_told phrases "tell the others" }
policy { risk read 0 safe, write 1, send 3 confirm }
"""
DOMAIN = toolplan.loads(OFFICE)
KNOWN = {"date": "2026-12-01", "new_time": "2026-12-01T16:00:00"}
MOVED = {"event_id": "e1", "event_updated": True}
NAMES = ["search_events", "update_event", "send_mail"]
Script = Sequence[list[Content]]


class Office:
    """The tools of an office, what was done with them, and what the model was sent."""

    def __init__(self, *script: list[Content]) -> None:
        self.done: list[tuple[str, Mapping[str, object]]] = []
        self.script, self.options, self.messages = list(script), list[Mapping[str, Any]](), list[list[Message]]()
        self.client = ScriptedClient(self._answer)

        @tool
        async def search_events(day: str = "") -> dict[str, str]:
            """Search events."""
            await asyncio.sleep(0.01)  # Whatever starts at the same time would be first.
            self.done.append(("search_events", {"day": day}))
            return {"id": "e1"}

        @tool
        def update_event(id: str = "", start: str = "") -> str:
            """Change an event."""
            self.done.append(("update_event", {"id": id, "start": start}))
            return "ok"

        @tool
        def send_mail(text: str) -> str:
            """Send a mail."""
            self.done.append(("send_mail", {"text": text}))
            return "sent"

        self.tools: list[FunctionTool] = [search_events, update_event, send_mail]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.done]

    def guide(self, goal: str = "move", state: Mapping[str, object] = KNOWN, strategy: Strategy = "allow") -> Guide:
        session = Session(DOMAIN, state=dict(state), catalog=catalog_of(self.tools))
        session.want(goal)
        return Guide.of(Gate(session), "openai", strategy=strategy)

    def kept(self, goal: str, state: Mapping[str, object]) -> Any:
        """What a host does that keeps nothing but the agent's session."""

        def conversation(snapshot: str) -> Guide:
            if not snapshot:
                return self.guide(goal, state)
            session = Session.restore(DOMAIN, session_in(snapshot), catalog=catalog_of(self.tools))
            return Guide.restore(Gate(session), "openai", snapshot)

        return conversation

    def agent(self, guide: Any, asks: Asks = "text") -> Agent[Any]:
        return Agent(self.client, tools=self.tools, context_providers=[Toolplan(guide, asks=asks)])

    def run(self, guide: Any, said: Any = "Do it", session: AgentSession | None = None, asks: Asks = "text") -> AgentResponse[Any]:
        return asyncio.run(self.agent(guide, asks).run(said, session=session or AgentSession()))

    @property
    def allowed(self) -> list[object]:
        choices = [options.get("tool_choice") for options in self.options]
        return [choice.get("allowed_tools", choice["mode"]) if isinstance(choice, Mapping) else choice for choice in choices]

    @property
    def declared(self) -> list[list[str]]:
        return [[one.name for one in options.get("tools") or []] for options in self.options]

    def _answer(self, messages: Sequence[Message], options: Mapping[str, Any]) -> list[Content]:
        self.options.append(options)
        self.messages.append(list(messages))
        return self.script.pop(0)


def calls(*names: str, **arguments: object) -> list[Content]:
    return [Content.from_function_call(f"{name}-{id(arguments)}-{place}", name, arguments=arguments) for place, name in enumerate(names)]


def says(text: str) -> list[Content]:
    return [Content.from_text(text)]


def results(ran: AgentResponse[Any]) -> list[str]:
    return [str(content.result) for message in ran.messages for content in message.contents if content.type == "function_result"]


def stored(session: AgentSession) -> AgentSession:
    """As another process reads it."""
    return AgentSession.from_dict(session.to_dict())


@pytest.mark.parametrize("strategy", ["allow", "trim"])
def test_hidden_tool_is_refused_as_often_as_it_is_called_and_the_run_goes_on(strategy: Strategy) -> None:
    office = Office(*(calls("send_mail", text=str(number)) for number in range(5)), says("I cannot."))
    ran = office.run(office.guide(strategy=strategy))
    assert ran.text == "I cannot."
    assert office.done == []
    assert results(ran) == ["`send_mail` cannot be called now; what can be called now: `search_events`."] * 5


@pytest.mark.parametrize("strategy", ["allow", "trim", "dispatch"])
def test_unknown_tool_is_refused_and_stays_in_the_conversation_as_it_was_called(strategy: Strategy) -> None:
    office = Office(*(calls("delete_all", number=number) for number in range(5)), says("Sorry."))
    ran = office.run(office.guide(strategy=strategy))
    assert ran.text == "Sorry."
    assert results(ran) == ["`delete_all` cannot be called now; what can be called now: `search_events`."] * 5
    seen = [content for message in office.messages[-1] for content in message.contents if content.type == "function_call"]
    assert [(content.name, content.arguments) for content in seen] == [("delete_all", {"number": number}) for number in range(5)]
    assert all("toolplan" not in names for names in office.declared)


@pytest.mark.parametrize("arguments", ['{"day": ', '["2026-12-01"]', '{"day": 7}', '{"day": "2027-01-01"}'])
def test_bad_arguments_come_back_as_a_result_as_often_as_they_are_made(arguments: str) -> None:
    bad = [[Content.from_function_call(f"c{number}", "search_events", arguments=arguments)] for number in range(5)]
    office = Office(*bad, says("Sorry."))
    ran = office.run(office.guide())
    assert ran.text == "Sorry."
    assert office.done == []
    assert len(results(ran)) == 5


def test_what_is_executed_are_the_arguments_of_the_permit() -> None:
    office = Office(calls("search_events"), calls("update_event", id="e1"), says("Moved."))
    office.run(office.guide())
    assert office.done == [("search_events", {"day": "2026-12-01"}), ("update_event", {"id": "e1", "start": "2026-12-01T16:00:00"})]


def test_t29_calls_of_one_turn_wait_for_each_other() -> None:
    office = Office(calls("search_events", "nothing", "update_event", "update_event"), says("Moved."))
    ran = office.run(office.guide())
    assert office.names == ["search_events", "update_event"]
    assert "cannot be called now" in results(ran)[1]
    assert len(results(ran)) == 4


def test_t29_tools_that_a_tool_adds_are_called_only_through_the_gate() -> None:
    # The framework offers them to the model at once, contract or none.
    office = Office(calls("search_events"), calls("wipe"), says("Sorry."))
    wiped: list[str] = []

    @tool
    def search_events(ctx: FunctionInvocationContext, day: str = "") -> dict[str, str]:
        """Search events."""
        ctx.add_tools([tool(lambda: wiped.append("all"), name="wipe", description="Wipe.")])
        return {"id": "e1"}

    office.tools[0] = search_events
    ran = office.run(office.guide())
    assert ran.text == "Sorry."
    assert wiped == []
    assert office.declared == [NAMES] * 3


def test_t6_allow_declares_the_same_tools_at_every_step_and_changes_the_choice_alone() -> None:
    office = Office(calls("search_events"), calls("update_event"), says("Moved."))
    office.run(office.guide())
    assert office.declared == [NAMES] * 3
    assert office.allowed == [["search_events"], ["update_event"], "none"]
    assert all("Note of the host" in messages[-1].text for messages in office.messages)


def test_trim_declares_what_can_be_called() -> None:
    office = Office(calls("search_events"), calls("update_event"), says("Moved."))
    office.run(office.guide(strategy="trim"))
    assert office.declared == [["search_events"], ["update_event"], []]


def test_dispatch_declares_one_tool_and_calls_through_it() -> None:
    through = [calls("call", name=name, arguments={}) for name in ("search_events", "send_mail", "update_event")]
    office = Office(*through, says("Moved."))
    ran = office.run(office.guide(strategy="dispatch"))
    assert office.declared == [["call"]] * 4
    assert office.names == ["search_events", "update_event"]
    assert results(ran)[1] == "`send_mail` cannot be called now; what can be called now: `update_event`."


def test_agreed_call_runs_without_the_model() -> None:
    office, session = Office(calls("send_mail", text="It is at four."), says("Told.")), AgentSession()
    guide = office.kept("inform", MOVED)
    assert "It is at four." in office.run(guide, "Please", session).text
    assert office.done == []
    assert office.run(guide, "yes", stored(session)).text == "Told."
    assert office.done == [("send_mail", {"text": "It is at four."})]
    assert len(office.messages) == 2


@pytest.mark.parametrize("strategy", ["allow", "dispatch"])
@pytest.mark.parametrize("agrees", [True, False])
def test_t19_approval_in_another_process_is_of_that_call_alone(agrees: bool, strategy: Strategy) -> None:
    made = calls("call", name="send_mail", arguments={"text": "Hi"}) if strategy == "dispatch" else calls("send_mail", text="Hi")
    office, session = Office(made, says("Well.")), AgentSession()
    held = office.run(office.guide("inform", MOVED, strategy), "Please", session, "approval")
    (request,) = held.user_input_requests
    assert request.function_call is not None and "Hi" in str(request.function_call.arguments)
    assert office.done == []
    answer = Message("user", [request.to_function_approval_response(agrees)])
    assert office.run(office.kept("inform", MOVED), answer, stored(session), "approval").text == "Well."
    assert office.done == ([("send_mail", {"text": "Hi"})] if agrees else [])


@pytest.mark.parametrize("strategy", ["allow", "dispatch"])
def test_tool_that_always_requires_approval_keeps_it(strategy: Strategy) -> None:
    made = calls("call", name="search_events", arguments={}) if strategy == "dispatch" else calls("search_events", day="2026-12-01")
    office, session = Office(made, says("Found.")), AgentSession()
    office.tools[0].approval_mode = "always_require"
    guide = office.guide(strategy=strategy)
    (request,) = office.run(guide, "Please", session).user_input_requests
    assert office.done == []
    office.run(guide, Message("user", [request.to_function_approval_response(True)]), session)
    assert office.done == [("search_events", {"day": "2026-12-01"})]


def test_tools_that_would_run_past_the_gate_are_no_silent_doors() -> None:
    office = Office(says("Hi"))
    agent: Agent[Any] = Agent(office.client, tools=[*office.tools, {"type": "web_search"}], context_providers=[Toolplan(office.guide())])
    with pytest.raises(DomainError, match="`web_search` is run past the gate"):
        asyncio.run(agent.run("Do it"))


def test_streaming() -> None:
    office = Office(calls("delete_all", "search_events"), calls("update_event"), says("Moved."))

    async def streaming() -> str:
        stream = office.agent(office.guide()).run("Do it", stream=True, session=AgentSession())
        return "".join([update.text async for update in stream])

    assert asyncio.run(streaming()).endswith("Moved.")
    assert office.names == ["search_events", "update_event"]
    assert office.allowed == [["search_events"], ["update_event"], "none"]
