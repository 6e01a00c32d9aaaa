"""What an outside planner may say, before it is decided whether to believe it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from toolplan.planning.plans import Limit

STARTING_MEGABYTES = 64
"""What a planner may take before it can so much as say that it has run out of memory."""


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


def believable(answer: Answer, limit: Limit) -> Answer:
    """`answer`; but a planner that breaks with less memory than starting takes has run out of that, whatever it says."""
    return Stopped(Resource.MEMORY) if isinstance(answer, Broken) and limit.megabytes < STARTING_MEGABYTES else answer
