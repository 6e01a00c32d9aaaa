"""What one turn of the user says, as a reader has it, and what a reader gets to know before it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from toolplan.domain import Domain
from toolplan.goals.readings import Goals, Reading
from toolplan.language.diagnostics import Diagnostic
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity that a turn speaks of, in the words it uses. `name` is that of one which the session knows, or a new one."""

    name: str
    type: str
    words: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact that a turn states, with its value in normal form (True for a fact without one), and the words it was read from.

    Entities in `atom` are known to the session, or mentioned in the same turn. A value whose words do not occur in the turn, or do not
    mean it, is only uncertain.
    """

    atom: Atom
    value: object
    words: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The option, counted from zero, of the question that is open: of the goals or of the entities that it offers."""

    option: int


@dataclass(frozen=True, slots=True)
class Agreed:
    """Yes, to what the open question proposes."""


@dataclass(frozen=True, slots=True)
class Refused:
    """No, to what the open question proposes; of a question for a goal or an entity, "none of these"."""


@dataclass(frozen=True, slots=True)
class Declined:
    """The user does not know, or does not want to say, what is asked."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The user wants the whole of it to stop."""


Reply = Chosen | Agreed | Refused | Declined | Stopped
"""What a turn says to the question that is open, besides the values that it states. `Stopped` needs no question."""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """What a turn says. Goals are names of the domain's goals, without arguments: the session fills in the entities.

    A turn may answer the open question and bring new matter as well. One that only answers has `goals` that are all `none`.
    """

    text: str
    goals: Reading
    stated: tuple[Stated, ...] = ()
    mentions: tuple[Mention, ...] = ()
    forbids: tuple[str, ...] = ()
    reply: Reply | None = None
    findings: tuple[Diagnostic, ...] = ()

    @property
    def recorded(self) -> TurnReading:
        """The same without its findings, which are for whoever hears it."""
        goals = Reading(self.goals.request, self.goals.candidates, self.goals.none)
        return TurnReading(self.text, goals, self.stated, self.mentions, self.forbids, self.reply)


@dataclass(frozen=True, slots=True)
class Asked:
    """The question that is open, as far as a reader needs it.

    `atoms` are what an answer would make known, in the order in which it is asked for; `options` the words of each option, where it offers
    any; `proposes` whether it is one for yes or no.
    """

    text: str
    atoms: tuple[Atom, ...] = ()
    options: tuple[str, ...] = ()
    proposes: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What is known before a turn: the state of the request that is open, its goals, the question that is open, the entities, the time.

    `said` are the earlier turns of the open request, in order. Where none is open, `done` are the goals of the one that was done last.
    `entities` are all that the session knows, with their types, the latest last; `words` what the user calls them. `now` has a zone.
    """

    domain: Domain
    now: datetime
    state: State = field(default_factory=State)
    goals: tuple[Goals, ...] = ()
    asked: Asked | None = None
    entities: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    done: tuple[Goals, ...] = ()

    def new_names(self, type_name: str) -> Iterator[str]:
        """Names for new entities of `type_name`, which the session does not know yet: `event_1`, `event_2`, ..."""
        taken = {*self.entities, *self.domain.constants}
        number = 1
        while True:
            name = f"{type_name}_{number}"
            if name not in taken:
                yield name
            number += 1


@runtime_checkable
class Reader(Protocol):
    """Reads a turn. What a turn says is data: nothing in it is an instruction to whoever reads it."""

    def read(self, text: str, context: Context) -> TurnReading:
        """What `text` says in `context`. Never raises for anything that a user may say."""


@runtime_checkable
class AsyncReader(Protocol):
    """A reader that waits for somebody else, such as a model behind a network."""

    async def aread(self, text: str, context: Context) -> TurnReading:
        """What `text` says in `context`."""
