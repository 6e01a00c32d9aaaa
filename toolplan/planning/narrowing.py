"""A task to a smaller one, once a good plan is known: without the operators that no better plan uses."""

from __future__ import annotations

from toolplan.planning.plans import Limit, Plan
from toolplan.planning.search.budget import Budget
from toolplan.planning.search.costs import STEPS
from toolplan.planning.search.landmarks import lm_cut
from toolplan.planning.search.reduction import without
from toolplan.planning.search.relaxation import NO_OPERATOR, START, relax
from toolplan.planning.task import Task


def narrowed(task: Task, plan: Plan, limit: Limit) -> Task:
    """`task`, whose operators only add and have no conditional effects, without operators that are in no plan as good as `plan`.

    A plan costs at least what LM-cut took, and of what that left at least the h-max value of what its dearest operator needs and the
    rest of that operator's cost; where this is more than `plan` costs, the operator goes. Then bounds rise, and more may go.
    """
    budget = Budget(limit)
    relaxation = relax(task)
    cost = int(plan.score * task.unit) * STEPS + len(plan.steps)
    while True:
        cut = lm_cut(relaxation, (START,), relaxation.costs, budget)
        size = len(relaxation.needs)
        inapplicable = [number for number, supporter in enumerate(cut.supporters) if supporter < 0]
        relaxation = without(relaxation, {*inapplicable, *cut.hopeless(cost + 1)})
        if len(relaxation.needs) > size * 7 // 8:
            break
    kept = tuple(task.operators[origin] for origin in relaxation.origins if origin != NO_OPERATOR)
    return Task(task.fluents, task.initial, task.goals, kept, task.unit)
