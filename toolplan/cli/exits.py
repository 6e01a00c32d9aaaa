"""What a command's exit code says."""

from __future__ import annotations

import enum


class Exit(enum.IntEnum):
    """The exit codes of every command."""

    OK = 0
    INPUT = 1
    USAGE = 2
    NO_PLAN = 3
    LIMIT = 4
    INTERNAL = 5
    DISAGREEMENT = 6

    @property
    def meaning(self) -> str:
        """The code in a few words."""
        return _MEANINGS[self.value]


_MEANINGS = {
    0: "ok",
    1: "errors in the input (with --strict warnings too), or failed tests",
    2: "usage",
    3: "no plan",
    4: "limit reached",
    5: "a planner is missing or failed",
    6: "two planners disagree",
}
