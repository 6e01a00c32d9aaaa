"""A problem to a solution, by the engine that is asked for."""

from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.planning.grounding import compile_task
from toolplan.planning.plans import Bounded, EngineFailed, EngineMissing, Limit, Optimal, Plan, Solution, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.search.in_process import in_process
from toolplan.planning.search.uniform_cost import uniform_cost
from toolplan.planning.semantics import goal_reached, is_valid_plan
from toolplan.planning.task import Task, missing, reachable, relevant

AUTO = "auto"
IN_PROCESS = "in-process"
FAST_DOWNWARD = "fast-downward"
UNIFORM_COST = "uniform-cost"
EFFORT = 250_000
"""What `auto` lets the search in this process do before it starts Fast Downward, counted so that every machine agrees."""
REACHABILITY = "reachability"
"""Named as the engine of answers that need no search."""
ENGINES = (AUTO, IN_PROCESS, FAST_DOWNWARD, UNIFORM_COST)


def solve(problem: Problem, engine: str = AUTO, limit: Limit | None = None) -> Solution:
    """The best way from the state of `problem` to its goal, as `engine` proves it within `limit`.

    A goal that holds already, and one that is unreachable even if nothing were ever deleted, are told without the engine. `auto` searches
    in this process, and what it cannot decide there goes to Fast Downward, where that is installed. Every plan is replayed before it is
    returned.
    Raises DomainError for an unknown engine, a bad limit, or a problem that is too large to ground.
    """
    limit = _checked(limit or Limit(), engine)
    task = prepare(problem)
    return solve_task(problem, task, engine, limit) if isinstance(task, Task) else task


def prepare(problem: Problem) -> Task | Optimal | Unreachable:
    """The task that an engine must search: ground, and without what no plan can apply or need. Or the answer, where none is needed."""
    if goal_reached(problem, problem.state):
        return Optimal(Plan((), Fraction(0)), REACHABILITY)
    task = compile_task(problem)
    absent = missing(task)
    if absent is not None:
        return Unreachable(absent, REACHABILITY)
    return relevant(reachable(task))


def solve_task(problem: Problem, task: Task, engine: str, limit: Limit) -> Solution:
    """What `engine` says of `task`, which was prepared for `problem`."""
    if engine == AUTO:
        quick = _replayed(problem, in_process(task, limit, EFFORT))
        if isinstance(quick, Optimal | Unreachable):
            return quick
        solution = _run(problem, task, FAST_DOWNWARD, limit)
        return solution if isinstance(solution, Optimal | Unreachable) else _run(problem, task, IN_PROCESS, limit)
    return _run(problem, task, engine, limit)


def _run(problem: Problem, task: Task, engine: str, limit: Limit) -> Solution:
    if engine == IN_PROCESS:
        return _replayed(problem, in_process(task, limit))
    if engine == UNIFORM_COST:
        return uniform_cost(problem, tuple(dict.fromkeys(operator.step for operator in task.operators)), limit)
    if not planners_installed():
        message = f"engine `{engine}` needs unified-planning and Fast Downward, which are not installed"
        hint = "install them with `pip install 'toolplan[planners]'`, or use the engine in-process"
        return EngineMissing(Diagnostic(Code.ENGINE_MISSING, message, None, hint))
    from toolplan.planning import outside

    return _replayed(problem, outside.fast_downward(task, limit) if engine == FAST_DOWNWARD else outside.other(task, engine, limit))


def _replayed(problem: Problem, solution: Solution) -> Solution:
    """`solution`, if its plan does what it says in the reference meaning."""
    if isinstance(solution, Optimal | Bounded) and not is_valid_plan(problem, solution.plan):
        message = f"the answer of `{solution.engine}` does not hold: its plan does not reach the goal"
        return EngineFailed(Diagnostic(Code.ENGINE_NOT_BELIEVED, message, None, "use the engine in-process"))
    return solution


def planners_installed() -> bool:
    """Whether unified-planning and Fast Downward are there. Imports neither."""
    return find_spec("unified_planning") is not None and find_spec("up_fast_downward") is not None


def _checked(limit: Limit, engine: str) -> Limit:
    findings = []
    if engine not in ENGINES and not engine.startswith("up:"):
        hint = f"there are {', '.join(ENGINES)}, and `up:NAME` for any engine of unified-planning"
        findings.append(Diagnostic(Code.UNKNOWN_ENGINE, f"unknown engine `{engine}`", None, hint))
    for name, value in (("expansions", limit.expansions), ("seconds", limit.seconds), ("megabytes", limit.megabytes)):
        if not value > 0:
            findings.append(Diagnostic(Code.BAD_LIMIT, f"the limit of {name} must be above zero, not {value}", None))
    if findings:
        raise DomainError(findings)
    return limit
