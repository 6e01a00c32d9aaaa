"""Every request of a suite, run by every method over every ranker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import toolplan
from toolplan.bench.gist.judging import Judge, Verdict
from toolplan.bench.gist.methods import METHODS, SEMANTIC_GOAL, UNREAD
from toolplan.bench.gist.rankers import DESCRIPTIVE, Read, readings, readings_alone, without_phrases
from toolplan.bench.gist.requests import Request, requests
from toolplan.bench.gist.running import run
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


def measure(suite: str, rankers: Sequence[str], note: Callable[[str], None]) -> Iterator[Measured]:
    """The runs of `suite`; `note` is told what is under way. Deterministic."""
    domain = toolplan.load("gist")
    judge = Judge(domain)
    for ranker, method, read in _passes(domain, suite, rankers):
        note(f"{method}, {ranker}")
        for request, (reading, learned) in zip(requests(suite), read, strict=True):
            yield Measured(ranker, method, request, judge.verdict(run(domain, request, METHODS[method], reading, learned)))


def _passes(domain: Domain, suite: str, rankers: Sequence[str]) -> Iterator[tuple[str, str, Sequence[Read]]]:
    """Ranker, method, and what the method gets to read, for each pass over the suite."""
    unread = [Read(Reading(request.text, (), 1.0)) for request in requests(suite)]
    for method in UNREAD:
        yield NO_RANKER, method, unread
    described = without_phrases(domain)
    for ranker in rankers:
        read = list(readings(ranker, suite, domain))
        for method in METHODS:
            if method == SEMANTIC_GOAL and ranker in DESCRIPTIVE:
                yield ranker, method, list(readings_alone(ranker, suite, described))
            elif method not in (*UNREAD, SEMANTIC_GOAL):
                yield ranker, method, read
