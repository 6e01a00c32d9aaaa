"""The paper's tier: 100 tools, and every step of every task pattern that table 1 of the CMTF paper names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import toolplan
from toolplan.bench.planner.measuring import Promise, Settings, Timed, at_least, at_most, cold, percentile, timed
from toolplan.bench.tables import Row
from toolplan.domain import Domain, Scenario
from toolplan.planning.engines import FAST_DOWNWARD, planners_installed
from toolplan.planning.inputs import build_scenario
from toolplan.planning.problem import State
from toolplan.planning.semantics import successor

TITLE = "Paper tier: a decision among 100 tools, at every step of the nine task patterns"
PATTERNS = (
    "move_event",
    "summarize_event",
    "invite_attendee",
    "draft_reply",
    "summarize_email",
    "extract_deadline",
    "summarize_section",
    "summarize_document",
    "extract_section",
)
ROUNDS = 25
"""How often each step is decided; by Fast Downward once."""
COLD = "cold"
CONTINUED = "continued"


class Stop(NamedTuple):
    """A state on the way to a goal, and the one that the step before started from; at the start they are the same."""

    goal: tuple[str, ...]
    before: State
    state: State


Calls = dict[str, list[tuple[Stop, Timed]]]


@dataclass(frozen=True, slots=True)
class PaperRow(Row):
    """How long a decision takes. `speedup` is Fast Downward's median, called in between, over this one.

    `same` are the calls whose plan has the score and the number of steps that Fast Downward proves.
    """

    decision: str
    calls: int
    median_ms: float
    p99_ms: float
    speedup: float | None
    same: int | None


def rows(settings: Settings) -> Iterator[PaperRow]:
    """Cold, continued from the plan of the step before, and by Fast Downward through unified-planning."""
    domain = toolplan.load("workspace")
    stops = [stop for goal in PATTERNS for stop in _walk(domain, _scenario(domain, goal))]
    calls = _measured(domain, stops, settings)
    proved = {stop: call.value for stop, call in calls.get(FAST_DOWNWARD, ())}
    slow = median(call.seconds for _, call in calls[FAST_DOWNWARD]) if FAST_DOWNWARD in calls else None
    for decision, timings in calls.items():
        seconds = [call.seconds for _, call in timings]
        same = sum(call.value == proved[stop] for stop, call in timings) if slow else None
        middle = median(seconds)
        yield PaperRow(decision, len(seconds), middle * 1e3, percentile(seconds, 99) * 1e3, slow and slow / middle, same)


def _measured(domain: Domain, stops: Sequence[Stop], settings: Settings) -> Calls:
    """The calls of each kind, taken in turns, after one of each that does not count."""
    outside = planners_installed()
    cold(domain, stops[-1].state, stops[-1].goal)
    if outside:
        cold(domain, stops[-1].state, stops[-1].goal, FAST_DOWNWARD)
    calls: Calls = {decision: [] for decision in (COLD, CONTINUED, *([FAST_DOWNWARD] if outside else []))}
    for number, stop in enumerate(stops, 1):
        settings.note(f"step {number} of {len(stops)}")
        for _ in range(ROUNDS):
            calls[COLD].append((stop, cold(domain, stop.state, stop.goal)))
            if stop.before is not stop.state:
                cold(domain, stop.before, stop.goal)
                calls[CONTINUED].append((stop, timed(domain, stop.state, stop.goal)))
        if outside:
            calls[FAST_DOWNWARD].append((stop, cold(domain, stop.state, stop.goal, FAST_DOWNWARD)))
    return calls


def _scenario(domain: Domain, goal: str) -> Scenario:
    """The test block of the workspace itself that wants `goal`: it stands after those of its imports."""
    return next(test for test in reversed(domain.tests) if [wanted.goal for wanted in test.wanted] == [goal])


def _walk(domain: Domain, scenario: Scenario) -> Iterator[Stop]:
    """Every state in which there is still a step to take."""
    problem = build_scenario(domain, scenario.given, scenario.wanted)
    goal = tuple(wanted.label for wanted in scenario.wanted)
    before = state = problem.state
    for step in toolplan.plan(domain, state=state, goal=goal).steps:
        yield Stop(goal, before, state)
        before, state = state, successor(problem, state, step)


def promises(rows: Sequence[PaperRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    by_decision = {row.decision: row for row in rows}
    first = by_decision[COLD]
    yield at_most("paper tier, cold: median in ms", first.median_ms, 0.5)
    yield at_most("paper tier, cold: 99th percentile in ms", first.p99_ms, 5)
    yield at_most("paper tier, continued: median in ms", by_decision[CONTINUED].median_ms, 0.05)
    if first.speedup is not None:
        yield at_least("paper tier, cold: times as fast as fast-downward", first.speedup, 300)
        differing = sum(row.calls - (row.same or 0) for row in rows)
        yield at_most("paper tier: calls whose plan is not as good as fast-downward's", differing, 0)
