"""A call that is let through: what it rests on, and what its effects will."""

from __future__ import annotations

from datetime import datetime

from toolplan.catalog import Catalog
from toolplan.frontier import Call, Frontier
from toolplan.frontier.at_once import takes_long
from toolplan.goals.regret import as_called
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.planning.inputs import build
from toolplan.planning.plans import Step
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import applicable
from toolplan.session.beliefs import said_in
from toolplan.session.binding import Bound, binder_of, made_with, reads_of
from toolplan.session.events import Running, Started
from toolplan.session.memory import Memory


def running_of(problem: Problem, memory: Memory, call: Call, outcome: int) -> Running:
    """`call` as it runs for the open request of `memory`, which hopes for its `outcome` of several, else -1."""
    levels = memory.levels(memory.active)
    reads = made_with(problem, reads_of(problem, levels, call.step), call)
    safe = problem.domain.risk_of(problem.domain.tools[call.step.action]).safe
    return Running(call, reads, memory.current.number, outcome, reads if safe else said_in(levels, reads))


def made(now: Frontier, memory: Memory, step: Step | str, catalog: Catalog, at: datetime) -> Call:
    """The call of `step` that a host made without proposing it, where `now` was next, with the arguments that are known.

    Raises DomainError where no such call can have been made.
    """
    problem = now.planned.problem
    takes_long()
    (named,) = build(problem.domain, problem.state, (), (), [step]).exhausted
    fitting = [
        other for other in (*now.steps, *problem.steps()) if other.action == named.action and named.arguments in ((), other.arguments)
    ]
    possible = [other for other in fitting if other in now.steps or applicable(problem, problem.state, other)]
    if not possible or named.action not in problem.domain.tools:
        message = f"{quoted(str(step))} is no call that can have been made"
        raise DomainError([Diagnostic(Code.BAD_STEP, message, None, "observe what was next")])
    found, name = possible[0], memory.new_call()
    match binder_of(problem, memory, catalog, at).bind(found, name, {}):
        case Bound(call):
            return call
        case _:
            return Call(name, Step(found.action, found.arguments), problem.domain.tools[found.action].call_name, {})


def started(problem: Problem, memory: Memory, call: Call, now: Frontier, at: float) -> Started:
    """The event that `call` starts, where `now` is what is next."""
    outcome = next((step.outcome for step in now.steps if as_called(step) == as_called(call.step)), -1)
    return Started(at, *running_of(problem, memory, call, outcome))
