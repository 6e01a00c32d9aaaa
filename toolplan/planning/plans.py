"""Steps, plans, and the five ways in which planning may end. Each is a type of its own; none is a flag on another."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from toolplan.language.diagnostics import Diagnostic


class Atom(NamedTuple):
    """A fact applied to objects. A fact whose name ends in a blank is none that a domain declares; see `problem`."""

    fact: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.fact.endswith(" "):
            return f"{' '.join(self.arguments)} {self.fact.strip()}"
        return written(self.fact, self.arguments)


class Status(enum.Enum):
    """What a fluent says of its atom."""

    KNOWN = "known"
    CLAIMED = "claimed"
    DENIED = "denied"


class Fluent(NamedTuple):
    """A state variable of the task."""

    status: Status
    atom: Atom

    def __str__(self) -> str:
        return {Status.KNOWN: "{}", Status.CLAIMED: "{}?", Status.DENIED: "not {}"}[self.status].format(self.atom)


class Step(NamedTuple):
    """An action with its arguments. `outcome` counts the ways its call may turn out, and is -1 where there is only one."""

    action: str
    arguments: tuple[str, ...] = ()
    outcome: int = -1

    def __str__(self) -> str:
        return written(self.action, self.arguments)


PLAIN = re.compile(r"(?!(?:not|or|forall|exists|when|oneof)\b)[A-Za-z_][A-Za-z0-9_]*")


def written(name: str, arguments: Sequence[str]) -> str:
    """`name(argument, ...)` as the language reads it: a name that is no plain word in backquotes, such an argument in quotes."""
    shown = name if PLAIN.fullmatch(name) else f"`{name}`"
    return f"{shown}({', '.join(a if PLAIN.fullmatch(a) else _quoted(a) for a in arguments)})" if arguments else shown


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\u{d}").replace("\t", "\\t")
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps from the state to the goal, and their score: costs + risk factor * weights, in the unit of the author."""

    steps: tuple[Step, ...]
    score: Fraction


@dataclass(frozen=True, slots=True)
class Optimal:
    """No plan has a smaller (score, number of steps); `engine` proved it after `expansions` states (0: without search)."""

    plan: Plan
    engine: str
    expansions: int = 0


@dataclass(frozen=True, slots=True)
class Bounded:
    """A plan without a proof that it is the best: none has a smaller score than `lower_bound`. `limit` says what kept it from the proof."""

    plan: Plan
    lower_bound: Fraction
    engine: str
    limit: str


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Proved: no plan reaches the goal.

    `missing` is a smallest set (no part of it would do) of atoms that would open a way if they were known. It is empty where every
    atom can be had, but no order of the actions has them together.
    """

    missing: tuple[Fluent, ...]
    engine: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """The limit was reached without a plan; none has a smaller score than `lower_bound`. `limit` says which limit."""

    lower_bound: Fraction
    engine: str
    limit: str


@dataclass(frozen=True, slots=True)
class EngineMissing:
    """The engine is not installed."""

    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class EngineFailed:
    """The engine crashed, refused the task, or gave an answer that does not hold."""

    diagnostic: Diagnostic


Solution = Optimal | Bounded | Unreachable | Undecided | EngineMissing | EngineFailed


@dataclass(frozen=True, slots=True)
class Limit:
    """What a search may use: expansions counted by the in-process search; seconds of wall time; megabytes of an outside planner.

    A limit may only turn an answer into `Undecided`, never change it. The seconds are those of the search. What comes before it is bounded
    by counts instead, which are the same on every machine: grounding, whether anything leads to the goal at all and, where nothing
    does, what it lacks, as well as the steps that mode `executable` tries.
    """

    expansions: int = 100_000
    seconds: float = 1.0
    megabytes: int = 2_048
