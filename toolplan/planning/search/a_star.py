"""A* over a task with LM-cut as its heuristic: exact, in this process, and the way most questions are answered."""

from __future__ import annotations

import heapq
import time
from fractions import Fraction
from math import inf

from toolplan.planning.plans import Limit, Optimal, Plan, Undecided, Unreachable
from toolplan.planning.search.relaxation import INFINITE, lower_bound, relax
from toolplan.planning.task import Operator, Task

NAME = "a-star"
STEPS = 2**40
"""One unit of score, in steps: longer plans than this do not fit a search, so the order by (score, steps) is exact."""


def a_star(task: Task, limit: Limit, effort: float = inf) -> Optimal | Unreachable | Undecided:
    """The best plan of `task`, by (score, number of steps).

    Expands states in order of cost so far plus bound; of equals the one farther from the start, then the one that came first. A state that
    is reached more cheaply later is expanded again, since LM-cut is not consistent. `effort` is a limit besides `limit` that does not depend
    on the machine: how many operators may be looked at for the bounds.
    """
    costs = [operator.score * STEPS + 1 for operator in task.operators]
    relaxation = relax(task, costs)
    deadline = time.monotonic() + limit.seconds
    start, rounds = lower_bound(relaxation, task.initial)
    if start == INFINITE:
        return Unreachable((), NAME)
    bounds = {task.initial: start}
    best = {task.initial: 0}
    came: dict[frozenset[int], tuple[frozenset[int], Operator]] = {}
    queue: list[tuple[int, int, int, frozenset[int]]] = [(start, 0, 0, task.initial)]
    expansions = pushed = 0
    while queue:
        bound, negative, _, state = heapq.heappop(queue)
        if -negative != best[state]:
            continue
        if any(goal.hold(state) for goal in task.goals):
            return Optimal(_plan(task, state, came), NAME, expansions)
        if expansions >= limit.expansions:
            return Undecided(_in_units(bound, task), NAME, f"{limit.expansions:,} expansions")
        if time.monotonic() > deadline:
            return Undecided(_in_units(bound, task), NAME, f"{limit.seconds:g} s")
        expansions += 1
        for operator, cost in zip(task.operators, costs, strict=True):
            if operator.requires.hold(state):
                after = operator.apply(state)
                reached = cost - negative
                if after not in best or reached < best[after]:
                    if after not in bounds:
                        bounds[after], more = lower_bound(relaxation, after)
                        rounds += more
                        if rounds * len(relaxation.needs) > effort:
                            return Undecided(_in_units(bound, task), NAME, f"{effort:,} operators looked at")
                    if bounds[after] == INFINITE:
                        continue
                    best[after] = reached
                    came[after] = (state, operator)
                    pushed += 1
                    heapq.heappush(queue, (reached + bounds[after], -reached, pushed, after))
    return Unreachable((), NAME)


def _plan(task: Task, state: frozenset[int], came: dict[frozenset[int], tuple[frozenset[int], Operator]]) -> Plan:
    operators = []
    while state != task.initial:
        state, operator = came[state]
        operators.append(operator)
    operators.reverse()
    return Plan(tuple(operator.step for operator in operators), Fraction(sum(op.score for op in operators), task.unit))


def _in_units(bound: int, task: Task) -> Fraction:
    """A bound as a score: the steps in it are left out."""
    return Fraction(bound // STEPS, task.unit)
