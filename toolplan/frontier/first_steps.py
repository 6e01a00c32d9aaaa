"""The steps with which a best plan can start, and which of them is preferred."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from toolplan.domain import Domain, Performer, Tool
from toolplan.frontier.interference import footprint, interfere
from toolplan.planning.plans import Plan, Step
from toolplan.planning.problem import Problem
from toolplan.planning.schemas import schemas_of
from toolplan.planning.semantics import applicable, is_valid_plan


def first_step(problem: Problem, best: Plan) -> Step:
    """The preferred one of `first_steps`. What comes after it in their order is not looked at."""
    return next(_starts(problem, best))


def first_steps(problem: Problem, best: Plan) -> list[Step]:
    """The steps of a valid plan with which it can start, in order of preference: questions, lower risk, order of declaration.

    Each starts a plan with the steps, and so the score, of `best`; other plans as good may start with others.
    """
    return list(_starts(problem, best))


def _starts(problem: Problem, best: Plan) -> Iterator[Step]:
    for step in sorted(dict.fromkeys(best.steps), key=partial(preference, problem)):
        if step == best.steps[0] or (applicable(problem, problem.state, step) and _can_lead(problem, best, step)):
            yield step


def _can_lead(problem: Problem, best: Plan, step: Step) -> bool:
    """Whether `best` stays a plan with `step`, which can run now, before all others. Replayed only where those it overtakes matter to it."""
    own = footprint(problem, step)
    overtaken = best.steps[: best.steps.index(step)]
    free = not any(interfere(own, footprint(problem, other)) for other in overtaken)
    return free or is_valid_plan(problem, moved_to_front(best, step))


def preference(problem: Problem, step: Step) -> tuple[bool, Fraction, int, tuple[str, ...], int]:
    """What steps that could come first are sorted by; no two steps are equal."""
    action = problem.domain.action(step.action)
    order = schemas_of(problem.domain).order[step.action]
    return isinstance(action, Tool), problem.domain.risk_of(action).weight, order, step.arguments, step.outcome


def moved_to_front(best: Plan, *steps: Step) -> Plan:
    """`best` with `steps` first and the others in their order."""
    rest = list(best.steps)
    for step in steps:
        rest.remove(step)
    return Plan((*steps, *rest), best.score)


def is_call(domain: Domain, step: Step) -> bool:
    """Whether `step` is a call, not a question and nothing that the user or the model does."""
    action = domain.action(step.action)
    return isinstance(action, Tool) and action.performer is Performer.CALL


def as_called(step: Step) -> Step:
    """`step` without the outcome that is hoped for."""
    return step._replace(outcome=-1)
