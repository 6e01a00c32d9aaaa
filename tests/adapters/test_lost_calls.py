"""Hosts that pause, cancel, and fail in between: no call is left running, none after it waits, and none runs twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from adapters.scenarios import AT_THE_DESK

from toolplan.domain import Principal
from toolplan.gate import Allow, Gate, Mode, Permit, Ran, Refuse, ToolCall
from toolplan.receipts import NO_RECEIPTS, Kind, Receipts
from toolplan.session import Outcome

SEARCH = ToolCall("search", "mail_search", {"query": "offer"})
OPEN = ToolCall("open", "mail_open", {})
LABEL = ToolCall("label", "mail_label", {})
FOUND = {"id": "m1"}
LONG = 10.0
"""Seconds that no test waits unless it fails."""


class Paused(Exception):
    """How a framework says that it will come back with a call."""


def guarded(
    text: str = "handle the message",
    *,
    mode: Mode = Mode.ENFORCE,
    receipts: Receipts = NO_RECEIPTS,
    principal: Callable[[], Principal] | None = None,
) -> Gate:
    gate = Gate(AT_THE_DESK.gate().session, mode=mode, receipts=receipts, principal=principal, patience=LONG)
    gate.hear(text)
    gate.turn([SEARCH.id, "between", OPEN.id])
    return gate


def permit_of(gate: Gate, call: ToolCall) -> Permit:
    verdict = gate.check(call)
    assert isinstance(verdict, Allow), verdict
    return verdict.permit


def pause(_: object) -> object:
    raise Paused


def is_settled(gate: Gate) -> bool:
    """Whether the last call of the turn waits for none."""
    gate.skip("between")
    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(gate.check, ToolCall(OPEN.id, "nothing", {}))
        return "cannot be called now" in getattr(checking.result(LONG / 2), "reason", "")


def test_who_waits_for_a_call_that_pauses_makes_it() -> None:
    gate, begun, go = guarded(), threading.Event(), threading.Event()

    def pauses(_: object) -> object:
        begun.set()
        go.wait(LONG)
        raise Paused

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(gate.run, SEARCH, pauses, pauses=(Paused,))
        assert begun.wait(LONG)
        second = pool.submit(gate.run, SEARCH, lambda _: FOUND)
        go.set()
        with pytest.raises(Paused):
            first.result(LONG)
        assert second.result(LONG) == Ran(FOUND, Outcome.DONE)


@pytest.mark.parametrize("mode", Mode)
def test_a_pause_leaves_nothing_running_in_any_mode(mode: Mode) -> None:
    gate = guarded(mode=mode)
    with pytest.raises(Paused):
        gate.run(SEARCH, pause, pauses=(Paused,))
    assert not gate.session.running
    assert isinstance(gate.run(SEARCH, lambda _: FOUND), Ran)


def test_a_write_whose_result_cannot_be_read_is_in_doubt_and_nobody_waits_for_it() -> None:
    gate = guarded("label it")
    gate.next()
    gate.hear("green")
    gate.turn([LABEL.id, "after"])

    def unreadable(_: object) -> object:
        raise ValueError("no JSON")

    with pytest.raises(ValueError, match="no JSON"):
        gate.run(LABEL, lambda _: "ok", raw=unreadable)
    assert gate.session.memory.outcomes[LABEL.id] is Outcome.IN_DOUBT
    assert isinstance(gate.check(ToolCall("after", "mail_label", {})), Refuse)
    with pytest.raises(TimeoutError):
        gate.run(LABEL, lambda _: "again")


def test_who_is_cancelled_waiting_for_a_result_does_not_take_it_from_others() -> None:
    async def scenario() -> object:
        gate, begun, go = guarded(), asyncio.Event(), asyncio.Event()

        async def slow(_: Mapping[str, object]) -> object:
            begun.set()
            await go.wait()
            return FOUND

        first = asyncio.create_task(gate.arun(SEARCH, slow))
        await begun.wait()
        second = asyncio.create_task(gate.arun(SEARCH, slow))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.wait([second])
        go.set()
        return await first

    assert asyncio.run(scenario()) == Ran(FOUND, Outcome.DONE)


def test_what_was_let_through_for_somebody_who_is_gone_is_withdrawn() -> None:
    asked, go = threading.Event(), threading.Event()

    def slowly() -> Principal:
        asked.set()
        assert go.wait(LONG)
        return Principal()

    async def scenario() -> Gate:
        gate = guarded(principal=slowly)
        task = asyncio.create_task(gate.acheck(SEARCH))
        assert await asyncio.to_thread(asked.wait, LONG)
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        await asyncio.wait([task])
        assert task.cancelled()
        return gate

    gate = asyncio.run(scenario())
    assert not gate.session.running
    assert is_settled(gate)
    assert permit_of(gate, SEARCH).open()


def test_nobody_waits_for_a_call_that_was_cancelled_while_it_waited() -> None:
    async def scenario() -> Gate:
        gate = guarded()
        task = asyncio.create_task(gate.acheck(ToolCall("between", "mail_open", {})))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return gate

    gate = asyncio.run(scenario())
    assert isinstance(gate.run(SEARCH, lambda _: FOUND), Ran)
    with ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(gate.check, OPEN).result(LONG / 2), Allow)


class Full:
    """Takes no receipt of the kinds that it has no room for."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        if kind == self._kind:
            raise OSError("no room")


def test_a_call_whose_verdict_is_not_on_record_does_not_run() -> None:
    gate = guarded(receipts=Full("verdict"))
    with pytest.raises(OSError, match="no room"):
        gate.run(SEARCH, lambda _: FOUND)
    assert not gate.session.running and SEARCH.id not in gate.session.memory.outcomes


def test_an_outcome_that_is_not_on_record_is_an_outcome_all_the_same() -> None:
    gate = guarded(receipts=Full("outcome"))
    with pytest.raises(OSError, match="no room"):
        gate.run(SEARCH, lambda _: FOUND)
    assert gate.session.memory.outcomes[SEARCH.id] is Outcome.DONE
    assert is_settled(gate)
