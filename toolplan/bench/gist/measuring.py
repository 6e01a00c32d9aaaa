"""Every request of a suite, run by every method over every ranker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import toolplan
from toolplan.bench.gist.judging import Judge, Verdict
from toolplan.bench.gist.methods import METHODS, SEMANTIC_GOAL, UNREAD
from toolplan.bench.gist.rankers import Read
from toolplan.bench.gist.requests import Request, requests
from toolplan.bench.gist.running import run
from toolplan.bench.gist.sources import Source
from toolplan.domain import Domain
from toolplan.goals.readings import Reading

NO_RANKER = "-"
"""Stands for the ranker of methods that read no request."""


class Measured(NamedTuple):
    """One run, judged."""

    ranker: str
    method: str
    request: Request
    verdict: Verdict


def measure(suite: str, sources: Sequence[Source], note: Callable[[str], None]) -> Iterator[Measured]:
    """The runs of `suite` by the simulated model; `note` is told what is under way. Deterministic."""
    domain = toolplan.load("gist")
    judge = Judge(domain)
    for ranker, method, read in _passes(domain, suite, sources):
        note(f"{method}, {ranker}")
        for request in requests(suite):
            reading, learned = read[request.id]
            yield Measured(ranker, method, request, judge.verdict(run(domain, request, METHODS[method], reading, learned)))


def unread(suite: str) -> Mapping[str, Read]:
    """What methods get that look at no reading."""
    return {request.id: Read(Reading(request.text, (), 1.0)) for request in requests(suite)}


def _passes(domain: Domain, suite: str, sources: Sequence[Source]) -> Iterator[tuple[str, str, Mapping[str, Read]]]:
    """Ranker, method, and what the method gets to read, for each pass over the suite."""
    for method in UNREAD:
        yield NO_RANKER, method, unread(suite)
    for source in sources:
        read = source.read(suite, domain)
        for method in METHODS:
            if method == SEMANTIC_GOAL:
                alike = source.by_likeness(suite, domain)
                if alike is not None:
                    yield source.name, method, alike
            elif method not in UNREAD:
                yield source.name, method, read
