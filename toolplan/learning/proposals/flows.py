"""Which result an argument of a tool was taken from, by equal values: what a tool requires, as far as runs without states can tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplan.learning.open_runs import OpenRuns
from toolplan.learning.runs import KEPT_VALUES, Place, Value, as_value, leaves
from toolplan.learning.traces import Ended, Execution, Record, Returned


class Flow(NamedTuple):
    """In `times` of the `calls` that gave it, `argument` of `consumer` had a value that `producer` had returned at `path`."""

    producer: str
    path: str
    consumer: str
    argument: str
    times: int
    calls: int


@dataclass
class _Open:
    """A run that goes on: where each value was seen first, None where somebody has said it, and what was started last."""

    origins: dict[Value, Place | None] = field(default_factory=dict)
    last: list[Execution] = field(default_factory=list)

    def settle(self, batch: int) -> None:
        """See the values of what was started last, unless something of the same `batch` follows. What a tool was given, it has not found."""
        if batch and self.last and self.last[0].batch == batch:
            return
        for done in self.last:
            for value in map(as_value, done.arguments.values()):
                self._see(value, None)
        for done in sorted(self.last, key=lambda done: done.tool):
            for path, value in leaves(done.result.value) if isinstance(done.result, Returned) else ():
                self._see(value, Place(done.tool, path))
        self.last.clear()

    def _see(self, value: Value | None, place: Place | None) -> None:
        if value is not None and value not in self.origins:
            self.origins[value] = place
            if len(self.origins) > KEPT_VALUES:
                del self.origins[next(iter(self.origins))]


class Flows:
    """Counts of values that arguments had, by the result in which each was first seen in its run. No value is kept."""

    def __init__(self) -> None:
        self._calls = Counter[Place]()
        self._origins: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
        self._open = OpenRuns(_Open)

    def observe(self, record: Record) -> None:
        """Count where the arguments of an execution come from."""
        match record:
            case Execution(trace=trace):
                run = self._open.of(trace)
                run.settle(record.batch)
                self._count(run, record)
                run.last.append(record)
            case Ended(trace):
                self._open.end(trace)

    def add(self, other: Flows) -> None:
        """Count what `other` has counted in other runs, too."""
        self._calls.update(other._calls)
        for argument, origins in other._origins.items():
            self._origins[argument].update(origins)

    def found(self) -> Iterator[Flow]:
        """The flows from one tool to another, by consumer and argument, the most frequent first."""
        for argument in sorted(self._origins):
            origins = self._origins[argument]
            for origin in sorted(origins, key=lambda origin: (-origins[origin], origin)):
                if origin.tool != argument.tool:
                    yield Flow(origin.tool, origin.at, argument.tool, argument.at, origins[origin], self._calls[argument])

    def _count(self, run: _Open, done: Execution) -> None:
        for name, given in done.arguments.items():
            argument, value = Place(done.tool, name), as_value(given)
            self._calls[argument] += 1
            origin = None if value is None else run.origins.get(value)
            if origin is not None:
                self._origins[argument][origin] += 1
