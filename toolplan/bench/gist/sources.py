"""Where the readings of a suite come from: a ranker that ships, or a model that was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from toolplan.bench.gist.rankers import DESCRIPTIVE, Read, detector_of, readings, readings_alone, without_phrases
from toolplan.bench.gist.requests import PRACTICE, Request, requests
from toolplan.domain import Domain
from toolplan.goals.calibration import Judged, calibrated, fit
from toolplan.goals.rankers.model import read_answer
from toolplan.goals.readings import Reading

MOST_ALIKE = "embeddings"
"""The ranker of semantic-goal where a model reads or chooses: likeness to descriptions, as in the paper."""


class Source(Protocol):
    """Reads the requests of a suite. It is sent to other processes, so it holds what was read, or how to read it again."""

    @property
    def name(self) -> str:
        """The name of what reads."""
        ...

    def read(self, suite: str, domain: Domain) -> Mapping[str, Read]:
        """The requests of `suite`, by their ids."""
        ...

    def by_likeness(self, suite: str, domain: Domain) -> Mapping[str, Read] | None:
        """The same by likeness to names and descriptions alone, as semantic-goal has it; None for a ranker that knows more."""
        ...


@dataclass(frozen=True, slots=True)
class Shipped:
    """The ranker called `name`."""

    name: str

    def read(self, suite: str, domain: Domain) -> Mapping[str, Read]:
        """As it reads what it has not learned from."""
        return _by_id(suite, readings(self.name, suite, domain))

    def by_likeness(self, suite: str, domain: Domain) -> Mapping[str, Read] | None:
        """Without the phrases of the goals."""
        return alike(self.name, suite, domain) if self.name in DESCRIPTIVE else None


@dataclass(frozen=True, slots=True)
class Answered:
    """The model called `name`, which gave `answers`, by the ids of requests: of those that are read, and of some practice requests.

    From its readings of these it is learned what its confidences mean, and which requests leave their goal open; from none of the others.
    """

    name: str
    answers: Mapping[str, str]

    def read(self, suite: str, domain: Domain) -> Mapping[str, Read]:
        """What the answers say, calibrated, and with the detector where there were practice requests of both kinds."""
        practised = list(self._readings(PRACTICE, domain))
        calibration = fit(Judged(reading, request.goals) for request, reading in practised)
        experience = [(request, calibrated(reading, calibration)) for request, reading in practised]
        kinds = {request.leaves_goal_open for request, _ in practised}
        learned = (detector_of(domain, experience),) if len(kinds) > 1 else ()
        return {request.id: Read(calibrated(reading, calibration), learned) for request, reading in self._readings(suite, domain)}

    def by_likeness(self, suite: str, domain: Domain) -> Mapping[str, Read] | None:
        """By embeddings of the descriptions."""
        return alike(MOST_ALIKE, suite, domain)

    def _readings(self, suite: str, domain: Domain) -> Iterator[tuple[Request, Reading]]:
        """The answers, as the product reads them: one with any fault is not used at all."""
        for request in requests(suite):
            if request.id in self.answers:
                yield request, read_answer(domain, request.text, self.answers[request.id])


def alike(ranker: str, suite: str, domain: Domain) -> Mapping[str, Read]:
    """The requests of `suite` as `ranker` reads them that knows only names and descriptions of goals, and no phrases."""
    return _by_id(suite, readings_alone(ranker, suite, without_phrases(domain)))


def _by_id(suite: str, read: Iterable[Read]) -> Mapping[str, Read]:
    return dict(zip((request.id for request in requests(suite)), read, strict=True))
