"""Thousands of conversations through one process: the memory that it needs, and how long each method of a session takes."""

from __future__ import annotations

import re
import resource
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random

import toolplan
from toolplan.bench.planner.measuring import Promise, at_most
from toolplan.bench.sessions.talking import SETTINGS, Setting, Talk, Unread
from toolplan.bench.sessions.timing import Stopwatch
from toolplan.bench.tables import Row
from toolplan.domain import Domain
from toolplan.session.stores import MemoryStore, SQLiteStore, Store

TURNS = 20
TOGETHER = 50
"""Conversations that take turns, in a process that has many users at once."""
KEPT = 1_000
"""Sessions that the store in memory keeps."""
READ = 200
"""Sessions whose turns are read by rules: a sample, since reading is not what is measured."""
GROWTH = 2_000
"""Bytes by which one more session may raise the peak once caches are full. Its events alone are many times that."""
FULL = 3_000
"""Sessions after which they are."""
OPERATIONS = ("hear", "next", "propose", "start", "observe")


@dataclass(frozen=True, slots=True)
class MemoryRow(Row):
    """The peak of the process once `sessions` were led to their end, and by how many bytes each has raised it since the row before.

    `events` and `event_bytes` are those of one session, on average.
    """

    store: str
    sessions: int
    peak_MB: float
    bytes_a_session: float | None
    events: float
    event_bytes: float


@dataclass(frozen=True, slots=True)
class TimeRow(Row):
    """How long calls of a method took. `turns` says who read what the users said: the benchmark gave the readings, or it was the rules."""

    store: str
    domain: str
    turns: str
    method: str
    calls: int
    median_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class HappenedRow(Row):
    """How often a user did something, or a call came to something."""

    what: str
    times: int


@dataclass(frozen=True, slots=True)
class Measured:
    """The rows of one process, and what happened in it."""

    memory: tuple[MemoryRow, ...]
    times: tuple[TimeRow, ...]
    happened: Counter[str]


def measure(sizes: Sequence[int], note: Callable[[str], None], read: int = READ) -> Iterator[Measured]:
    """Each store in a process of its own, up to the largest of `sizes`; then `read` sessions whose turns the rules read."""
    runs = [(kind, sizes, Talk) for kind in ("memory", "SQLite")] + [("memory", (read,), Unread)]
    for kind, numbers, talk in runs:
        note(f"{max(numbers):,} sessions, {kind}, turns {talk.TURNS}")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            yield pool.submit(led, kind, tuple(sorted(numbers)), talk).result()


def led(kind: str, sizes: Sequence[int], talk: type[Talk]) -> Measured:
    """What leading as many conversations as the largest of `sizes` needs, in this process."""
    with tempfile.TemporaryDirectory() as directory:
        store = MemoryStore(KEPT) if kind == "memory" else SQLiteStore(Path(directory, "sessions.db"))
        leading = _Leading(kind, store, talk)
        for before, size in pairwise((0, *sizes)):
            leading.lead(range(before, size))
        if isinstance(store, SQLiteStore):
            store.close()
    return Measured(tuple(leading.memory) if talk is Talk else (), tuple(leading.times()), leading.happened)


class _Leading:
    """Conversations that are led to their end."""

    def __init__(self, kind: str, store: Store, talk: type[Talk]) -> None:
        self._kind, self._store, self._talk = kind, store, talk
        self._domains = [(setting, toolplan.load(setting.name), Stopwatch()) for setting in SETTINGS]
        self._events = self._bytes = 0
        self.memory: list[MemoryRow] = []
        self.happened: Counter[str] = Counter()

    def lead(self, numbers: range) -> None:
        """Lead the conversations `numbers`, some of them at once, and note what the process needs then."""
        for first in range(numbers.start, numbers.stop, TOGETHER):
            self._together(range(first, min(first + TOGETHER, numbers.stop)))
        before = self.memory[-1] if self.memory else None
        peak = peak_memory()
        growth = None if before is None else (peak - before.peak_MB) * 2**20 / len(numbers)
        count = numbers.stop
        self.memory.append(MemoryRow(self._kind, count, peak, growth, self._events / count, self._bytes / count))

    def _together(self, numbers: range) -> None:
        talks = [self._begun(number, *self._domains[number % len(self._domains)]) for number in numbers]
        for _ in range(TURNS):
            for talk in talks:
                talk.turn()
        for talk in talks:
            self.happened += talk.happened
            lines = self._store.events(talk.session.id)
            self._events += len(lines)
            self._bytes += sum(len(line.encode()) for line in lines)

    def _begun(self, number: int, setting: Setting, domain: Domain, stopwatch: Stopwatch) -> Talk:
        name = f"{setting.name} {number}"
        return self._talk(setting.session(domain, self._store, name), setting.server, Random(name), stopwatch)

    def times(self) -> Iterator[TimeRow]:
        """A row for each domain and method."""
        for setting, _, stopwatch in self._domains:
            for name in OPERATIONS:
                times = stopwatch.times[name]
                if times.count:
                    row = partial(TimeRow, self._kind, setting.name, self._talk.TURNS, name, times.count)
                    yield row(times.percentile(50) * 1e3, times.percentile(99) * 1e3)


def peak_memory() -> float:
    """The largest resident size of this process so far, in megabytes."""
    try:  # What `getrusage` tells can be that of the process which started this one.
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
    except OSError:
        found = None
    return float(found[1] if found is not None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def happened(measured: Sequence[Measured]) -> list[HappenedRow]:
    """What happened in the conversations whose readings were given, all stores together, most often first."""
    counts: Counter[str] = sum((one.happened for one in measured if one.memory), Counter())
    return [HappenedRow(what, times) for what, times in counts.most_common()]


def promises(measured: Sequence[Measured]) -> Iterator[Promise]:
    """Memory is bounded: the last stretch of sessions hardly raises it."""
    for one in measured:
        for before, after in list(pairwise(one.memory))[-1:]:
            if after.bytes_a_session is not None and before.sessions >= FULL:
                yield at_most(f"bytes of memory by which one more session raises the peak, {after.store}", after.bytes_a_session, GROWTH)
