"""The desk: what an operator sees of conversations, whichever process has them at hand, and what is kept before a call is made."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from serving.bank import ADMIN, ANN, BANK, BOB, SECRET, SUPERVISED, YES, Counter, Ledger, Teller, Words, bank, run, told, wrong

from toolplan.domain import Principal
from toolplan.receipts import FileReceipts
from toolplan.serving.desk import Desk, Live
from toolplan.serving.register import DAYS, Register
from toolplan.session.stores import MemoryStore, SQLiteStore, Store

NOON = datetime(2026, 8, 3, 12, tzinfo=UTC)


@dataclass
class Watched:
    """A store, and how many events there were each time that somebody waited for the disk."""

    store: MemoryStore = field(default_factory=MemoryStore)
    appended: int = 0
    flushed: list[int] = field(default_factory=list)

    def events(self, session: str, after: int = 0) -> list[str]:
        return self.store.events(session, after)

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        added = self.store.append(session, after, events)
        self.appended += len(events) if added else 0
        return added

    def delete(self, session: str) -> None:
        self.store.delete(session)

    def flush(self) -> None:
        self.flushed.append(self.appended)


def desk_on(store: Store) -> Desk:
    return Desk(BANK, store=store, secret=SECRET, reader=Words())


def sessions(seen: Sequence[Live]) -> list[str]:
    return [live.session for live in seen]


# What is seen of conversations


def test_every_process_shows_the_conversations_of_all_the_latest_begun_first(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "a.db")) as one_store, closing(SQLiteStore(tmp_path / "a.db")) as other_store:
        one, other = desk_on(one_store), desk_on(other_store)
        begun = [desk.begin(principal)[1].session.id for desk, principal in [(one, ANN), (other, BOB), (one, ADMIN), (other, ANN)]]
        assert sessions(one.live()) == sessions(other.live()) == sessions(desk_on(one_store).live()) == begun[::-1]
        assert [live.principal for live in one.live()] == [ANN, ADMIN, BOB, ANN]


def test_what_waits_for_somebody_is_seen_and_decided_in_another_process(tmp_path: Path) -> None:
    async def test() -> None:
        store, ledger = MemoryStore(), Ledger()
        async with bank(tmp_path, ledger, store=store) as one, bank(tmp_path, ledger, store=store) as other:
            counter = Counter(one)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            await counter.use("call", tool="pay-bill")
            (live,) = other.live()
            assert live.pending is not None and "DE12" in live.pending.text
            other.take_up(live.session, live.principal)
            other.approve(live.session, live.pending.question, live.pending.by, yes=True)
            assert one.live()[0].callable == other.live()[0].callable == ("pay-bill",)
            await counter.use("call", tool="pay-bill")
            assert ledger.paid == [("DE12", 30)]

    run(test)


def test_looking_changes_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        store, receipts = Watched(), FileReceipts(tmp_path / "receipts")
        async with bank(tmp_path, Ledger(), store=store, receipts=receipts) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            session = desk.find(counter.handle, ANN).session.id
            await desk.find(counter.handle, ANN).gate.ahear("never mind")
            before = store.appended, receipts.head(session)
            assert desk.live() == desk.live()
            assert (store.appended, receipts.head(session)) == before

    run(test)


def test_a_request_that_is_done_says_so_to_its_caller_after_an_operator_has_looked(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            paid = told(await counter.use("call", Teller([YES]), tool="pay-bill"))
            assert desk.live()[0].decision == "done"
            assert paid["next"]["decision"] == "done"  # type: ignore[index]  # JSON, whose shape the test expects

    run(test)


def test_of_many_conversations_the_latest_are_shown() -> None:
    desk = Desk(BANK, store=MemoryStore(), secret=SECRET, most=3)
    begun = [desk.begin(ANN)[1].session.id for _ in range(5)]
    assert sessions(desk.live()) == begun[:1:-1]


def test_conversations_of_other_servers_on_the_store_are_not_shown() -> None:
    store = MemoryStore()
    others = [Desk(SUPERVISED, store=store, secret=SECRET), Desk(BANK, store=store, secret=b"of another server, and long enough")]
    for other in others:
        other.begin(ANN)
        assert len(other.live()) == 1
    assert desk_on(store).live() == []


def test_a_conversation_that_the_store_has_forgotten_is_not_shown() -> None:
    store = MemoryStore()
    desk = desk_on(store)
    _, conversation = desk.begin(ANN)
    store.delete(conversation.session.id)
    assert desk.live() == []


# The register


def test_a_principal_is_noted_with_all_rights() -> None:
    store, principal = MemoryStore(), Principal("ann", "acme", frozenset({"a", "b"}), frozenset({"c"}), "production")
    Register(BANK, store, SECRET, lambda: NOON).add("s", principal)
    assert Register(BANK, store, SECRET, lambda: NOON).latest(10) == [("s", principal)]


def test_conversations_are_found_for_some_days() -> None:
    store = MemoryStore()
    for age in range(DAYS + 1):
        Register(BANK, store, SECRET, lambda age=age: NOON - timedelta(days=age)).add(f"{age} days ago", ANN)
    register = Register(BANK, store, SECRET, lambda: NOON)
    assert [entry.session for entry in register.latest(100)] == [f"{age} days ago" for age in range(DAYS)]
    assert len(register.latest(2)) == 2


def test_a_register_that_is_used_over_midnight_goes_on() -> None:
    times = iter([NOON, NOON, NOON + timedelta(days=1), NOON + timedelta(days=1)])
    register = Register(BANK, store := MemoryStore(), SECRET, lambda: next(times))
    for name in "abcd":
        register.add(name, ANN)
    assert [entry.session for entry in Register(BANK, store, SECRET, lambda: NOON + timedelta(days=1)).latest(10)] == ["d", "c", "b", "a"]


def test_processes_that_begin_at_once_lose_no_entry() -> None:
    store = MemoryStore()
    registers = [Register(BANK, store, SECRET, lambda: NOON) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: registers[number % 4].add(f"{number}", ANN), range(100)))
    assert {entry.session for entry in registers[0].latest(200)} == {f"{number}" for number in range(100)}


def test_a_register_that_the_store_has_forgotten_begins_again() -> None:
    store = MemoryStore(most=1)
    register = Register(BANK, store, SECRET, lambda: NOON)
    register.add("a", ANN)
    store.append("another", 0, ["1"])
    register.add("b", ANN)
    assert [entry.session for entry in register.latest(10)] == ["b"]


# What is kept before a call is made


def test_that_a_call_which_changes_something_has_begun_is_on_the_disk_before_it_is_made(tmp_path: Path) -> None:
    async def test() -> None:
        store, ledger = Watched(), Ledger()
        ledger.open.clear()
        async with bank(tmp_path, ledger, store=store) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            assert store.flushed == []
            paying = asyncio.create_task(counter.use("call", Teller([YES]), tool="pay-bill"))
            await ledger.began.wait()
            assert store.flushed == [store.appended] and ledger.paid == []
            ledger.open.set()
            await paying
            assert len(store.flushed) == 1 and ledger.paid == [("DE12", 30)]

    run(test)


def test_a_call_of_which_nobody_could_keep_that_it_has_begun_is_not_made(tmp_path: Path) -> None:
    class Full(Watched):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    async def test() -> None:
        ledger = Ledger()
        async with bank(tmp_path, ledger, store=Full()) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            await counter.use("call", Teller([YES]), tool="pay-bill")
            assert ledger.paid == []

    run(test)


# What is at hand


def test_a_conversation_is_at_hand_to_whoever_has_begun_it_and_to_nobody_else() -> None:
    desk = desk_on(MemoryStore())
    handle, conversation = desk.begin(ANN)
    assert desk.at_hand(handle, ANN) is conversation
    assert desk.at_hand(handle, BOB) is None
    assert desk.at_hand("guessed", ANN) is None


def test_a_short_conversation_of_another_process_is_at_hand_where_its_store_and_its_principal_are() -> None:
    store = MemoryStore()
    handle, conversation = desk_on(store).begin(ANN)
    other = desk_on(store)
    assert other.at_hand(handle, ANN) is None, "nobody has worked out yet what she may use"
    other.begin(ANN)
    taken_up = other.at_hand(handle, ANN)
    assert taken_up is not None
    assert taken_up is other.find(handle, ANN)
    assert taken_up.session.snapshot() == conversation.session.snapshot()
    assert other.at_hand(handle, BOB) is None


def test_a_conversation_in_a_store_that_is_waited_for_has_to_be_taken_up_first() -> None:
    store = Watched()
    handle, _ = desk_on(store).begin(ANN)
    other = desk_on(store)
    assert other.at_hand(handle, ANN) is None
    assert other.find(handle, ANN) is other.at_hand(handle, ANN)


def test_what_a_server_has_loaded_is_left_out_of_collections_and_what_comes_later_is_not() -> None:
    code = """
import gc, weakref
from toolplan.serving.running import keep_what_is_loaded
class Node: pass
keep_what_is_loaded()
assert gc.get_freeze_count() > 10_000
node = Node()
node.itself, seen = node, weakref.ref(node)
del node
gc.collect()
assert seen() is None
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# What is asked once


def test_a_call_that_comes_again_with_its_answer_is_not_thought_of_once_more(tmp_path: Path) -> None:
    async def test() -> None:
        ledger, receipts = Ledger(), FileReceipts(tmp_path / "receipts")
        async with bank(tmp_path, ledger, receipts=receipts) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            await counter.use("call", Teller(call_id="pay"), tool="pay-bill")
            told(await counter.use("call", Teller([YES], "pay", counter.handle), tool="pay-bill"))
            assert ledger.paid == [("DE12", 30)]
            path = receipts.path(desk.find(counter.handle, ANN).session.id)
            assert path.read_text("utf-8").count('"verdict":"hold"') == 1

    run(test)


def test_what_was_agreed_to_in_another_process_meanwhile_is_not_asked_again(tmp_path: Path) -> None:
    async def test() -> None:
        store, ledger = MemoryStore(), Ledger()
        async with bank(tmp_path, ledger, store=store) as one, bank(tmp_path, ledger, store=store) as other:
            counter = Counter(one)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            await counter.use("call", Teller(call_id="pay"), tool="pay-bill")
            (live,) = other.live()
            assert live.pending is not None
            other.take_up(live.session, live.principal)
            other.approve(live.session, live.pending.question, live.pending.by, yes=True)
            teller = Teller([YES], "pay", counter.handle)
            await counter.use("call", teller, tool="pay-bill")
            assert ledger.paid == [("DE12", 30)] and teller.forms == []

    run(test)


def test_an_answer_is_none_to_another_call(tmp_path: Path) -> None:
    async def test() -> None:
        ledger = Ledger()
        async with bank(tmp_path, ledger) as desk:
            counter = Counter(desk)
            await counter.begin()
            await counter.use("call", tool="get-balance")
            await counter.use("call", Teller(call_id="pay"), tool="pay-bill")
            teller = Teller([YES], "pay", counter.handle)
            assert "TP" not in wrong(await counter.use("call", teller, tool="pay-bill", arguments={"to": "DE99", "sum": 30}))
            assert ledger.paid == [] and teller.forms == []

    run(test)
