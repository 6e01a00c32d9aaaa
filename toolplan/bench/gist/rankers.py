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
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.wording import phrases_of
from toolplan.goals.readings import Reading
from toolplan.planning.inputs import build
from toolplan.planning.problem import State
from toolplan.retrieval.encoders import Encoder, remembering, universal_sentence_encoder

T = TypeVar("T")

FOLDS = 5
"""Parts of the requests that are learned from; each is read by a ranker that has learned from the others."""
BY_WORDS = "lexical"
DESCRIPTIVE = (BY_WORDS, "embeddings")
"""The rankers that measure similarity to what is written; what the others know beyond that is examples."""

__all__ = ["DESCRIPTIVE", "RANKERS", "Read", "detector_of", "readings", "readings_alone", "state_of", "without_phrases"]


class Read(NamedTuple):
    """A request as a ranker reads it, and what was learned about requests that leave their goal open."""

    reading: Reading
    learned: tuple[Detector, ...] = ()


def readings(name: str, suite: str, domain: Domain) -> Iterator[Read]:
    """Each request of `suite`, in order, as the ranker called `name` reads it.

    The ranker learns from the phrases of `domain` and from the requests of the suites `LEARNED`, but from none that it reads. The detector
    learns from these requests, as they were read so, but from none that it judges. Raises DomainError where a package is missing.
    """
    experience = list(_held_out(name, domain))
    if suite in LEARNED:
        own = {request.id for request in requests(suite)}
        detectors = cache(lambda fold: detector_of(domain, _without_one(experience)[fold]))
        for number, (request, reading) in enumerate(experience):
            if request.id in own:
                yield Read(reading, (detectors(number % FOLDS),))
    else:
        detector = detector_of(domain, experience)
        for reading in _read(name, domain, [_examples()], requests(suite)):
            yield Read(reading, (detector,))


def readings_alone(name: str, suite: str, domain: Domain) -> Iterator[Read]:
    """The same readings, and no detector."""
    if suite in LEARNED:
        own = {request.id for request in requests(suite)}
        return (Read(reading) for request, reading in _held_out(name, domain) if request.id in own)
    return map(Read, _read(name, domain, [_examples()], requests(suite)))


def without_phrases(domain: Domain) -> Domain:
    """`domain`, of whose goals only names and descriptions can be read."""
    return replace(domain, goals={name: replace(goal, phrases=(), templates=()) for name, goal in domain.goals.items()})


def _examples() -> list[Request]:
    return [example for suite in LEARNED for example in requests(suite)]


def _held_out(name: str, domain: Domain) -> Iterator[tuple[Request, Reading]]:
    """All requests that are learned from, each as it is read by a ranker that learned from the other folds."""
    examples = _examples()
    return zip(examples, _read(name, domain, _without_one(examples), examples), strict=True)


def _without_one(values: Sequence[T]) -> list[Sequence[T]]:
    """For each fold, all values but its own. The folds take turns."""
    return [[value for number, value in enumerate(values) if number % FOLDS != fold] for fold in range(FOLDS)]


def _read(name: str, domain: Domain, lessons: Sequence[Sequence[Request]], read: Sequence[Request]) -> Iterator[Reading]:
    """`read`, in order, by rankers that take turns; each has learned from one of `lessons`."""
    encode = None if name == BY_WORDS else _encoder()
    rankers = [ranker(name, _labelled(domain, lesson), encode) for lesson in lessons]
    for number, request in enumerate(read):
        yield rankers[number % len(rankers)].rank(request.text, domain, state_of(domain, request))


def detector_of(domain: Domain, lesson: Sequence[tuple[Request, Reading]]) -> Detector:
    """What `lesson` teaches."""
    encode = _encoder()
    from toolplan.goals.unclear import Experience, Said, UnclearRequests

    experience = [Experience(Said(reading, state_of(domain, request)), request.leaves_goal_open) for request, reading in lesson]
    return UnclearRequests.fit(experience, encode)


def state_of(domain: Domain, request: Request) -> State:
    """What is known when `request` is said."""
    return build(domain, request.given, "").state


def _labelled(domain: Domain, examples: Sequence[Request]) -> Iterator[Labelled]:
    """The phrases of the goals, and `examples`; one that leaves its goal open stands for each that is plausible."""
    for goal in domain.goals.values():
        for phrase in phrases_of(goal):
            yield Labelled(phrase, (goal.name,))
    for example in examples:
        meant = [(goal,) for goal in example.plausible] if example.leaves_goal_open else [example.goals]
        for goals in meant:
            yield Labelled(example.text, goals)


@cache
def _encoder() -> Encoder:
    return remembering(universal_sentence_encoder())
