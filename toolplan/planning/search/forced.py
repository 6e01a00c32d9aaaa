"""Plans without a choice: for each fact that is needed, there is one operator to add it."""

from __future__ import annotations

from collections.abc import Sequence

from toolplan.planning.plans import Optimal
from toolplan.planning.search.costs import plan_of
from toolplan.planning.search.ordering import in_order
from toolplan.planning.task import Task

NAME = "forced-plan"


def forced_plan(task: Task) -> Optimal | None:
    """The best plan of `task`, where the operators without an alternative make one; None where they do not.

    The only operator that adds a fact that the goal needs is in every plan, and so is the only one that adds what such an operator needs. An
    operator to which all others that add the fact are inferior is in some best plan, and counts as the only one.
    """
    if len(task.goals) != 1:
        return None
    only_adds = not task.goals[0].false
    makers: dict[int, list[int]] = {}
    for number, operator in enumerate(task.operators):
        if operator.changes:
            return None
        if operator.deletes or operator.requires.false:
            only_adds = False
        for fluent in operator.adds:
            makers.setdefault(fluent, []).append(number)
    forced: set[int] = set()
    needed = list(task.goals[0].true - task.initial)
    while needed:
        numbers = makers.get(needed.pop(), ())
        if len(numbers) == 1:
            maker: int | None = numbers[0]
        else:
            maker = _superior(task, numbers) if numbers and only_adds else None
        if maker is not None and maker not in forced:
            forced.add(maker)
            needed += task.operators[maker].requires.true - task.initial
    order = in_order(task, task.initial, forced)
    return None if order is None else Optimal(plan_of(order, task.unit), NAME)


def _superior(task: Task, numbers: Sequence[int]) -> int | None:
    """Which of these operators costs no more than any other, needs nothing that it does not, and adds all that it adds."""
    needs = {number: task.operators[number].requires.true - task.initial for number in numbers}
    best = min(numbers, key=lambda number: (task.operators[number].score, len(needs[number]), -len(task.operators[number].adds)))
    chosen = task.operators[best]
    gained = chosen.adds | task.initial
    if all(needs[best] <= needs[number] and task.operators[number].adds <= gained for number in numbers):
        return best
    return None
