"""What a session costs over bare decisions, and how many of these are answered from the plan of the turn before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import mean
from typing import ParamSpec, TypeVar

import toolplan
from toolplan.bench.sessions.talking import NOON, SETTINGS, Setting, Talk
from toolplan.bench.tables import Row
from toolplan.domain import Domain
from toolplan.frontier.continuation import continued
from toolplan.planning.engines import AUTO
from toolplan.planning.inputs import build
from toolplan.session import Session
from toolplan.session.memory import exhausted
from toolplan.session.stores import MemoryStore

P = ParamSpec("P")
T = TypeVar("T")

SESSIONS = 200
TURNS = 20


@dataclass(frozen=True, slots=True)
class CostRow(Row):
    """Decisions of sessions, each beside `frontier()` for the same state, goal, forbidden tools and exhausted steps.

    `continued` is the share of them that an earlier plan answers. The ratios are those of mean times: of `next()` over the bare call,
    where neither has what the other has just planned; and of all that a session does over one bare call a decision.
    """

    domain: str
    decisions: int
    continued: float
    bare_ms: float
    next_over_bare: float
    all_over_bare: float


def rows(sessions: int = SESSIONS) -> Iterator[CostRow]:
    """One row a domain."""
    for setting in SETTINGS:
        yield _row(setting, toolplan.load(setting.name), sessions)


def _row(setting: Setting, domain: Domain, sessions: int) -> CostRow:
    beside, store = _Beside(domain), MemoryStore(sessions)
    for number in range(sessions):
        name = f"{setting.name} {number}"
        talk = Talk(setting.session(domain, store, name), setting.server, Random(name), beside)
        for _ in range(TURNS):
            talk.turn()
    return beside.row(setting.name)


class _Beside:
    """Calls methods of sessions, and asks for a bare decision beside each `next`. Each of the two goes first every other time, and counts then."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._next: list[float] = []
        self._bare: list[float] = []
        self._other = 0.0
        self._continued = self._decisions = 0

    def __call__(self, name: str, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What `method` returns."""
        session = getattr(method, "__self__", None)
        assert isinstance(session, Session)
        bare = self._bare_call(session) if name == "next" else None
        if bare is None:
            result, seconds = _timed(lambda: method(*args, **kwargs))
            self._other += seconds
            return result
        self._decisions += 1
        if self._decisions % 2:
            self._bare.append(_timed(bare)[1])
            return method(*args, **kwargs)
        result, seconds = _timed(lambda: method(*args, **kwargs))
        self._next.append(seconds)
        return result

    def _bare_call(self, session: Session) -> Callable[[], object] | None:
        """The bare decision for the request that is pursued, if its goal is clear."""
        memory = session.memory
        frame = memory.active
        if frame is None or len(frame.reading.candidates) != 1:
            return None
        state, goal = memory.state(self._domain, NOON.timestamp(), frame), frame.reading.candidates[0].goals
        tried = exhausted(self._domain, memory, frame)
        self._continued += continued(build(self._domain, state, goal, frame.forbids, tried), AUTO) is not None
        return lambda: toolplan.frontier(self._domain, state=state, goal=goal, forbid=frame.forbids, exhausted=tried)

    def row(self, name: str) -> CostRow:
        """What was measured."""
        bare, following = mean(self._bare), mean(self._next)
        whole = following + self._other / self._decisions
        return CostRow(name, self._decisions, self._continued / self._decisions, bare * 1e3, following / bare, whole / bare)


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started
