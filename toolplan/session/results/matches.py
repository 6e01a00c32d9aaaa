"""What a result can say: of the call, and of each fact that the contract reads from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolplan.domain import AtomicFormula

MOST_MATCHES = 10_000
"""Values of one fact in one result, beyond which they are no candidates to choose among."""


@dataclass(frozen=True, slots=True)
class Match:
    """One value in normal form, as the contract names it. `label` says in a few words what it stands for, to choose among several by.

    `item` is the place of the item of a list that holds it, empty where none does: values of one item belong together.
    """

    value: object
    label: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, in the order of the result; at least one, and no value twice. Several are several candidates, unless the fact is `many`.

    `by_item` has the value of each item of a list that holds one, also those that are the same.
    """

    matches: tuple[Match, ...]
    by_item: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nothing:
    """Where the value would be there is a list, or a text, without any."""


@dataclass(frozen=True, slots=True)
class InDoubt:
    """There is no telling: what should hold the value is not there, or holds what is none of its type. `reason` says so in words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The call failed; `reason` is the message of the result, in a line."""

    reason: str


@dataclass(frozen=True, slots=True)
class Read:
    """The call is done; `facts` are those of the contract's `returns`, in order."""

    facts: Mapping[AtomicFormula, Found | Nothing | InDoubt]


ResultReading = Failed | Read
