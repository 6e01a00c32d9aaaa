"""A* with LM-cut, for tasks whose operators delete, need something to be false, or have conditional effects."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

from toolplan.planning.plans import Bounded, Optimal, Undecided, Unreachable
from toolplan.planning.search.budget import Budget
from toolplan.planning.search.costs import as_score, cost_of, plan_of
from toolplan.planning.search.landmarks import LandmarkCut, lm_cut
from toolplan.planning.search.ordering import in_order
from toolplan.planning.search.relaxation import NO_OPERATOR, relax
from toolplan.planning.search.relaxed_plan import relaxed_plan
from toolplan.planning.search.states import States
from toolplan.planning.task import Operator, Task

BRACKET = "lm-cut"
NAME = "a-star"
LAST_LOOKS = 20_000
"""At how many operators a search looks once more that would end without any plan."""


def a_star(task: Task, budget: Budget) -> Optimal | Bounded | Unreachable | Undecided:
    """The best plan of `task`.

    Expands states in order of cost so far plus bound; of equals the one farther from the start, then the one that came first. A state that
    is reached more cheaply later is expanded again, since LM-cut is not consistent. A relaxed plan that can be executed is a plan, too:
    where no open state promises less than it costs, it is the best. The engine is named `lm-cut` where that took no expansion.
    """
    search = _AStar(task, budget)
    exhausted = search.run()
    label = NAME if budget.expansions else BRACKET
    if exhausted is None:
        return Unreachable((), label) if search.best is None else Optimal(plan_of(search.best, task.unit), label, budget.expansions)
    lower_bound = as_score(search.lower_bound, task.unit)
    if search.best is None:
        return Undecided(lower_bound, label, exhausted)
    return Bounded(plan_of(search.best, task.unit), lower_bound, label, exhausted)


class _AStar:
    """The `best` plan so far; no plan costs less than `lower_bound`."""

    def __init__(self, task: Task, budget: Budget) -> None:
        self.best: list[Operator] | None = None
        self.lower_bound = 0
        self._cost: float = inf
        self._task = task
        self._budget = budget
        self._relaxation = relax(task)
        self._costs = [cost_of(operator) for operator in task.operators]
        self._states = States(task)
        self._queue: list[tuple[int, int, int, int]] = []
        self._pushed = 0
        self._reached = {self._states.initial: 0}
        self._came: dict[int, tuple[int, int]] = {}
        self._bounds: dict[int, float] = {}
        self._promises: dict[int, list[int]] = {}

    def run(self) -> str | None:
        """Search until the best plan is proved best, or until there is none. Return which limit was passed before that, if one was."""
        self._push(self._states.initial, 0, 0)
        while self._queue:
            promised, negative, _, state = self._queue[0]
            self.lower_bound = max(self.lower_bound, promised)
            if self.lower_bound >= self._cost:
                return None
            if exhausted := self._budget.used_up():
                return self._give_up(state, exhausted)
            heappop(self._queue)
            if self._reached[state] == -negative:
                bound = max(promised, self._bound(state) - negative)
                if bound == promised and not self._budget.used_up():
                    self._budget.expansions += 1
                    self._expand(state, promised)
                elif bound < self._cost:
                    self._push(state, int(bound), -negative)
        return None

    def _push(self, state: int, promised: int, reached: int) -> None:
        self._pushed += 1
        heappush(self._queue, (promised, -reached, self._pushed, state))

    def _expand(self, state: int, promised: int) -> None:
        start = self._reached[state]
        # Nothing is known of the states after it yet but what is known from here of the plans that use the operator.
        promises = self._promises.pop(state, self._costs)
        for number, after in self._states.successors(state):
            reached = start + self._costs[number]
            if reached < self._reached.get(after, inf) and max(reached, start + promises[number]) < self._cost:
                self._reach(state, number, after)
                if not self._states.reached_goal(after):
                    self._push(after, max(promised, start + promises[number]), reached)

    def _bound(self, state: int) -> float:
        """What it costs at least to reach the goal from `state`. Computed once for a state, when it is first taken up."""
        if state not in self._bounds:
            plan = self._evaluate(state)
            if not self._budget.used_up():
                self._offer(state, plan)
        return self._bounds[state]

    def _evaluate(self, state: int) -> list[int]:
        """Note what is known of the plans from `state`. Return a relaxed one, as operators of the task; none where there is none."""
        relaxation = self._relaxation
        known = relaxation.known(self._states.fluents(state))
        cut = lm_cut(relaxation, known, relaxation.costs, self._budget)
        if not cut.reachable:
            self._bounds[state] = inf
            return []
        self._bounds[state] = cut.bound
        self._promises[state] = self._promised(cut)
        origins = [relaxation.origins[number] for number in relaxed_plan(relaxation, known, relaxation.costs, cut)]
        self._budget.looks += len(relaxation.needs)
        return [number for number in dict.fromkeys(origins) if number != NO_OPERATOR]

    def _promised(self, cut: LandmarkCut) -> list[int]:
        """For each operator of the task what the plans that use it cost at least."""
        promises = [cut.taken + cost for cost in self._costs]
        for number, origin in enumerate(self._relaxation.origins):
            if origin != NO_OPERATOR:
                promises[origin] = cut.taken + cut.costs[number]
        return promises

    def _offer(self, state: int, numbers: list[int]) -> None:
        """Take the way to `state` and a relaxed plan from there for a plan, if it is one and is cheaper."""
        cost = self._reached[state] + sum(self._costs[number] for number in numbers)
        if cost < self._cost:
            order = in_order(self._task, self._states.fluents(state), numbers)
            if order is not None:
                # Not all of them may have been needed.
                self._cost = self._reached[state] + sum(map(cost_of, order))
                self.best = self._path(state) + order

    def _give_up(self, state: int, exhausted: str) -> str:
        """Before ending without any plan, follow relaxed plans for a while, each by one operator that leads to a new state."""
        enough = self._budget.looks + LAST_LOOKS
        while self.best is None and self._budget.looks < enough:
            plan = self._evaluate(state)
            self._offer(state, plan)
            after = dict(self._states.successors(state))
            ahead = [number for number in plan if number in after and after[number] not in self._reached]
            if not ahead:
                break
            self._reach(state, ahead[0], after[ahead[0]])
            state = after[ahead[0]]
        return exhausted

    def _reach(self, state: int, number: int, after: int) -> None:
        """Note that the operator leads on from `state` to the state `after`."""
        self._reached[after] = self._reached[state] + self._costs[number]
        self._came[after] = (state, number)
        if self._states.reached_goal(after):
            self._cost = self._reached[after]
            self.best = self._path(after)

    def _path(self, state: int) -> list[Operator]:
        path = []
        while state != self._states.initial:
            state, number = self._came[state]
            path.append(self._task.operators[number])
        path.reverse()
        return path
