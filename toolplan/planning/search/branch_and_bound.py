"""Branch and bound over landmarks, for tasks whose operators only add: exact, and with a plan from its first moment on.

After Pommerening and Helmert, "Optimal Planning for Delete-free Tasks with Incremental LM-Cut", ICAPS 2012. Two things do more here than
keeping landmarks from node to node, which lost against computing them afresh: relaxed plans of the operators of which LM-cut left no cost,
and dropping the operators that are in no plan better than the best one known.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from toolplan.planning.plans import Bounded, Optimal, Unreachable
from toolplan.planning.search.budget import Budget
from toolplan.planning.search.costs import as_score, plan_of
from toolplan.planning.search.landmarks import LandmarkCut, lm_cut
from toolplan.planning.search.ordering import in_order
from toolplan.planning.search.reduction import without
from toolplan.planning.search.relaxation import NO_OPERATOR, START, relax
from toolplan.planning.search.relaxed_plan import relaxed_plan
from toolplan.planning.task import Task

BRACKET = "lm-cut"
BRANCHING = "branch-and-bound"


def branch_and_bound(task: Task, budget: Budget) -> Optimal | Bounded | Unreachable:
    """The best plan of `task`, whose operators only add and have no conditional effects.

    Takes the node with the least bound first; of equals the one with more operators paid for, then the one that came first. The engine is
    named `lm-cut` where bounds met without branching.
    """
    search = _BranchAndBound(task, budget)
    exhausted = search.bracket() or search.branch()
    label = BRANCHING if budget.expansions else BRACKET
    if search.best is None:
        return Unreachable((), label)
    order = in_order(task, task.initial, search.best)
    assert order is not None, "where operators only add, a relaxed plan is a plan"
    plan = plan_of(order, task.unit)
    if exhausted is None:
        return Optimal(plan, label, budget.expansions)
    return Bounded(plan, as_score(min(search.lower_bound, search.cost), task.unit), label, exhausted)


class _Node(NamedTuple):
    """The plans that use all operators that are `paid` for and none that is `forbidden`. None of them costs less than `bound`."""

    bound: int
    depth: int
    number: int
    paid: frozenset[int]
    forbidden: frozenset[int]


class _BranchAndBound:
    """The `best` plan so far, as operators of the task, with its `cost`; no plan costs less than `lower_bound`."""

    def __init__(self, task: Task, budget: Budget) -> None:
        self.best: list[int] | None = None
        self.lower_bound = 0
        self._relaxation = relax(task)
        self.cost = self._relaxation.out_of_reach
        self._budget = budget
        self._nodes = 0

    @property
    def _closed(self) -> bool:
        return self.lower_bound >= self.cost

    def bracket(self) -> str | None:
        """Bring bound and plan as close to each other as goes without branching. Return which limit stopped it, if one did.

        What is in no better plan, and what is dominated, leaves the relaxation, as long as much leaves it.
        """
        while True:
            cut = self._cut(frozenset(), frozenset())
            self.lower_bound = max(self.lower_bound, cut.bound if cut.reachable else self.cost)
            if cut.reachable:
                self._offer(cut, frozenset())
                if not cut.complete:
                    return self._budget.used_up()
            if self._closed:
                return None
            size = len(self._relaxation.needs)
            inapplicable = [number for number, supporter in enumerate(cut.supporters) if supporter < 0]
            self._relaxation = without(self._relaxation, {*inapplicable, *cut.hopeless(self.cost)})
            self._budget.looks += size
            if len(self._relaxation.needs) > size * 7 // 8:
                return None

    def branch(self) -> str | None:
        """Search for better plans until there is none. Return which limit stopped it, if one did."""
        queue = [_Node(self.lower_bound, 0, 0, frozenset(), frozenset())]
        while queue:
            self.lower_bound = max(self.lower_bound, queue[0].bound)
            if self._closed:
                return None
            if exhausted := self._budget.used_up():
                return exhausted
            children = list(self._children(heappop(queue)))
            if exhausted := self._budget.used_up():
                return exhausted
            self._budget.expansions += 1
            for child in children:
                heappush(queue, child)
        return None

    def _children(self, node: _Node) -> Iterator[_Node]:
        """Split the better plans of `node` by the operator of a small landmark that they use, the first one that they use."""
        paid, forbidden = node.paid, node.forbidden
        while True:
            spent = sum(self._relaxation.costs[number] for number in paid)
            cut = self._cut(paid, forbidden)
            if not cut.complete or spent + cut.bound >= self.cost:
                return
            single = {landmark[0] for landmark in cut.landmarks if len(landmark) == 1}
            choices = [landmark for landmark in cut.landmarks if len(landmark) > 1]
            paid |= single
            if any(cut.costs[number] for number in single) or any(not single.isdisjoint(landmark) for landmark in choices):
                # Paid for, they share no cost with other operators: the bound may rise.
                continue
            self._offer(cut, paid)
            if spent + cut.bound >= self.cost:
                return
            hopeless = set(cut.hopeless(self.cost - spent)) - paid
            if not hopeless:
                break
            forbidden |= hopeless
        landmark = min(choices, key=len)
        for number in sorted(landmark, key=lambda number: (cut.costs[number], number)):
            self._nodes += 1
            yield _Node(spent + cut.taken + cut.costs[number], -len(paid), self._nodes, paid | {number}, forbidden)
            forbidden |= {number}

    def _cut(self, paid: frozenset[int], forbidden: frozenset[int]) -> LandmarkCut:
        return lm_cut(self._relaxation, (START,), self._costs(paid), self._budget, forbidden)

    def _costs(self, paid: frozenset[int]) -> list[int]:
        return [0 if number in paid else cost for number, cost in enumerate(self._relaxation.costs)]

    def _offer(self, cut: LandmarkCut, paid: frozenset[int]) -> None:
        plan = relaxed_plan(self._relaxation, (START,), self._costs(paid), cut)
        self._budget.looks += len(self._relaxation.needs)
        cost = sum(self._relaxation.costs[number] for number in plan)
        if cost < self.cost:
            self.cost = cost
            self.best = [origin for number in plan if (origin := self._relaxation.origins[number]) != NO_OPERATOR]
