"""How far probabilities can be believed, and what calibration would do for them, measured on requests that were not fitted to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from toolplan.domain import Domain
from toolplan.goals.calibration import Judged, calibrated, fit
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.readings import GoalRanker, Goals, Reading
from toolplan.planning.problem import State

LEAST = 1e-6
"""The probability that is charged for what a reading does not name at all."""
FOLDS = 5
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Requests whose likeliest outcome had about the same probability: how many, its mean, and how many of them were right."""

    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How good probabilities are: mean negative log likelihood, expected calibration error, the share of right first choices."""

    likelihood_loss: float
    calibration_error: float
    accuracy: float


def folds_of(labelled: Sequence[Labelled]) -> list[list[Labelled]]:
    """`labelled` dealt out to `FOLDS` folds, none of them empty where there are that many."""
    return [list(labelled[number::FOLDS]) for number in range(FOLDS)]


def read_by_others(folds: Sequence[Sequence[Labelled]], domain: Domain, make: Callable[[list[Labelled]], GoalRanker]) -> list[list[Judged]]:
    """Each fold as the ranker reads it that `make` makes of all the others, nothing being known."""
    read: list[list[Judged]] = []
    for number, fold in enumerate(folds):
        ranker = make([one for other, labelled in enumerate(folds) if other != number for one in labelled])
        read.append([Judged(ranker.rank(one.request, domain, State()), one.goals) for one in fold])
    return read


def cross_validated(folds: Sequence[Sequence[Judged]]) -> list[Judged]:
    """The readings of all folds, each calibrated by what the others say."""
    validated: list[Judged] = []
    for number, fold in enumerate(folds):
        calibration = fit([one for other, judged in enumerate(folds) if other != number for one in judged])
        validated += [Judged(calibrated(reading, calibration), goals) for reading, goals in fold]
    return validated


def quality(judged: Sequence[Judged]) -> Quality:
    """How good the readings are, of at least one request."""
    return Quality(
        math.fsum(-math.log(max(_probability(reading, goals), LEAST)) for reading, goals in judged) / len(judged),
        math.fsum(each.count * abs(each.confidence - each.accuracy) for each in reliability(judged)) / len(judged),
        sum(_first(reading)[0] == goals for reading, goals in judged) / len(judged),
    )


def reliability(judged: Iterable[Judged]) -> list[Bin]:
    """The requests by the probability of their likeliest outcome, in `BINS` equal parts from 0 to 1, without those that are empty."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for reading, goals in judged:
        first, p = _first(reading)
        bins[min(int(p * BINS), BINS - 1)].append((p, first == goals))
    return [Bin(len(each), math.fsum(p for p, _ in each) / len(each), sum(right for _, right in each) / len(each)) for each in bins if each]


def _first(reading: Reading) -> tuple[Goals, float]:
    """The likeliest outcome, none included."""
    first = reading.candidates[0] if reading.candidates else None
    return (first.goals, first.p) if first is not None and first.p > reading.none else ((), reading.none)


def _probability(reading: Reading, goals: Goals) -> float:
    """The probability of exactly `goals`, or of none."""
    return reading.none if not goals else next((candidate.p for candidate in reading.candidates if candidate.goals == goals), 0.0)
