"""What an outside planner may say, before it is decided whether to believe it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Resource(enum.Enum):
    """What a planner may run out of."""

    TIME = "time"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Found:
    """A plan, as indices into the operators of the task, and the cost that the planner claims for it (None: it claims none)."""

    operators: tuple[int, ...]
    claimed: int | None
    claims_optimal: bool


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The planner says that it searched everything and there is no plan."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The planner ran out of `resource`. It says that no plan costs less than `bound`."""

    resource: Resource
    bound: int = 0


@dataclass(frozen=True, slots=True)
class Broken:
    """The planner failed; `detail` is the last of what it said."""

    detail: str


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no such planner."""


Answer = Found | Exhausted | Stopped | Broken | Absent
