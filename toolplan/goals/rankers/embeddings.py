"""Requests by the direction of their embedding, beside those of what is written about a goal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplan.domain import Domain
from toolplan.goals.rankers.scoring import Scorer
from toolplan.goals.rankers.wording import SMALL_TALK, description_of, phrases_of
from toolplan.planning.memo import per_domain
from toolplan.retrieval.documents import words_of
from toolplan.retrieval.encoders import Encoder
from toolplan.retrieval.scorers.embeddings import Vectors, unit_vectors

TEMPERATURE = 0.05
NONE = 0.2
"""The least cosine at which a goal is likelier than none of the goals."""


class Embeddings(Scorer):
    """Ranks by cosine: to a goal's name and description together, or to the nearest of its phrases if that is nearer.

    What speaks for no goal is the cosine to the nearest piece of small talk, `NONE` at least. What is embedded of a domain is kept as long
    as the domain lives.
    """

    def __init__(self, encode: Encoder, temperature: float = TEMPERATURE, none: float = NONE) -> None:
        self._encode = encode
        self._temperature = temperature
        self._none = none
        self._views = per_domain(partial(views, encode))

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """Cosines, less that of no goal, as log odds."""
        vectors = unit_vectors(self._encode, texts)
        none = np.maximum((vectors @ self._small_talk.T).max(axis=1, keepdims=True), self._none)
        odds: list[list[float]] = ((self._views(domain).nearest(vectors) - none) / self._temperature).tolist()
        return odds

    @cached_property
    def _small_talk(self) -> Vectors:
        return unit_vectors(self._encode, SMALL_TALK)


class Views(NamedTuple):
    """The goals of a domain in the space of an encoder: `vectors`, goal by goal, and where those of each goal start."""

    vectors: Vectors
    starts: NDArray[np.intp]

    def nearest(self, texts: Vectors) -> Vectors:
        """The cosine of each text, a row, to the nearest view of each goal, a column."""
        cosines: Vectors = np.maximum.reduceat(texts @ self.vectors.T, self.starts, axis=1)
        return cosines


def views(encode: Encoder, domain: Domain) -> Views:
    """How the goals of `domain` look: each as its name and description, half and half, and as each of its phrases."""
    goals = list(domain.goals.values())
    phrases = [phrases_of(goal) for goal in goals]
    texts = [text for goal in goals for text in (words_of(goal.name), description_of(goal))]
    vectors = unit_vectors(encode, [*texts, *(phrase for group in phrases for phrase in group)])
    declared = (vectors[0 : len(texts) : 2] + vectors[1 : len(texts) : 2]) / 2
    rows: list[Vectors] = []
    said = len(texts)
    for described, group in zip(declared, phrases, strict=True):
        rows += [described[np.newaxis], vectors[said : said + len(group)]]
        said += len(group)
    counts = [1 + len(group) for group in phrases]
    return Views(np.concatenate(rows), np.cumsum([0, *counts[:-1]]))
