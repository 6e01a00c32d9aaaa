"""What the gate says of a call, and the permit that opens one execution of it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from toolplan.frontier import Argument, Call, CallQuestion, Source
from toolplan.gate.awaited import Awaited
from toolplan.planning.plans import Step
from toolplan.session import Allowed, Held, Outcome, Proposal, Refused, Why

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

    def come(self, came: Ran[Any] | BaseException) -> None:
        """The execution is over: whoever waits for its result gets it, or has it raised."""
        if isinstance(came, BaseException):
            self.result.set_exception(came if isinstance(came, Exception) else TimeoutError("the call was given up"))
        else:
            self.result.set_result(came)


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


def verdict_of(call: ToolCall, proposal: Proposal) -> Verdict:
    """What a session thinks of `call`, as the gate says it."""
    match proposal:
        case Allowed(allowed):
            return Allow(Permit(call, allowed))
        case Held(question):
            return Hold(question, question.call)
        case Refused(reason, hint, why):
            return Refuse(reason, hint, why)


def as_it_came(call: ToolCall) -> Call:
    """`call` with the arguments of the model, whatever contracts say."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    return Call(call.id, Step(call.tool), call.tool, {name: Argument(value, Source.MODEL) for name, value in arguments.items()})
