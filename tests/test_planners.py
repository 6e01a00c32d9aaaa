"""Every planner against every other, and every plan against the reference semantics, on generated problems."""

from __future__ import annotations

from fractions import Fraction

import pytest
from downward import solve_text
from hypothesis import HealthCheck, assume, event, given, settings
from strategies import PLAIN, Drawn, problems

from toolplan import DomainError, Limit, loads
from toolplan.language.codes import Code
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build
from toolplan.planning.pddl import to_pddl
from toolplan.planning.plans import Optimal, Solution, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import is_valid_plan, score

GENEROUS = Limit(expansions=20_000, seconds=60)
QUICK = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SLOW = settings(max_examples=70, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


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
    """Uniform-cost search over every step there is, nothing pruned."""
    return uniform_cost(problem, tuple(problem.steps()), GENEROUS)


def key(problem: Problem, solution: Solution) -> tuple[Fraction, int] | str:
    """What engines must agree on: score and length of a plan, or that there is none."""
    if isinstance(solution, Optimal):
        assert is_valid_plan(problem, solution.plan)
        return solution.plan.score, len(solution.plan.steps)
    assert isinstance(solution, Unreachable), solution
    return "unreachable"


@QUICK
@given(problems() | problems(PLAIN))
def test_pruning_and_grounding_change_no_answer(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    expected = key(problem, oracle(problem))
    event("unreachable" if expected == "unreachable" else f"{expected[1]} steps")
    assert key(problem, solve(problem, "uniform-cost", GENEROUS)) == expected


@SLOW
@given(problems() | problems(PLAIN))
@pytest.mark.slow
def test_fast_downward_through_unified_planning_agrees_with_the_oracle(drawn: Drawn) -> None:
    problem = problem_of(drawn)
    assert key(problem, solve(problem, "fast-downward", GENEROUS)) == key(problem, oracle(problem))


@SLOW
@given(problems() | problems(PLAIN))
@pytest.mark.slow
def test_fast_downward_on_our_pddl_agrees_with_the_oracle(drawn: Drawn) -> None:
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
