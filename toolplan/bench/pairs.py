"""Two methods on the same tasks, compared task by task."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from toolplan.learning.intervals import Z95


class Paired(NamedTuple):
    """How often only the first of two methods succeeded, how often only the second, and the chance of so uneven a split of these."""

    only_first: int
    only_second: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Paired:
    """The exact two-sided test of McNemar (Psychometrika 12, 1947) over pairs of outcomes; without a differing pair, p is 1."""
    better = sum(a and not b for a, b in zip(first, second, strict=True))
    worse = sum(b and not a for a, b in zip(first, second, strict=True))
    differing = better + worse
    tail = sum(comb(differing, k) for k in range(min(better, worse) + 1)) / 2**differing
    return Paired(better, worse, min(1.0, 2 * tail))


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and half of its 95% interval by the normal distribution; of a single value the interval is nothing."""
    return fmean(values), Z95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
