"""A request for which no contract answers, to the tools that are opened for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolplan.domain.budget import Budget
from toolplan.retrieval.budgeting import Depth, Situation, depth, likeness_of
from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.protocol import Scorer
from toolplan.retrieval.scorers.words import overlap
from toolplan.retrieval.searching import NO_PRIOR, Found, Match, Outage, search


def explore(
    documents: Sequence[Document],
    query: str,
    budget: Budget,
    situation: Situation,
    *,
    scorer: Scorer = overlap,
    prior: Mapping[str, float] = NO_PRIOR,
) -> Depth | Outage:
    """What of `documents` to open for `query` under `budget`. The matches of `situation`, and their likeness, are found here.

    A registry that fits into the initial list is not searched: all of it matches. `scorer` and `prior` are those of `search`.
    """
    fits = len(documents) <= budget.initial
    found = Found(tuple(Match(document, 1.0) for document in documents)) if fits else search(documents, query, scorer=scorer, prior=prior)
    if isinstance(found, Outage):
        return found
    first = [match.document for match in found.matches[: budget.initial]]
    likeness = 0.0 if fits or budget.widen.collision is None else likeness_of(first, scorer)
    return depth(budget, replace(situation, matches=found.matches, likeness=likeness))
