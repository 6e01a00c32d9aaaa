"""From a problem to the task that an engine must search, or to the answer where none is needed."""

from __future__ import annotations

from fractions import Fraction

from toolplan.planning.compact import compact
from toolplan.planning.grounding import compile_conceivable, compile_relevant
from toolplan.planning.plans import Optimal, Plan, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import goal_reached
from toolplan.planning.task import Task, closure, missing, reaches_goal, relevant, within

REACHABILITY = "reachability"
"""Named as the engine of answers that need no search."""


def prepare(problem: Problem) -> Task | Optimal | Unreachable:
    """The task of `problem`: ground, and without what no plan can apply, need or notice. Raises DomainError where that is too large.

    A goal that holds already, and one that is unreachable even if nothing were ever deleted, need no search.
    """
    if goal_reached(problem, problem.state):
        return Optimal(Plan((), Fraction(0)), REACHABILITY)
    task = compile_relevant(problem)
    reached = closure(task.initial, task.operators)
    if not reaches_goal(task, reached):
        return Unreachable(missing(compile_conceivable(problem)) or (), REACHABILITY)
    task = compact(relevant(within(task, reached)))
    return task if task.goals else Unreachable((), REACHABILITY)
