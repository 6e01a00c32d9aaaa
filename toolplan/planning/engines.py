"""A problem to a solution, by the engine that is asked for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from math import ceil

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning import downward, outside
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Solution, Undecided, Unreachable
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.search.in_process import in_process
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import is_valid_plan
from toolplan.planning.task import Task

AUTO = "auto"
IN_PROCESS = "in-process"
DOWNWARD = "downward"
FAST_DOWNWARD = "fast-downward"
UNIFORM_COST = "uniform-cost"
LONGEST_SECONDS = 1_000_000
"""As long as an operating system can be asked to wait."""
MOST_MEGABYTES = 2**40
"""As much as an operating system can be told to allow, which counts bytes in 63 bits."""
EFFORT = 100_000
"""What `auto` lets A* in this process do before it starts Fast Downward: about as much as starting that costs.

Counted, so that every machine agrees.
"""
EFFORT_ADDING = 4_000_000
"""The same where operators only add, and always the same: there branch and bound proves nearly all that Fast Downward proves, and sooner."""
ENGINES = (AUTO, IN_PROCESS, DOWNWARD, FAST_DOWNWARD, UNIFORM_COST)


def solve(problem: Problem, engine: str = AUTO, limit: Limit | None = None) -> Solution:
    """The best way from the state of `problem` to its goal, as `engine` proves it within `limit`.

    A goal that holds already, and one that is unreachable even if nothing were ever deleted, are told without the engine. `auto` searches
    in this process, and what it cannot decide there goes to Fast Downward, where that is installed. Every plan is replayed before it is
    returned.
    Raises DomainError for an unknown engine, a bad limit, or a problem that is too large to ground.
    """
    limit = checked(limit or Limit(), engine)
    task = prepare(problem)
    return solve_task(problem, task, engine, limit) if isinstance(task, Task) else task


def solve_task(problem: Problem, task: Task, engine: str, limit: Limit) -> Solution:
    """What `engine` says of `task`, which was prepared for `problem`."""
    return _automatic(problem, task, limit) if engine == AUTO else _run(problem, task, engine, limit)


def _automatic(problem: Problem, task: Task, limit: Limit) -> Solution:
    """The proof of a short search in this process, or else of Fast Downward; without one, the best that both know.

    Where Fast Downward is not installed or fails, the search in this process has all the time.
    """
    if downward.program() is None:
        return _run(problem, task, IN_PROCESS, limit)
    deadline = time.monotonic() + limit.seconds
    known = _replayed(problem, in_process(task, limit, EFFORT_ADDING if task.only_adds else EFFORT))
    for engine in (DOWNWARD, IN_PROCESS):
        left = deadline - time.monotonic()
        if isinstance(known, Optimal | Unreachable) or left <= 0:
            break
        known = _better(known, _run(problem, task, engine, replace(limit, seconds=left)))
    return known


def _run(problem: Problem, task: Task, engine: str, limit: Limit) -> Solution:
    if engine == IN_PROCESS:
        return _replayed(problem, in_process(task, limit))
    if engine == UNIFORM_COST:
        return uniform_cost(problem, tuple(dict.fromkeys(operator.step for operator in task.operators)), limit)
    if engine == DOWNWARD:
        binary = downward.program()
        if binary is None:
            return _missing(engine, "Fast Downward")
        planner = outside.Planner(DOWNWARD, downward.search_for, partial(downward.ask, binary))
        return _replayed(problem, outside.optimal(task, planner, limit))
    if not planners_installed():
        return _missing(engine, "unified-planning and Fast Downward")
    from toolplan.planning import unified

    translating = outside.Planner(FAST_DOWNWARD, unified.search_for, unified.fast_downward)
    if engine == FAST_DOWNWARD:
        return _replayed(problem, outside.optimal(task, translating, limit))
    other = outside.Planner(engine, lambda _: outside.USUAL, partial(unified.other_engine, engine.removeprefix("up:")))
    return _replayed(problem, outside.unchecked(task, other, translating, limit))


def _missing(engine: str, needed: str) -> EngineMissing:
    message = f"engine `{engine}` needs {needed}, which cannot be found"
    hint = "install what is missing with `pip install 'toolplan[planners]'`, or use the engine in-process"
    return EngineMissing(Diagnostic(Code.ENGINE_MISSING, message, None, hint))


def _replayed(problem: Problem, solution: Solution) -> Solution:
    """`solution`, if its plan does what it says in the reference meaning."""
    if isinstance(solution, Optimal | Bounded) and not is_valid_plan(problem, solution.plan):
        message = f"the answer of `{solution.engine}` does not hold: its plan does not reach the goal"
        return EngineFailed(Diagnostic(Code.ENGINE_NOT_BELIEVED, message, None, "use the engine in-process"))
    return solution


def _better(one: Solution, other: Solution) -> Solution:
    """What is known after both: a proof, or else the better plan with the larger bound. Of equals `one`."""
    known = [solution for solution in (other, one) if isinstance(solution, Bounded | Undecided)]
    if isinstance(other, Optimal | Unreachable) or not known:
        return other
    bound = max(solution.lower_bound for solution in known)
    plans = [solution for solution in reversed(known) if isinstance(solution, Bounded)]
    best = min(plans, key=lambda solution: (solution.plan.score, len(solution.plan.steps)), default=known[0])
    return replace(best, lower_bound=bound, limit=known[0].limit)


def planners_installed() -> bool:
    """Whether unified-planning and Fast Downward are there. Imports neither."""
    return find_spec("unified_planning") is not None and find_spec("up_fast_downward") is not None


def checked(limit: Limit, engine: str) -> Limit:
    """`limit`, cut down to what operating systems count to, where it and `engine` can be used. Raises DomainError with what is wrong in them."""
    findings = [*_wrong_engine(engine), *_wrong_limit(limit)]
    if findings:
        raise DomainError(findings)
    return replace(limit, seconds=float(min(limit.seconds, LONGEST_SECONDS)), megabytes=ceil(min(limit.megabytes, MOST_MEGABYTES)))


def _wrong_engine(engine: object) -> Iterator[Diagnostic]:
    if engine not in ENGINES and not (isinstance(engine, str) and engine.startswith("up:")):
        hint = f"there are {', '.join(ENGINES)}, and `up:NAME` for any engine of unified-planning"
        yield Diagnostic(Code.UNKNOWN_ENGINE, f"unknown engine `{engine}`", None, hint)


def _wrong_limit(limit: object) -> Iterator[Diagnostic]:
    if not isinstance(limit, Limit):
        yield Diagnostic(Code.BAD_CALL, f"the limit is a `Limit`, not `{limit}`", None, "such as `Limit(seconds=5)`")
        return
    values: tuple[tuple[str, object], ...] = (
        ("expansions", limit.expansions),
        ("seconds", limit.seconds),
        ("megabytes", limit.megabytes),
    )
    for name, value in values:
        if not isinstance(value, int | float):
            yield Diagnostic(Code.BAD_LIMIT, f"the limit of {name} must be a number, not `{value}`", None)
        elif not value > 0:
            yield Diagnostic(Code.BAD_LIMIT, f"the limit of {name} must be above zero, not {value}", None)
