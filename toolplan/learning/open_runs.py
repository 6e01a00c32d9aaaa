"""Runs that go on, of which records may alternate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

MOST_OPEN = 4_096
"""Runs that may be open at once; the one that was heard of longest ago is taken to be over."""
T = TypeVar("T")


class OpenRuns(Generic[T]):
    """What is kept of each run until it ends, made by `begin` when it is first heard of."""

    def __init__(self, begin: Callable[[], T]) -> None:
        self._begin = begin
        self._open: dict[str, T] = {}

    def of(self, trace: str) -> T:
        """What is kept of the run called `trace`."""
        run = self.end(trace)
        self._open[trace] = run
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
        return run

    def end(self, trace: str) -> T:
        """The same for the last time."""
        return self._open.pop(trace) if trace in self._open else self._begin()
