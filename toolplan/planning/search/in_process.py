"""The search in this process: the cheapest proof that will do."""

from __future__ import annotations

from math import inf

from toolplan.planning.plans import Bounded, Limit, Optimal, Undecided, Unreachable
from toolplan.planning.search.a_star import a_star
from toolplan.planning.search.branch_and_bound import branch_and_bound
from toolplan.planning.search.budget import Budget
from toolplan.planning.search.forced import forced_plan
from toolplan.planning.task import Task


def in_process(task: Task, limit: Limit, effort: float = inf) -> Optimal | Bounded | Unreachable | Undecided:
    """The best plan of `task`, by (score, number of steps), named after the proof that told it.

    `limit` and `effort` may only turn a proved answer into `Bounded`, with the best plan found so far, or, where none was found, into
    `Undecided`. `effort` does not depend on the machine: it counts the operators that were looked at.
    """
    forced = forced_plan(task)
    if forced is not None:
        return forced
    budget = Budget(limit, effort)
    if task.only_adds:
        return branch_and_bound(task, budget)
    return a_star(task, budget)
