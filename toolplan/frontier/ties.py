"""Mode `ties`: every step that starts some best plan."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from toolplan.frontier.first_steps import as_called, first_steps, preference
from toolplan.language.diagnostics import DomainError
from toolplan.planning.engines import solve
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Plan, Solution, Step, Undecided, Unreachable
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import successor
from toolplan.planning.task import Task


class Ties(NamedTuple):
    """The steps that start a best plan, and those of which the limit kept that from being told; each in order of preference."""

    steps: tuple[Step, ...]
    undecided: tuple[Step, ...]


def ties(problem: Problem, best: Plan, engine: str, limit: Limit) -> Ties:
    """Every step `a` with `(score of a, 1) + h*(after a) = h*(now)`, compared as (score, number of steps), where `best` attains `h*(now)`.

    No step without use is among them, not even one that scores nothing: with it a plan is longer. A call that may turn out in several ways
    is one step, in the outcome with which it starts a best plan. Steps of `best` that can go first need no search; for each other
    step that can run, `engine` solves what is left after it. Its expansions are limited for each step, its seconds for all together.
    """
    deadline = time.monotonic() + limit.seconds
    found = {as_called(step): step for step in reversed(first_steps(problem, best))}
    undecided: dict[Step, Step] = {}
    for step in _startable(problem, best):
        if as_called(step) not in found:
            match _starts_best(problem, best, step, engine, replace(limit, seconds=max(deadline - time.monotonic(), 0))):
                case True:
                    found[as_called(step)] = step
                case None:
                    undecided.setdefault(as_called(step), step)

    def ordered(steps: Iterator[Step]) -> tuple[Step, ...]:
        return tuple(sorted(steps, key=lambda step: preference(problem, step)))

    return Ties(ordered(iter(found.values())), ordered(undecided[call] for call in undecided.keys() - found.keys()))


def _startable(problem: Problem, best: Plan) -> list[Step]:
    """The steps that can run now, may help, and do not alone score more than `best`."""
    task = prepare(problem)
    if not isinstance(task, Task):
        return []
    most = best.score * task.unit
    can_run = (operator.step for operator in task.operators if operator.score <= most and operator.requires.hold(task.initial))
    return list(dict.fromkeys(can_run))


def _starts_best(problem: Problem, best: Plan, step: Step, engine: str, limit: Limit) -> bool | None:
    """Whether `step` starts a plan as good as `best`; None where the limit is reached first."""
    left = best.score - problem.domain.score_of(problem.domain.action(step.action)), len(best.steps) - 1
    if limit.seconds == 0:
        return None
    return _attains(solve(replace(problem, state=successor(problem, problem.state, step)), engine, limit), left)


def _attains(solution: Solution, left: tuple[Fraction, int]) -> bool | None:
    """Whether the best plan is `left`, (score, number of steps) below which there is none; None where `solution` does not tell."""
    match solution:
        case Optimal(plan):
            return (plan.score, len(plan.steps)) == left
        case Bounded(plan, bound):
            return True if (plan.score, len(plan.steps)) == left else _excluded(bound, left)
        case Undecided(bound):
            return _excluded(bound, left)
        case Unreachable():
            return False
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _excluded(bound: Fraction, left: tuple[Fraction, int]) -> bool | None:
    """False where `bound` alone says that no plan scores so little; else it is not known."""
    return False if bound > left[0] else None
