"""How the requests of a suite are read, by each ranker that ships."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from toolplan.bench.gist.requests import DEVELOPMENT, Request, requests
from toolplan.domain import Domain
from toolplan.goals.rankers import RANKERS, ranker
from toolplan.goals.rankers.encoders import Encoder, remembering, universal_sentence_encoder
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.wording import phrases_of
from toolplan.goals.readings import GoalRanker, Reading
from toolplan.planning.inputs import build

FOLDS = 5
"""Parts of the development requests; each is read by a ranker that has learned from the others."""
BY_WORDS = "lexical"
DESCRIPTIVE = (BY_WORDS, "embeddings")
"""The rankers that measure similarity to what is written; what the others know beyond that is examples."""

__all__ = ["DESCRIPTIVE", "RANKERS", "readings", "without_phrases"]


def readings(name: str, suite: str, domain: Domain) -> Iterator[Reading]:
    """The reading of each request of `suite`, in order, by the ranker called `name`.

    It learns from the phrases of `domain` and from the development requests, but from none that it reads. Raises DomainError where a package is missing.
    """
    examples = requests(DEVELOPMENT)
    if suite == DEVELOPMENT:
        folds = [[example for number, example in enumerate(examples) if number % FOLDS != fold] for fold in range(FOLDS)]
    else:
        folds = [list(examples)]
    readers = [_learned(name, domain, fold) for fold in folds]
    for number, request in enumerate(requests(suite)):
        yield readers[number % len(readers)].rank(request.text, domain, build(domain, request.given, "").state)


def without_phrases(domain: Domain) -> Domain:
    """`domain`, of whose goals only names and descriptions can be read."""
    return replace(domain, goals={name: replace(goal, phrases=()) for name, goal in domain.goals.items()})


def _learned(name: str, domain: Domain, examples: Sequence[Request]) -> GoalRanker:
    return ranker(name, _labelled(domain, examples), None if name == BY_WORDS else _encoder())


def _labelled(domain: Domain, examples: Sequence[Request]) -> Iterator[Labelled]:
    """The phrases of the goals, and those of `examples` that say what is meant: the words of the others would teach a guess."""
    for goal in domain.goals.values():
        for phrase in phrases_of(goal):
            yield Labelled(phrase, (goal.name,))
    for example in examples:
        if not example.leaves_goal_open:
            yield Labelled(example.text, example.goals)


@cache
def _encoder() -> Encoder:
    return remembering(universal_sentence_encoder())
