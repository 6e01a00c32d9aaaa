"""Sets of operators to plans."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush

from toolplan.planning.task import Operator, Task


def in_order(task: Task, state: frozenset[int], numbers: Collection[int]) -> list[Operator] | None:
    """The operators with these numbers in an order that leads from `state` to a goal, each once; None where none is found.

    Of those that can come next, that with the smallest number does. One that would spoil what another needs comes after it. Where operators
    only add, an order is found if there is one.
    """
    operators = {number: task.operators[number] for number in sorted(numbers)}
    after = _after(operators)
    missing = dict.fromkeys(operators, 0)
    waiting: dict[int, list[int]] = {}
    for number, operator in operators.items():
        for fluent in operator.requires.true - state:
            waiting.setdefault(fluent, []).append(number)
            missing[number] += 1
        for later in after.get(number, ()):
            missing[later] += 1
    ready = [number for number, count in missing.items() if not count]
    order: list[Operator] = []

    def release(numbers: Iterable[int]) -> None:
        for number in numbers:
            missing[number] -= 1
            if not missing[number]:
                heappush(ready, number)

    heapify(ready)
    while ready:
        number = heappop(ready)
        operator = operators[number]
        order.append(operator)
        release(after.get(number, ()))
        for fluent in operator.adds.union(*(change.adds for change in operator.changes)):
            release(waiting.pop(fluent, ()))
    return order if _leads_to_goal(task, state, order) else None


def _after(operators: dict[int, Operator]) -> dict[int, frozenset[int]]:
    """For each operator that needs something those that would spoil it."""
    spoilers: dict[tuple[int, bool], set[int]] = {}
    denied = frozenset[int]().union(*(operator.requires.false for operator in operators.values()))
    for number, operator in operators.items():
        for fluent in operator.deletes - operator.adds:
            spoilers.setdefault((fluent, True), set()).add(number)
        for fluent in operator.adds & denied:
            spoilers.setdefault((fluent, False), set()).add(number)
    if not spoilers:
        return {}
    after = {}
    for number, operator in operators.items():
        needed = [(fluent, True) for fluent in operator.requires.true] + [(fluent, False) for fluent in operator.requires.false]
        after[number] = frozenset[int]().union(*(spoilers.get(literal, ()) for literal in needed)) - {number}
    return after


def _leads_to_goal(task: Task, state: frozenset[int], order: Sequence[Operator]) -> bool:
    # In one set, not by `Operator.apply`: plans may be thousands of steps long.
    now = set(state)
    for operator in order:
        if not (operator.requires.true <= now and operator.requires.false.isdisjoint(now)):
            return False
        effects = [(operator.adds, operator.deletes)]
        effects += [
            (change.adds, change.deletes)
            for change in operator.changes
            if change.condition.true <= now and change.condition.false.isdisjoint(now)
        ]
        for _, deletes in effects:
            now -= deletes
        for adds, _ in effects:
            now |= adds
    return any(goal.true <= now and goal.false.isdisjoint(now) for goal in task.goals)
