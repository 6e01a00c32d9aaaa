"""Figures of many runs, each with its 95% interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from statistics import fmean, stdev

from toolplan.bench.gist.measuring import Measured
from toolplan.bench.gist.methods import GOALLESS, GOLD_GOAL
from toolplan.bench.gist.requests import TYPES
from toolplan.bench.tables import Row
from toolplan.learning.intervals import Z95, percent, wilson

ALL = "all"
"""Stands for the requests of all types."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of `of` runs, with the interval of Wilson."""

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, from 0 to 1."""
        return self.hits / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the interval."""
        return wilson(self.hits, self.of)

    def __str__(self) -> str:
        return percent(self.hits, self.of)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a number over runs or steps, with the interval of the normal distribution."""

    value: float
    reach: float

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the interval."""
        return self.value - self.reach, self.value + self.reach

    def __str__(self) -> str:
        return f"{self.value:.2f}±{self.reach:.2f}"


Figure = Share | Mean


@dataclass(frozen=True, slots=True)
class GistRow(Row):
    """One method on the requests of one type, as read by one ranker. None stands for what the method or the type leaves open."""

    type: str
    ranker: str
    method: str
    requests: int
    success: Share | None
    goal: Share | None
    wrong_goal: Share | None
    needless: Share | None
    missed: Share | None
    variables: Share | None
    premature: Share | None
    wrong_tools: Mean | None
    visible: Mean | None
    calls: Mean | None
    questions: Mean | None

    def to_json(self) -> dict[str, object]:
        """The row as JSON values; a figure with the bounds of its interval, a share also with its count."""
        return {field.name: _as_json(getattr(self, field.name)) for field in fields(self)}


def rows(measured: Sequence[Measured]) -> Iterator[GistRow]:
    """The figures of all requests, then those of each type; within a type ranker by ranker, and the methods in order."""
    groups: dict[tuple[str, str, str], list[Measured]] = {}
    for one in measured:
        groups.setdefault((ALL, one.ranker, one.method), []).append(one)
        groups.setdefault((one.request.type, one.ranker, one.method), []).append(one)
    order = (ALL, *TYPES)
    for kind, ranker, method in sorted(groups, key=lambda key: order.index(key[0])):
        yield _row(kind, ranker, method, groups[kind, ranker, method])


def _row(kind: str, ranker: str, method: str, measured: Sequence[Measured]) -> GistRow:
    verdicts = [one.verdict for one in measured]
    return GistRow(
        type=kind,
        ranker=ranker,
        method=method,
        requests=len(verdicts),
        success=share(verdict.success for verdict in verdicts),
        goal=None if method in GOALLESS else share(verdict.goal for verdict in verdicts),
        wrong_goal=share(verdict.wrong_goal for verdict in verdicts),
        needless=share(verdict.needless for verdict in verdicts),
        missed=None if method == GOLD_GOAL else share(verdict.missed for verdict in verdicts),
        variables=share(verdict.variables for verdict in verdicts),
        premature=share(verdict.premature for verdict in verdicts),
        wrong_tools=mean([verdict.wrong_tools for verdict in verdicts]),
        visible=mean([tools for verdict in verdicts for tools in verdict.visible]),
        calls=mean([verdict.calls for verdict in verdicts]),
        questions=mean([verdict.questions for verdict in verdicts]),
    )


def share(values: Iterable[bool | None]) -> Share | None:
    """The share of true values, leaving out None; None where nothing is left."""
    known = [value for value in values if value is not None]
    return Share(sum(known), len(known)) if known else None


def mean(values: Sequence[float]) -> Mean | None:
    """The mean of `values`; None where there are none."""
    if not values:
        return None
    return Mean(fmean(values), Z95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0)


def _as_json(value: object) -> object:
    match value:
        case Share(hits, of):
            return {"share": value.value, "interval": list(value.interval), "hits": hits, "of": of}
        case Mean(middle):
            return {"mean": middle, "interval": list(value.interval)}
        case _:
            return value
