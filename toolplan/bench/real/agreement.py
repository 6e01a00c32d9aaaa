"""How often our decisions are those that were annotated, with 95% intervals, and what the others are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from toolplan.bench.tables import Row
from toolplan.learning.intervals import percent

T = TypeVar("T")


class Titled(NamedTuple):
    """Rows of one table, and what it shows. There may be none."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Agreement(Row):
    """Of how many `cases` something holds, the share in percent with its Wilson interval, and how many others there are of each kind."""

    data: str
    what: str
    cases: int
    holds: int
    percent: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Miss(Row):
    """A case in which our action is not the annotated one, and what kind of case it is."""

    data: str
    case: str
    annotated: str
    ours: str
    kind: str


def agreement(data: str, what: str, cases: Sequence[T], holds: Callable[[T], bool], kind: Callable[[T], str]) -> Agreement:
    """Count `cases`; those for which it does not hold are counted by `kind`, the most frequent first."""
    others = [case for case in cases if not holds(case)]
    agreeing = len(cases) - len(others)
    return Agreement(data, what, len(cases), agreeing, percent(agreeing, len(cases), places=2), _counted(map(kind, others)))


def _counted(kinds: Iterable[str]) -> tuple[str, ...]:
    counts = sorted(Counter(kinds).items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{count}x {kind}" for kind, count in counts)
