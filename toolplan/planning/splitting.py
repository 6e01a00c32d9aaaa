"""Operators with conditional effects as several without: one for each way in which the conditions may turn out.

Gazen and Knoblock, "Combining the expressivity of UCPOP with the efficiency of Graphplan", ECP 1997. There are exponentially many ways,
and no compilation does with fewer unless plans grow longer (Nebel, "On the compilability and expressive power of propositional planning
formalisms", JAIR 2000). So only operators with few conditions are split.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from toolplan.planning.task import Change, Literals, Operator

MOST_PARTS = 8


def can_split(operator: Operator) -> bool:
    """Whether `operator` has few enough conditional effects."""
    return prod(1 + len(change.condition.true) + len(change.condition.false) for change in operator.changes) <= MOST_PARTS


def split(operator: Operator) -> list[Operator]:
    """Operators without conditional effects, of which in every state one can be applied if `operator` can, and does the same."""
    parts = [replace(operator, changes=())]
    for change in operator.changes:
        parts = [decided for part in parts for decided in _decided(part, change) if not decided.requires.true & decided.requires.false]
    return parts


def _decided(part: Operator, change: Change) -> Iterator[Operator]:
    """`part` with `change`, where its condition holds; and without it, once for each literal of the condition that may not hold."""
    true, false = part.requires
    fired = Literals(true | change.condition.true, false | change.condition.false)
    yield replace(part, requires=fired, adds=part.adds | change.adds, deletes=part.deletes | change.deletes)
    for fluent in sorted(change.condition.true):
        yield replace(part, requires=Literals(true, false | {fluent}))
    for fluent in sorted(change.condition.false):
        yield replace(part, requires=Literals(true | {fluent}, false))
