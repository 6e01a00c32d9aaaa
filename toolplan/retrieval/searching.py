"""Words to the tools that fit them: over a whole registry, for a shortlist, or for the one that somebody looks for.

Whoever calls has scoped the documents first: a search sees what a principal may use, and nothing else. What is found is shown, never allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.language.diagnostics import DomainError
from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.protocol import Scorer
from toolplan.retrieval.scorers.words import overlap

NO_PRIOR: Mapping[str, float] = {}
Prior = Callable[[Sequence[str]], Mapping[str, float]]
"""From the last tools that were called, the latest last, to how likely each tool is next; see `search`."""


class Match(NamedTuple):
    """A tool that fits, and how well."""

    document: Document
    score: float

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.document.name


@dataclass(frozen=True, slots=True)
class Found:
    """The tools that fit, the best first; of equals the earlier one. There may be none."""

    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class Outage:
    """The scorer gave no answer, and why. What is always visible is all that is left."""

    reason: str


@dataclass(frozen=True, slots=True)
class Shortlist:
    """The tools to show, in the order of the registry, and what the search for them gave."""

    names: tuple[str, ...]
    search: Found | Outage


def search(documents: Sequence[Document], query: str, *, scorer: Scorer = overlap, prior: Mapping[str, float] = NO_PRIOR) -> Found | Outage:
    """The documents that fit `query`.

    `prior` says how likely each tool is at this point, whatever the words: scores are multiplied by it, by one where it says nothing. It
    ranks what the words have found, and neither adds nor hides anything. A tool loses up to half of its score where the query fits a reason not to use it
    better than the tool itself. Raises DomainError only where `scorer` does.
    """
    try:
        scores = scorer(query, documents)
        against = _against(query, documents, scorer)
        matches = [
            Match(document, float(score) * prior.get(document.name, 1.0) * _left(score, against.get(document.name, 0.0)))
            for document, score in zip(documents, scores, strict=True)
            if score > 0
        ]
    except DomainError:
        raise
    # A scorer is code of the host, often a client of a service; whatever it raises, the agent goes on with what it has.
    except Exception as error:
        return Outage(f"the search for tools failed: {type(error).__name__}")
    return Found(tuple(sorted(matches, key=lambda match: -match.score)))


def shortlist(
    documents: Sequence[Document],
    query: str,
    *,
    top_k: int,
    always: Collection[str] = (),
    pinned: Iterable[str] = (),
    scorer: Scorer = overlap,
    prior: Mapping[str, float] = NO_PRIOR,
) -> Shortlist:
    """The `top_k` tools that fit `query` best, with those that are `always` shown or `pinned`, which do not count.

    A registry of at most `top_k` tools is shown whole, and nothing is searched. A name without a document is left out.
    """
    if len(documents) <= top_k:
        return Shortlist(tuple(document.name for document in documents), Found())
    kept = {*always, *pinned}
    found = search([document for document in documents if document.name not in kept], query, scorer=scorer, prior=prior)
    if isinstance(found, Found):
        found = Found(found.matches[:top_k])
        kept.update(match.name for match in found.matches)
    return Shortlist(tuple(document.name for document in documents if document.name in kept), found)


def discover(
    documents: Sequence[Document], query: str, *, scorer: Scorer = overlap, prior: Mapping[str, float] = NO_PRIOR
) -> Match | Outage | None:
    """The one tool that fits `query` best, or None where none fits at all."""
    found = search(documents, query, scorer=scorer, prior=prior)
    return found if isinstance(found, Outage) else next(iter(found.matches), None)


def _against(query: str, documents: Sequence[Document], scorer: Scorer) -> Mapping[str, float]:
    """How well the query fits what is said of when not to use each tool, at the worst."""
    reasons = [(document.name, reason) for document in documents for reason in document.avoid]
    worst: dict[str, float] = {}
    if reasons:
        scores = scorer(query, [Document("", reason) for _, reason in reasons])
        for (name, _), score in zip(reasons, scores, strict=True):
            worst[name] = max(score, worst.get(name, 0.0))
    return worst


def _left(score: float, against: float) -> float:
    """What is left of a score where the query fits a warning better than its tool."""
    return max(0.5, score / against) if against > score else 1.0
