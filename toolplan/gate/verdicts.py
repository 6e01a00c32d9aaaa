"""What the gate says of a call, and the permit that opens one execution of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from toolplan.frontier import Call, CallQuestion
from toolplan.gate.awaited import Awaited
from toolplan.session import Outcome, Why

R = TypeVar("R")


class Mode(enum.Enum):
    """What the gate does: refuse, only record what it would have refused, or nothing at all."""

    ENFORCE = "enforce"
    SHADOW = "shadow"
    OFF = "off"


class ToolCall(NamedTuple):
    """A call as a model made it: the real name of the tool, and the arguments as they came. `id` is the framework's, one for each call."""

    id: str
    tool: str
    arguments: object


class Permit:
    """Opens one execution of `call`, with exactly its arguments. Whoever asks again about what was `proposed` gets the same permit."""

    def __init__(self, proposed: ToolCall, call: Call) -> None:
        self.proposed, self.call = proposed, call
        self.result: Awaited[object] = Awaited()
        self._unopened = Lock()

    @property
    def id(self) -> str:
        """The id of the call."""
        return self.call.id

    @property
    def tool(self) -> str:
        """The real tool."""
        return self.call.tool

    @property
    def arguments(self) -> dict[str, object]:
        """What the tool is to get: what the model gave, and all that is filled in."""
        return self.call.values

    def open(self) -> bool:
        """Whether the execution may begin: True once."""
        return self._unopened.acquire(blocking=False)


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run now, once."""

    permit: Permit


@dataclass(frozen=True, slots=True)
class Refuse:
    """The call may not run. Both texts are for the model, and name no tool but what it named itself and what is callable now."""

    reason: str
    hint: str
    why: Why

    @property
    def message(self) -> str:
        """What the model gets as the result of its call."""
        return f"{self.reason}; {self.hint}." if self.hint else f"{self.reason}."


@dataclass(frozen=True, slots=True)
class Hold:
    """Somebody has to agree first. On a yes `call` is what is next, as it is: nothing is generated again."""

    question: CallQuestion
    call: Call

    @property
    def message(self) -> str:
        """What the model gets as the result of its call, where the framework cannot wait."""
        who = self.question.by or "the user"
        return f"this call waits for {who} to agree; it runs by itself when they do, so do not call it again."


@dataclass(frozen=True, slots=True)
class Ran(Generic[R]):
    """The call ran: `result` is what it gave, `outcome` what became of it."""

    result: R
    outcome: Outcome


class Withdrawn(Exception):
    """There is no result to wait for: the call was withdrawn before it began."""


Verdict = Allow | Refuse | Hold
