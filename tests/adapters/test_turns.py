"""Agents over the real clients of OpenAI, Anthropic and Google: what holds for all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from itertools import pairwise
from typing import Any

import anthropic
import openai
import pytest
from adapters.hosting import Calls, Request, Says, Scripted, calls
from adapters.moving import CATALOG, DAY, DOMAIN, FOUR, KNOWN, NAMES, Office
from adapters.vendors import VENDORS
from google import genai
from google.genai import errors

from toolplan.adapters.anthropic import Messages
from toolplan.adapters.gemini import Contents
from toolplan.adapters.guide import Guide, session_in
from toolplan.adapters.openai import Chat, Responses
from toolplan.adapters.turns import Agent, AsyncAgent, TurnTooLong
from toolplan.exposure import Provider, Strategy
from toolplan.exposure.surfaces import SURFACES
from toolplan.gate import Gate
from toolplan.language.diagnostics import DomainError
from toolplan.session import Session

SEARCH = ("search_events", {"day": DAY})
UPDATE = ("update_event", {"id": "e1", "start": FOUR})
MAIL = ("send_mail", {"text": "It is at four."})
ALL = [pytest.param(provider, id=provider) for provider in VENDORS]
RUNS = [
    pytest.param(provider, strategy, id=f"{provider}-{strategy}")
    for provider in VENDORS
    for strategy in SURFACES[provider].limits.strategies
]
FAILURES = (openai.InternalServerError, anthropic.InternalServerError, errors.ServerError)


def through(provider: Provider, strategy: Strategy, call: tuple[str, dict[str, Any]]) -> Calls:
    """The call as the model makes it in that strategy."""
    if strategy != "dispatch":
        return calls(call)
    name, arguments = call
    return calls(("call", {"name": name, "arguments": json.dumps(arguments) if provider == "gemini" else arguments}))


@pytest.mark.parametrize(("provider", "strategy"), RUNS)
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_run(provider: Provider, strategy: Strategy, streaming: bool, asynchronous: bool) -> None:
    script = [*(through(provider, strategy, call) for call in (SEARCH, UPDATE, MAIL)), Says("All done.")]
    office = Office(provider, script, strategy=strategy)
    if asynchronous:
        agent = AsyncAgent(office.vendor.async_model, office.guide, office.tools)

        async def said(text: str) -> str:
            return "".join([piece async for piece in agent.stream(text)]) if streaming else await agent.turn(text)

        async def both() -> list[str]:
            return [await said("tell the others"), await said("yes")]

        question, answer = asyncio.run(both())
    else:
        question, answer = ("".join(office.agent.stream(t)) if streaming else office.agent.turn(t) for t in ("tell the others", "yes"))
    assert "Shall I do this?" in question
    assert "It is at four." in question
    assert answer == "All done."
    assert office.done == [SEARCH, UPDATE, MAIL]
    assert len(office.vendor.bodies) == 4


@pytest.mark.parametrize(("provider", "strategy"), RUNS)
def test_t6_t7_what_was_sent_stays(provider: Provider, strategy: Strategy) -> None:
    script = [*(through(provider, strategy, call) for call in (SEARCH, UPDATE, MAIL)), Says("All done."), Says("You are welcome.")]
    office = Office(provider, script, strategy=strategy)
    for text in ("tell the others", "yes", "thanks"):
        office.agent.turn(text)
    sent = office.conversations
    for earlier, later in pairwise(sent):
        assert json.dumps(later[: len(earlier)]) == json.dumps(earlier)
        assert len(later) > len(earlier)
    constant = [
        {key: value for key, value in body.items() if key not in ("messages", "input", "contents", "tool_choice", "toolConfig")}
        for body in office.vendor.bodies
    ]
    if strategy != "trim":
        assert {json.dumps(each) for each in constant} == {json.dumps(constant[0])}
    else:
        assert constant[0] != constant[1]


@pytest.mark.parametrize("provider", ALL)
def test_the_note_stands_last(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.agent.turn("move my appointment")
    for conversation in office.conversations:
        assert any("Note of the host" in json.dumps(message) for message in conversation[-2:])
    assert "Note of the host" not in json.dumps(office.conversations[-1][0])


@pytest.mark.parametrize("provider", ALL)
def test_t1_t4_a_hidden_call_is_refused_and_the_run_goes_on(provider: Provider) -> None:
    office = Office(provider, [calls(MAIL), calls("delete_everything"), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    assert office.agent.turn("move my appointment") == "Moved."
    assert office.done == [SEARCH, UPDATE]
    refusals = [text for request in office.vendor.scripted.requests[1:3] for text in list(request.results.values())[-1:]]
    assert all("cannot be called now" in text for text in refusals)
    # T2: what a refusal names is what the model has named, and what may be called.
    assert not any(hidden in refusals[1] for hidden in ("send_mail", "update_event", "file_summary"))


@pytest.mark.parametrize("provider", ALL)
def test_calls_of_one_answer_run_in_its_order_each_on_what_the_last_one_brought(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH, UPDATE, UPDATE), Says("Moved.")])
    assert office.agent.turn("move my appointment") == "Moved."
    assert office.done == [SEARCH, UPDATE]
    first, second, third = office.vendor.scripted.requests[-1].results.values()
    assert (json.loads(first), second) == ({"id": "e1"}, "ok")
    assert "cannot be called now" in third or "already" in third


@pytest.mark.parametrize("provider", ALL)
def test_t35_where_nothing_may_be_called_words_are_all_that_is_left(provider: Provider) -> None:
    office = Office(provider, [Says("You are welcome.")])
    assert office.agent.turn("thanks") == "You are welcome."
    (request,) = office.vendor.scripted.requests
    assert request.allowed == ()
    assert request.tools


@pytest.mark.parametrize("provider", ALL)
def test_a_question_ends_the_turn_without_the_model(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), calls("update_event"), Says("Moved.")], state={"date": DAY})
    assert office.agent.turn("move my appointment") == "When should it be instead?"
    assert [message for message in office.agent.messages if "When should it be" in json.dumps(message)] == office.agent.messages[-1:]
    assert office.agent.turn("2026-12-01 at 16:00") == "Moved."
    assert [(name, str(arguments)[:40]) for name, arguments in office.done] == [
        ("search_events", "{'day': '2026-12-01'}"),
        ("update_event", "{'id': 'e1', 'start': '2026-12-01T16:00:"),
    ]


@pytest.mark.parametrize("provider", ALL)
def test_a_call_that_is_declined_does_not_run(provider: Provider) -> None:
    office = Office(provider, [calls(MAIL), Says("I have not told them.")], state={"event_id": "e1", "event_updated": True})
    office.agent.turn("tell the others")
    assert office.agent.turn("no") == "I have not told them."
    assert office.done == []


@pytest.mark.parametrize("provider", ALL)
def test_an_answer_that_is_no_turn(provider: Provider) -> None:
    office = Office(provider, [calls(MAIL), Says("Told.")], state={"event_id": "e1", "event_updated": True})
    office.agent.turn("tell the others")
    office.gate.answer(True)
    assert office.agent.turn() == "Told."
    assert office.done == [MAIL]


@pytest.mark.parametrize("provider", ALL)
def test_words_of_the_model_may_be_a_step(provider: Provider) -> None:
    file_it = ("file_summary", {"text": "The dentist."})
    office = Office(provider, [Says("The dentist."), calls(file_it), Says("Filed.")], state={"event_id": "e1"})
    assert office.agent.turn("file a summary") == "Filed."
    assert office.done == [file_it]


@pytest.mark.parametrize("provider", ALL)
def test_a_tool_that_raises_is_told_to_the_model(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), Says("It does not work.")])

    def broken(**_: object) -> object:
        raise OSError("no line")

    office.tools["search_events"] = broken
    assert office.agent.turn("move my appointment") == "It does not work."
    assert list(office.vendor.scripted.requests[-1].results.values()) == ["no result: no line"]


@pytest.mark.parametrize("provider", ALL)
def test_calls_that_were_not_reached_have_a_result(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH, UPDATE), calls(UPDATE), Says("Moved.")])

    def stopped(**_: object) -> object:
        raise KeyboardInterrupt

    search, office.tools["search_events"] = office.tools["search_events"], stopped
    with pytest.raises(KeyboardInterrupt):
        office.agent.turn("move my appointment")
    office.tools["search_events"] = search
    assert office.agent.turn("go on") is not None
    assert list(office.vendor.scripted.requests[1].results.values())[:2] == ["the call was given up"] * 2


@pytest.mark.parametrize("provider", ALL)
def test_after_a_request_that_failed_the_turn_goes_on(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.vendor.down = 1
    with pytest.raises(FAILURES):
        office.agent.turn("move my appointment")
    assert office.agent.turn() == "Moved."
    roles = [message.get("role") for message in office.conversations[1]]
    assert roles.index("assistant" if provider != "gemini" else "model") < len(roles) - 1


@pytest.mark.parametrize("provider", ALL)
def test_a_model_that_numbers_its_calls_anew_in_each_answer(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), calls(UPDATE), calls(MAIL), Says("All done.")])
    office.vendor.new_id = lambda: "call_0"
    office.agent.turn("tell the others")
    assert office.agent.turn("yes") == "All done."
    assert office.done == [SEARCH, UPDATE, MAIL]


@pytest.mark.parametrize("provider", ALL)
def test_two_calls_of_one_id_in_one_answer_are_one(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH, SEARCH), calls(UPDATE), Says("Moved.")])
    office.vendor.new_id = lambda: "call_0"
    assert office.agent.turn("move my appointment") == "Moved."
    assert office.done == [SEARCH, UPDATE]


@pytest.mark.parametrize("provider", ALL)
def test_a_model_that_never_ends(provider: Provider) -> None:
    office = Office(provider, [calls(MAIL)] * 9, most=3)
    with pytest.raises(TurnTooLong):
        office.agent.turn("move my appointment")
    assert len(office.vendor.bodies) == 3


@pytest.mark.parametrize("provider", ALL)
def test_taken_up_in_another_process(provider: Provider) -> None:
    office = Office(provider, [calls(SEARCH), calls(UPDATE), calls(MAIL)])
    office.agent.turn("tell the others")
    kept = json.dumps({"guide": office.guide.snapshot(), "messages": office.agent.messages})

    taken = json.loads(kept)
    gate = Gate(Session.restore(DOMAIN, session_in(taken["guide"]), catalog=CATALOG))
    vendor = VENDORS[provider](Scripted([Says("Told.")]))
    agent = Agent(vendor.model, Guide.restore(gate, provider, taken["guide"]), office.tools, messages=taken["messages"])
    assert agent.turn("yes") == "Told."
    assert office.done[-1] == MAIL
    assert json.dumps(vendor.messages(vendor.bodies[0])[: len(office.conversations[-1])]) == json.dumps(office.conversations[-1])


@pytest.mark.parametrize("provider", ALL)
def test_a_fork_knows_nothing_of_what_came_after(provider: Provider) -> None:
    office = Office(provider, [calls(MAIL), Says("Told.")], state={"event_id": "e1", "event_updated": True})
    office.agent.turn("tell the others")
    snapshot, messages = office.guide.snapshot(), list(office.agent.messages)
    office.agent.turn("yes")
    gate = Gate(Session.restore(DOMAIN, session_in(snapshot), catalog=CATALOG))
    vendor = VENDORS[provider](Scripted([Says("Not told.")]))
    fork = Agent(vendor.model, Guide.restore(gate, provider, snapshot), office.tools, messages=messages)
    assert fork.turn("no") == "Not told."
    assert office.done == [MAIL]


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_stream_that_nobody_reads_to_its_end(provider: Provider, asynchronous: bool) -> None:
    office = Office(provider, [Says("I could do much."), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    if asynchronous:
        agent = AsyncAgent(office.vendor.async_model, office.guide, office.tools)

        async def both() -> tuple[str, str]:
            async with aclosing(agent.stream("move my appointment")) as stream:
                first = await anext(stream)
            return first, await agent.turn()

        first, last = asyncio.run(both())
    else:
        stream = office.agent.stream("move my appointment")
        first = next(stream)
        del stream
        last = office.agent.turn()
    assert (first, last) == ("I could ", "Moved.")
    assert "(no answer)" in json.dumps(office.conversations[1])
    assert office.done == [SEARCH, UPDATE]


def test_async_tools_are_awaited() -> None:
    office = Office("openai", [calls(SEARCH), calls(UPDATE), Says("Moved.")])

    async def search_events(day: str) -> object:
        await asyncio.sleep(0)
        office.done.append(("search_events", {"day": day}))
        return {"id": "e1"}

    agent = AsyncAgent(office.vendor.async_model, office.guide, {**office.tools, "search_events": search_events})
    assert asyncio.run(agent.turn("move my appointment")) == "Moved."
    assert office.done == [SEARCH, UPDATE]


def test_a_turn_that_is_cancelled_leaves_a_conversation_that_a_vendor_takes() -> None:
    office = Office("openai", [calls(SEARCH, UPDATE), Says("Was it moved?")])

    async def search_events(day: str) -> object:
        asyncio.current_task().cancel()
        await asyncio.sleep(1)
        return None

    agent = AsyncAgent(office.vendor.async_model, office.guide, {**office.tools, "search_events": search_events})

    async def both() -> str:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(agent.turn("move my appointment"))
        return await agent.turn()

    assert asyncio.run(both())
    answered = [message for message in agent.messages if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in answered[:2]] == ["call1", "call2"]


def test_a_guide_of_another_provider_and_tools_that_nothing_runs() -> None:
    office = Office("openai", [])
    guide = Guide.of(office.gate, "gemini")
    with pytest.raises(DomainError) as caught:
        Agent(office.vendor.model, guide, {name: office.tools[name] for name in NAMES[1:]})
    assert [finding.message for finding in caught.value.diagnostics] == [
        "the guide is made for gemini, and the model is one of openai",
        "nothing runs the tool `search_events`",
    ]


def test_a_tool_outside_of_the_catalog_that_nothing_runs() -> None:
    office = Office("openai", [calls(SEARCH), Says("I cannot.")])
    guide = Guide.of(Gate(Session(DOMAIN, state=KNOWN)), "openai")
    agent = Agent(office.vendor.model, guide, {})
    assert agent.turn("move my appointment") == "I cannot."
    assert agent.messages[-3]["content"] == "no result: nothing runs `search_events` here"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Chat(openai.OpenAI(api_key="none"), model="gpt-5.4", tools=[]), "tools"),
        (lambda: Responses(openai.OpenAI(api_key="none"), model="gpt-5.4", tool_choice="required"), "tool_choice"),
        (lambda: Messages(anthropic.Anthropic(api_key="none"), model="claude-opus-5", tool_choice={"type": "any"}), "tool_choice"),
        (lambda: Contents(genai.Client(api_key="none"), "gemini-3.8-flash", tools=[]), "tools"),
    ],
)
def test_what_each_step_decides_is_no_setting(make: Callable[[], object], name: str) -> None:
    with pytest.raises(DomainError) as caught:
        make()
    assert [finding.message for finding in caught.value.diagnostics] == [f"`{name}` is decided at each step"]


def test_the_model_sees_what_came_before_it() -> None:
    """The results of earlier calls are in the request, under the ids of these calls."""
    seen: list[Request] = []

    def look(request: Request) -> Says:
        seen.append(request)
        return Says("Moved.")

    office = Office("openai", [calls(SEARCH), calls(UPDATE), look], state=KNOWN)
    office.agent.turn("move my appointment")
    assert seen[0].results == {"call1": '{"id": "e1"}', "call2": "ok"}
