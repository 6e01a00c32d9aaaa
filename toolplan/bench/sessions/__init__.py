"""Conversations, measured: memory and time of many, what one costs over bare decisions, and several workers on the same ones.

- `users`, `servers`: who takes part; `talking`: a conversation of them.
- `scale`: thousands of sessions through one process. `cost`: a session beside bare calls of `frontier`. `workers`: processes and threads that
  take turns at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from toolplan.bench.sessions import cost, scale, workers
from toolplan.bench.tables import Row

SIZES = (1_000, 5_000, 10_000)


def tables(sizes: Sequence[int], note: Callable[[str], None]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Each table with its title, when it is measured: with the memory after each of `sizes`, which are numbers of sessions."""
    measured = list(scale.measure(sizes, note))
    yield "Memory: sessions of 20 turns through one process", [row for one in measured for row in one.memory]
    yield "Time of the methods of a session", [row for one in measured for row in one.times]
    yield "What happened in these conversations", scale.happened(measured)
    note("cost")
    yield "Cost: a session beside bare calls of frontier()", list(cost.rows())
    note("workers")
    worked = list(workers.rows())
    yield "Workers: the same sessions, interleaved at random", worked
    yield "What is promised, and what was measured", [*scale.promises(measured), *workers.promises(worked)]
