"""What an asynchronous host has the gate do: at once where nobody has to be waited for, and else in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import toolplan
from toolplan.domain import Principal
from toolplan.gate import Allow, Gate, Mode, Ran, Refuse, ToolCall
from toolplan.receipts import FileReceipts, Kind
from toolplan.session import Outcome, Session, Settings
from toolplan.session.stores import SQLiteStore

LONG = 10.0
"""Seconds that no test waits unless it fails."""
DESK = """
domain desk "A desk"
type item
fact message: text "the identifier of the message"
fact opened
fact filed
fact seen(item)
tool find calls "search" { "Find it." produces message returns message = $.id risk read }
tool look calls "open" { "Open it." requires message passes id = message produces opened risk read }
tool file_away calls "file" { "File it." requires opened passes id = message produces filed risk write }
goal handle { "File the message" achieves filed }
"""
SEARCH, OPEN, FILE = ToolCall("1", "search", {}), ToolCall("2", "open", {}), ToolCall("3", "file", {})
FOUND = {"id": "m1"}


class Clock:
    """Tells one and the same time, and notes in which thread it was asked. Whoever asks waits until it `goes_on`."""

    def __init__(self) -> None:
        self.threads: list[int] = []
        self.asked, self.goes_on = threading.Event(), threading.Event()
        self.goes_on.set()

    def __call__(self) -> datetime:
        self.threads.append(threading.get_ident())
        self.asked.set()
        assert self.goes_on.wait(LONG)
        return datetime(2026, 12, 1, tzinfo=UTC)


def session_of(clock: Clock, **more: Any) -> Session:
    # Plans are kept with their domain: in a new one nothing has been planned yet.
    session = Session(toolplan.loads(DESK), clock=clock, id="one", **more)
    session.want("handle")
    clock.threads.clear()
    return session


async def in_which_thread(gate: Gate, *read: object) -> int:
    return await gate.soon(threading.get_ident, *read)


class Elsewhere:
    """Receipts of a host, which may take what time they like."""

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        pass


def test_what_waits_for_nobody_is_done_by_the_event_loop(tmp_path: Path) -> None:
    gate = Gate(session_of(Clock()), principal=Principal(), receipts=FileReceipts(tmp_path))
    assert asyncio.run(in_which_thread(gate)) == threading.get_ident()


@pytest.mark.parametrize(
    "made",
    [
        lambda path: Gate(session_of(Clock(), store=SQLiteStore(path / "sessions.db"))),
        lambda path: Gate(session_of(Clock()), receipts=Elsewhere()),
        lambda path: Gate(session_of(Clock()), principal=Principal),
        lambda path: Gate(session_of(Clock(), readers={"by hand": lambda raw: raw})),
        lambda path: Gate(session_of(Clock(), settings=Settings()), mode=Mode.SHADOW),
        lambda path: Gate(session_of(Clock(), state={f"seen(item_{number})": True for number in range(1_001)})),
    ],
    ids=["store", "receipts", "principal", "readers", "shadow", "large"],
)
def test_whatever_may_take_long_is_done_in_a_thread(made: Callable[[Path], Gate], tmp_path: Path) -> None:
    assert asyncio.run(in_which_thread(made(tmp_path))) != threading.get_ident()


@pytest.mark.parametrize(
    "read, is_small",
    [
        ({"id": "m1", "tags": ["a", "b"], "size": 3.5, "none": None}, True),
        ("x" * 1_000_000, False),
        ({"rows": [{"text": "x" * 100}] * 10_000}, False),
        (RuntimeError("x" * 10), True),
        (Ran("x" * 1_000_000, Outcome.DONE), False),
    ],
    ids=["little", "a text", "rows", "an object", "an object that holds much"],
)
def test_much_to_read_is_read_in_a_thread(read: object, is_small: bool) -> None:
    thread = asyncio.run(in_which_thread(Gate(session_of(Clock())), read))
    assert (thread == threading.get_ident()) == is_small


@pytest.mark.parametrize("busy", [lambda gate: gate.session.next(), lambda gate: gate.check(SEARCH)], ids=["a session", "a gate"])
def test_while_another_thread_is_at_work_the_event_loop_goes_on(busy: Callable[[Gate], object]) -> None:
    clock = Clock()
    gate = Gate(session_of(clock))

    async def scenario() -> int:
        clock.goes_on.clear()
        clock.asked.clear()
        working = asyncio.create_task(asyncio.to_thread(busy, gate))
        assert await asyncio.to_thread(clock.asked.wait, LONG)
        stepping = asyncio.create_task(gate.anext())
        await asyncio.sleep(0)  # Would not come back, had the loop to wait.
        clock.goes_on.set()
        await asyncio.gather(working, stepping)
        return threading.get_ident()

    clock.threads.clear()
    loop = asyncio.run(scenario())
    assert loop not in clock.threads


def test_what_fails_in_the_event_loop_leaves_the_session_to_others() -> None:
    gate = Gate(session_of(Clock()))

    def failing() -> None:
        raise ValueError("fails")

    async def scenario() -> object:
        with pytest.raises(ValueError, match="fails"):
            await gate.soon(failing)
        return await asyncio.wait_for(asyncio.to_thread(gate.session.next), LONG)

    assert asyncio.run(scenario()) == gate.session.next()


async def converse(gate: Gate) -> list[object]:
    """What the decisions and results of a conversation are."""
    seen: list[object] = []
    for call in (SEARCH, OPEN, FILE):
        seen.append((await gate.anext()).decision)
        seen.append(await gate.arun(call, _found))
    return [*seen, (await gate.anext()).decision]


async def _found(arguments: dict[str, object]) -> dict[str, str]:
    return FOUND


def test_a_plan_is_searched_for_in_a_thread_and_followed_by_the_event_loop() -> None:
    clock = Clock()
    gate = Gate(session_of(clock))

    async def scenario() -> tuple[list[int], list[int]]:
        await gate.anext()
        first, clock.threads = clock.threads, []
        for call in (SEARCH, OPEN):
            await gate.arun(call, _found)
            await gate.anext()
        return first, clock.threads

    first, later = asyncio.run(scenario())
    here = threading.get_ident()
    assert first[-1] != here, "the search was made in the event loop"
    assert later and set(later) == {here}


def test_it_says_and_keeps_the_same_wherever_it_is_done() -> None:
    here, apart = Gate(session_of(Clock())), Gate(session_of(Clock()), principal=Principal)
    assert asyncio.run(converse(here)) == asyncio.run(converse(apart))
    assert here.session.snapshot() == apart.session.snapshot()


def test_a_call_waits_for_an_earlier_one_that_a_search_is_made_for() -> None:
    gate = Gate(session_of(Clock()))
    gate.turn([SEARCH.id, OPEN.id])

    async def scenario() -> bool:
        later = asyncio.create_task(gate.acheck(OPEN))
        verdict = await gate.acheck(SEARCH)  # Nothing has been planned yet.
        assert isinstance(verdict, Allow)
        await asyncio.sleep(0)
        waited = not later.done()
        gate.observe(verdict.permit, FOUND)
        return waited and isinstance(await later, Allow)

    assert asyncio.run(scenario())


def test_a_result_whose_size_nobody_can_tell_is_observed() -> None:
    class Scalar:
        def __len__(self) -> int:
            raise TypeError("len() of unsized object")

    async def scalar(_: object) -> Scalar:
        return Scalar()

    gate = Gate(session_of(Clock()))
    assert isinstance(asyncio.run(gate.arun(SEARCH, scalar)), Ran)
    assert gate.session.running == ()
    refusal = asyncio.run(gate.acheck(ToolCall("other", "search", Scalar())))
    assert isinstance(refusal, Refuse) and "no JSON object" in refusal.message


def test_a_result_that_cannot_be_read_leaves_the_call_in_doubt() -> None:
    gate = Gate(session_of(Clock()))

    def unreadable(_: object) -> object:
        raise ValueError("no result")

    async def scenario() -> None:
        await gate.anext()
        with pytest.raises(ValueError, match="no result"):
            await gate.arun(SEARCH, _found, raw=unreadable)

    asyncio.run(scenario())
    assert gate.session.running == ()
    assert gate.session.memory.outcomes[SEARCH.id] is not Outcome.DONE
