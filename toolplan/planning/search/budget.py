"""What a search may use, and what it has used."""

from __future__ import annotations

import time
from math import inf

from toolplan.planning.plans import Limit


class Budget:
    """A limit, counted down: `expansions` of nodes, `looks` at operators (the same on every machine), and the clock, which runs already."""

    def __init__(self, limit: Limit, effort: float = inf) -> None:
        self.expansions = 0
        self.looks = 0
        self._limit = limit
        self._effort = effort
        self._deadline = time.monotonic() + limit.seconds

    def used_up(self) -> str | None:
        """Which limit was passed, in words, if any was. What is used up stays used up."""
        if self.looks > self._effort:
            return f"{self._effort:,} operators looked at"
        if self.expansions >= self._limit.expansions:
            return f"{self._limit.expansions:,} expansions"
        if time.monotonic() > self._deadline:
            return f"{self._limit.seconds:g} s"
        return None
