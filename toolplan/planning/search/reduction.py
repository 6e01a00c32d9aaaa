"""Relaxed problems to smaller ones that keep a best plan."""

from __future__ import annotations

from collections.abc import Collection

from toolplan.planning.search.relaxation import GOAL, START, Relaxation, indexed


def without(relaxation: Relaxation, dropped: Collection[int]) -> Relaxation:
    """`relaxation` without these operators, without facts that no other needs, and without dominated operators.

    An operator is dominated by one that costs no more, needs nothing else, and adds all that it adds; of two alike the second is.
    (Imai and Fukunaga, "On a Practical, Integer-Linear Programming Model for Delete-Free Tasks and its Use as a Heuristic for Cost-Optimal
    Planning", JAIR 2015.)
    """
    left = [number for number in range(len(relaxation.needs)) if number not in dropped]
    useful = {GOAL}.union(*(relaxation.needs[number] for number in left))
    needs = {number: frozenset(relaxation.needs[number]) - {START} for number in left}
    adds = {number: useful.intersection(relaxation.adds[number]) for number in left}
    kept = [number for number in left if adds[number] and not _dominated(relaxation, number, needs, adds)]
    return indexed(
        relaxation.facts,
        [relaxation.origins[number] for number in kept],
        [relaxation.needs[number] for number in kept],
        [tuple(sorted(adds[number])) for number in kept],
        [relaxation.costs[number] for number in kept],
    )


def _dominated(relaxation: Relaxation, number: int, needs: dict[int, frozenset[int]], adds: dict[int, set[int]]) -> bool:
    costs = relaxation.costs
    rarest = min(adds[number], key=lambda fact: len(relaxation.achievers[fact]))
    for other in relaxation.achievers[rarest]:
        if other in needs and costs[other] <= costs[number] and needs[other] <= needs[number] and adds[other] >= adds[number]:
            alike = costs[other] == costs[number] and needs[other] == needs[number] and adds[other] == adds[number]
            if other < number or not alike:
                return True
    return False
