"""Outside planners: what to ask of them, and what to believe of their answers.

They count costs in 32 bits, and say `no plan` also when they failed. So costs are kept where no sum overflows, a plan's cost is added
up again, and `no plan` is asked for a second time without costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.planning import unified
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Plan, Solution, Step, Undecided, Unreachable
from toolplan.planning.task import Task

FAST_DOWNWARD = "fast-downward"
COST_BOUND = 2**30


def fast_downward(task: Task, limit: Limit) -> Solution:
    """Fast Downward's answer, least by (score, number of steps).

    The cost of an operator is its score times a factor, plus one for the step. Such costs order all plans of fewer steps than the
    factor; where a plan with more steps might have a smaller score, a run on the bare scores decides.
    """
    costs = bare_costs(task)
    if not fits(costs):
        return _too_large(task, FAST_DOWNWARD)
    if not fits(_with_steps(costs, len(costs) + 1)):
        cheapest = _solve(task, costs, limit)
        if not isinstance(cheapest, Optimal):
            return cheapest
        affordable = cheapest.plan.score * task.unit
        task = replace(task, operators=tuple(op for op in task.operators if op.score <= affordable))
        costs = bare_costs(task)
    factor = len(costs) + 1
    while fits(combined := _with_steps(costs, factor)):
        best = _solve(task, combined, limit)
        if not isinstance(best, Optimal) or _is_least(task, costs, factor, best.plan):
            return best
        cheapest = _solve(task, costs, limit)
        if not isinstance(cheapest, Optimal) or cheapest.plan.score == best.plan.score:
            return best if isinstance(cheapest, Optimal) else cheapest
        factor *= 8
    return _too_large(task, FAST_DOWNWARD)


def other(task: Task, engine: str, limit: Limit) -> Solution:
    """The answer of the unified-planning engine `engine` (`up:NAME`).

    It claims no cost, so its word for being optimal is taken, and only where the order by steps is certain.
    """
    costs = bare_costs(task)
    combined = _with_steps(costs, len(costs) + 1)
    if not fits(combined):
        return _too_large(task, engine)
    answer = unified.other_engine(engine.removeprefix("up:"), task, combined, limit)
    match answer:
        case unified.Found(operators, _, claims_optimal):
            plan = _plan(task, operators)
            if claims_optimal and _is_least(task, costs, len(costs) + 1, plan):
                return Optimal(plan, engine)
            return Bounded(plan, Fraction(0), engine, "the engine proves no plan to be the best")
        case unified.Exhausted():
            return _no_plan(task, engine, limit)
        case _:
            return _failure(answer, engine)


def bare_costs(task: Task) -> list[int]:
    """The scores of the operators, divided by what they have in common."""
    common = _common(task)
    return [operator.score // common for operator in task.operators]


def fits(costs: Sequence[int]) -> bool:
    """Whether no search for a plan that costs less than the bound can overflow.

    LM-cut adds no operator twice to a value, and A* expands no state beyond the cost of the best plan. So if all costs together stay
    below the bound, a plan below it was found without overflow; and one that costs more is not believed.
    """
    return sum(costs) < COST_BOUND


def _with_steps(costs: Sequence[int], factor: int) -> list[int]:
    return [cost * factor + 1 for cost in costs]


def _is_least(task: Task, costs: Sequence[int], factor: int, plan: Plan) -> bool:
    """Whether no plan of smaller score can have been missed for its many steps.

    It would need at least `factor` of them, and they alone would cost more; where nothing is deleted, no plan needs so many.
    """
    return task.only_adds or min(costs) * factor >= plan.score * task.unit / _common(task)


def _common(task: Task) -> int:
    return gcd(*(operator.score for operator in task.operators)) or 1


def _plan(task: Task, operators: Sequence[int]) -> Plan:
    steps: tuple[Step, ...] = tuple(task.operators[number].step for number in operators)
    return Plan(steps, Fraction(sum(task.operators[number].score for number in operators), task.unit))


def _solve(task: Task, costs: Sequence[int], limit: Limit) -> Solution:
    """One run of Fast Downward, if its answer can be believed."""
    answer = unified.fast_downward(task, costs, limit)
    match answer:
        case unified.Found(operators, claimed, _):
            real = sum(costs[number] for number in operators)
            if claimed != real:
                return EngineFailed(_disbelieved(f"it claims a cost of {claimed} for a plan that costs {real}"))
            if real >= COST_BOUND:
                return EngineFailed(_disbelieved(f"its plan costs {real}, which is more than it can count"))
            return Optimal(_plan(task, operators), _configured(task))
        case unified.Exhausted():
            return _no_plan(task, FAST_DOWNWARD, limit)
        case _:
            return _failure(answer, FAST_DOWNWARD)


def _configured(task: Task) -> str:
    """Fast Downward's name, with the search where it is not the usual one."""
    search = unified.search_for(task)
    return FAST_DOWNWARD if search == unified.LM_CUT else f"{FAST_DOWNWARD} {search}"


def _no_plan(task: Task, engine: str, limit: Limit) -> Solution:
    """`No plan` is believed from a run of Fast Downward in which every operator costs one: no sum of those can overflow."""
    answer = unified.fast_downward(task, [1] * len(task.operators), limit)
    match answer:
        case unified.Exhausted():
            return Unreachable((), engine)
        case unified.Found():
            return EngineFailed(_disbelieved("it finds no plan, and finds one when costs are left out"))
        case _:
            return _failure(answer, FAST_DOWNWARD)


def _failure(answer: unified.Answer, engine: str) -> Solution:
    match answer:
        case unified.Stopped(reached):
            return Undecided(Fraction(0), engine, reached)
        case unified.Broken(detail):
            hint = "`toolplan doctor` tries it on a small task"
            return EngineFailed(Diagnostic(Code.ENGINE_CRASHED, f"engine `{engine}` failed: {detail}", None, hint))
        case _:
            message = f"unified-planning has no engine `{engine.removeprefix('up:')}`"
            return EngineMissing(Diagnostic(Code.ENGINE_MISSING, message, None, "`toolplan doctor` lists those that are installed"))


def _too_large(task: Task, engine: str) -> EngineFailed:
    dearest = max(task.operators, key=lambda operator: operator.score)
    message = f"the scores are too large for `{engine}`, which counts below 2^30; the largest is that of `{dearest.step}`"
    return EngineFailed(Diagnostic(Code.COST_TOO_LARGE, message, None, "write costs in a coarser unit, or use the engine in-process"))


def _disbelieved(reason: str) -> Diagnostic:
    message = f"the answer of `{FAST_DOWNWARD}` does not hold: {reason}"
    return Diagnostic(Code.ENGINE_NOT_BELIEVED, message, None, "use the engine in-process")
