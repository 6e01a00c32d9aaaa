"""Calls that need no model because contracts prove them necessary: what a session has `ready` in conversations, beside what was called.

The session hears what the user wants, read by an oracle, and what each call has returned. Where it has a call ready, that call is judged by
the calls of the turn that are left; in all other cases the model makes the next of them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.frontier import Act, Call, Done
from toolplan.language.diagnostics import DomainError
from toolplan.learning.traces import Execution, Failed, Returned
from toolplan.session import Session, Settings
from toolplan.session.turns import TurnReading

MANY = 100_000
"""Nobody is asked here, and no run is ended for its length."""


Made = tuple[str, Mapping[str, object]]
"""A tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants with a turn, as a reading of it or as facts, and the calls that this names, with their arguments.

    It is followed until `last` was made, one of the calls of the turn.
    """

    wants: TurnReading | tuple[str, ...]
    named: tuple[Made, ...]
    last: Execution


@dataclass(frozen=True, slots=True)
class Turn:
    """The requests of a turn of the user, and the calls that were made then, in order."""

    requests: tuple[Request, ...]
    calls: tuple[Execution, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one run, and what its host knows beforehand. `step` says which step of a plan a call is, if a contract speaks of it."""

    name: str
    domain: Domain
    state: Mapping[str, object]
    turns: tuple[Turn, ...]
    step: Callable[[Execution], str | None]

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return sum(len(turn.calls) for turn in self.turns)


class Verdict(enum.Enum):
    """What a call that was made without a model is beside those that were made: the next, a later one of the turn, or none of them."""

    NEXT = "next"
    LATER = "later"
    WRONG = "wrong"


class Judged(NamedTuple):
    """A call that was ready. `named` says whether the reading has named it: it is what the user wants, and nothing that leads there."""

    call: Call
    verdict: Verdict
    named: bool


def played(conversation: Conversation) -> Iterator[Judged]:
    """Each call that a session has ready in `conversation`, judged; a wrong one is not executed."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    settings = Settings(calls=MANY, repeats=MANY, retries=MANY)
    talk = Session(conversation.domain, state=conversation.state, clock=lambda: now, settings=settings)
    for turn in conversation.turns:
        left = list(turn.calls)
        for request in turn.requests:
            if request.last in left:
                _ask(talk, request)
                yield from _followed(talk, conversation, request, left)
        for call in left:
            _made_by_model(talk, conversation, call)


def _ask(talk: Session, request: Request) -> None:
    match request.wants:
        case TurnReading() as reading:
            talk.hear(reading.text, reading)
        case goals:
            talk.want(*goals)


def _followed(talk: Session, conversation: Conversation, request: Request, left: list[Execution]) -> Iterator[Judged]:
    """What is ready until the request is done. A wrong call would have run: it is judged once, and what it returns is not known."""
    wrong: list[Made] = []
    while request.last in left:
        match talk.next().decision:
            case Act(ready=Call() as call):
                made = (call.tool, call.values)
                found = next((other for other in left if (other.tool, other.arguments) == made), None)
                if found is not None:
                    yield Judged(call, Verdict.NEXT if found is left[0] else Verdict.LATER, made in request.named)
                    left.remove(found)
                    talk.start(call)
                    talk.observe(call, _outcome(found))
                    continue
                if made not in wrong:
                    wrong.append(made)
                    yield Judged(call, Verdict.WRONG, made in request.named)
                _made_by_model(talk, conversation, left.pop(0))
            case Done():
                return
            case _:
                _made_by_model(talk, conversation, left.pop(0))


def _made_by_model(talk: Session, conversation: Conversation, made: Execution) -> None:
    """Tell the session what a model has called, where a contract speaks of it and lets it through: of other calls it learns nothing."""
    step = conversation.step(made)
    if step is not None:
        with suppress(DomainError):
            talk.observe(step, _outcome(made))


def _outcome(made: Execution) -> object:
    match made.result:
        case Returned(value):
            return value
        case Failed(message):
            return RuntimeError(message)
        case _:
            return TimeoutError()
