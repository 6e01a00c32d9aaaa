"""Precision, recall and F1 of proposed links, and what is promised of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from toolplan.bench.links.gold import Gold, Pair
from toolplan.bench.links.methods import BY_NAME, GRAPH_TOOL_CALL, OURS
from toolplan.bench.tables import Row
from toolplan.learning.intervals import percent

MARGIN = 0.1
"""By how much the F1 of ours has to be above that of the other methods."""


@dataclass(frozen=True, slots=True)
class Scored(Row):
    """What a method proposes of the pairs that a gold judges. Shares have their Wilson intervals.

    `f1_all_pairs` counts every proposed pair of which the gold says nothing as wrong, which most are not.
    """

    gold: str
    method: str
    linked: int
    proposed: int
    right: int
    precision: str
    recall: str
    f1: float
    proposed_in_all: int
    f1_all_pairs: float


@dataclass(frozen=True, slots=True)
class Margin(Row):
    """How far the F1 of ours is above that of another method on a gold, or on the mean of all."""

    gold: str
    above: str
    ours: float
    other: float
    margin: float
    bound: float
    kept: bool


def scored(gold: Gold, method: str, proposed: frozenset[Pair]) -> Scored:
    """The row of a method."""
    judged = proposed & gold.judged
    right = len(judged & gold.linked)
    precision, recall = percent(right, len(judged)), percent(right, len(gold.linked))
    f1, f1_all = _f1(right, len(judged), len(gold.linked)), _f1(right, len(proposed), len(gold.linked))
    return Scored(gold.name, method, len(gold.linked), len(judged), right, precision, recall, f1, len(proposed), f1_all)


def _f1(right: int, proposed: int, linked: int) -> float:
    """The harmonic mean of precision and recall; nothing proposed of nothing linked is right."""
    return 2 * right / (proposed + linked) if proposed + linked else 1.0


def means(rows: Sequence[Scored]) -> Mapping[str, float]:
    """The mean F1 of each method over its golds."""
    return {method: fmean(row.f1 for row in rows if row.method == method) for method in dict.fromkeys(row.method for row in rows)}


def margins(rows: Sequence[Scored]) -> Iterator[Margin]:
    """Ours above the others, for each gold and on the mean; a method that is not installed is left out."""
    overall = means(rows)
    for other in (BY_NAME, GRAPH_TOOL_CALL):
        if other in overall:
            for gold in dict.fromkeys(row.gold for row in rows):
                found = {row.method: row.f1 for row in rows if row.gold == gold}
                yield _margin(gold, other, found[OURS], found[other])
            yield _margin("mean of all", other, overall[OURS], overall[other])


def _margin(gold: str, other: str, ours: float, theirs: float) -> Margin:
    return Margin(gold, other, ours, theirs, ours - theirs, MARGIN, ours - theirs >= MARGIN)
