"""Mode `parallel`: the calls of a best plan that can run now, in any order or at once."""

from __future__ import annotations

from toolplan.frontier.first_steps import first_steps, is_call
from toolplan.frontier.interference import Footprint, footprint, interfere
from toolplan.goals.regret import moved_to_front
from toolplan.planning.plans import Plan, Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import is_valid_plan


def parallel(problem: Problem, best: Plan) -> tuple[Step, ...]:
    """The calls among the `first_steps` of `best`, as far as no two interfere and the rest of `best` can follow.

    They are taken in order of preference, each if it fits those before it. In whatever order they run, the state afterwards is the same.
    """
    chosen: dict[Step, Footprint] = {}
    for step in first_steps(problem, best):
        if is_call(problem.domain, step):
            own = footprint(problem, step)
            fits = not any(interfere(own, other) for other in chosen.values())
            if fits and is_valid_plan(problem, moved_to_front(best, *chosen, step)):
                chosen[step] = own
    return tuple(chosen)
