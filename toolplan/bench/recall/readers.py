"""The ways to compare words: what each makes of tools, and what it makes of goals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from toolplan.domain import Condition, Domain
from toolplan.goals.rankers.embeddings import Embeddings
from toolplan.goals.rankers.lexical import Lexical
from toolplan.goals.rankers.mixed import Mixed, Voice
from toolplan.goals.rankers.scoring import RULED_OUT, Scorer
from toolplan.goals.rankers.wording import phrases_of
from toolplan.goals.readings import GoalRanker
from toolplan.retrieval import Document, scorer
from toolplan.retrieval.encoders import Encoder
from toolplan.retrieval.scorers import Scorer as ToolScorer
from toolplan.retrieval.scorers.words import likeness, tokens

TEMPERATURE = 0.05
NONE = 0.1
"""The overlap at which a goal is as likely as none of the goals."""


class Overlap(Scorer):
    """Ranks goals as retrieval ranks tools by their tokens: by name and description, or by the nearest phrase if that is nearer."""

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """Overlaps as log odds."""
        views = [[tokens(text) for text in (f"{goal.name} {goal.description}", *phrases_of(goal))] for goal in domain.goals.values()]
        return [[_log_odds(max(likeness(view, tokens(text)) for view in goal)) for goal in views] for text in texts]


class Comparison(NamedTuple):
    """One way to compare words: a scorer of tools, and a ranker of goals that looks at words in the same way."""

    name: str
    tools: ToolScorer
    goals: GoalRanker


def comparisons(encode: Encoder) -> Iterator[Comparison]:
    """All of them, the simplest first. Raises DomainError where a package is missing."""
    yield Comparison("token overlap", scorer("overlap"), Overlap())
    yield Comparison("BM25", scorer("bm25"), Lexical())
    yield Comparison("embeddings", scorer("embeddings", encode), Embeddings(encode))
    yield Comparison("mixed", scorer("mixed", encode), Mixed(Voice(Lexical()), Voice(Embeddings(encode))))


def readable(domain: Domain, documents: Iterable[Document]) -> Domain:
    """`domain`, whose goals can be read by the words of the tools that reach them, too: what lists compare a request with."""
    texts = {document.name: document.text for document in documents}
    reaching: dict[Condition, list[str]] = {}
    for tool in domain.tools.values():
        for effect in tool.produces:
            reaching.setdefault(effect.atom, []).append(texts[tool.call_name])
    goals = {name: replace(goal, phrases=(*goal.phrases, *reaching.get(goal.achieves, ()))) for name, goal in domain.goals.items()}
    return replace(domain, goals=goals)


def _log_odds(overlap: float) -> float:
    return (overlap - NONE) / TEMPERATURE if overlap > 0 else RULED_OUT
