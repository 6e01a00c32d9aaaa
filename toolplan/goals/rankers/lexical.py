"""Requests by the words that they share with what is written about a goal: BM25 (Robertson and Zaragoza 2009), by bm25s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from toolplan.domain import Domain
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.scoring import RULED_OUT, Scorer
from toolplan.goals.rankers.wording import document_of
from toolplan.planning.memo import per_domain
from toolplan.retrieval.scorers.lexical import Index, loaded

TEMPERATURE = 0.3
NONE = 0.3
"""The score at which a goal is as likely as none of the goals. One is the score of sharing a word that no other goal has."""


class Lexical(Scorer):
    """Ranks by BM25 over names, descriptions, phrases, given facts, and requests that are labelled once, with one goal.

    A goal that shares no word with the request is ruled out.

    English stop words count for nothing. Words are not stemmed: the library leaves that to a package of its own.
    Raises DomainError where bm25s is not installed.
    """

    def __init__(self, examples: Iterable[Labelled] = (), temperature: float = TEMPERATURE, none: float = NONE) -> None:
        self._library = loaded()
        self._said: dict[str, list[str]] = {}
        examples = tuple(examples)
        times = Counter(request for request, _ in examples)
        for request, goals in examples:
            if len(goals) == 1 and times[request] == 1:
                self._said.setdefault(goals[0], []).append(request)
        self._temperature = temperature
        self._none = none
        self._index = per_domain(self._indexed)

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """BM25 scores as log odds."""
        index = self._index(domain)
        return [[self._log_odds(score) for score in index.scores(text)] for text in texts]

    def _log_odds(self, score: float) -> float:
        return (score - self._none) / self._temperature if score > 0 else RULED_OUT

    def _indexed(self, domain: Domain) -> Index:
        texts = [(document_of(goal, domain), *self._said.get(name, ())) for name, goal in domain.goals.items()]
        return Index(self._library, ["\n".join(group) for group in texts])
