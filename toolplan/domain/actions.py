"""Tools and questions: what can be done."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain.conditions import TRUE, AtomicFormula, Condition, Effect, Outcome, Parameter
from toolplan.domain.interfaces import NO_EVIDENCE, NO_INTERFACE, Evidence, Interface


class Performer(enum.Enum):
    """Who carries an action out: a call of ours, the user by hand, or the host's model without a call."""

    CALL = "call"
    USER = "user"
    MODEL = "model"


class AskKind(enum.Enum):
    """What a question asks for."""

    VALUE = "value"
    ENTITY = "entity"
    PERMISSION = "permission"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person must agree before the call; `by` names the role, empty for the user."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A contract: applicable where `requires` holds, then `removes` is deleted and `produces` added.

    `risk` names a level of the policy; None is unrated. `verifies` are the effects that are known whatever the call read.
    `finds` and `creates` bring new objects: parameters that planning fills with one placeholder each.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    requires: Condition = TRUE
    produces: tuple[Effect, ...] = ()
    removes: tuple[Effect, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    cost: Fraction = Fraction(1)
    risk: str | None = None
    confirm: Confirmation | None = None
    performer: Performer = Performer.CALL
    verifies: tuple[AtomicFormula, ...] = ()
    finds: tuple[Parameter, ...] = ()
    creates: tuple[Parameter, ...] = ()
    enumerates: tuple[str, ...] = ()
    interface: Interface = NO_INTERFACE
    evidence: Evidence = NO_EVIDENCE

    @property
    def call_name(self) -> str:
        """The name of the real tool."""
        return self.interface.calls or self.name

    def placeholder(self, brought: Parameter) -> str:
        """The name of the object that stands, while planning, for what the tool finds or creates as `brought`."""
        return f"{self.name}.{brought.name}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the user as an action: it produces what the answer makes known.

    `chooses` is the parameter that an entity question fills, `permits` the tool that a permission question opens.
    `implied` marks a question made from a fact's description because the author wrote none.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    kind: AskKind = AskKind.VALUE
    question: str = ""
    requires: Condition = TRUE
    produces: tuple[Effect, ...] = ()
    cost: Fraction = Fraction(1)
    chooses: str = ""
    permits: str = ""
    implied: bool = False


Action = Tool | Ask
