"""A task to unified-planning and back. The only module that imports it; no object of it leaves here.

What is built is ground and already pruned, over fluents `f0, f1, ...` and actions `a0, a1, ...`, in an environment of its own: names
cannot clash, quantifiers need no axioms, and a problem that fails to be written cannot spoil the next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import Any

import unified_planning as up
from unified_planning.engines import PlanGenerationResultStatus as Status
from unified_planning.environment import Environment
from unified_planning.exceptions import UPException, UPNoRequestedEngineAvailableException
from unified_planning.model.metrics import MinimizeActionCosts
from up_fast_downward.fast_downward import FastDownwardPDDLPlanner

from toolplan.planning import supervised
from toolplan.planning.answers import Absent, Answer, Broken, Exhausted, Found, Resource, Stopped, believable
from toolplan.planning.plans import Limit
from toolplan.planning.task import Change, Literals, Task

LM_CUT = "astar(lmcut())"
BLIND = "astar(blind())"
"""For what LM-cut cannot take: conditional effects, and goals that are disjunctions (the translator makes axioms of them)."""


def fast_downward(task: Task, costs: Sequence[int], limit: Limit) -> Answer:
    """What Fast Downward's A* says of `task` when operator `i` costs `costs[i]`."""
    engine = _Downward(search_for(task), limit)
    with _quiet(), engine:
        try:
            result = engine.solve(_problem(task, costs), timeout=limit.seconds)
        except (UPException, OSError, ValueError, AttributeError) as error:
            return Broken(f"{type(error).__name__}: {error}")
    return believable(_answer_of_downward(engine, result), limit)


def search_for(task: Task) -> str:
    """The search that can take all of `task`: with LM-cut where it can, else blind. Both are optimal."""
    return BLIND if len(task.goals) > 1 or any(operator.changes for operator in task.operators) else LM_CUT


def other_engine(name: str, task: Task, costs: Sequence[int], limit: Limit) -> Answer:
    """What the unified-planning engine `name` says of `task` when operator `i` costs `costs[i]`."""
    with _quiet():
        problem = _problem(task, costs)
        try:
            with problem.environment.factory.OneshotPlanner(name=name) as planner, _apart(planner):
                result = planner.solve(problem, timeout=limit.seconds)
        except UPNoRequestedEngineAvailableException:
            return Absent()
        except Exception as error:  # an engine is somebody else's code: whatever it raises is its failure, not ours
            return Broken(f"{type(error).__name__}: {error}")
    if result.status in (Status.SOLVED_OPTIMALLY, Status.SOLVED_SATISFICING) and result.plan is not None:
        return Found(_indices(result.plan, task), None, result.status is Status.SOLVED_OPTIMALLY)
    if result.status is Status.UNSOLVABLE_PROVEN:
        return Exhausted()
    if result.status in (Status.TIMEOUT, Status.MEMOUT):
        return Stopped(Resource.TIME if result.status is Status.TIMEOUT else Resource.MEMORY)
    return Broken(f"{result.status.name}: {_last_words(result)}")


def _problem(task: Task, costs: Sequence[int]) -> Any:
    environment = _environment()
    manager, types = environment.expression_manager, environment.type_manager
    problem = up.model.Problem("toolplan", environment)
    used = sorted(_used(task))
    fluents = {number: up.model.Fluent(f"f{number}", types.BoolType(), environment=environment) for number in used}
    for number, fluent in fluents.items():
        problem.add_fluent(fluent, default_initial_value=number in task.initial)

    def condition(literals: Literals) -> Any:
        true = [manager.FluentExp(fluents[number]) for number in sorted(literals.true)]
        false = [manager.Not(manager.FluentExp(fluents[number])) for number in sorted(literals.false)]
        return manager.And(true + false)

    actions = {}
    for number, (operator, cost) in enumerate(zip(task.operators, costs, strict=True)):
        action = up.model.InstantaneousAction(f"a{number}", _env=environment)
        if any(operator.requires):
            action.add_precondition(condition(operator.requires))
        for change in (Change(Literals(), operator.adds, operator.deletes), *operator.changes):
            when = condition(change.condition)
            for deleted in sorted(change.deletes - change.adds - operator.adds):
                action.add_effect(fluents[deleted], False, when)
            for added in sorted(change.adds):
                action.add_effect(fluents[added], True, when)
        problem.add_action(action)
        actions[action] = manager.Int(cost)
    problem.add_goal(manager.Or([condition(goal) for goal in task.goals]))
    problem.add_quality_metric(MinimizeActionCosts(actions, environment=environment))
    return problem


def _environment() -> Any:
    """A fresh environment, silent.

    The library looks for its configuration beside the script that runs, which fails where the working directory is gone, and would let
    a file there change the engines. A thread of its own has no script.
    """
    with ThreadPoolExecutor(1) as pool:
        environment = pool.submit(Environment).result()
    environment.credits_stream = None
    return environment


def _used(task: Task) -> Iterator[int]:
    for literals in task.goals:
        yield from literals.true | literals.false
    for operator in task.operators:
        for change in ((operator.requires, operator.adds, operator.deletes), *operator.changes):
            yield from change[0].true | change[0].false | change[1] | change[2]


class _Downward(FastDownwardPDDLPlanner):  # type: ignore[misc]
    """unified-planning's own engine, with a directory, a supervisor and limits of its own, and its exit code kept.

    The bundled driver writes `output.sas` into the working directory: two solves that share one answer each other's problems. Its
    planners outlive an interrupt or a killed parent. Its statuses read a crash as `no plan`.
    """

    def __init__(self, search: str, limit: Limit) -> None:
        super().__init__(
            fast_downward_search_config=search,
            fast_downward_translate_options=["--invariant-generation-max-candidates", "0"],
        )
        self.exit_code: int | None = None
        self._limit = limit
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def _process(self) -> subprocess.Popen[bytes] | None:
        return self._started[-1] if self._started else None

    @_process.setter
    def _process(self, process: subprocess.Popen[bytes] | None) -> None:
        if process is not None:
            self._started.append(process)

    def __enter__(self) -> _Downward:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill what is still running, however we got here, and wait for it."""
        for process in self._started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def _get_cmd(self, domain_filename: str, problem_filename: str, plan_filename: str) -> list[str]:
        interpreter, driver, *arguments = super()._get_cmd(domain_filename, problem_filename, plan_filename)
        options = [
            *("--sas-file", os.path.join(os.path.dirname(plan_filename), "output.sas")),
            *("--overall-time-limit", f"{ceil(self._limit.seconds) + 1}s"),
            *("--overall-memory-limit", f"{self._limit.megabytes}M"),
        ]
        return _supervised([interpreter, driver, *options, *arguments], plan_filename)

    def _result_status(self, problem: Any, plan: Any, retval: int | None = None, log_messages: Any = None) -> Any:
        self.exit_code = retval
        return super()._result_status(problem, plan, retval, log_messages)


def _supervised(command: Sequence[str], plan_filename: str) -> list[str]:
    """A command whose program is Python, such that it works in the directory of its plan and does not outlive this process."""
    interpreter, program, *arguments = map(str, command)
    return [interpreter, str(supervised.__file__), str(os.getpid()), os.path.dirname(plan_filename), program, *arguments]


@contextlib.contextmanager
def _apart(planner: Any) -> Iterator[None]:
    """Within, `planner` runs as ours does if it is a Python driver like Fast Downward's; afterwards nothing of it is left running."""
    usual = getattr(planner, "_get_cmd", None)
    if usual is not None:

        def command(domain_filename: str, problem_filename: str, plan_filename: str) -> list[str]:
            given: list[str] = usual(domain_filename, problem_filename, plan_filename)
            return _supervised(given, plan_filename) if given[0] == sys.executable else given

        planner._get_cmd = command
    try:
        yield
    finally:
        process = getattr(planner, "_process", None)
        if process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _answer_of_downward(engine: _Downward, result: Any) -> Answer:
    """See Fast Downward's exit codes: 0 solved, 10 to 12 no plan (A* with these heuristics is complete), 20 to 24 limits."""
    code = engine.exit_code
    if result.status is Status.TIMEOUT or code in (21, 23):
        return Stopped(Resource.TIME)
    if code in (20, 22, 24):
        return Stopped(Resource.MEMORY)
    if code in (10, 11, 12) and result.plan is None:
        return Exhausted()
    if code == 0 and result.plan is not None:
        return Found(tuple(int(action.action.name[1:]) for action in result.plan.actions), _claimed_cost(result), claims_optimal=True)
    return Broken(f"exit code {code}: {_last_words(result)}")


def _indices(plan: Any, task: Task) -> tuple[int, ...]:
    numbers = {f"a{number}": number for number in range(len(task.operators))}
    return tuple(numbers[action.action.name] for action in plan.actions)


def _claimed_cost(result: Any) -> int | None:
    for message in result.log_messages or ():
        for line in reversed(message.message.splitlines()):
            if "Plan cost:" in line:
                return int(line.rsplit(":", 1)[1])
    return None


def _last_words(result: Any) -> str:
    """The last lines of what the engine wrote, errors before output."""
    texts = [message.message.strip() for message in reversed(result.log_messages or ())]
    text = next((text for text in texts if text), "it said nothing")
    return " / ".join(line.strip() for line in text.splitlines()[-3:])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The library warns about what it goes on to answer; its answers are checked, so its warnings would only frighten."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
