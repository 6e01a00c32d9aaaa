"""The words that many requests share, as directions beside those of their embeddings: what is wanted is mostly said in these."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from toolplan.retrieval.scorers.embeddings import Vectors

COMMON = 5
"""Requests in which a term must occur: names of people and things occur in fewer, and verbs in more."""
WORD = re.compile(r"\w+(?:['’]\w+)?|[?!]")
EDGE = "|"
"""Stands for where a request begins or ends."""


class Term(NamedTuple):
    """The column of a term, and how much it counts: the rarer, the more."""

    column: int
    weight: float


class Vocabulary(NamedTuple):
    """Words and pairs of neighbouring words, each with its column, in alphabetical order."""

    terms: Mapping[str, Term]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """The terms that are common in `texts`, each text counted once, by their inverse document frequency."""
        texts = set(texts)
        counts = Counter(term for text in texts for term in terms_of(text))
        common = sorted(term for term, count in counts.items() if count >= COMMON)
        return cls({term: Term(column, 1.0 + math.log(len(texts) / counts[term])) for column, term in enumerate(common)})

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The terms in `texts`, a row each, of length one; a text without any stays zero."""
        vectors = np.zeros((len(texts), len(self.terms)))
        for row, text in enumerate(texts):
            for term in terms_of(text) & self.terms.keys():
                column, weight = self.terms[term]
                vectors[row, column] = weight
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = vectors / np.where(lengths > 0, lengths, 1.0)
        return unit


def terms_of(text: str) -> set[str]:
    """The words of `text`, whatever their case, and its pairs of neighbouring words, the edges included."""
    return set(_terms(WORD.findall(text.lower())))


def _terms(words: Sequence[str]) -> Iterator[str]:
    yield from words
    for first, second in zip([EDGE, *words], [*words, EDGE], strict=True):
        yield f"{first} {second}"
