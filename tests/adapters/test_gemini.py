"""What is particular to Gemini: signatures of thoughts, calls without ids, modes that force a call."""

from __future__ import annotations

import pytest
from adapters.hosting import Says, Scripted, calls
from adapters.moving import DAY, FOUR, NAMES, Office
from adapters.vendors import GeminiVendor, Json

from toolplan.adapters.gemini import UNSIGNED
from toolplan.adapters.turns import Agent, TurnTooLong
from toolplan.exposure import Strategy

SEARCH = ("search_events", {"day": DAY})
UPDATE = ("update_event", {"id": "e1", "start": FOUR})
MAIL = ("send_mail", {"text": "It is at four."})
LONG = [calls(SEARCH), calls(UPDATE), calls(MAIL), Says("All done.")]


def declared(body: Json) -> list[str]:
    return [tool["name"] for tools in body["tools"] for tool in tools["functionDeclarations"]]


def parts(conversation: list[Json], key: str) -> list[Json]:
    return [part for content in conversation for part in content["parts"] if key in part]


@pytest.mark.parametrize("strategy", ["allow", "trim"])
def test_t35_a_subset_is_allowed_and_never_forced(strategy: Strategy) -> None:
    office = Office("gemini", LONG, strategy=strategy)
    office.agent.turn("tell the others")
    office.agent.turn("yes")
    configs = [body["toolConfig"]["functionCallingConfig"] for body in office.vendor.bodies]
    assert configs == [
        {"mode": "VALIDATED", "allowedFunctionNames": ["search_events"]},
        {"mode": "VALIDATED", "allowedFunctionNames": ["update_event"]},
        {"mode": "VALIDATED", "allowedFunctionNames": ["send_mail"]},
        {"mode": "NONE"},
    ]


def test_t34_what_was_called_stays_declared() -> None:
    office = Office("gemini", LONG, strategy="trim")
    office.agent.turn("tell the others")
    office.agent.turn("yes")
    for body in office.vendor.bodies:
        called = {part["functionCall"]["name"] for part in parts(office.vendor.messages(body), "functionCall")}
        assert called <= set(declared(body))
        assert not set(declared(body)) - called - {*body["toolConfig"]["functionCallingConfig"].get("allowedFunctionNames", [])}


def test_all_are_declared_where_the_request_says_which_may_be_called() -> None:
    office = Office("gemini", LONG)
    office.agent.turn("tell the others")
    assert all(tuple(declared(body)) == NAMES for body in office.vendor.bodies)


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_signatures_are_sent_back_with_their_parts(streaming: bool) -> None:
    office = Office("gemini", LONG)
    for text in ("tell the others", "yes"):
        _ = list(office.agent.stream(text)) if streaming else office.agent.turn(text)
    signed = parts(office.conversations[-1], "functionCall")
    assert [part["thoughtSignature"] for part in signed] == ["c2VhbGVk", "c2VhbGVk", "c2VhbGVk", UNSIGNED]


def test_calls_without_ids() -> None:
    class Idless(GeminiVendor):
        with_ids = False

    office = Office("gemini", [])
    vendor = Idless(Scripted([calls(SEARCH, UPDATE), calls(MAIL), Says("All done.")]))
    agent = Agent(vendor.model, office.guide, office.tools)
    agent.turn("tell the others")
    assert agent.turn("yes") == "All done."
    assert office.done == [SEARCH, UPDATE, MAIL]
    answers = [part["functionResponse"] for part in parts(vendor.messages(vendor.bodies[-1]), "functionResponse")]
    assert [("id" in answer, answer["name"]) for answer in answers[:3]] == [
        (False, "search_events"),
        (False, "update_event"),
        (False, "send_mail"),
    ]


def test_a_call_that_gemini_could_not_read_is_made_again() -> None:
    office = Office("gemini", [calls(("search_events", "{no json")), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    assert office.agent.turn("move my appointment") == "Moved."
    assert office.done == [SEARCH, UPDATE]


def test_a_model_that_says_nothing() -> None:
    office = Office("gemini", [Says("")] * 3)
    with pytest.raises(TurnTooLong, match="says nothing"):
        office.agent.turn("move my appointment")


def test_a_failure_is_an_error_and_a_result_is_output() -> None:
    office = Office("gemini", [calls(UPDATE), calls(SEARCH), Says("Hm.")])
    office.agent.turn("move my appointment")
    responses = [part["functionResponse"]["response"] for part in parts(office.agent.messages, "functionResponse")]
    assert [list(response) for response in responses] == [["error"], ["output"]]


def test_thoughts_are_no_words_for_the_user() -> None:
    office = Office("gemini", [Says("You are welcome.")])
    assert "".join(office.agent.stream("thanks")) == "You are welcome."
