"""What is particular to Anthropic: tools that are added by reference, thoughts that are bound to what came before them."""

from __future__ import annotations

import pytest
from adapters.hosting import Says, Scripted, calls
from adapters.moving import DAY, FOUR, NAMES, Office
from adapters.vendors import AnthropicVendor, Json
from anthropic import Anthropic, InternalServerError

from toolplan.adapters.anthropic import Messages
from toolplan.adapters.guide import Guide
from toolplan.adapters.turns import Agent
from toolplan.exposure import Strategy
from toolplan.exposure.surfaces import TOOL_CHANGES

SEARCH = ("search_events", {"day": DAY})
UPDATE = ("update_event", {"id": "e1", "start": FOUR})
MAIL = ("send_mail", {"text": "It is at four."})
LONG = [calls(SEARCH), calls(UPDATE), calls(MAIL), Says("All done."), Says("You are welcome.")]
TURNS = ("tell the others", "yes", "thanks")


def changes(conversation: list[Json]) -> list[list[tuple[str, str]]]:
    return [
        [(block["type"], block["tool"]["name"]) for block in message["content"]] for message in conversation if message["role"] == "system"
    ]


def assert_legal(conversation: list[Json]) -> None:
    """Messages of the system stand after the user and before Claude, or last."""
    for index, message in enumerate(conversation):
        if message["role"] == "system":
            assert conversation[index - 1]["role"] == "user"
            assert index == len(conversation) - 1 or conversation[index + 1]["role"] == "assistant"


def test_t7_tools_are_added_and_removed_by_reference_in_legal_places() -> None:
    office = Office("anthropic", LONG)
    for text in TURNS:
        office.agent.turn(text)
    assert office.guide.exposure.strategy == "append"
    assert [name for change in changes(office.conversations[-1]) for name in change] == [
        ("tool_addition", "search_events"),
        ("tool_addition", "update_event"),
        ("tool_removal", "search_events"),
        ("tool_addition", "send_mail"),
        ("tool_removal", "update_event"),
        ("tool_removal", "send_mail"),
    ]
    for conversation in office.conversations:
        assert_legal(conversation)


def test_t7_places_are_legal_after_failures_and_empty_answers_too() -> None:
    office = Office("anthropic", [Says(""), calls(SEARCH), calls(UPDATE), Says("Moved.")])
    office.vendor.down = 1
    with pytest.raises(InternalServerError):
        office.agent.turn("move my appointment")
    office.agent.turn("move my appointment, please")
    for conversation in office.conversations:
        assert_legal(conversation)
        assert all(block.get("text", "words") for message in conversation for block in message["content"])


def test_t8_the_cache_is_never_asked_to_keep_what_is_deferred_and_one_tool_is_not() -> None:
    vendor = AnthropicVendor(Scripted(LONG))
    office = Office("anthropic", [])
    client = Anthropic(api_key="none", http_client=vendor.client)
    model = Messages(client, model="claude-opus-5", max_tokens=9, cache_control={"type": "ephemeral"})
    agent = Agent(model, office.guide, office.tools)
    for text in TURNS:
        agent.turn(text)
    for body in vendor.bodies:
        assert body["cache_control"] == {"type": "ephemeral"}
        deferred = [tool["name"] for tool in body["tools"] if tool.get("defer_loading")]
        assert tuple(deferred) == NAMES
        assert len(body["tools"]) > len(deferred)
        assert not any("cache_control" in tool for tool in body["tools"])


def test_the_beta_is_named_beside_those_of_the_host() -> None:
    vendor = AnthropicVendor(Scripted([Says("Hm.")]))
    office = Office("anthropic", [])
    client = Anthropic(api_key="none", http_client=vendor.client)
    model = Messages(client, model="claude-opus-5", max_tokens=9, betas=["context-1m-2025-08-07"])
    Agent(model, office.guide, office.tools).turn("move my appointment")
    assert vendor.headers[0]["anthropic-beta"] == f"context-1m-2025-08-07,{TOOL_CHANGES}"


@pytest.mark.parametrize("strategy", ["append", "trim"])
def test_no_call_is_ever_forced(strategy: Strategy) -> None:
    office = Office("anthropic", LONG, strategy=strategy)
    for text in TURNS:
        office.agent.turn(text)
    assert [body["tool_choice"]["type"] for body in office.vendor.bodies] == ["auto", "auto", "auto", "none", "none"]
    assert all(body["thinking"] == {"type": "adaptive"} for body in office.vendor.bodies)


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
def test_thoughts_are_sent_back_as_they_came(streaming: bool) -> None:
    office = Office("anthropic", LONG)
    for text in TURNS:
        _ = list(office.agent.stream(text)) if streaming else office.agent.turn(text)
    thoughts = [block for message in office.conversations[-1] for block in message["content"] if block["type"] == "thinking"]
    assert thoughts == [{"type": "thinking", "thinking": "hm", "signature": "sealed"}] * 4


def test_a_refusal_is_an_error_and_a_call_that_waits_is_none() -> None:
    office = Office("anthropic", [calls(UPDATE), calls(SEARCH), calls(UPDATE), calls(MAIL)])
    office.agent.turn("tell the others")
    results = [block for message in office.agent.messages for block in message["content"] if block["type"] == "tool_result"]
    assert [result.get("is_error", False) for result in results] == [True, False, False, False]


def test_with_a_budget_to_think_no_turn_of_claude_is_made_up() -> None:
    """Each would have to begin with thoughts that nobody can write."""
    office = Office("anthropic", [])
    vendor = AnthropicVendor(Scripted([calls(SEARCH), calls(UPDATE), calls(MAIL), Says("All done.")]))
    client = Anthropic(api_key="none", http_client=vendor.client)
    model = Messages(client, model="claude-sonnet-4-6", max_tokens=4096, thinking={"type": "enabled", "budget_tokens": 1024})
    guide = Guide.of(office.gate, "anthropic", strategy="trim")
    agent = Agent(model, guide, office.tools)
    agent.turn("tell the others")
    assert agent.turn("yes") == "All done."
    assert office.done == [SEARCH, UPDATE, MAIL]
    for message in vendor.messages(vendor.bodies[-1]):
        if any(block["type"] == "tool_use" for block in message["content"]):
            assert message["content"][0]["type"] == "thinking"
    assert '"called": "send_mail"' in vendor.messages(vendor.bodies[-1])[-2]["content"][0]["text"]


def test_a_model_that_takes_no_changes_gets_one_tool() -> None:
    guide = Guide.of(Office("anthropic", []).gate, "anthropic", model="claude-opus-4-5")
    assert guide.exposure.strategy == "dispatch"
