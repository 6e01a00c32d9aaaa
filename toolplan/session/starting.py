"""A call that is let through: what it rests on, and what its effects will."""

from __future__ import annotations

from toolplan.frontier import Call, Frontier
from toolplan.goals.regret import as_called
from toolplan.planning.problem import Problem
from toolplan.session.beliefs import said_in
from toolplan.session.binding import made_with, reads_of
from toolplan.session.events import Running, Started
from toolplan.session.memory import Memory


def running_of(problem: Problem, memory: Memory, call: Call, outcome: int) -> Running:
    """`call` as it runs for the open request of `memory`, which hopes for its `outcome` of several, else -1."""
    levels = memory.levels(memory.active)
    reads = made_with(reads_of(problem, levels, call.step), call)
    safe = problem.domain.risk_of(problem.domain.tools[call.step.action]).safe
    frame = memory.active.number if memory.active is not None else 0
    return Running(call, reads, frame, outcome, reads if safe else said_in(levels, reads))


def started(problem: Problem, memory: Memory, call: Call, now: Frontier, at: float) -> Started:
    """The event that `call` starts, where `now` is what is next."""
    outcome = next((step.outcome for step in now.steps if as_called(step) == as_called(call.step)), -1)
    return Started(at, *running_of(problem, memory, call, outcome))
