"""The requests of the suite, each with the state it is said in and what its user means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from toolplan.goals.readings import Goals

EXPLICIT = "explicit"
AMBIGUOUS = "ambiguous"
MISSING = "missing_variable"
CLARIFICATION = "clarification_required"
TWO_GOALS = "two_goals"
NO_GOAL = "no_goal"
TYPES = (EXPLICIT, AMBIGUOUS, MISSING, CLARIFICATION, TWO_GOALS, NO_GOAL)
"""The types of requests: the first four are those of table I of the GIST-CMTF paper."""

DEVELOPMENT = "development"
PRACTICE = "practice"
MEASURED = "measured"
SUITES = (DEVELOPMENT, PRACTICE, MEASURED)
LEARNED = (DEVELOPMENT, PRACTICE)
"""The suites that may be learned from."""
SEEN = frozenset(["m001"])
"""Measured requests that somebody saw who worked on the methods: they count for nothing. See MEASURED.md."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a user.

    `goals` are what is meant, none where the domain has no goal for it; `plausible` the goals that the words leave open. `given` are
    the facts that the request gives, `missing` those that the user has yet to say for these goals, and says when asked.
    """

    id: str
    type: str
    text: str
    goals: Goals
    plausible: tuple[str, ...]
    given: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def leaves_goal_open(self) -> bool:
        """Whether nobody could tell the goal without asking."""
        return self.type in (AMBIGUOUS, CLARIFICATION) and len(self.plausible) > 1


def requests(suite: str) -> tuple[Request, ...]:
    """The requests of `suite`, in the order of its file, but for those `SEEN`. Raises ValueError where a line is none."""
    found = (_request(json.loads(line)) for line in _file(suite).read_text("utf-8").splitlines())
    return tuple(request for request in found if request.id not in SEEN)


def sample(suite: str, count: int) -> tuple[Request, ...]:
    """`count` requests of `suite`, or all where there are fewer, at even distances: the same each time, and of each type its share."""
    every = requests(suite)
    return every if count >= len(every) else tuple(every[number * len(every) // count] for number in range(count))


def _file(suite: str) -> Traversable:
    return files(__package__).joinpath(f"{suite}.jsonl")


def _request(data: Mapping[str, object]) -> Request:
    match data:
        case {
            "id": str(name),
            "type": str(kind),
            "request": str(text),
            "goals": list(goals),
            "plausible": list(plausible),
            "given": list(given),
            "missing": list(missing),
        } if kind in TYPES:
            return Request(name, kind, text, tuple(goals), tuple(plausible), tuple(given), tuple(missing))
        case _:
            raise ValueError(f"`{data.get('id')}` is no request of the suite; its type is `{data.get('type')}`")
