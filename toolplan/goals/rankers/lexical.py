"""Requests by the words that they share with what is written about a goal: BM25 (Robertson and Zaragoza 2009), by bm25s."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toolplan.domain import Domain
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.packages import required
from toolplan.goals.rankers.scoring import RULED_OUT, Scorer
from toolplan.goals.rankers.wording import document_of
from toolplan.planning.memo import per_domain

TEMPERATURE = 0.3
NONE = 0.3
"""The score at which a goal is as likely as none of the goals. One is the score of sharing a word that no other goal has."""


class Lexical(Scorer):
    """Ranks by BM25 over names, descriptions, phrases, given facts, and labelled requests that mean one goal.

    A goal that shares no word with the request is ruled out.

    English stop words count for nothing. Words are not stemmed: the library leaves that to a package of its own.
    Raises DomainError where bm25s is not installed.
    """

    def __init__(self, examples: Iterable[Labelled] = (), temperature: float = TEMPERATURE, none: float = NONE) -> None:
        self._bm25s = required("bm25s", "goals")
        # It sets its own logger to say what it does each time, whatever the host's logging is.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self._said: dict[str, list[str]] = {}
        for request, goals in examples:
            if len(goals) == 1:
                self._said.setdefault(goals[0], []).append(request)
        self._temperature = temperature
        self._none = none
        self._index = per_domain(self._indexed)

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """BM25 scores as log odds."""
        index = self._index(domain)
        return [[self._log_odds(score) for score in index.scores(words)] for words in self._words(texts)]

    def _log_odds(self, score: float) -> float:
        return (score - self._none) / self._temperature if score > 0 else RULED_OUT

    def _indexed(self, domain: Domain) -> _Index:
        texts = [(document_of(goal, domain), *self._said.get(name, ())) for name, goal in domain.goals.items()]
        documents = self._words(["\n".join(group) for group in texts])
        bm25 = self._bm25s.BM25()
        # A corpus without any word would be an error; no request has the empty word.
        bm25.index([words or [""] for words in documents], show_progress=False)
        return _Index(bm25, len(documents))

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        words: list[list[str]] = self._bm25s.tokenize(list(texts), stopwords="english", return_ids=False, show_progress=False)
        return words


class _Index(NamedTuple):
    """BM25 over the documents of `goals` goals."""

    bm25: Any
    goals: int

    def scores(self, words: Sequence[str]) -> list[float]:
        """The score of each goal, over that of one word which only one goal has, so that small domains and large ones agree."""
        known = [word for word in words if word in self.bm25.vocab_dict]
        if not known:
            return [0.0] * self.goals
        rare = math.log(1.0 + (self.goals - 0.5) / 1.5)
        scores: list[float] = (self.bm25.get_scores(known) / rare).tolist()
        return scores
