"""Lower bounds from the delete relaxation: h-max, and LM-cut, which adds up the costs of disjoint landmarks.

Helmert and Domshlak, "Landmarks, Critical Paths and Abstractions: What's the Difference Anyway?", ICAPS 2009, section 5.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.planning.task import Task

INFINITE = -1
"""The bound of a state from which no goal can be reached, even if nothing were ever deleted."""


@dataclass(frozen=True, slots=True)
class Relaxation:
    """The operators of a task without what they delete.

    Fluents keep their numbers; two more stand for what always holds and for the goal. `splits` says that conditional effects made several
    relaxed operators of one, whose costs must then not be added up.
    """

    needs: tuple[tuple[int, ...], ...]
    adds: tuple[tuple[int, ...], ...]
    costs: tuple[int, ...]
    waiting: tuple[tuple[int, ...], ...]
    always: int
    goal: int
    splits: bool


def relax(task: Task, costs: Sequence[int]) -> Relaxation:
    """The relaxation of `task`, in which operator `i` costs `costs[i]`; reaching any of the goals is free."""
    always, goal = len(task.fluents), len(task.fluents) + 1
    needs: list[tuple[int, ...]] = []
    adds: list[tuple[int, ...]] = []
    prices: list[int] = []
    splits = False
    for operator, cost in zip(task.operators, costs, strict=True):
        parts = [(operator.requires.true, operator.adds)] if operator.adds else []
        parts += [
            (operator.requires.true | change.condition.true, operator.adds | change.adds) for change in operator.changes if change.adds
        ]
        splits = splits or len(parts) > 1
        for required, added in parts:
            needs.append(tuple(sorted(required)) or (always,))
            adds.append(tuple(sorted(added - required)))
            prices.append(cost)
    for literals in task.goals:
        needs.append(tuple(sorted(literals.true)) or (always,))
        adds.append((goal,))
        prices.append(0)
    waiting: list[list[int]] = [[] for _ in range(goal + 1)]
    for number, needed in enumerate(needs):
        for fluent in needed:
            waiting[fluent].append(number)
    return Relaxation(tuple(needs), tuple(adds), tuple(prices), tuple(map(tuple, waiting)), always, goal, splits)


class Bound(NamedTuple):
    """A cost that no plan stays below, or INFINITE where there is no plan; `rounds` is how often all operators were gone through for it."""

    value: int
    rounds: int


def lower_bound(relaxation: Relaxation, state: frozenset[int]) -> Bound:
    """A bound for the plans from `state`."""
    costs = list(relaxation.costs)
    values, supporters = _h_max(relaxation, state, costs)
    reached = values[relaxation.goal]
    if reached is None:
        return Bound(INFINITE, 1)
    if relaxation.splits:
        return Bound(reached, 1)
    total, rounds = 0, 1
    while reached:
        cut = _cut(relaxation, state, costs, supporters)
        least = min(costs[operator] for operator in cut)
        total += least
        rounds += 1
        for operator in cut:
            costs[operator] -= least
        values, supporters = _h_max(relaxation, state, costs)
        again = values[relaxation.goal]
        assert again is not None
        reached = again
    return Bound(total, rounds)


def _h_max(relaxation: Relaxation, state: frozenset[int], costs: Sequence[int]) -> tuple[list[int | None], list[int]]:
    """For each fluent the cost of the dearest thing on the cheapest way to it (None: no way), and for each operator its dearest need."""
    values: list[int | None] = [None] * (relaxation.goal + 1)
    counts = [len(needed) for needed in relaxation.needs]
    supporters = [-1] * len(counts)
    queue = [(0, fluent) for fluent in state]
    queue.append((0, relaxation.always))
    for _, fluent in queue:
        values[fluent] = 0
    heapq.heapify(queue)
    while queue:
        value, fluent = heapq.heappop(queue)
        known = values[fluent]
        if known is not None and known < value:
            continue
        for operator in relaxation.waiting[fluent]:
            counts[operator] -= 1
            if counts[operator] == 0:
                # Fluents come in order of their values, so the last that an operator waited for is its dearest.
                supporters[operator] = fluent
                reached = value + costs[operator]
                for added in relaxation.adds[operator]:
                    before = values[added]
                    if before is None or reached < before:
                        values[added] = reached
                        heapq.heappush(queue, (reached, added))
    return values, supporters


def _cut(relaxation: Relaxation, state: frozenset[int], costs: Sequence[int], supporters: Sequence[int]) -> list[int]:
    """Operators of which every plan needs one: those that enter the zone from which the goal costs nothing."""
    zone = _zone(relaxation, costs, supporters)
    by_supporter: dict[int, list[int]] = {}
    for operator, supporter in enumerate(supporters):
        if supporter >= 0:
            by_supporter.setdefault(supporter, []).append(operator)
    cut: dict[int, None] = {}
    seen = {fluent for fluent in state if fluent not in zone} | {relaxation.always}
    queue = sorted(seen)
    while queue:
        for operator in by_supporter.get(queue.pop(), ()):
            if any(added in zone for added in relaxation.adds[operator]):
                cut[operator] = None
            else:
                fresh = [added for added in relaxation.adds[operator] if added not in seen]
                seen.update(fresh)
                queue += fresh
    return list(cut)


def _zone(relaxation: Relaxation, costs: Sequence[int], supporters: Sequence[int]) -> set[int]:
    """The fluents from which the goal is reached by operators that cost nothing (any more), through their dearest needs."""
    free: dict[int, list[int]] = {}
    for operator, supporter in enumerate(supporters):
        if supporter >= 0 and costs[operator] == 0:
            for added in relaxation.adds[operator]:
                free.setdefault(added, []).append(supporter)
    zone = {relaxation.goal}
    queue = [relaxation.goal]
    while queue:
        for fluent in free.get(queue.pop(), ()):
            if fluent not in zone:
                zone.add(fluent)
                queue.append(fluent)
    return zone
