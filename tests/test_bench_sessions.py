"""The benchmark of sessions, in small: what is counted and equal, and not how long it takes."""

from __future__ import annotations

from collections import Counter
from random import Random
from threading import Barrier

import pytest

import toolplan
from toolplan.bench.sessions import cost, scale, workers
from toolplan.bench.sessions.scale import TURNS, Measured, MemoryRow, led
from toolplan.bench.sessions.talking import RESULTS, SETTINGS, Setting, Talk, Unread
from toolplan.bench.sessions.timing import Stopwatch, Times
from toolplan.bench.sessions.users import ASKED, UNASKED
from toolplan.bench.sessions.workers import Counting, Worker, WorkersRow, writes_twice
from toolplan.bench.tables import table
from toolplan.frontier.calls import Argument, Call, Source
from toolplan.goals.readings import Reading
from toolplan.planning.plans import Step
from toolplan.session import Outcome
from toolplan.session.events import Event, Heard, Observed, Started
from toolplan.session.folding import fold
from toolplan.session.snapshots import read_events
from toolplan.session.stores import MemoryStore
from toolplan.session.turns import TurnReading


def talked(setting: Setting, seed: int, turns: int = TURNS) -> Talk:
    talk = Talk(setting.session(toolplan.load(setting.name), MemoryStore(), "one"), setting.server, Random(seed))
    for _ in range(turns):
        talk.turn()
    return talk


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_conversation_is_the_same_for_the_same_seed(setting: Setting) -> None:
    first, again, other = talked(setting, 1), talked(setting, 1), talked(setting, 2)
    assert first.session.snapshot() == again.session.snapshot() != other.session.snapshot()
    assert first.happened == again.happened


def test_all_kinds_of_conversations_occur_and_get_somewhere() -> None:
    measured = led("memory", (10, 20), Talk)
    users = sum(measured.happened[kind] for kind in {*ASKED, *UNASKED, "choice", "yes", "no"})
    assert users == 20 * TURNS
    assert {*UNASKED, *RESULTS, "answer", "choice", "yes"} <= set(measured.happened)
    assert measured.happened["one"] > 20
    assert [row.sessions for row in measured.memory] == [10, 20]
    assert {(row.domain, row.method) for row in measured.times} == {(s.name, name) for s in SETTINGS for name in scale.OPERATIONS}
    assert sum(row.calls for row in measured.times if row.method == "hear") == 20 * TURNS
    assert measured.memory[-1].events > TURNS + 1
    table(measured.memory)
    table(scale.happened([measured]))


def test_stores_keep_the_same_of_the_same_conversations() -> None:
    in_memory, in_file = led("memory", (6,), Talk), led("SQLite", (6,), Talk)
    assert in_memory.happened == in_file.happened
    assert [(row.events, row.event_bytes) for row in in_memory.memory] == [(row.events, row.event_bytes) for row in in_file.memory]


def test_turns_that_nobody_has_read_are_read_by_rules() -> None:
    pytest.importorskip("re2")
    measured = led("memory", (4,), Unread)
    assert {row.turns for row in measured.times} == {"read by rules"}
    assert sum(row.calls for row in measured.times if row.method == "hear") == 4 * TURNS
    assert not measured.memory


def test_memory_may_not_grow_with_the_sessions() -> None:
    def row(sessions: int, growth: float | None) -> MemoryRow:
        return MemoryRow("memory", sessions, 100.0, growth, 80.0, 20_000.0)

    def kept(growth: float) -> bool:
        (promise,) = scale.promises([Measured((row(scale.FULL, None), row(10_000, growth)), (), Counter())])
        return promise.kept

    assert kept(0.0)
    assert not kept(20_000.0)
    assert list(scale.promises([Measured((row(10, None), row(20, 50_000.0)), (), Counter())])) == []  # Caches still fill.


def test_times_are_kept_to_two_percent() -> None:
    times = Times()
    for milliseconds in range(1, 101):
        times.add(milliseconds / 1e3)
    assert times.count == 100
    assert times.percentile(50) == pytest.approx(0.05, rel=0.02)
    assert times.percentile(99) == pytest.approx(0.099, rel=0.02)
    watch = Stopwatch()
    assert watch("add", lambda a, b: a + b, 1, b=2) == 3
    assert watch.times["add"].count == 1


def test_the_cost_is_that_of_the_same_decisions() -> None:
    rows = list(cost.rows(6))
    assert [row.domain for row in rows] == [setting.name for setting in SETTINGS]
    for row in rows:
        assert row.decisions > 6
        assert 0 < row.continued < 1


@pytest.fixture(scope="module")
def worked() -> list[WorkersRow]:
    return list(workers.rows(6, 150))


def test_workers_lose_nothing_and_do_nothing_twice(worked: list[WorkersRow]) -> None:
    assert len(worked) == 3
    for row in worked:
        assert (row.lost, row.double, row.writes_twice, row.unequal) == (0, 0, 0, 0)
        assert row.calls > 10
        assert row.observations > 10
    assert all(promise.kept for promise in workers.promises(worked))


def test_workers_get_into_each_others_way(worked: list[WorkersRow]) -> None:
    assert sum(row.of_others for row in worked) > 0
    assert sum(row.conflicts for row in worked) > 0
    assert worked[-1].conflicts == 0  # One object does one thing at a time.


def test_an_append_that_came_late_is_a_conflict() -> None:
    store = Counting(MemoryStore())
    assert store.append("one", 0, ["{}"])
    assert not store.append("one", 0, ["{}"])
    assert store.conflicts == 1


pytestmark = pytest.mark.xdist_group("bench sessions")
SEND = Call("call_1", Step("create_event"), "create_event", {"start": Argument("4 PM", Source.USER)})
THANKS = Heard(0.0, TurnReading("thanks", Reading("thanks", (), 1.0)))


def started(identity: str, frame: int = 1, value: str = "4 PM") -> Event:
    return Started(0.0, Call(identity, SEND.step, SEND.tool, {"start": Argument(value, Source.USER)}), (), frame, -1, ())


@pytest.mark.parametrize(
    ("log", "twice"),
    [
        ([started("a"), started("b")], 1),
        ([started("a"), THANKS, started("b")], 1),
        ([started("a"), Observed(0.0, "a", Outcome.DONE), started("b")], 1),
        ([started("a"), Observed(0.0, "a", Outcome.IN_DOUBT), started("b")], 1),
        ([started("a"), Observed(0.0, "a", Outcome.FAILED), started("b")], 0),
        ([started("a"), Observed(0.0, "a", Outcome.DONE), THANKS, started("b")], 0),
        ([started("a"), started("b", frame=2)], 0),
        ([started("a"), started("b", value="5 PM")], 0),
    ],
)
def test_a_write_is_twice_where_it_may_be_done_already(log: list[Event], twice: int) -> None:
    assert writes_twice(toolplan.load("calendar"), log) == twice


def test_a_search_may_be_started_twice() -> None:
    call = Call("a", Step("search_events"), "search_events", {})
    assert writes_twice(toolplan.load("calendar"), [Started(0.0, call, (), 1, -1, ()), Started(0.0, call, (), 1, -1, ())]) == 0


def test_a_worker_that_knows_otherwise_is_noticed() -> None:
    """What a session knows is compared with the fold of what was kept, by whoever has seen none of it."""
    store = MemoryStore()
    worker = Worker(0, store, 2)
    report = worker.work(40, Barrier(1))
    assert report.unequal == 0
    assert report.started
    domain = toolplan.load(SETTINGS[0].name)
    again = SETTINGS[0].session(domain, store, workers.session_name(0))
    assert again.memory == fold(domain, read_events(domain, store.events(workers.session_name(0))))
