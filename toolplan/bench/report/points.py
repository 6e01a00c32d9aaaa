"""What the plots of a suite show: a figure for each arm and each who chose, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.bench.pairs import mean_and_half_width
from toolplan.bench.runs import RunRecord
from toolplan.bench.runs.figures import by_arm, is_wrong
from toolplan.bench.runs.keeping import Runs
from toolplan.learning.intervals import wilson


class Point(NamedTuple):
    """A figure with its 95% interval; where there is none, as for those of others, both ends are the figure."""

    value: float
    low: float
    high: float


Points = Mapping[str, Mapping[str, Point]]
"""By arm, in the order of tables, and by who chose."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of an arm: its name, and how it is made of runs. `most` is the end of its axis; None for one that follows the figures."""

    name: str
    of: Callable[[Sequence[RunRecord]], Point]
    most: float | None = None


def share(hits: int, cases: int) -> Point:
    """The share in percent, of at least one case."""
    low, high = wilson(hits, cases)
    return Point(100 * hits / cases, 100 * low, 100 * high)


def _success(records: Sequence[RunRecord]) -> Point:
    return share(sum(record.success for record in records), len(records))


def _mean(values: Sequence[float]) -> Point:
    mean, half = mean_and_half_width(values)
    return Point(mean, max(0.0, mean - half), mean + half)


def _wrong(records: Sequence[RunRecord]) -> Point:
    return _mean([sum(map(is_wrong, record.steps)) for record in records])


def _tools(records: Sequence[RunRecord]) -> Point:
    """Of an arm that never showed any it is none."""
    return _mean([step.visible for record in records for step in record.steps if step.tokens_in] or [0])


def _tokens(records: Sequence[RunRecord]) -> Point:
    return _mean([sum(step.tokens_in + step.tokens_out for step in record.steps) for record in records])


METRICS: Sequence[Metric] = (
    Metric("success, %", _success, 100.0),
    Metric("wrong tools a task", _wrong),
    Metric("tools a step", _tools),
    Metric("tokens a task", _tokens),
)
"""What the paper draws, in its order."""


def points(files: Sequence[Runs], metric: Metric, printed: Points) -> Points:
    """The figure of each arm by each who chose in `files`, and what is `printed` of others beside it."""
    found: dict[str, dict[str, Point]] = {}
    for runs in files:
        for arm, records in by_arm(runs.records).items():
            found.setdefault(arm, {})[runs.subject.chooser] = metric.of(records)
    return {arm: {**of_arm, **printed.get(arm, {})} for arm, of_arm in found.items()}
