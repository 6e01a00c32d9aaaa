"""Calls: a step, with the arguments that the real tool gets, and where each of them comes from."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from toolplan.planning.plans import Atom, Step


class Source(enum.Enum):
    """Where a fact or a value comes from.

    `CONTENT` is text that third parties can write: mails, pages, descriptions that come with invitations. `MODEL` is what a model made up,
    also from facts that are known.
    """

    CALLER = "caller"
    USER = "user"
    OBSERVED = "observed"
    CONTENT = "content"
    MODEL = "model"

    @property
    def binds(self) -> bool:
        """Whether a tool above safe takes such a value without a confirmation that shows it."""
        return self not in (Source.CONTENT, Source.MODEL)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: a JSON value and its source. `fact` is the atom whose value it is, if it is one's."""

    value: object
    source: Source
    fact: Atom | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the real tool `tool`, which `step` stands for. `id` names this one call, whatever becomes of it.

    `schema` is the digest of the real tool as its server described it then, empty where nobody said: what is agreed to is a call of that.
    """

    id: str
    step: Step
    tool: str
    arguments: Mapping[str, Argument]
    schema: str = ""

    @property
    def values(self) -> dict[str, object]:
        """What the real tool gets."""
        return {name: argument.value for name, argument in self.arguments.items()}
