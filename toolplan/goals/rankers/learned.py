"""Requests by what was meant with similar ones: logistic regression over embeddings and words, from what is written about goals onwards.

Its prior mean scores as the cosines of `embeddings` do, so a goal without a single example still has odds of its own; each example moves
them (maximum a posteriori with a Gaussian prior). With many examples this is plain logistic regression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toolplan.domain import Domain
from toolplan.goals.rankers.embeddings import NONE, TEMPERATURE, views
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.regression import ascend
from toolplan.goals.rankers.scoring import Scorer
from toolplan.goals.rankers.vocabulary import Vocabulary
from toolplan.goals.rankers.wording import SMALL_TALK, description_of, parts_of, phrases_of
from toolplan.planning.memo import per_domain
from toolplan.retrieval.documents import words_of
from toolplan.retrieval.encoders import Encoder
from toolplan.retrieval.scorers.embeddings import Vectors, unit_vectors

PRIOR = 0.05
"""The precision of the prior: the weight of what is written, as of examples."""
NO_GOAL = ""


class Lesson(NamedTuple):
    """A text and the one goal that it means, or `NO_GOAL`."""

    text: str
    goal: str


class Learned(Scorer):
    """Ranks by examples: labelled requests, what is written about the goals, and small talk as what means none of them.

    Of a request in several parts, the part that speaks most for a goal is an example of it as well, and one that speaks for none of those
    that were meant is an example of no goal (after MI-SVM: Andrews, Tsochantaridis and Hofmann 2002). A request that is labelled with
    several goals, one each time, leaves open which is meant, and is shared among them. Requests whose goals a domain does not have are
    left out. The weights of a domain are found when it is first asked for.
    """

    def __init__(self, examples: Iterable[Labelled], encode: Encoder) -> None:
        self._examples = (*examples, *(Labelled(text, ()) for text in SMALL_TALK))
        self._encode = encode
        self._vocabulary = Vocabulary.of(request for request, _ in self._examples)
        self._weights = per_domain(self._fitted)
        self._odds_of_several = _odds_of_several(self._examples)

    @classmethod
    def fit(cls, labelled: Iterable[Labelled], encode: Encoder) -> Learned:
        """The ranker that has learned from `labelled`, whose requests are embedded by `encode`."""
        return cls(labelled, encode)

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """The log odds of the regression."""
        odds: list[list[float]] = (self._vectors(texts) @ self._weights(domain)).tolist()
        return odds

    def odds_of_several(self) -> float:
        """As it is among the examples, smoothed; even without any."""
        return self._odds_of_several

    def _fitted(self, domain: Domain) -> Vectors:
        columns = {goal: column for column, goal in enumerate((*domain.goals, NO_GOAL))}
        prior = _prior(self._encode, domain, len(self._vocabulary.terms))
        examples = [example for example in self._examples if all(goal in columns for goal in example.goals)]
        lessons = [*_written(domain), *_said(examples), *self._said_in_part(examples, columns, prior)]
        texts = {text: row for row, text in enumerate(dict.fromkeys(lesson.text for lesson in lessons))}
        meant = np.zeros((len(texts), len(columns)))
        for text, goal in lessons:
            meant[texts[text], columns[goal]] += 1.0
        meant /= meant.sum(axis=1, keepdims=True)
        return ascend(self._vectors(list(texts)), meant, np.column_stack([prior, np.zeros(len(prior))]), PRIOR)

    def _said_in_part(self, examples: Iterable[Labelled], columns: Mapping[str, int], prior: Vectors) -> Iterator[Lesson]:
        """The parts of requests that have several, as far as they can be told by what is written."""
        for request, goals in examples:
            parts = parts_of(request)
            if len(parts) < 2:
                continue
            odds = (self._vectors(parts) @ prior)[:, [columns[goal] for goal in goals]]
            best = {int(odds[:, number].argmax()): goal for number, goal in enumerate(goals)}
            for part, text in enumerate(parts):
                if part in best:
                    yield Lesson(text, best[part])
                elif (odds[part] < 0).all():
                    yield Lesson(text, NO_GOAL)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """The embeddings of `texts`, their words, and a one for the constant."""
        return np.column_stack([unit_vectors(self._encode, texts), self._vocabulary.vectors(texts), np.ones(len(texts))])


def _odds_of_several(examples: Iterable[Labelled]) -> float:
    apart = [goals for request, goals in examples if goals and len(parts_of(request)) > 1]
    several = sum(len(goals) > 1 for goals in apart)
    return (several + 1) / (len(apart) - several + 1)


def _written(domain: Domain) -> Iterator[Lesson]:
    for goal in domain.goals.values():
        for text in (words_of(goal.name), description_of(goal), *phrases_of(goal)):
            yield Lesson(text, goal.name)


def _said(examples: Iterable[Labelled]) -> Iterator[Lesson]:
    """Requests as a whole; which of its goals one of several means as a whole cannot be said."""
    for request, goals in examples:
        if len(goals) < 2:
            yield Lesson(request, *(goals or (NO_GOAL,)))


def _prior(encode: Encoder, domain: Domain, terms: int) -> Vectors:
    """The weights that score as the cosine to the mean of a goal's views does, and none for each of `terms`.

    A column for each goal; the constant is in the last row.
    """
    seen = views(encode, domain)
    counts = np.diff([*seen.starts, len(seen.vectors)])
    means = np.add.reduceat(seen.vectors, seen.starts, axis=0) / counts[:, np.newaxis]
    return np.vstack([means.T / TEMPERATURE, np.zeros((terms, len(means))), np.full(len(means), -NONE / TEMPERATURE)])
