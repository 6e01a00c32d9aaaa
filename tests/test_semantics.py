"""The reference meaning, by example: truth values, effects, and who is believed."""

from __future__ import annotations

import pytest

from toolplan import State, loads
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable, goal_reached, replay, successor

BASE = "fact a  fact b  fact c  fact gone closed  "


def problem(tools: str, state: str = "", goal: str = "a") -> Problem:
    return build(loads(BASE + tools), state, goal)


def after(tools: str, state: str = "", step: str = "t") -> State:
    """The state after one step."""
    it = problem(tools, state)
    assert applicable(it, it.state, Step(step))
    return successor(it, it.state, Step(step))


def can(tools: str, state: str = "") -> bool:
    it = problem(tools, state)
    return applicable(it, it.state, Step("t"))


def test_what_is_produced_is_known_and_what_is_removed_is_known_to_be_false() -> None:
    end = after("tool t { requires a produces b removes a risk write }", "a")
    assert end == State(known=frozenset({Atom("b")}), denied=frozenset({Atom("a")}))


def test_deletes_come_before_adds() -> None:
    assert Atom("a") in after("tool t { produces a removes a risk write }", "a").known


@pytest.mark.parametrize(("risk", "expected"), [("read", True), ("write", False)])
def test_a_safe_tool_may_build_on_claims_and_any_other_may_not(risk: str, *, expected: bool) -> None:
    assert can(f"tool t {{ requires a produces b risk {risk} }}", "a?") is expected


def test_what_follows_from_a_claim_is_a_claim() -> None:
    end = after("tool t { requires a produces b risk read }", "a?")
    assert end.uncertain == {Atom("a"), Atom("b")}
    assert not end.known


def test_a_claim_does_not_spoil_what_is_known() -> None:
    assert Atom("b") in after("tool t { requires a produces b risk read }", "a?, b").known


def test_what_a_tool_verifies_is_known_whatever_it_read() -> None:
    end = after("tool t { requires a verifies a produces b risk read }", "a?")
    assert end.known == {Atom("a")}
    assert end.uncertain == {Atom("b")}


def test_not_needs_known_false_and_absent_is_false_only_for_closed_facts() -> None:
    assert not can("tool t { requires not b produces a risk write }")
    assert can("tool t { requires not b produces a risk write }", "not b")
    assert can("tool t { requires not gone produces a risk write }")
    assert not can("tool t { requires not gone produces a risk write }", "gone")
    assert not can("tool t { requires not gone produces a risk write }", "gone?")


def test_an_unknown_disjunct_does_not_hide_one_that_holds() -> None:
    assert can("tool t { requires (b or c) produces a risk write }", "c")
    assert not can("tool t { requires (b or not c) produces a risk write }")


def test_goals_need_known() -> None:
    claimed = problem("", "a?")
    assert not goal_reached(claimed, claimed.state)
    known = problem("", "a")
    assert goal_reached(known, known.state)


def test_the_users_word_is_a_claim_unless_the_fact_trusts_it_and_a_models_always_is() -> None:
    assert after("tool t by user { produces b risk read }").uncertain == {Atom("b")}
    assert after("fact own trust user  tool t by user { produces own risk read }").known == {Atom("own")}
    assert after("fact own trust user  tool t by model { produces own risk read }").uncertain == {Atom("own")}
    assert after("tool t by model { produces b verifies b risk read }").known == {Atom("b")}


def test_conditional_effects_look_at_the_state_before() -> None:
    end = after("tool t { produces b, c when b risk write }")
    assert end.known == {Atom("b")}
    assert after("tool t { produces b, c when b risk write }", "b").known == {Atom("b"), Atom("c")}


def test_a_conditional_removal_of_what_is_added_is_no_removal() -> None:
    end = after("tool t { produces a removes a when b risk write }", "a, b")
    assert Atom("a") in end.known
    assert not end.denied


def test_forall_over_what_tools_find_needs_them_enumerated() -> None:
    files = "type file  fact seen(file)  fact all_seen  tool t { requires forall f: file (seen(f)) produces all_seen risk read } "
    assert can(files, "seen(report)")
    finds = files + "tool search { finds f: file produces seen(f) risk read }  tool list { enumerates file risk read }"
    assert not can(finds, "seen(report)")
    it = problem(finds, "seen(report)")
    assert replay(it, [Step("list"), Step("t")]) is not None


def test_an_object_that_no_tool_has_brought_cannot_be_used() -> None:
    tools = """
        type ticket  fact number(ticket)
        tool open { requires b creates x: ticket produces number(x) risk write }
        ask which(x: ticket) { produces number(x) }
        tool t(x: ticket) { requires number(x) produces a risk write }
    """
    it = problem(tools, "b")
    assert not applicable(it, it.state, Step("which", ("open.x",)))
    assert replay(it, [Step("open"), Step("t", ("open.x",))]) is not None


def test_a_safe_tool_is_not_hoped_to_find_what_is_known_to_be_otherwise() -> None:
    look = "tool t { produces oneof (b or not b) risk read }"
    known_false = problem(look, "not b")
    assert not applicable(known_false, known_false.state, Step("t", (), 0))
    assert applicable(known_false, known_false.state, Step("t", (), 1))
    unknown = problem(look)
    assert applicable(unknown, unknown.state, Step("t", (), 0))


def test_a_step_that_is_not_applicable_ends_a_replay() -> None:
    it = problem("tool t { requires b produces a risk read }")
    assert replay(it, [Step("t")]) is None


def test_what_only_one_outcome_produces_is_verified_only_in_it() -> None:
    tool = "tool t by model { requires a produces oneof (b or c) verifies b risk read }"
    it = problem(tool, "a")
    assert successor(it, it.state, Step("t", (), 0)).known == {Atom("a"), Atom("b")}
    other = successor(it, it.state, Step("t", (), 1))
    assert other.known == {Atom("a")}
    assert other.uncertain == {Atom("c")}
