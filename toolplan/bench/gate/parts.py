"""What each part takes of a step, with no framework around it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TypeVar

from toolplan.adapters.guide import Guide
from toolplan.bench.gate import desk
from toolplan.bench.planner.measuring import percentile
from toolplan.bench.tables import Row
from toolplan.catalog import Catalog
from toolplan.domain import Domain
from toolplan.gate import Allow

T = TypeVar("T")
Times = defaultdict[str, list[float]]

WARM_UP = 3
SUMS = {"next and payload": ("Gate.next", "Exposure.step"), "check and observe": ("Gate.check", "Gate.observe")}
"""Parts that every step has one of each."""


@dataclass(frozen=True, slots=True)
class PartRow(Row):
    """Calls of a part, in microseconds of processor time."""

    part: str
    calls: int
    median: float
    p99: float


def rows(conversations: int) -> Iterator[PartRow]:
    """One row for each part, and for what a step has of two of them."""
    contracts, catalog = desk.domain(), desk.catalog()
    times = Times(list)
    for number in range(WARM_UP + conversations):
        _converse(number, contracts, catalog, times if number >= WARM_UP else Times(list))
    for name, parts in SUMS.items():
        times[name] = [sum(step) for step in zip(*(times[part] for part in parts), strict=False)]
    for name, taken in times.items():
        yield PartRow(name, len(taken), median(taken), percentile(taken, 99))


def _converse(number: int, contracts: Domain, catalog: Catalog, times: Times) -> None:
    """One conversation, as a loop with no framework leads it."""
    guide = _timed(times["Session, Gate and Guide"], lambda: Guide.of(desk.gate(contracts, catalog), "openai"))
    gate = guide.gate
    _timed(times["Gate.hear"], partial(gate.hear, desk.REQUEST))
    for use in desk.uses(number):
        _show(guide, times)
        call = guide.call(use.id, use.tool, use.arguments)
        verdict = _timed(times["Gate.check"], partial(gate.check, call))
        if not isinstance(verdict, Allow):
            raise RuntimeError(f"the conversation went another way: {verdict}")
        result = desk.answer(number, use.tool)
        _timed(times["Gate.observe"], partial(gate.observe, verdict.permit, result))
    _show(guide, times)


def _show(guide: Guide, times: Times) -> None:
    frontier = _timed(times["Gate.next"], guide.gate.next)
    _timed(times["Exposure.step"], partial(guide.exposure.step, frontier))


def _timed(times: list[float], call: Callable[[], T]) -> T:
    started = time.process_time_ns()
    result = call()
    times.append((time.process_time_ns() - started) / 1e3)
    return result
