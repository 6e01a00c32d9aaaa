"""How the requests of a suite are read, by each ranker that ships."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeVar

from toolplan.bench.gist.requests import LEARNED, Request, requests
from toolplan.domain import Domain
from toolplan.goals.ambiguity import Detector
from toolplan.goals.rankers import RANKERS, ranker
from toolplan.goals.rankers.encoders import Encoder, remembering, universal_sentence_encoder
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.wording import phrases_of
from toolplan.goals.readings import Reading
from toolplan.planning.inputs import build

T = TypeVar("T")

FOLDS = 5
"""Parts of the requests that are learned from; each is read by a ranker that has learned from the others."""
BY_WORDS = "lexical"
DESCRIPTIVE = (BY_WORDS, "embeddings")
"""The rankers that measure similarity to what is written; what the others know beyond that is examples."""

__all__ = ["DESCRIPTIVE", "RANKERS", "Read", "readings", "without_phrases"]


class Read(NamedTuple):
    """A request as a ranker reads it, and what was learned about requests that leave their goal open."""

    reading: Reading
    learned: tuple[Detector, ...] = ()


def readings(name: str, suite: str, domain: Domain) -> Iterator[Read]:
    """Each request of `suite`, in order, as the ranker called `name` reads it.

    The ranker learns from the phrases of `domain` and from the requests of the suites `LEARNED`, but from none that it reads. The detector
    learns from these requests, as they were read so, but from none that it judges. Raises DomainError where a package is missing.
    """
    examples = [example for learned in LEARNED for example in requests(learned)]
    held_out = list(_read(name, domain, _without_one(examples), examples))
    experience = list(zip(examples, held_out, strict=True))
    if suite in LEARNED:
        own = {request.id for request in requests(suite)}
        detectors = [_detector(lesson) for lesson in _without_one(experience)]
        for number, (request, reading) in enumerate(experience):
            if request.id in own:
                yield Read(reading, (detectors[number % FOLDS],))
    else:
        detector = _detector(experience)
        for reading in _read(name, domain, [examples], requests(suite)):
            yield Read(reading, (detector,))


def without_phrases(domain: Domain) -> Domain:
    """`domain`, of whose goals only names and descriptions can be read."""
    return replace(domain, goals={name: replace(goal, phrases=(), templates=()) for name, goal in domain.goals.items()})


def _without_one(values: Sequence[T]) -> list[Sequence[T]]:
    """For each fold, all values but its own. The folds take turns."""
    return [[value for number, value in enumerate(values) if number % FOLDS != fold] for fold in range(FOLDS)]


def _read(name: str, domain: Domain, lessons: Sequence[Sequence[Request]], read: Sequence[Request]) -> Iterator[Reading]:
    """`read`, in order, by rankers that take turns; each has learned from one of `lessons`."""
    encode = None if name == BY_WORDS else _encoder()
    rankers = [ranker(name, _labelled(domain, lesson), encode) for lesson in lessons]
    for number, request in enumerate(read):
        yield rankers[number % len(rankers)].rank(request.text, domain, build(domain, request.given, "").state)


def _detector(lesson: Sequence[tuple[Request, Reading]]) -> Detector:
    """What `lesson` teaches."""
    encode = _encoder()
    from toolplan.goals.unclear import Experience, UnclearRequests

    return UnclearRequests.fit([Experience(reading, request.leaves_goal_open) for request, reading in lesson], encode)


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
