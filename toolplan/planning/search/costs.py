"""One integer for what plans are compared by: the score, then the number of steps."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from toolplan.planning.plans import Plan
from toolplan.planning.task import Operator

STEPS = 2**40
"""One unit of score, in steps: longer plans than this do not fit a search, so the order by (score, steps) is exact."""


def cost_of(operator: Operator) -> int:
    """What one use of `operator` adds to a plan."""
    return operator.score * STEPS + 1


def as_score(bound: int, unit: int) -> Fraction:
    """A bound on costs as a score in the author's unit: the steps in it are left out."""
    return Fraction(bound // STEPS, unit)


def plan_of(operators: Iterable[Operator], unit: int) -> Plan:
    """The plan that applies `operators` one after the other."""
    steps = tuple(operators)
    return Plan(tuple(operator.step for operator in steps), Fraction(sum(operator.score for operator in steps), unit))
