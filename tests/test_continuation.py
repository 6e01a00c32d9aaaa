"""Answers from the plan that led to a state, and from nothing else.

A limit of one expansion tells them apart: a search cannot decide the counter within it, a plan that is known already can.
"""

from __future__ import annotations

import gc
import weakref

import pytest

from toolplan import Act, Domain, DomainError, Done, Limit, Undecided, frontier, loads
from toolplan.frontier import continuation
from toolplan.frontier.continuation import forget
from toolplan.language.codes import Code
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.planning.semantics import successor

COUNTER = """
fact bit0 closed  fact bit1 closed  fact bit2 closed  fact bit3 closed  fact free
tool set0 { requires not bit0 produces bit0 risk read }
tool set1 { requires not bit1, bit0 produces bit1 removes bit0 risk read }
tool set2 { requires not bit2, bit1, bit0 produces bit2 removes bit1, bit0 risk read }
tool set3 { requires not bit3, bit2, bit1, bit0 produces bit3 removes bit2, bit1, bit0 risk read }
tool away { produces free risk read }
"""
ONE = Limit(expansions=1, seconds=30)
ALL = ("bit0", "bit1", "bit2", "bit3")


def tool_at(domain: Domain, state: set[str], limit: Limit = ONE, goal: tuple[str, ...] = ALL) -> str | None:
    """The tool of the frontier, or None where it is undecided within `limit`."""
    decision = frontier(domain, state=state, goal=goal, engine="in-process", limit=limit).decision
    assert isinstance(decision, Act | Undecided)
    return decision.step.action if isinstance(decision, Act) else None


def test_one_expansion_is_not_enough_to_search() -> None:
    assert tool_at(loads(COUNTER), set()) is None


def test_a_plan_is_followed_to_its_end_without_a_search() -> None:
    domain = loads(COUNTER)
    now = frontier(domain, goal=ALL, engine="in-process")
    taken = 0
    while not isinstance(now.decision, Done):
        assert isinstance(now.decision, Act)
        assert len(now.decision.plan.steps) == now.decision.plan.score == 15 - taken
        after = successor(now.planned.problem, now.planned.problem.state, now.decision.step)
        now = frontier(domain, state={str(atom) for atom in after.known}, goal=ALL, engine="in-process", limit=ONE)
        taken += 1
    assert taken == 15


def test_a_plan_longer_than_what_is_kept_ahead_is_followed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuation, "AHEAD", 4)
    test_a_plan_is_followed_to_its_end_without_a_search()


def test_steps_that_were_skipped_are_found_again() -> None:
    domain = loads(COUNTER)
    assert tool_at(domain, set(), Limit()) == "set0"
    assert tool_at(domain, {"bit1"}) == "set0"
    assert tool_at(domain, {"bit2"}) == "set0"


def test_any_other_state_goal_or_engine_is_searched_afresh() -> None:
    domain = loads(COUNTER)
    tool_at(domain, set(), Limit())
    assert tool_at(domain, {"bit0"}) == "set1"
    assert tool_at(domain, {"bit0", "free"}) is None
    assert tool_at(domain, {"bit0", "free?"}) is None
    assert tool_at(domain, {"bit0"}, goal=("bit3", "bit2", "bit1")) is None
    assert isinstance(frontier(domain, state={"bit0"}, goal=ALL, engine="uniform-cost", limit=ONE).decision, Undecided)
    assert isinstance(frontier(domain, state={"bit0"}, goal=ALL, forbid=["away"], engine="in-process", limit=ONE).decision, Undecided)


def test_an_entity_of_which_the_state_keeps_no_atom_is_searched_with() -> None:
    text = """
    type file  constant big: file
    fact opened  fact read(file)  fact hidden(file) closed
    tool open { produces opened risk read }
    tool read_big { requires opened produces read(big) cost 50 risk read }
    tool read_file(f: file) { requires opened, f != big produces read(f) cost 5 risk read }
    """
    states: list[set[str]] = [set(), {"not hidden(a)"}]
    scores = {"": 51, "not hidden(a)": 6}
    for order in (states, states[::-1]):
        domain = loads(text)
        for state in order:
            assert frontier(domain, state=state, goal="exists f: file (read(f))").planned.score == scores["".join(state)]


def test_a_changed_domain_reuses_nothing() -> None:
    domain = loads(COUNTER)
    tool_at(domain, set(), Limit())
    assert tool_at(loads(COUNTER), {"bit0"}) is None
    forget(domain)
    assert tool_at(domain, {"bit0"}) is None


def test_what_is_kept_is_bounded_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = loads(COUNTER)
    tool_at(domain, set(), Limit())
    assert tool_at(domain, {"bit0"}) == "set1"
    monkeypatch.setattr(continuation, "MOST_ATOMS", 300)
    tool_at(domain, {"free"}, Limit())
    assert tool_at(domain, {"free", "bit0"}) == "set1"
    assert tool_at(domain, {"bit1"}) is None


def test_a_bad_limit_is_a_mistake_also_where_the_answer_is_known() -> None:
    domain = loads(COUNTER)
    tool_at(domain, set(), Limit())
    with pytest.raises(DomainError) as caught:
        tool_at(domain, {"bit0"}, Limit(seconds=0))
    assert [finding.code for finding in caught.value.diagnostics] == [Code.BAD_LIMIT]


def test_values_of_the_new_state_are_kept() -> None:
    domain = loads("fact a: text fact b fact c tool t { requires a produces b risk read } tool u { requires b produces c risk read }")
    frontier(domain, state={"a": "old"}, goal="c")
    now = frontier(domain, state={"a": "new", "b": True}, goal="c")
    assert list(now.planned.problem.state.values.values()) == ["new"]


def test_a_state_that_is_kept_keeps_none_of_its_values() -> None:
    class Mail:
        """What a caller may carry along, of any size."""

    domain, mail = loads(COUNTER), Mail()
    state = State(frozenset({Atom("free")}), values={Atom("free"): mail})
    assert isinstance(frontier(domain, state=state, goal=ALL).decision, Act)
    kept = weakref.ref(mail)
    del mail, state
    gc.collect()
    assert kept() is None
