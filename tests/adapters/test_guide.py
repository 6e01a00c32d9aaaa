"""What adapters share: ids that are free, and two snapshots of one conversation as one."""

from __future__ import annotations

import re

import pytest
from adapters.scenarios import AT_THE_DESK, CATALOG, DOMAIN, real

from toolplan.adapters.guide import Guide, free, merged, session_in
from toolplan.catalog import Catalog
from toolplan.gate import Allow, Gate, Hold, ToolCall
from toolplan.session import Session

IDENTITY = re.compile(r"[a-zA-Z0-9_-]+")
"""What Anthropic takes for the id of a call, and nobody takes less."""


@pytest.mark.parametrize(
    "identity, taken, expected",
    [
        ("toolu_01", (), "toolu_01"),
        ("toolu_01", ("toolu_01",), "toolu_01-2"),
        ("toolu_01", ("toolu_01", "toolu_01-2"), "toolu_01-3"),
        ("toolu_01-2", (), "toolu_01-2"),
        ("toolu_01-2", ("toolu_01", "toolu_01-2"), "toolu_01-2-2"),
    ],
)
def test_an_id_that_is_free_is_one_that_all_providers_take(identity: str, taken: tuple[str, ...], expected: str) -> None:
    found = free(identity, taken.__contains__)
    assert found == expected
    assert found not in taken
    assert IDENTITY.fullmatch(found)


def conversation(snapshot: str = "") -> Guide:
    if not snapshot:
        return Guide.of(AT_THE_DESK.gate(), "openai", strategy="trim")
    return Guide.restore(Gate(Session.restore(DOMAIN, session_in(snapshot), catalog=CATALOG)), "openai", snapshot)


def made(guide: Guide, tool: str, arguments: dict[str, object], result: object) -> str:
    """The snapshot after a call."""
    verdict = guide.gate.check(ToolCall(f"id of {tool}", tool, arguments))
    assert isinstance(verdict, Allow), verdict
    guide.gate.observe(verdict.permit, result)
    return guide.snapshot()


def test_a_call_that_is_taken_up_again_keeps_its_id_and_one_of_a_later_answer_gets_another() -> None:
    guide = conversation()
    guide.heard("first", "handle the message")
    for name in ("mail_open", "mail_search"):
        guide.turn(["call_0"])
        verdict = guide.gate.check(guide.call("call_0", name, {"query": "offer"} if name == "mail_search" else {}))
    assert isinstance(verdict, Allow) and verdict.permit.id == guide.own("call_0") != "call_0"
    again = conversation(guide.snapshot())
    assert again.call("call_0", "mail_search", {"query": "offer"}) == verdict.permit.proposed
    again.turn(["call_0", "call_1"])
    assert again.own("call_0") not in ("call_0", guide.own("call_0"))
    assert again.own("call_1") == "call_1"


def test_ids_of_one_answer_stay_different() -> None:
    guide = conversation()
    guide.turn(["call_0"])
    guide.turn(["call_0", "call_0-2"])
    assert len({guide.own("call_0"), guide.own("call_0-2"), "call_0"}) == 3


def held(guide: Guide, body: str) -> ToolCall:
    """A reply that is put to somebody."""
    call = guide.call(f"id of {body}", "mail_reply", {"body": body})
    verdict = guide.gate.check(call)
    assert isinstance(verdict, Hold), verdict
    guide.waits(call, verdict.call)
    return call


def opened() -> Guide:
    guide = conversation()
    guide.heard("first", "handle the message")
    made(guide, "mail_search", {"query": "offer"}, {"id": "m1"})
    made(guide, "mail_open", {}, {"subject": "The offer"})
    return guide


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "in another process"])
def test_a_yes_is_one_to_the_call_that_waits_whatever_was_asked_since(elsewhere: bool) -> None:
    guide = opened()
    first, second = held(guide, "Yes."), held(guide, "No.")
    guide = conversation(guide.snapshot()) if elsewhere else guide
    guide.agree(first)
    assert isinstance(guide.gate.check(first), Allow)
    assert not isinstance(guide.gate.check(second), Allow)


def test_a_yes_to_a_call_that_has_changed_since_is_none() -> None:
    guide = opened()
    call = held(guide, "Yes.")
    guide.offer(Catalog([*(tool for tool in CATALOG.values() if tool.name != "mail_reply"), real("mail_reply", ("id", "body"), "To all.")]))
    guide.agree(call)
    assert isinstance(guide.gate.check(call), Hold)


def test_a_yes_to_a_call_is_none_to_it_with_other_arguments() -> None:
    guide = opened()
    other = held(guide, "Yes.")._replace(arguments={"body": "No."})
    guide.agree(other)
    assert isinstance(guide.gate.check(other), Hold)


def test_a_yes_to_a_call_that_nobody_was_shown_or_in_another_role_is_none() -> None:
    guide = opened()
    call = held(guide, "Yes.")
    guide.agree(call._replace(id="another"))
    guide.agree(call, by="boss")
    assert isinstance(guide.gate.check(call), Hold)


def test_snapshot_that_went_on_is_what_it_would_be_if_it_were_made_at_once() -> None:
    guide = conversation()
    guide.heard("first", "handle the message")
    guide.snapshot()
    calls: list[tuple[str, dict[str, object], dict[str, str]]] = [
        ("mail_search", {"query": "offer"}, {"id": 'm"1\\'}),
        ("mail_open", {}, {"subject": "Ünlü \U0001f600", "body": "\n]}\n"}),
    ]
    for tool, arguments, result in calls:
        snapshot = made(guide, tool, arguments, result)
        assert conversation(snapshot).snapshot() == snapshot
        assert session_in(snapshot) == guide.session.snapshot()


def test_of_two_snapshots_of_which_one_went_on_it_is_the_whole() -> None:
    guide = conversation()
    guide.heard("first", "handle the message")
    shorter = guide.snapshot()
    longer = made(guide, "mail_search", {"query": "offer"}, {"id": "m1"})
    assert longer.startswith(shorter[: len(shorter) // 2]) and len(longer) > len(shorter)
    assert merged(longer, shorter) == longer
    assert merged(shorter, longer) == longer
    assert merged(longer, longer) == longer


def test_of_two_that_were_told_of_other_messages_the_longer_is_the_whole() -> None:
    guide = conversation()
    guide.heard("first", "handle the message")
    shorter = guide.snapshot()
    other = conversation(shorter)
    other.heard("second", "please")
    longer = other.snapshot()
    assert merged(longer, shorter) == longer
    assert merged(shorter, longer) == longer


def test_of_two_that_parted_it_has_what_both_know() -> None:
    guide = conversation()
    guide.heard("first", "handle the message")
    before = made(guide, "mail_search", {"query": "offer"}, {"id": "m1"})
    one, other = (made(conversation(before), "mail_open", {}, {"subject": "The offer"}) for _ in range(2))
    both = conversation(merged(one, other))
    assert both.session.memory.has_call("id of mail_search") and both.session.memory.has_call("id of mail_open")
    assert both.has_heard("first")
