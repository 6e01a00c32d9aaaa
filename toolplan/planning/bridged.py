"""The planners of unified-planning, their answers in the words of all outside planners. Imports them only when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from toolplan.planning import unified
from toolplan.planning.answers import Absent, Answer, Broken, Exhausted, Found, Resource, Stopped
from toolplan.planning.outside import USUAL, Planner
from toolplan.planning.plans import Limit
from toolplan.planning.task import Task


def fast_downward(name: str) -> Planner:
    """Fast Downward with its translator."""

    def ask(task: Task, costs: Sequence[int], limit: Limit) -> Answer:
        return _common(unified.fast_downward(task, costs, limit))

    return Planner(name, unified.search_for, ask)


def other(name: str) -> Planner:
    """Any engine of unified-planning; `name` is its own after `up:`."""

    def ask(task: Task, costs: Sequence[int], limit: Limit) -> Answer:
        return _common(unified.other_engine(name.removeprefix("up:"), task, costs, limit))

    return Planner(name, lambda _: USUAL, ask)


def _common(answer: unified.Answer) -> Answer:
    match answer:
        case unified.Found(operators, claimed, claims_optimal):
            return Found(operators, claimed, claims_optimal)
        case unified.Exhausted():
            return Exhausted()
        case unified.Stopped(limit):
            return Stopped(Resource.MEMORY if limit.endswith("MB") else Resource.TIME)
        case unified.Broken(detail):
            return Broken(detail)
        case unified.Absent():
            return Absent()
