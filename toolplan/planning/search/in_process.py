"""The search in this process: the cheapest proof that will do."""

from __future__ import annotations

from math import inf

from toolplan.planning.plans import Bounded, Limit, Optimal, Undecided, Unreachable
from toolplan.planning.search.a_star import a_star
from toolplan.planning.task import Task


def in_process(task: Task, limit: Limit, effort: float = inf) -> Optimal | Bounded | Unreachable | Undecided:
    """The best plan of `task`, by (score, number of steps)."""
    return a_star(task, limit, effort)
