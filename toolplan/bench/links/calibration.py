"""What a confidence is worth: of the candidates that have it, how many are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from toolplan.bench.links.fitting import is_right
from toolplan.bench.links.gold import Gold, Pair
from toolplan.bench.tables import Row
from toolplan.importing.linking.candidates import candidates
from toolplan.importing.linking.weights import FITTED
from toolplan.learning.intervals import percent

BOUNDS = (0.0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Calibrated(Row):
    """Of the judged candidates with a confidence in a range, its upper end excluded, those that are right."""

    confidence: str
    mean: float
    candidates: int
    right: int
    share: str


def calibrated(golds: Iterable[Gold]) -> Iterator[Calibrated]:
    """The ranges in which there are candidates. Graphs, in which everything is judged, are left out: they would be most of it."""
    judged = [
        (FITTED.probability(one.evidence), is_right(one, gold))
        for gold in golds
        if gold.chains
        for one in candidates(gold.tools)
        if Pair(one.producer, one.consumer) in gold.judged
    ]
    for least, most in pairwise(BOUNDS):
        inside = [(confidence, right) for confidence, right in judged if least <= confidence < most]
        if inside:
            right = sum(right for _, right in inside)
            mean = fmean(confidence for confidence, _ in inside)
            yield Calibrated(f"{least:.2f}-{most:.2f}", mean, len(inside), right, percent(right, len(inside)))
