"""Times of calls in constant memory, so that what is measured is not the measuring."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from math import ceil, log
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

STEP = 1.02
"""By how much one bucket is longer than the one before: times are kept to two percent."""


class Times:
    """How long calls took."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Note a call that took `seconds`."""
        self._buckets[round(log(max(seconds, 1e-9), STEP))] += 1
        self.total += seconds

    @property
    def count(self) -> int:
        """How many calls there were."""
        return self._buckets.total()

    def percentile(self, percent: int) -> float:
        """The seconds that `percent` of a hundred calls do not exceed, to two percent."""
        left = max(ceil(self.count * percent / 100), 1)
        for bucket in sorted(self._buckets):
            left -= self._buckets[bucket]
            if left <= 0:
                return STEP**bucket
        raise ValueError("no call was timed")


class Stopwatch:
    """Calls what it is given, and keeps the times under their names."""

    def __init__(self) -> None:
        self.times: defaultdict[str, Times] = defaultdict(Times)

    def __call__(self, name: str, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What `method` returns."""
        started = time.perf_counter()
        result = method(*args, **kwargs)
        self.times[name].add(time.perf_counter() - started)
        return result
