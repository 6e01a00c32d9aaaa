"""What an event loop does with a session itself: nothing that has to be waited for, and nothing that is half done then."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import toolplan
from toolplan.frontier.at_once import TakesLong
from toolplan.session import Allowed, Session
from toolplan.session.hearing import SHORT
from toolplan.session.readers import rules
from toolplan.session.stores import AtHand, MemoryStore, SQLiteStore, Store
from toolplan.session.stores.sqlite import LOG, MOST_APPENDED

DESK = """
domain desk "A desk"
fact message: text "the identifier of the message"
fact opened
tool find calls "search" { "Find it." produces message returns message = $.id risk read }
tool look calls "open" { "Open it." requires message passes id = message produces opened risk read }
goal handle { "Open the message" achieves opened phrases "open the message" }
"""
FOUND = {"id": "m1"}


def clock() -> datetime:
    return datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    with closing(SQLiteStore(path, deferred=True)) as opened:
        yield opened


def session_on(store: Store, domain: toolplan.Domain | None = None) -> Session:
    """A session with a plan: a search for one is nothing that an event loop does."""
    session = Session(domain or toolplan.loads(DESK), clock=clock, store=store, id="one")
    if not session.memory.frames:
        session.want("handle")
    session.next()
    return session


@contextmanager
def written_by_another(path: Path) -> Iterator[None]:
    """Another process is in the middle of a transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


# Stores


def test_a_file_that_is_deferred_is_at_hand_and_the_same(store: SQLiteStore) -> None:
    at_hand = store.at_hand()
    assert at_hand is not None
    assert at_hand.append("s", 0, ["1"])
    assert store.append("s", 1, ["2"])
    assert at_hand.events("s") == store.events("s") == ["1", "2"]


def test_where_every_append_waits_for_the_disk_nothing_is_at_hand(path: Path) -> None:
    with closing(SQLiteStore(path)) as store:
        assert store.at_hand() is None


def test_a_memory_is_at_hand() -> None:
    store = MemoryStore()
    assert isinstance(store, AtHand)
    assert store.at_hand() is store


def test_what_another_process_has_to_be_waited_for_is_not_done(store: SQLiteStore, path: Path) -> None:
    at_hand = store.at_hand()
    assert at_hand is not None
    with written_by_another(path):
        assert at_hand.events("s") == []
        with pytest.raises(TakesLong):
            at_hand.append("s", 0, ["1"])
    assert store.events("s") == []
    assert at_hand.append("s", 0, ["1"])


def test_the_log_of_a_file_does_not_grow_while_only_an_event_loop_appends(store: SQLiteStore, path: Path) -> None:
    at_hand = store.at_hand()
    assert at_hand is not None
    for number in range(3 * MOST_APPENDED):
        at_hand.append("s", number, ["x" * 4_000])
        if number % 100 == 0:
            store.flush()
    assert path.with_name(f"{path.name}{LOG}").stat().st_size < 2 * MOST_APPENDED * 3 * 4_096


# Sessions


def test_a_session_that_follows_a_plan_waits_for_nobody(store: SQLiteStore) -> None:
    session = session_on(store)

    def work() -> tuple[str, ...]:
        proposal = session.propose("search", {}, id="1")
        assert isinstance(proposal, Allowed)
        session.observe(proposal.call, FOUND)
        return session.next().tools

    assert session.at_once(work) == ("look",)
    assert session_on(store).next().tools == ("look",)


def test_a_session_that_would_wait_has_done_nothing(store: SQLiteStore, path: Path) -> None:
    session = session_on(store)
    before = session.snapshot()
    with written_by_another(path), pytest.raises(TakesLong):
        session.at_once(lambda: session.propose("search", {}, id="1"))
    assert session.snapshot() == before
    assert isinstance(session.propose("search", {}, id="1"), Allowed)


def test_a_session_on_a_disk_that_is_waited_for_takes_long(path: Path) -> None:
    done: list[str] = []
    with closing(SQLiteStore(path)) as store, pytest.raises(TakesLong):
        session_on(store).at_once(lambda: done.append("it was done"))
    assert not done


def test_what_is_done_at_once_rests_on_one_look(store: SQLiteStore) -> None:
    domain = toolplan.loads(DESK)
    one, other = session_on(store, domain), session_on(store, domain)

    def work() -> list[str]:
        other.propose("search", {}, id="1")
        return list(one.memory.running)

    assert one.at_once(work) == []
    assert list(one.memory.running) == ["1"]


def test_of_two_who_propose_one_call_the_slower_hears_that_it_is_said_again(store: SQLiteStore) -> None:
    domain = toolplan.loads(DESK)
    one, other = session_on(store, domain), session_on(store, domain)
    first: list[object] = []

    def work() -> None:
        first.append(other.propose("search", {}, id="1"))
        one.propose("search", {}, id="1")  # It was looked at before, and has to be thought of anew.

    with pytest.raises(TakesLong):
        one.at_once(work)
    second = one.propose("search", {}, id="1")
    assert isinstance(first[0], Allowed)
    assert isinstance(second, Allowed)
    assert (first[0].again, second.again) == (False, True)
    assert first[0].call == second.call


def test_what_is_at_hand_is_what_was_looked_at_last(store: SQLiteStore) -> None:
    domain = toolplan.loads(DESK)
    one, other = session_on(store, domain), session_on(store, domain)
    other.propose("search", {}, id="1")
    assert not one.at_hand.running
    assert one.memory is one.at_hand
    assert list(one.at_hand.running) == ["1"]


# Turns


def test_a_short_turn_is_read_at_once_when_its_domain_is_known() -> None:
    session = Session(toolplan.loads(DESK), clock=clock)
    with pytest.raises(TakesLong):
        session.at_once(lambda: session.hear("open the message"))
    assert not session.memory.frames
    session.hear("thanks")
    session.at_once(lambda: session.hear("open the message"))
    assert session.memory.frames


def test_what_takes_long_to_read_is_not_read_at_once() -> None:
    domain = toolplan.loads(DESK)
    mine, theirs = Session(domain, clock=clock), Session(domain, clock=clock, reader=rules())
    mine.hear("thanks")
    with pytest.raises(TakesLong):
        mine.at_once(lambda: mine.hear("open the message" + "!" * SHORT))
    with pytest.raises(TakesLong):
        theirs.at_once(lambda: theirs.hear("open the message"))
