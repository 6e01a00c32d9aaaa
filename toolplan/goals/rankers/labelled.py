"""Requests with the goals that people meant by them: a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.goals.readings import Goals
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester

SHAPE = 'such as {"request": "call it off", "goals": ["cancel_event"]}; without goals, "goals": []'


class Labelled(NamedTuple):
    """A request and what was meant by it: one goal, several at once in the order in which they are said, or nothing."""

    request: str
    goals: Goals


def read_labelled(source: Source, domain: Domain) -> list[Labelled]:
    """The labelled requests in `source`, in order. Empty lines are skipped. Raises DomainError with every line that cannot be used."""
    labelled: list[Labelled] = []
    findings: list[Diagnostic] = []
    suggester = Suggester()
    for location, line in _lines(source):
        try:
            labelled.append(_labelled(json.loads(line)))
        except (ValueError, RecursionError):
            findings.append(Diagnostic(Code.BAD_JSON, "this line is no labelled request", location, SHAPE))
            continue
        for goal in labelled[-1].goals:
            if goal not in domain.goals:
                hint = suggester.hint(goal, domain.goals)
                findings.append(Diagnostic(Code.UNKNOWN_GOAL_NAME, f"there is no goal `{goal}`", location, hint))
    if findings:
        raise DomainError(findings)
    return labelled


def merged(labelled: Iterable[Labelled]) -> list[Labelled]:
    """`labelled` in order of request, each request once; what is said of it last is what holds. Case and blanks make no difference."""
    last = {" ".join(one.request.split()).casefold(): one for one in labelled}
    return [Labelled(" ".join(last[key].request.split()), last[key].goals) for key in sorted(last)]


def write_labelled(labelled: Iterable[Labelled]) -> str:
    """`labelled` as text that `read_labelled` reads."""
    return "".join(json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in labelled)


def _lines(source: Source) -> Iterator[tuple[Location, str]]:
    """The lines that hold something, with their places."""
    start = 0
    for line in source.text.split("\n"):
        if line.strip():
            yield Location(source, Span(start, start + len(line.rstrip()))), line
        start += len(line) + 1


def _labelled(data: object) -> Labelled:
    """Raises ValueError where `data` is not of the shape."""
    match data:
        case {"request": str(request), "goals": list(goals), **rest} if not rest and request.strip():
            if all(isinstance(goal, str) for goal in goals) and len(set(goals)) == len(goals):
                return Labelled(request, tuple(goals))
    raise ValueError
