"""The steps with which a best plan can start, and which of them is preferred."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from toolplan.domain import Domain, Performer, Tool
from toolplan.frontier.interference import footprint, interfere
from toolplan.goals.regret import moved_to_front, preference
from toolplan.planning.plans import Plan, Step
from toolplan.planning.problem import Problem
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


def is_call(domain: Domain, step: Step) -> bool:
    """Whether `step` is a call, not a question and nothing that the user or the model does."""
    action = domain.action(step.action)
    return isinstance(action, Tool) and action.performer is Performer.CALL
