"""Conversations drawn from a seed: a user, an agent that does what is next, and servers that find one thing, several or none, or fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random
from typing import ParamSpec, Protocol, TypeVar

from toolplan.bench.sessions.servers import CALENDAR, OFFICE, Server
from toolplan.bench.sessions.users import User, drawn
from toolplan.domain import ArgumentSource, AtomicFormula, Derived, Domain, Free, Performer
from toolplan.frontier import Act, Call, Instruct
from toolplan.planning.plans import Step
from toolplan.session import Allowed, Outcome, Session
from toolplan.session.stores import Store
from toolplan.session.turns import TurnReading

P = ParamSpec("P")
T = TypeVar("T")

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MOST_STEPS = 12
"""Steps that an agent takes before the user has another turn."""
RESULTS = {"one": 72, "several": 10, "none": 8, "error": 5, "timeout": 5}
"""What becomes of a call, in percent."""
FOUND = {"one": 1, "several": 3, "none": 0}
RAISED: dict[str, Exception] = {"error": RuntimeError("no such luck"), "timeout": TimeoutError("too long")}


@dataclass(frozen=True, slots=True)
class Setting:
    """A shipped domain, what a caller knows in it beforehand, and the servers of its tools."""

    name: str
    state: dict[str, object]
    server: Server

    def session(self, domain: Domain, store: Store, name: str) -> Session:
        """The session `name` in `store`, begun or taken up. Its clock stands."""
        return Session(domain, state=self.state, clock=lambda: NOON, store=store, id=name)


SETTINGS = (Setting("calendar", {}, CALENDAR), Setting("office", {"calendar_id(mine)": "primary"}, OFFICE))


class Caller(Protocol):
    """Calls a method of a session whose name is given first, and may look at how long it takes."""

    def __call__(self, name: str, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What `method` returns."""


def plainly(name: str, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Only calls."""
    return method(*args, **kwargs)


class Talk:
    """Both sides of one conversation. `happened` counts what the user did, and what became of calls."""

    TURNS = "given"
    """Who reads what the user says."""

    def __init__(self, session: Session, server: Server, draw: Random, call: Caller = plainly) -> None:
        self.session = session
        self.happened: Counter[str] = Counter()
        self.server = server
        self._draw, self._call = draw, call
        self._user = User(session.domain, draw)

    def turn(self) -> None:
        """A turn of the user, and what the agent does until it is the user's turn again."""
        self.speak()
        for _ in range(MOST_STEPS):
            started = self.begin()
            if started is None:
                return
            self.end(started)

    def speak(self) -> None:
        """The user says something."""
        kind, turn = self._user.turn(self.session.memory)
        self.happened[kind] += 1
        self.hear(turn)

    def hear(self, turn: TurnReading) -> None:
        """Let the session hear `turn`."""
        self._call("hear", self.session.hear, turn.text, turn)

    def begin(self) -> Call | Step | None:
        """Start what is next: a call, or a step that is left to the model; None where it is the user's turn."""
        decision = self._call("next", self.session.next).decision
        match decision:
            case Act(ready=Call() as call):
                return call if self._call("start", self.session.start, call) else None
            case Act(step=step):
                verdict = self._call("propose", self.session.propose, step.action, self._arguments(step))
                return verdict.call if isinstance(verdict, Allowed) else None
            case Instruct(performer=Performer.MODEL, step=step):
                return step
            case _:
                return None

    def end(self, started: Call | Step) -> None:
        """What was `started` comes to something."""
        kind = drawn(self._draw, RESULTS)
        self.happened[kind] += 1
        self._call("observe", self.session.observe, started, self._result(started, kind))

    def observe(self, call: Call) -> Outcome:
        """Observe `call`, which may have been observed before."""
        return self.session.observe(call, self._result(call, drawn(self._draw, RESULTS)))

    def _arguments(self, step: Step) -> dict[str, object]:
        """What a model makes up: the arguments that only a model can give."""
        passes = self.session.domain.tools[step.action].interface.passes
        return {name: f"words {self._draw.randrange(1000)}" for name, source in passes.items() if self._is_open(source)}

    def _is_open(self, source: ArgumentSource) -> bool:
        if isinstance(source, AtomicFormula):
            return self.session.domain.facts[source.fact].value is None
        return isinstance(source, Derived | Free)

    def _result(self, started: Call | Step, kind: str) -> object:
        if kind in RAISED:
            return RAISED[kind]
        if isinstance(started, Step):
            return "In a few words: yes."
        ids = [f"id{self._draw.randrange(1_000_000)}" for _ in range(FOUND[kind])]
        answer = self.server.get(started.step.action)
        return {} if answer is None else answer(ids)


class Unread(Talk):
    """A conversation whose session reads the turns by itself."""

    TURNS = "read by rules"

    def hear(self, turn: TurnReading) -> None:
        """Let the session hear the words of `turn`, and no more."""
        self._call("hear", self.session.hear, turn.text)
