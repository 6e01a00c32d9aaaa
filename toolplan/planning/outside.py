"""Outside planners: what to ask of them, and what to believe of their answers.

They count costs in few bits, and say `no plan` also when they failed. So costs are kept where no sum overflows, a plan's cost is added
up again, and `no plan` is asked for a second time without costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, gcd
from typing import NamedTuple

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.planning.answers import Answer, Broken, Exhausted, Found, Resource, Stopped
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Plan, Solution, Step, Undecided, Unreachable
from toolplan.planning.task import Task

COST_BOUND = 2**29
"""Fast Downward keeps the cost of the way to a state in 30 bits, one of them the sign: from here on it takes the dearest for the cheapest."""
USUAL = "astar(lmcut())"
NO_ROOM = "scores too large to count steps beside them"


class Planner(NamedTuple):
    """An outside planner: its name, the search it takes for a task, and what it says of one when operator `i` costs `costs[i]`."""

    name: str
    search_for: Callable[[Task], str]
    ask: Callable[[Task, Sequence[int], Limit], Answer]


def optimal(task: Task, planner: Planner, limit: Limit) -> Solution:
    """What `planner` proves of `task`, its plan least by (score, number of steps). All its runs share `limit`.

    The cost of an operator is its score times a factor, plus one for the step. Such costs order all plans of fewer steps than the
    factor; where a plan with more steps might have a smaller score, a run on the bare scores decides. Equal scores order steps already.
    """
    runs = _Runs(planner, limit)
    scores = bare_scores(task)
    if not fits(scores):
        return _too_large(task, planner.name)
    if set(scores) == {1}:
        return runs.solve(task, 0)
    factor = min(len(scores) + 1, _room(scores, 0))
    best = runs.solve(task, factor)
    if not isinstance(best, Optimal) or _is_least(task, factor, best.plan):
        return best
    cheapest = runs.solve(task, 0) if factor else best
    if not isinstance(cheapest, Optimal):
        return _unproved(best.plan, cheapest)
    if factor and cheapest.plan.score == best.plan.score:
        return best
    affordable = _affordable(task, cheapest.plan)
    room = _room(bare_scores(affordable), ceil(cheapest.plan.score * task.unit / _common(affordable)))
    shortest = runs.solve(affordable, room) if room else Undecided(cheapest.plan.score, planner.name, NO_ROOM)
    if isinstance(shortest, Optimal) and shortest.plan.score == cheapest.plan.score:
        return shortest
    reason = shortest.limit if isinstance(shortest, Undecided) else NO_ROOM
    return Bounded(cheapest.plan, cheapest.plan.score, cheapest.engine, reason)


def unchecked(task: Task, planner: Planner, judge: Planner, limit: Limit) -> Solution:
    """The answer of a planner that claims no cost: its word for being optimal is taken, and only where the order by steps is certain.

    Where it finds no plan, `judge` is asked whether there is none.
    """
    scores = bare_scores(task)
    factor = len(scores) + 1
    if not fits(costs_of(scores, factor)):
        return _too_large(task, planner.name)
    runs = _Runs(planner, limit)
    answer = runs.ask(task, costs_of(scores, factor))
    if isinstance(answer, Exhausted):
        runs = _Runs(judge, limit)
    if not isinstance(answer, Found):
        return runs.without_plan(task, factor, answer)
    plan = _plan(task, answer.operators)
    if answer.claims_optimal and _is_least(task, factor, plan):
        return Optimal(plan, planner.name)
    return Bounded(plan, Fraction(0), planner.name, "the engine proves no plan to be the best")


def bare_scores(task: Task) -> list[int]:
    """The scores of the operators, divided by what they have in common."""
    common = _common(task)
    return [operator.score // common for operator in task.operators]


def costs_of(scores: Sequence[int], factor: int) -> list[int]:
    """What operators cost in a run: their scores times `factor`, plus one for the step; where that is zero, their bare scores."""
    return [score * factor + 1 for score in scores] if factor else list(scores)


def fits(costs: Sequence[int]) -> bool:
    """Whether no search for a plan that costs less than the bound can overflow.

    LM-cut adds no operator twice to a value, and A* expands no state beyond the cost of the best plan. So if all costs together stay
    below the bound, and a plan is found that stays below it with one more operator, nothing overflowed; no other plan is believed.
    """
    return sum(costs) < COST_BOUND


class _Runs:
    """Runs of one planner, which share the time of a limit."""

    def __init__(self, planner: Planner, limit: Limit) -> None:
        self._planner = planner
        self._limit = limit
        self._deadline = time.monotonic() + limit.seconds

    def ask(self, task: Task, costs: Sequence[int]) -> Answer:
        """What the planner says within the time that is left."""
        left = self._deadline - time.monotonic()
        return self._planner.ask(task, costs, replace(self._limit, seconds=left)) if left > 0 else Stopped(Resource.TIME)

    def solve(self, task: Task, factor: int) -> Solution:
        """The plan of least cost by `costs_of`, if the answer can be believed."""
        costs = costs_of(bare_scores(task), factor)
        answer = self.ask(task, costs)
        if not isinstance(answer, Found):
            return self.without_plan(task, factor, answer)
        real = sum(costs[number] for number in answer.operators)
        if answer.claimed != real:
            return self._disbelieved(f"it claims a cost of {answer.claimed} for a plan that costs {real}")
        if real + max(costs) >= COST_BOUND:
            return self._disbelieved(f"its plan costs {real}, which is more than it can count")
        search = self._planner.search_for(task)
        label = self._planner.name if search == USUAL else f"{self._planner.name} {search}"
        return Optimal(_plan(task, answer.operators), label)

    def without_plan(self, task: Task, factor: int, answer: Answer) -> Solution:
        """`No plan` is believed from a run in which every operator costs one: no sum of those can overflow."""
        if not isinstance(answer, Exhausted):
            return self._failure(answer, _least_score(task, factor, answer.bound) if isinstance(answer, Stopped) else Fraction(0))
        again = self.ask(task, [1] * len(task.operators))
        match again:
            case Exhausted():
                return Unreachable((), self._planner.name)
            case Found():
                return self._disbelieved("it finds no plan, and finds one when costs are left out")
            case _:
                return self._failure(again, Fraction(0))

    def _failure(self, answer: Answer, bound: Fraction) -> Solution:
        name = self._planner.name
        match answer:
            case Stopped(resource):
                reached = f"{self._limit.seconds:g} s" if resource is Resource.TIME else f"{self._limit.megabytes} MB"
                return Undecided(bound, name, reached)
            case Broken(detail):
                hint = "`toolplan doctor` tries it on a small task"
                return EngineFailed(Diagnostic(Code.ENGINE_CRASHED, f"engine `{name}` failed: {detail}", None, hint))
            case _:
                message = f"unified-planning has no engine `{name.removeprefix('up:')}`"
                return EngineMissing(Diagnostic(Code.ENGINE_MISSING, message, None, "`toolplan doctor` lists those that are installed"))

    def _disbelieved(self, reason: str) -> EngineFailed:
        message = f"the answer of `{self._planner.name}` does not hold: {reason}"
        return EngineFailed(Diagnostic(Code.ENGINE_NOT_BELIEVED, message, None, "use the engine in-process"))


def _room(scores: Sequence[int], least: int) -> int:
    """The largest factor for which costs fit, and a plan of the score `least` stays below the bound: half of it is for the steps."""
    return COST_BOUND // 2 // max(1, sum(scores) + least)


def _is_least(task: Task, factor: int, plan: Plan) -> bool:
    """Whether no plan of smaller score can have been missed for its many steps.

    It would need at least `factor` of them, and they alone would cost more; where nothing is deleted, no plan needs so many.
    """
    scores = bare_scores(task)
    if task.only_adds and factor > len(scores):
        return True
    return factor > 0 and min(scores) * factor >= plan.score * task.unit / _common(task)


def _least_score(task: Task, factor: int, cost: int) -> Fraction:
    """The smallest score that a plan of at least this `cost` can have."""
    scores = bare_scores(task)
    cheapest_step = min(scores, default=0)
    if not factor:
        least = cost
    else:
        least = -(-cost * cheapest_step // (factor * cheapest_step + 1))
        if task.only_adds:
            least = max(least, -((len(scores) - cost) // factor))
    return Fraction(max(0, least) * _common(task), task.unit)


def _affordable(task: Task, plan: Plan) -> Task:
    """`task` without the operators that alone score more than `plan`."""
    return replace(task, operators=tuple(op for op in task.operators if op.score <= plan.score * task.unit))


def _unproved(plan: Plan, solution: Solution) -> Solution:
    """`plan`, which may not be the best, with what the run that was to prove it says of a bound."""
    return Bounded(plan, solution.lower_bound, solution.engine, solution.limit) if isinstance(solution, Undecided) else solution


def _common(task: Task) -> int:
    return gcd(*(operator.score for operator in task.operators)) or 1


def _plan(task: Task, operators: Sequence[int]) -> Plan:
    steps: tuple[Step, ...] = tuple(task.operators[number].step for number in operators)
    return Plan(steps, Fraction(sum(task.operators[number].score for number in operators), task.unit))


def _too_large(task: Task, engine: str) -> EngineFailed:
    dearest = max(task.operators, key=lambda operator: operator.score)
    message = f"the scores are too large for `{engine}`, which counts below 2^29; the largest is that of `{dearest.step}`"
    return EngineFailed(Diagnostic(Code.COST_TOO_LARGE, message, None, "write costs in a coarser unit, or use the engine in-process"))
