"""Steps of no regret: those that start a best plan, and which of them is preferred.

The regret of a step `a` is `(score of a, 1) + h*(after a) - h*(now)`, in pairs of (score, number of steps). A step without use has regret
even if it scores nothing, since with it a plan is longer.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from fractions import Fraction

from toolplan.domain import Tool
from toolplan.goals.solving import Answer, Solver
from toolplan.planning.plans import Bounded, Optimal, Plan, Step, Undecided, Unreachable
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.schemas import schemas_of
from toolplan.planning.semantics import is_valid_plan, score, successor
from toolplan.planning.task import Task


class Regret(enum.Enum):
    """Why a step is not known to start a best plan: it is proved that it starts none, or the limit kept that from being told."""

    PROVED = "proved"
    UNTOLD = "untold"


def startable(problem: Problem, best: Plan) -> list[Step]:
    """The steps that can run now, may help, and do not alone score more than `best`."""
    task = prepare(problem)
    if not isinstance(task, Task):
        return []
    most = best.score * task.unit
    can_run = (operator.step for operator in task.operators if operator.score <= most and operator.requires.hold(task.initial))
    return list(dict.fromkeys(can_run))


def led_by(problem: Problem, best: Plan, step: Step, solver: Solver) -> Plan | Regret:
    """A plan as good as `best`, which attains `h*(now)`, that starts with `step`, which can run now."""
    if step in best.steps and is_valid_plan(problem, moved := moved_to_front(best, step)):
        return moved
    left = best.score - score(problem, (step,)), len(best.steps) - 1
    rest = _attaining(solver(replace(problem, state=successor(problem, problem.state, step))), left)
    return Plan((step, *rest.steps), best.score) if isinstance(rest, Plan) else rest


def _attaining(answer: Answer, left: tuple[Fraction, int]) -> Plan | Regret:
    """The plan of `answer` if it is as good as `left`, (score, number of steps) below which there is none."""
    match answer:
        case Optimal(plan) | Bounded(plan) if (plan.score, len(plan.steps)) == left:
            return plan
        case Optimal() | Unreachable():
            return Regret.PROVED
        case Bounded(lower_bound=bound) | Undecided(lower_bound=bound):
            return Regret.PROVED if bound > left[0] else Regret.UNTOLD


def preference(problem: Problem, step: Step) -> tuple[bool, Fraction, int, tuple[str, ...], int]:
    """What steps that could come first are sorted by: questions, lower risk, order of declaration; no two steps are equal."""
    action = problem.domain.action(step.action)
    order = schemas_of(problem.domain).order[step.action]
    return isinstance(action, Tool), problem.domain.risk_of(action).weight, order, step.arguments, step.outcome


def moved_to_front(best: Plan, *steps: Step) -> Plan:
    """`best` with `steps` first and the others in their order."""
    rest = list(best.steps)
    for step in steps:
        rest.remove(step)
    return Plan((*steps, *rest), best.score)


def as_called(step: Step) -> Step:
    """`step` without the outcome that is hoped for."""
    return step._replace(outcome=-1)
