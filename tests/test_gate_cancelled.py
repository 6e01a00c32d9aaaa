"""What becomes of a call whose task is cancelled: while the gate thinks of it, or while it takes in what came of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

import toolplan
from toolplan.domain import Principal
from toolplan.gate import Allow, Gate, Ran, ToolCall
from toolplan.session import Outcome

LONG = 10.0
"""Seconds that no test waits unless it fails."""
CONTRACTS = toolplan.loads("""
fact paid
tool pay { "Pay." produces paid risk write }
goal pays { "Pay" achieves paid }
policy { risk write 1 safe }
""")
PAY, OTHER = ToolCall("1", "pay", {}), ToolCall("2", "pay", {})


class Rights:
    """Tells who the agent acts for, as soon as it `goes_on`."""

    def __init__(self) -> None:
        self.asked, self.goes_on = threading.Event(), threading.Event()

    def __call__(self) -> Principal:
        self.asked.set()
        assert self.goes_on.wait(LONG)
        return Principal()

    async def are_looked_up(self) -> None:
        assert await asyncio.to_thread(self.asked.wait, LONG)


def gate_of(principal: Callable[[], Principal]) -> Gate:
    session = toolplan.Session(CONTRACTS)
    session.want("pays")
    return Gate(session, principal=principal)


async def never(_: dict[str, object]) -> object:
    raise AssertionError("nobody is there to run it for")


async def cancelled_once(work: Awaitable[object], rights: Rights) -> None:
    task = asyncio.ensure_future(work)
    await rights.are_looked_up()
    task.cancel()
    await asyncio.sleep(0)
    rights.goes_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def cancelled_at_every_await(work: Awaitable[object], rights: Rights) -> None:
    async def awaited() -> None:
        await work

    async with anyio.create_task_group() as group:
        group.start_soon(awaited)
        await rights.are_looked_up()
        group.cancel_scope.cancel()
    rights.goes_on.set()


@pytest.mark.parametrize("cancelled", [cancelled_once, cancelled_at_every_await])
def test_what_is_let_through_for_nobody_is_withdrawn_before_another_call_is_thought_of(
    cancelled: Callable[[Awaitable[object], Rights], Awaitable[None]],
) -> None:
    rights = Rights()
    gate = gate_of(rights)

    async def scenario() -> object:
        await cancelled(gate.arun(PAY, never), rights)
        return await gate.acheck(OTHER)

    assert isinstance(asyncio.run(scenario()), Allow)
    assert [call.id for call in gate.session.running] == [OTHER.id]


def test_what_is_let_through_when_the_event_loop_ends_is_withdrawn() -> None:
    rights = Rights()
    gate = gate_of(rights)

    async def scenario() -> asyncio.Task[object]:
        task: asyncio.Task[object] = asyncio.create_task(gate.arun(PAY, never))
        await rights.are_looked_up()
        asyncio.get_running_loop().call_soon(rights.goes_on.set)
        return task

    assert asyncio.run(scenario()).cancelled()
    assert gate.session.running == ()


class Paused(Exception):
    pass


@pytest.mark.parametrize(("raised", "runs"), [(None, 1), (ValueError("declined"), 1), (Paused(), 2)], ids=["ran", "failed", "paused"])
def test_a_call_that_was_over_when_it_was_cancelled_is_taken_in_though_no_thread_was_free(raised: Exception | None, runs: int) -> None:
    gate, ran = gate_of(Principal), 0

    async def scenario() -> object:
        loop, busy = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))

        async def execute(_: dict[str, object]) -> str:
            nonlocal ran
            ran += 1
            if ran == 1:
                loop.run_in_executor(None, busy.wait, LONG)
                loop.call_soon(task.cancel)
                if raised is not None:
                    raise raised
            return "paid"

        task = asyncio.create_task(gate.arun(PAY, execute, pauses=(Paused,)))
        with pytest.raises(asyncio.CancelledError):
            await task
        busy.set()
        return await asyncio.wait_for(gate.arun(PAY, execute), LONG)

    if isinstance(raised, ValueError):
        with pytest.raises(ValueError, match="declined"):
            asyncio.run(scenario())
    else:
        assert asyncio.run(scenario()) == Ran("paid", Outcome.DONE)
    assert ran == runs and gate.session.running == ()
