"""Entities: what is done for one counts for no other, two of one name lead to a question, and what a tool can find is not unreachable."""

from __future__ import annotations

import pytest

import toolplan
from toolplan import Act, Blocked, Clarify, Limit, frontier, load, loads, plan

FAST = {"engine": "uniform-cost", "limit": Limit(seconds=60)}

ORDERS = """
type order
fact named(order)  fact eligible(order)  fact refunded(order)
tool check(o: order)  { requires named(o) produces eligible(o) risk read }
tool refund(o: order) { requires eligible(o) produces refunded(o) risk write }
"""


@pytest.mark.parametrize("engine", ["uniform-cost", "fast-downward"])
def test_a_check_of_one_order_opens_no_refund_of_another(engine: str) -> None:
    domain = loads(ORDERS)
    blocked = frontier(domain, state="eligible(order_a)", goal="refunded(order_b)", engine=engine, limit=FAST["limit"]).decision
    assert isinstance(blocked, Blocked)
    assert [str(fluent) for fluent in blocked.missing] == ["named(order_b)"]
    whole = plan(domain, state="eligible(order_a), named(order_b)", goal="refunded(order_b)", engine=engine, limit=FAST["limit"])
    assert [str(step) for step in whole.steps] == ["check(order_b)", "refund(order_b)"]


def test_two_persons_of_one_name_lead_to_an_entity_question() -> None:
    """The search for a name that fits two is exhausted; what is left is to ask which of them is meant."""
    domain = load("contacts")
    looked_up = frontier(domain, state="named(anna)", goal="resolved(anna)", **FAST)
    assert looked_up.tools == ("find_contact",)
    asked = frontier(domain, state="named(anna)", goal="resolved(anna)", exhausted=["find_contact(anna)"], **FAST).decision
    assert isinstance(asked, Clarify)
    assert "anna" in asked.question.text
    assert domain.asks[asked.question.name].kind is toolplan.domain.AskKind.ENTITY


def test_sharing_any_file_is_not_unreachable_while_a_tool_can_find_one() -> None:
    text = """
        type file  type person
        fact topic  fact found(file)  fact resolved(person)  fact shared(file, person)
        tool search { requires topic finds f: file produces found(f) risk read }
        tool share(f: file, p: person) { requires found(f), resolved(p) produces shared(f, p) risk share }
    """
    goal = "exists f: file (shared(f, anna))"
    now = frontier(loads(text), state="topic, resolved(anna)", goal=goal, **FAST)
    assert isinstance(now.decision, Act)
    assert now.tools == ("search",)
    without = frontier(loads(text), state="resolved(anna)", goal=goal, **FAST).decision
    assert isinstance(without, Blocked)
    assert [str(fluent) for fluent in without.missing] == ["topic"]


def test_what_is_found_cannot_be_used_before_it_is_found() -> None:
    text = """
        type file  fact found(file)  fact read(file)  fact never
        tool search { requires never finds f: file produces found(f) risk read }
        ask which(f: file) { produces found(f) cost 1 }
        tool open(f: file) { requires found(f) produces read(f) risk read }
    """
    blocked = frontier(loads(text), goal="exists f: file (read(f))", **FAST).decision
    assert isinstance(blocked, Blocked)


def test_a_permission_is_for_one_call() -> None:
    text = """
        type file  fact found(file)  fact deleted(file)
        tool delete(f: file) { requires found(f) produces deleted(f) risk delete }
        ask may_delete { "May I delete it?" permits delete cost 1 }
    """
    state = "found(a), found(b)"
    asked = frontier(loads(text), state=state, goal="deleted(a)", **FAST).decision
    assert isinstance(asked, Clarify)
    assert asked.question.text == "May I delete it? (a)"
    allowed = frontier(loads(text), state=f"{state}, may_delete(a)", goal="deleted(a)", **FAST)
    assert allowed.tools == ("delete",)
    other = frontier(loads(text), state=f"{state}, may_delete(a)", goal="deleted(b)", **FAST).decision
    assert isinstance(other, Clarify)
    both = plan(loads(text), state=state, goal="deleted(a), deleted(b)", **FAST)
    assert sorted(step.action for step in both.steps) == ["delete", "delete", "may_delete", "may_delete"]
