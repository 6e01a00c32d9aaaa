"""Conversations in tests: a session whose turns are read as the test says, and whose clock stands still until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from toolplan import Domain
from toolplan.frontier import Act, Call, Clarify, Frontier
from toolplan.goals.readings import Candidate, Reading
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom
from toolplan.session import Session
from toolplan.session.turns import Mention, Reply, Stated, TurnReading

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
"""A Monday."""


class Clock:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)


def atom(domain: Domain, text: str) -> Atom:
    (found,) = build(domain, [text], ()).state.known
    return found


def turn(
    domain: Domain,
    text: str,
    goal: str = "",
    facts: dict[str, object] | None = None,
    reply: Reply | None = None,
    mentions: dict[str, str] | None = None,
    forbids: tuple[str, ...] = (),
    p: float = 0.95,
) -> TurnReading:
    """A reading of `text`: facts to values, each read from the words that are its value, and entities to their types."""
    goals = Reading(text, (Candidate((goal,), p),) if goal else (), 1 - p if goal else 1.0)
    stated = tuple(Stated(atom(domain, fact), value, value if isinstance(value, str) else text) for fact, value in (facts or {}).items())
    spoken = tuple(Mention(name, kind, name) for name, kind in (mentions or {}).items())
    return TurnReading(text, goals, stated, spoken, forbids, reply)


def say(talk: Session, text: str, goal: str = "", facts: dict[str, object] | None = None, **more: object) -> None:
    """Let `talk` hear a turn whose words are `text` and all the values in `facts`."""
    words = " ".join([text, *(str(value) for value in (facts or {}).values() if value is not True)])
    talk.hear(words, turn(talk.domain, words, goal, facts, **more))  # type: ignore[arg-type]  # passed on as they came


def ready(now: Frontier) -> Call:
    """The call that needs no model."""
    assert isinstance(now.decision, Act), now.decision
    assert now.decision.ready is not None, now.decision
    return now.decision.ready


def asked(now: Frontier) -> str:
    """The words of the question that is next."""
    assert isinstance(now.decision, Clarify), now.decision
    return now.decision.question.text
