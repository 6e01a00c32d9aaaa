"""Requests that leave their goal open, told by what was learned from others: logistic regression over how they are said and read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplan.goals.ambiguity import PATTERNS, Doubt, Signal
from toolplan.goals.given import ROUNDING
from toolplan.goals.prospects import Considered
from toolplan.goals.rankers.embeddings import Vectors, unit_vectors
from toolplan.goals.rankers.encoders import Encoder
from toolplan.goals.rankers.regression import ascend
from toolplan.goals.readings import Reading

Kinds = NDArray[np.bool_]

PRECISION = 0.2
"""Of the prior of each weight, whose mean is zero."""
FOLDS = 5
POINTING = re.compile(r"\b(?:it|that|this|them|these|those|thing|things|something|anything)\b", re.IGNORECASE)
"""Words that stand for what the user has not named."""
LONG = 10
"""Words of a request that says much."""


class Experience(NamedTuple):
    """A request as it was read by a ranker that had not learned from it, and whether it left its goal open."""

    reading: Reading
    left_open: bool


@dataclass(frozen=True, slots=True)
class UnclearRequests:
    """Doubts the goal of a request that leaves it open with more than a learned probability.

    Nothing is doubted where a goal is certain, as after an answer of the user.
    """

    encode: Encoder
    weights: tuple[float, ...]
    threshold: float

    @classmethod
    def fit(cls, experience: Iterable[Experience], encode: Encoder) -> UnclearRequests:
        """What `experience` teaches. The threshold is the one that tells best, of those that were not learned from, which left it open.

        That is by the sum of the two shares that are told right (Youden 1950): requests of both kinds are needed, and how many of each
        there are makes no difference. Of equals it is the one nearest to one half. Raises ValueError where there is only one kind.
        """
        experience = tuple(experience)
        seen = _features([one.reading for one in experience], encode)
        left_open = np.array([one.left_open for one in experience])
        if left_open.all() or not left_open.any():
            raise ValueError("requests of both kinds are needed, those that leave their goal open and those that do not")
        return cls(encode, tuple(_weights(seen, left_open).tolist()), _threshold(_held_out(seen, left_open), left_open))

    def probability(self, reading: Reading) -> float:
        """How probable it is that the request of `reading` leaves its goal open."""
        return 1.0 / (1.0 + math.exp(-float(_features([reading], self.encode)[0] @ np.array(self.weights))))

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal."""
        if (top := considered.top) is None or top.candidate.p >= 1.0 - ROUNDING:
            return
        if (p := self.probability(considered.reading)) > self.threshold:
            yield Signal(Doubt.LEARNED, f"requests like this one leave the goal open with a probability of {p:.2g}")


def _features(readings: Sequence[Reading], encode: Encoder) -> Vectors:
    """A row for each reading: the direction of its request, how it is said, how sure the reading is, and a one for the constant."""
    vectors = unit_vectors(encode, [reading.request for reading in readings])
    return np.column_stack([vectors, np.array([_observed(reading) for reading in readings])])


def _observed(reading: Reading) -> list[float]:
    request = reading.request
    shares = [reading.none, *(candidate.p for candidate in reading.candidates)]
    first, second = (*sorted(shares[1:], reverse=True), 0.0, 0.0)[:2]
    return [
        first,
        first - max(second, reading.none),
        reading.none,
        -math.fsum(share * math.log(share) for share in shares if share > 0),
        float(bool(reading.candidates) and len(reading.candidates[0].goals) > 1),
        float(bool(POINTING.search(request))),
        float(any(pattern.search(request) for _, pattern in PATTERNS)),
        len(request.split()) / LONG,
        1.0,
    ]


def _weights(seen: Vectors, left_open: Kinds) -> Vectors:
    meant = np.column_stack([left_open, ~left_open]).astype(np.float64)
    weights: Vectors = ascend(seen, meant, np.zeros((seen.shape[1], 2)), PRECISION)[:, 0]
    return weights


def _held_out(seen: Vectors, left_open: Kinds) -> Vectors:
    """The probability of each, by what the other folds teach."""
    fold = np.arange(len(seen)) % FOLDS
    taught = np.array([_weights(seen[fold != number], left_open[fold != number]) for number in range(FOLDS)])
    probabilities: Vectors = 1.0 / (1.0 + np.exp(-(seen * taught[fold]).sum(axis=1)))
    return probabilities


def _threshold(probabilities: Vectors, left_open: Kinds) -> float:
    """One half, or halfway between two neighbouring probabilities."""
    ordered = np.unique(probabilities)
    candidates: list[float] = [0.5, *((ordered[1:] + ordered[:-1]) / 2).tolist()]

    def told(threshold: float) -> tuple[float, float]:
        above = probabilities > threshold
        return float(above[left_open].mean() - above[~left_open].mean()), -abs(threshold - 0.5)

    return max(candidates, key=told)
