"""Good relaxed plans: upper bounds where operators only add, and first guesses where they delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf

from toolplan.planning.search.landmarks import LandmarkCut
from toolplan.planning.search.relaxation import GOAL, START, Relaxation


def relaxed_plan(relaxation: Relaxation, known: Sequence[int], costs: Sequence[int], cut: LandmarkCut) -> list[int]:
    """Operators that reach the goal from the facts `known`, in an order in which they can be applied, none of them in vain.

    Where `cut` is complete, only of those that it left no cost: these go well with its bound, and often meet it.
    """
    usable = [number for number, supporter in enumerate(cut.supporters) if supporter >= 0 and not (cut.complete and cut.costs[number])]
    return _without_vain(relaxation, known, _by_best_supporters(relaxation, known, costs, usable))


def _by_best_supporters(relaxation: Relaxation, known: Sequence[int], costs: Sequence[int], usable: Sequence[int]) -> list[int]:
    """For each needed fact the operator that adds it most cheaply, where what an operator needs is added up (h-add)."""
    missing = [0] * len(relaxation.needs)
    for number in usable:
        missing[number] = len(relaxation.needs[number])
    reached: list[float] = list(costs)
    values: list[float] = [inf] * len(relaxation.waiting)
    makers: dict[int, int] = {}
    applied = []
    queue: list[tuple[float, int]] = []
    for fact in known:
        values[fact] = 0
        heappush(queue, (0, fact))
    while queue:
        value, fact = heappop(queue)
        if value > values[fact]:
            continue
        if fact == GOAL:
            break
        for number in relaxation.waiting[fact]:
            reached[number] += value
            missing[number] -= 1
            if not missing[number]:
                applied.append(number)
                for added in relaxation.adds[number]:
                    if reached[number] < values[added]:
                        values[added] = reached[number]
                        makers[added] = number
                        heappush(queue, (reached[number], added))
    used: set[int] = set()
    needed = [GOAL]
    while needed:
        maker = makers.get(needed.pop())
        if maker is not None and maker not in used:
            used.add(maker)
            needed += relaxation.needs[maker]
    return [number for number in applied if number in used]


def _without_vain(relaxation: Relaxation, known: Sequence[int], plan: list[int]) -> list[int]:
    """`plan` without operators that it reaches the goal without, the dearest left out first."""
    costs = relaxation.costs
    while True:
        needed = Counter(fact for number in plan for fact in relaxation.needs[number])
        added = Counter(fact for number in plan for fact in relaxation.adds[number])
        # Only operators all of whose facts have another achiever, or no use, can be left out.
        doubtful = [
            number for number in plan if all(fact != GOAL and (added[fact] > 1 or not needed[fact]) for fact in relaxation.adds[number])
        ]
        for number in sorted(doubtful, key=lambda number: (-costs[number], number)):
            rest = [other for other in plan if other != number]
            if _reaches(relaxation, known, rest):
                plan = rest
                break
        else:
            return plan


def _reaches(relaxation: Relaxation, known: Sequence[int], plan: Sequence[int]) -> bool:
    reached = {START, *known}
    for number in plan:
        if reached.issuperset(relaxation.needs[number]):
            reached.update(relaxation.adds[number])
    return GOAL in reached
