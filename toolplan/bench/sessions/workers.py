"""Several workers on the same sessions, in random order: what each has done is in the log, once, and nothing is done twice."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from threading import Barrier
from typing import NamedTuple, Protocol

import toolplan
from toolplan.bench.planner.measuring import Promise, at_most
from toolplan.bench.sessions.talking import SETTINGS, Talk
from toolplan.bench.tables import Row
from toolplan.domain import Domain
from toolplan.frontier import Call
from toolplan.language.diagnostics import DomainError
from toolplan.planning.plans import Step
from toolplan.session import Outcome, Session
from toolplan.session.events import Answered, Event, Heard, Observed, Started
from toolplan.session.folding import fold
from toolplan.session.snapshots import lines_of, read_events
from toolplan.session.stores import MemoryStore, SQLiteStore, Store

SESSIONS = 100
ACTIONS = 5_000
"""What one worker does, over all sessions."""
AT_ONCE = 5
"""Sessions among which all workers choose at any time, so that they meet."""
PROCESSES = 2
THREADS = 4
PATIENCE = 600.0
"""Seconds that a worker waits for the others, before they go on to the next sessions, and at the end."""


class Seen(NamedTuple):
    """A worker observed the call `call` of the session `session`, and was told this."""

    session: str
    call: str
    outcome: Outcome


class Meeting(Protocol):
    """Where workers wait for each other, more than once: a barrier of threads, or of processes."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait until all are here."""


@dataclass(frozen=True, slots=True)
class WorkersRow(Row):
    """What the logs of all sessions say of what the workers did.

    `calls` were started, and `observations` made of them, `of_others` where somebody else will observe the same call, or has. `conflicts`
    counts appends that found that another worker had been faster; all of them were decided anew. The rest has to be zero: observations that
    the log has not, or not as the worker was told; calls that it has twice; writes that were started twice though nobody said anything in
    between; and sessions of workers that know something else than the fold of the log.
    """

    workers: str
    store: str
    sessions: int
    events: int
    calls: int
    observations: int
    of_others: int
    conflicts: int
    lost: int
    double: int
    writes_twice: int
    unequal: int


@dataclass
class Counting:
    """A store that counts how often somebody else was faster."""

    store: Store
    conflicts: int = 0

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session`."""
        return self.store.events(session, after)

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, if nobody else was faster."""
        appended = self.store.append(session, after, events)
        self.conflicts += not appended
        return appended

    def delete(self, session: str) -> None:
        """Forget `session`."""
        self.store.delete(session)

    def flush(self) -> None:
        """As the store itself."""
        self.store.flush()


@dataclass(frozen=True, slots=True)
class Report:
    """What one worker did: the calls that it started, and what it observed of its own ones and of those `of_others`.

    `conflicts` and `unequal` are as in the row.
    """

    started: tuple[tuple[str, str], ...]
    seen: tuple[Seen, ...]
    of_others: int
    conflicts: int
    unequal: int


def rows(sessions: int = SESSIONS, actions: int = ACTIONS) -> Iterator[WorkersRow]:
    """Processes on one file, threads on one file, and threads that share the very sessions."""
    with tempfile.TemporaryDirectory() as directory:
        yield _processes(Path(directory, "processes.db"), sessions, actions)
        store = SQLiteStore(Path(directory, "threads.db"))
        reports = _threads([Worker(number, store, sessions) for number in range(THREADS)], actions)
        yield _row(f"{THREADS} threads", "SQLite", store, sessions, reports)
        store.close()
    kept = MemoryStore(sessions)
    shared = Worker(0, kept, sessions)
    reports = _threads([shared, *(shared.beside(number) for number in range(1, THREADS))], actions)
    yield _row(f"{THREADS} threads on the same objects", "memory", kept, sessions, reports)


def _processes(path: Path, sessions: int, actions: int) -> WorkersRow:
    context = get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        work = partial(in_process, path, sessions, actions, manager.Barrier(PROCESSES))
        reports = list(pool.map(work, range(PROCESSES)))
    store = SQLiteStore(path)
    try:
        return _row(f"{PROCESSES} processes", "SQLite", store, sessions, reports)
    finally:
        store.close()


def in_process(path: Path, sessions: int, actions: int, meeting: Meeting, number: int) -> Report:
    """What the worker `number` does in a process of its own."""
    store = SQLiteStore(path)
    try:
        return Worker(number, store, sessions).work(actions, meeting)
    finally:
        store.close()


def _threads(workers: Sequence[Worker], actions: int) -> list[Report]:
    barrier = Barrier(len(workers))
    with ThreadPoolExecutor(len(workers)) as pool:
        return list(pool.map(lambda worker: worker.work(actions, barrier), workers))


class Worker:
    """Takes part in all sessions of `store`, at random: speaks for users, starts what is next, and observes what became of calls."""

    def __init__(self, number: int, store: Store, sessions: int) -> None:
        self._draw, self._store = Random(f"worker {number}"), Counting(store)
        settings = [(setting, toolplan.load(setting.name)) for setting in SETTINGS]
        self._talks: list[Talk] = []
        for index in range(sessions):
            setting, domain = settings[index % len(settings)]
            session = setting.session(domain, self._store, session_name(index))
            self._talks.append(Talk(session, setting.server, self._draw))
        self._pending: list[tuple[Talk, Call]] = []
        self._started: list[tuple[str, str]] = []
        self._seen: list[Seen] = []
        self._of_others = 0

    def beside(self, number: int) -> Worker:
        """Another worker, on the very sessions of this one."""
        other = Worker(number, MemoryStore(), 0)
        other._talks = [Talk(talk.session, talk.server, other._draw) for talk in self._talks]
        return other

    def work(self, actions: int, meeting: Meeting) -> Report:
        """Do so many things, a few sessions after the other, and end what was started; when all are done, compare what is known with the log."""
        for first in range(0, len(self._talks), AT_ONCE):
            meeting.wait(PATIENCE)
            some = self._talks[first : first + AT_ONCE]
            for _ in range(actions * len(some) // len(self._talks)):
                self._act(self._draw.choice(some))
        while self._pending:
            self._end()
        meeting.wait(PATIENCE)
        unequal = sum(not _is_folded(talk.session) for talk in self._talks)
        return Report(tuple(self._started), tuple(self._seen), self._of_others, self._store.conflicts, unequal)

    def _act(self, talk: Talk) -> None:
        match self._draw.randrange(8):
            case 0 | 1:
                talk.speak()
            case 2 | 3 | 4:
                self._begin(talk)
            case 5 | 6:
                self._end()
            case _:
                self._end_of_others(talk)

    def _begin(self, talk: Talk) -> None:
        started = talk.begin()
        if isinstance(started, Call):
            self._started.append((talk.session.id, started.id))
            self._pending.append((talk, started))
        elif isinstance(started, Step):
            with suppress(DomainError):  # Another worker may have taken the step meanwhile.
                talk.end(started)

    def _end(self) -> None:
        if self._pending:
            talk, call = self._pending.pop(self._draw.randrange(len(self._pending)))
            self._observe(talk, call)

    def _end_of_others(self, talk: Talk) -> None:
        """Observe whatever runs, as one would that takes over; whoever started it will observe it, too."""
        running = talk.session.running
        if running:
            self._of_others += 1
            self._observe(talk, self._draw.choice(running))

    def _observe(self, talk: Talk, call: Call) -> None:
        self._seen.append(Seen(talk.session.id, call.id, talk.observe(call)))


def session_name(index: int) -> str:
    """The name of a session that all workers know."""
    return f"session {index}"


def _is_folded(session: Session) -> bool:
    """Whether `session` knows what its log says."""
    events = read_events(session.domain, lines_of(session.snapshot()))
    return session.memory == fold(session.domain, events)


def _row(workers: str, kind: str, store: Store, sessions: int, reports: Sequence[Report]) -> WorkersRow:
    domains = [toolplan.load(setting.name) for setting in SETTINGS]
    names = [session_name(index) for index in range(sessions)]
    logs = {name: read_events(domains[index % len(domains)], store.events(name)) for index, name in enumerate(names)}
    started = Counter((name, event.call.id) for name, log in logs.items() for event in log if isinstance(event, Started))
    observed = Counter(Seen(name, event.call, event.outcome) for name, log in logs.items() for event in log if isinstance(event, Observed))
    ended = Counter((seen.session, seen.call) for seen in observed.elements())
    return WorkersRow(
        workers,
        kind,
        sessions,
        sum(len(log) for log in logs.values()),
        started.total(),
        sum(len(report.seen) for report in reports),
        sum(report.of_others for report in reports),
        sum(report.conflicts for report in reports),
        sum(seen not in observed for report in reports for seen in report.seen),
        sum(count > 1 for calls in (started, ended) for count in calls.values()),
        sum(writes_twice(domains[index % len(domains)], logs[name]) for index, name in enumerate(names)),
        sum(report.unequal for report in reports),
    )


def writes_twice(domain: Domain, log: Sequence[Event]) -> int:
    """How many writes were started though the same one was running for the same request, or had been done and nobody had spoken since."""
    standing: dict[tuple[object, ...], str] = {}
    ended: set[str] = set()
    twice = 0
    for event in log:
        match event:
            case Started(call=call, frame=frame) if _is_write(domain, call):
                write = (frame, call.step, json.dumps(call.values, sort_keys=True))
                twice += write in standing
                standing[write] = call.id
            case Observed(call=name, outcome=Outcome.FAILED | Outcome.RETRY | Outcome.REFUSED):
                standing = {write: call_id for write, call_id in standing.items() if call_id != name}
            case Observed(call=name):
                ended.add(name)
            case Heard() | Answered():
                standing = {write: call_id for write, call_id in standing.items() if call_id not in ended}
    return twice


def _is_write(domain: Domain, call: Call) -> bool:
    tool = domain.tools[call.step.action]
    return not domain.risk_of(tool).safe and not tool.evidence.idempotent


def promises(rows: Sequence[WorkersRow]) -> Iterator[Promise]:
    """Nothing is lost, and nothing is done twice."""
    for row in rows:
        wrong = row.lost + row.double + row.writes_twice + row.unequal
        yield at_most(f"what {row.workers} on {row.store} lost, doubled or know otherwise", wrong, 0)
