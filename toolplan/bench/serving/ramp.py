"""At which rate a server saturates: the same conversations take their steps ever faster, until it does not keep up."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from toolplan.bench.planner.measuring import percentile
from toolplan.bench.serving.driving import Load, Steps, drive
from toolplan.bench.tables import Row

FASTER = 1.5
"""By how much each level is faster than the one before."""
KEEPS_UP = 0.95
"""The share of the steps that are due which a server has to take in time."""
LATEST = 1_000.0
"""Milliseconds within which 99 of a hundred steps have to be done."""


@dataclass(frozen=True, slots=True)
class RampRow(Row):
    """One level: steps in a second that were due and that were done, milliseconds, and whether the server has kept up."""

    server: str
    due: float
    done: float
    p50: float
    p99: float
    kept_up: bool


async def levels(server: str, talks: Sequence[Steps], load: Load, most: int) -> AsyncIterator[RampRow]:
    """At most so many levels, the first at the rate of `load`; the last is one at which `server` does not keep up."""
    for level in range(most):
        every = load.every / FASTER**level
        began = time.perf_counter()
        driven = await drive(talks, Load(load.conversations, load.seconds, every))
        times = [1_000 * seconds for seconds in driven.all_times]
        due, done = len(talks) / every, len(times) / max(time.perf_counter() - began, load.seconds)
        late = percentile(times, 99)
        row = RampRow(server, due, done, percentile(times, 50), late, done >= KEEPS_UP * due and late <= LATEST)
        yield row
        if not row.kept_up:
            return
