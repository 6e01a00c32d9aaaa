"""Every planner against every other, and every plan against the reference semantics, on generated problems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from downward import solve_text
from hypothesis import HealthCheck, assume, event, given, settings
from strategies import PLAIN, Drawn, cascades, doubts, problems

from toolplan import DomainError, Limit, loads
from toolplan.language.codes import Code
from toolplan.planning.engines import solve
from toolplan.planning.grounding import compile_task
from toolplan.planning.inputs import build
from toolplan.planning.pddl import to_pddl
from toolplan.planning.plans import Fluent, Optimal, Plan, Solution, Step, Undecided, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import is_valid_plan, score
from toolplan.planning.task import Task, missing

GENEROUS = Limit(expansions=20_000, seconds=60)
EXAMPLES = int(os.environ.get("TOOLPLAN_EXAMPLES", "300"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SLOW = settings(max_examples=EXAMPLES // 4, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def problem_of(drawn: Drawn) -> Problem:
    try:
        return build(loads(drawn.domain), drawn.state, drawn.goal)
    except DomainError as error:
        allowed = {Code.CONFLICTING_GOALS, Code.CONTRADICTORY_CONDITION}
        assert {finding.code for finding in error.diagnostics} <= allowed, str(error)
        event("contradiction")
        assume(False)
        raise


def oracle(problem: Problem) -> Solution:
    """Uniform-cost search over every step there is, nothing pruned. What it cannot decide compares nothing."""
    solution = uniform_cost(problem, tuple(problem.steps()), GENEROUS)
    if isinstance(solution, Undecided):
        event("too large for the oracle")
        assume(False)
    return solution


def reaches(problem: Problem, steps: Sequence[Step]) -> bool:
    return is_valid_plan(problem, Plan(tuple(steps), score(problem, steps)))


def key(problem: Problem, solution: Solution) -> tuple[Fraction, int] | str:
    """What engines must agree on: score and length of a plan, or that there is none."""
    if isinstance(solution, Optimal):
        assert is_valid_plan(problem, solution.plan)
        steps = solution.plan.steps
        assert not any(reaches(problem, steps[:number] + steps[number + 1 :]) for number in range(len(steps))), "a step makes no progress"
        return solution.plan.score, len(solution.plan.steps)
    assert isinstance(solution, Unreachable), solution
    return "unreachable"


@QUICK
@given(problems() | problems(PLAIN))
def test_every_engine_gives_the_answer_of_the_oracle_on_the_whole_problem(drawn: Drawn) -> None:
    assert_all_agree(drawn)


@QUICK
@given(cascades())
def test_every_engine_takes_a_step_as_often_as_it_is_of_use(drawn: Drawn) -> None:
    assert_all_agree(drawn)


@QUICK
@given(doubts())
def test_no_engine_plans_as_unsure_what_will_be_known(drawn: Drawn) -> None:
    assert_all_agree(drawn)


def assert_all_agree(drawn: Drawn) -> None:
    """All engines but the slow one, and the oracle."""
    problem = problem_of(drawn)
    expected = key(problem, oracle(problem))
    event("unreachable" if expected == "unreachable" else f"{expected[1]} steps")
    for engine in ("uniform-cost", "in-process", "downward", "auto"):
        assert key(problem, solve(problem, engine, GENEROUS)) == expected


@SLOW
@given(problems() | problems(PLAIN) | cascades() | doubts())
@pytest.mark.slow
def test_fast_downward_through_unified_planning_agrees_with_the_oracle(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    assert key(problem, solve(problem, "fast-downward", GENEROUS)) == key(problem, oracle(problem))


@SLOW
@given(problems() | problems(PLAIN))
@pytest.mark.slow
def test_fast_downward_on_our_pddl_agrees_with_the_oracle(drawn: Drawn) -> None:
    assert_text_agrees(drawn)


@SLOW
@given(doubts())
@pytest.mark.slow
def test_our_pddl_plans_nothing_as_unsure_that_will_be_known(drawn: Drawn) -> None:
    assert_text_agrees(drawn)


def assert_text_agrees(drawn: Drawn) -> None:
    """Fast Downward on our text, and the oracle."""
    problem = problem_of(drawn)
    expected = oracle(problem)
    text = to_pddl(problem)
    found = solve_text(text)
    if found is None:
        assert isinstance(expected, Unreachable)
    else:
        cost, steps = found
        assert isinstance(expected, Optimal)
        assert Fraction(cost, text.unit) == score(problem, steps) == expected.plan.score


@QUICK
@given(problems())
def test_what_is_missing_would_open_a_way_and_no_part_of_it_would(drawn: Drawn) -> None:
    task = compile_task(problem_of(drawn))
    blamed = missing(task)
    if blamed is None:
        return
    event(f"{len(blamed)} missing")
    assert missing(task, supposed(task, blamed)) is None
    for left_out in blamed:
        assert missing(task, supposed(task, [fluent for fluent in blamed if fluent != left_out])) is not None


def supposed(task: Task, fluents: Sequence[Fluent]) -> list[int]:
    """What `fluents` are in `task`; the complements of what is there, for an atom whose falsehood is no fluent of its own."""
    own = [task.fluents.index(fluent) for fluent in fluents if fluent in task.fluents]
    false = {fluent.atom for fluent in fluents if fluent not in task.fluents}
    return own + [~number for number, fluent in enumerate(task.fluents) if fluent.atom in false]


@pytest.mark.parametrize("engine", ["in-process", "downward", "fast-downward", "auto"])
def test_a_free_tool_is_taken_as_often_as_it_adds_something(engine: str) -> None:
    facts = [f"f{number}" for number in range(9)]
    again = f"tool again {{ produces {', '.join(f'{after} when {before}' for before, after in pairwise(facts))} cost 0 risk read }}"
    once = "tool once { produces f8 cost 1 risk read }"
    problem = build(loads(f"{' '.join(f'fact {fact}' for fact in facts)} policy {{ risk read 0 safe }} {again} {once}"), ["f0"], "f8")
    assert key(problem, solve(problem, engine, GENEROUS)) == (0, 8)


HOPED = """
fact a  fact f  fact m  fact h  fact g  fact x
tool look { requires a produces f risk read }
tool use { requires f produces oneof ((m, not f) or h) risk read }
tool check { requires m verifies g risk read }
"""
"""What `look` makes known rules out what `use` is hoped to find."""
SURELY_REMOVED = """
fact a  fact f  fact m  fact h  fact g  fact x
tool look { requires a produces f risk read }
tool use { requires f produces m removes h risk read }
tool check { requires h, m verifies g risk read }
"""
"""What `look` makes known makes sure that `use` removes what `check` needs at least as a claim."""


@pytest.mark.parametrize("engine", ["uniform-cost", "in-process", "downward", "fast-downward", "auto"])
@pytest.mark.parametrize("domain", [HOPED, SURELY_REMOVED], ids=["hoped for", "surely removed"])
def test_a_safe_tool_does_not_claim_what_it_makes_known(domain: str, engine: str) -> None:
    state = ["a", "x?", "h"]
    problem = build(loads(domain), state, "g")
    assert key(problem, solve(problem, engine, GENEROUS)) == "unreachable"
    otherwise = build(loads(f"{domain} tool long {{ requires a cost 50 produces g risk read }}"), state, "g")
    assert key(otherwise, solve(otherwise, engine, GENEROUS)) == (50, 1)
    assert solve_text(to_pddl(problem)) is None


def test_a_search_that_is_not_the_usual_one_is_named_in_the_result() -> None:
    plain = build(loads("fact a tool t { produces a risk read }"), None, "a")
    conditional = build(loads("fact a fact b tool t { produces a when b risk read } tool u { produces b risk read }"), None, "a")
    engines = [solve(problem, "fast-downward", GENEROUS).engine for problem in (plain, conditional)]
    assert engines == ["fast-downward", "fast-downward astar(blind())"]


HINDERING = """
policy { risk read 0 safe, write 1 }
fact a  fact b  fact f  fact g  fact h  fact m  fact x
tool long { requires a cost 50 produces g risk read }
"""


@pytest.mark.parametrize(
    "tools",
    [
        """tool look { requires a produces f, h risk read }
           tool use { removes h when f produces m risk read }
           tool check { requires h, m verifies g risk read }""",
        """tool look { requires a produces b risk read }
           tool read { requires b produces f risk read }
           tool use { requires f produces oneof ((m, not f) or x) risk read }
           tool check { requires m verifies g risk read }""",
        """tool look { requires a produces f, h risk read }
           tool make { requires f verifies b risk read }
           tool use { requires b removes h when f produces m risk write }
           tool check { requires h, m verifies g risk read }""",
    ],
    ids=["a removal where it holds", "what it makes known in turn", "a removal by what is not safe"],
)
def test_what_is_made_known_hinders_wherever_it_would(tools: str) -> None:
    problem = build(loads(HINDERING + tools), ["a", "x?"], ["g"])
    expected = key(problem, oracle(problem))
    for engine in ("in-process", "downward", "auto"):
        assert key(problem, solve(problem, engine, GENEROUS)) == expected
    found = solve_text(to_pddl(problem))
    assert found is not None and is_valid_plan(problem, Plan(tuple(found[1]), score(problem, found[1])))
