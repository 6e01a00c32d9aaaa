"""Requests that leave their goal open, told by what was learned from others: logistic regression over how they are said and read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolplan.goals.ambiguity import Doubt, Signal
from toolplan.goals.given import ROUNDING
from toolplan.goals.prospects import Considered
from toolplan.goals.rankers.regression import ascend
from toolplan.goals.rankers.vocabulary import Vocabulary
from toolplan.goals.readings import Reading
from toolplan.planning.problem import State
from toolplan.retrieval.encoders import Encoder
from toolplan.retrieval.scorers.embeddings import Vectors, unit_vectors

PRECISION = 0.5
"""Of the prior of each weight, whose mean is zero."""


class Said(NamedTuple):
    """A request as it was read, and the state that it was said in."""

    reading: Reading
    state: State


class Experience(NamedTuple):
    """A request, read by a ranker that had not learned from it, and whether it left its goal open."""

    said: Said
    left_open: bool


@dataclass(frozen=True, slots=True)
class Perception:
    """What is seen of a request: the direction of its embedding, its words, which of `facts` are known, and how sure the reading is."""

    encode: Encoder
    vocabulary: Vocabulary
    facts: tuple[str, ...]

    @classmethod
    def of(cls, said: Sequence[Said], encode: Encoder) -> Perception:
        """With the words that are common in these requests, and all facts that are known in any."""
        facts = {atom.fact for one in said for atom in one.state.known}
        return cls(encode, Vocabulary.of(one.reading.request for one in said), tuple(sorted(facts)))

    def features(self, said: Sequence[Said]) -> Vectors:
        """A row for each request; the last column is a one for the constant."""
        requests = [one.reading.request for one in said]
        observed = np.array([[*self._known(one.state), *_sureness(one.reading), 1.0] for one in said])
        return np.column_stack([unit_vectors(self.encode, requests), self.vocabulary.vectors(requests), observed])

    def _known(self, state: State) -> Iterator[float]:
        known = {atom.fact for atom in state.known}
        return (float(fact in known) for fact in self.facts)


def _sureness(reading: Reading) -> Iterator[float]:
    """The share of the first candidate, by how much it leads, the share of none, the entropy, and whether several goals are read."""
    shares = [reading.none, *(candidate.p for candidate in reading.candidates)]
    first, second = (*sorted(shares[1:], reverse=True), 0.0, 0.0)[:2]
    yield first
    yield first - max(second, reading.none)
    yield reading.none
    yield -math.fsum(share * math.log(share) for share in shares if share > 0)
    yield float(bool(reading.candidates) and len(reading.candidates[0].goals) > 1)


@dataclass(frozen=True, slots=True)
class UnclearRequests:
    """Doubts the goal of a request that is likelier to leave it open than a request of which nothing is known.

    That is where what is seen of it speaks for an open goal, however many of the requests that were learned from left theirs open.
    Nothing is doubted where a goal is certain, as after an answer of the user.
    """

    perception: Perception
    weights: tuple[float, ...]
    usual: float

    @classmethod
    def fit(cls, experience: Iterable[Experience], encode: Encoder) -> UnclearRequests:
        """What `experience` teaches. Raises ValueError where all requests left their goal open, or none did."""
        experience = tuple(experience)
        left_open = np.array([one.left_open for one in experience])
        if left_open.all() or not left_open.any():
            raise ValueError("requests of both kinds are needed, those that leave their goal open and those that do not")
        said = [one.said for one in experience]
        perception = Perception.of(said, encode)
        seen = perception.features(said)
        kinds = np.column_stack([left_open, ~left_open]).astype(np.float64)
        weights = ascend(seen, kinds, np.zeros((seen.shape[1], 2)), PRECISION)[:, 0]
        return cls(perception, tuple(weights.tolist()), float(left_open.mean()))

    def probability(self, said: Said) -> float:
        """How probable it is that the request leaves its goal open."""
        return 1.0 / (1.0 + math.exp(-float(self.perception.features([said])[0] @ np.array(self.weights))))

    def detect(self, considered: Considered) -> Iterator[Signal]:
        """At most one signal."""
        if (top := considered.top) is None or top.candidate.p >= 1.0 - ROUNDING:
            return
        if (p := self.probability(Said(considered.reading, considered.nothing.state))) > self.usual:
            yield Signal(
                Doubt.LEARNED, f"requests like this one leave the goal open with a probability of {p:.2g}, not of {self.usual:.2g}"
            )
