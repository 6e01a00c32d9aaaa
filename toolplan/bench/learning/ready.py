"""Calls that need no model because contracts prove them necessary: what a session has `ready` in conversations, beside what was called.

The session hears what the user says or wants, and what each call has returned. Where it has a call ready, that call is judged by the calls of
the turn that are left; in all other cases the model makes the next of them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from toolplan.catalog import NO_TOOLS, Catalog
from toolplan.domain import Domain
from toolplan.frontier import Act, Call, Done
from toolplan.language.diagnostics import DomainError
from toolplan.learning.traces import Execution, Failed, Returned
from toolplan.session import Session, Settings
from toolplan.session.turns import Reader, TurnReading

MANY = 100_000
"""Nobody is asked here, and no run is ended for its length."""


Made = tuple[str, Mapping[str, object]]
"""A tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the user wants: words that the session has to read, or a reading of them, or facts. `named` are the calls that this names.

    It is followed until `last` was made, one of the calls of the turn.
    """

    wants: str | TurnReading | tuple[str, ...]
    named: tuple[Made, ...]
    last: Execution


@dataclass(frozen=True, slots=True)
class Turn:
    """The requests of a turn of the user, and the calls that were made then, in order."""

    requests: tuple[Request, ...]
    calls: tuple[Execution, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of one run, what its host knows beforehand, a state and schemas of tools, and who reads words, where these are read.

    `step` says which step of a plan a call is, if a contract speaks of it.
    """

    name: str
    domain: Domain
    state: Mapping[str, object]
    turns: tuple[Turn, ...]
    step: Callable[[Execution], str | None]
    catalog: Catalog = field(default_factory=lambda: NO_TOOLS)
    reader: Reader | None = None

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
    talk = _session(conversation, Settings(calls=MANY, repeats=MANY, retries=MANY))
    for turn in conversation.turns:
        left = list(turn.calls)
        for request in turn.requests:
            if request.last in left:
                _ask(talk, request)
                yield from _followed(talk, conversation, request, left)
        for call in left:
            _made_by_model(talk, conversation, call)


def played_apart(conversation: Conversation) -> Iterator[Judged]:
    """The same where requests do not wait for each other: each has a session of its own, and all sessions see all calls.

    A call that has failed for now is tried again as often as a session does by itself.
    """
    for turn in conversation.turns:
        talks = {_session(conversation, Settings(calls=MANY, repeats=MANY)): request for request in turn.requests}
        for talk, request in talks.items():
            _ask(talk, request)
        yield from _followed_apart(talks, conversation, list(turn.calls))


def _session(conversation: Conversation, settings: Settings) -> Session:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Session(
        conversation.domain,
        state=conversation.state,
        catalog=conversation.catalog,
        reader=conversation.reader,
        clock=lambda: now,
        settings=settings,
    )


def _ask(talk: Session, request: Request) -> None:
    match request.wants:
        case str() as words:
            if talk.memory.open is not None:
                talk.unseen()
            talk.hear(words)
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
                found = _found(call, left)
                if found is None:
                    if _made(call) not in wrong:
                        wrong.append(_made(call))
                        yield _judged(call, found, left, request)
                    _made_by_model(talk, conversation, left.pop(0))
                    continue
                yield _judged(call, found, left, request)
                left.remove(found)
                talk.start(call)
                talk.observe(call, _outcome(found))
            case Done():
                return
            case _:
                _made_by_model(talk, conversation, left.pop(0))


def _followed_apart(talks: Mapping[Session, Request], conversation: Conversation, left: list[Execution]) -> Iterator[Judged]:
    """What is ready in any of `talks`, the first first, until no call is left."""
    wrong: list[Made] = []
    while left:
        ready = next(((talk, call) for talk, call in _ready(talks) if _made(call) not in wrong), None)
        if ready is None:
            made = left.pop(0)
            for talk in talks:
                _made_by_model(talk, conversation, made)
            continue
        talk, call = ready
        found = _found(call, left)
        yield _judged(call, found, left, talks[talk])
        if found is None:
            wrong.append(_made(call))
            continue
        left.remove(found)
        talk.start(call)
        talk.observe(call, _outcome(found))
        for other in talks:
            if other is not talk:
                _made_by_model(other, conversation, found)


def _ready(talks: Iterable[Session]) -> Iterator[tuple[Session, Call]]:
    for talk in talks:
        match talk.next().decision:
            case Act(ready=Call() as call):
                yield talk, call


def _made(call: Call) -> Made:
    return call.tool, call.values


def _found(call: Call, left: Sequence[Execution]) -> Execution | None:
    """The first of the calls that are left that is `call`."""
    return next((other for other in left if (other.tool, other.arguments) == _made(call)), None)


def _judged(call: Call, found: Execution | None, left: Sequence[Execution], request: Request) -> Judged:
    verdict = Verdict.WRONG if found is None else Verdict.NEXT if found is left[0] else Verdict.LATER
    return Judged(call, verdict, _made(call) in request.named)


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
