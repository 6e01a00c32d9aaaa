"""Tasks without what their operators delete: what bounds and relaxed plans are computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplan.planning.search.costs import cost_of
from toolplan.planning.task import Operator, Task

START, GOAL = 0, 1
"""Facts of every relaxation: one always holds, the other is to be reached."""
NO_OPERATOR = -1
"""The origin of the operators that reach the goal, at no cost, from what one of the goals of the task needs."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Operators that need facts and add facts. Both, and the operators, are numbered from zero, and all is found by these numbers.

    `facts` leads from the fluents that matter to their facts, and `origins` from each operator to that of the task, or to `NO_OPERATOR`.
    `waiting` has for each fact the operators that need it, `achievers` those that add it. `parts` is empty unless several operators have
    one origin, as where conditional effects were split off; then it has for each operator all of them, and they share its cost.
    """

    facts: dict[int, int]
    origins: tuple[int, ...]
    needs: tuple[tuple[int, ...], ...]
    adds: tuple[tuple[int, ...], ...]
    costs: tuple[int, ...]
    waiting: tuple[tuple[int, ...], ...]
    achievers: tuple[tuple[int, ...], ...]
    parts: tuple[tuple[int, ...], ...]

    @property
    def out_of_reach(self) -> int:
        """More than any fact costs that can be reached."""
        return sum(self.costs) + 1

    def known(self, state: frozenset[int]) -> list[int]:
        """The facts that hold in `state`."""
        return [START, *sorted(self.facts[fluent] for fluent in state if fluent in self.facts)]


def relax(task: Task) -> Relaxation:
    """The relaxation of `task`. What holds at the start and is never deleted is left out, and so is what nothing needs."""
    lasting = task.initial.difference(*(deletes for operator in task.operators for deletes in _deletes(operator)))
    parts = [(origin, *part) for origin, operator in enumerate(task.operators) for part in _parts(operator)]
    parts += [(NO_OPERATOR, goal.true, frozenset[int]()) for goal in task.goals]
    useful = frozenset[int]().union(*(needs for _, needs, _ in parts)) - lasting
    facts = {fluent: fact for fact, fluent in enumerate(sorted(useful), start=2)}
    origins, needs, adds = [], [], []
    for origin, needed, added in parts:
        gained = [GOAL] if origin == NO_OPERATOR else sorted(facts[fluent] for fluent in (added & useful) - needed)
        if gained:
            origins.append(origin)
            needs.append(tuple(sorted(facts[fluent] for fluent in needed - lasting)) or (START,))
            adds.append(tuple(gained))
    costs = [0 if origin == NO_OPERATOR else cost_of(task.operators[origin]) for origin in origins]
    return indexed(facts, origins, needs, adds, costs)


def indexed(
    facts: dict[int, int], origins: Sequence[int], needs: Sequence[tuple[int, ...]], adds: Sequence[tuple[int, ...]], costs: Sequence[int]
) -> Relaxation:
    """The relaxation with these operators."""
    waiting: list[list[int]] = [[] for _ in range(len(facts) + 2)]
    achievers: list[list[int]] = [[] for _ in range(len(facts) + 2)]
    for number, (needed, added) in enumerate(zip(needs, adds, strict=True)):
        for fact in needed:
            waiting[fact].append(number)
        for fact in added:
            achievers[fact].append(number)
    return Relaxation(
        facts,
        tuple(origins),
        tuple(needs),
        tuple(adds),
        tuple(costs),
        tuple(map(tuple, waiting)),
        tuple(map(tuple, achievers)),
        _siblings(origins),
    )


def _parts(operator: Operator) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    if operator.adds:
        yield operator.requires.true, operator.adds
    for change in operator.changes:
        if change.adds:
            yield operator.requires.true | change.condition.true, operator.adds | change.adds


def _deletes(operator: Operator) -> Iterator[frozenset[int]]:
    yield operator.deletes
    for change in operator.changes:
        yield change.deletes


def _siblings(origins: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    numbers: dict[int, list[int]] = {}
    for number, origin in enumerate(origins):
        numbers.setdefault(origin, []).append(number)
    if len(numbers) == len(origins):
        return ()
    return tuple(tuple(numbers[origin]) for origin in origins)
