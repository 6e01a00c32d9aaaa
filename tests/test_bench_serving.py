"""The benchmark of the server, in small: that conversations survive the death of a process, and that it would be seen if they did not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplan.bench.serving import StepRow, Trial, killed, promises, shop
from toolplan.bench.serving.checking import CheckRow
from toolplan.bench.serving.client import END, Balancer, Client
from toolplan.bench.serving.driving import Load
from toolplan.bench.serving.ramp import RampRow, levels
from toolplan.bench.serving.sites import EMPTY, FORWARDING, HOST, TOOLPLAN, Kind, running
from toolplan.bench.serving.talking import SCRIPT
from toolplan.bench.tables import table

pytestmark = pytest.mark.xdist_group("bench serving")
LOAD = Load(conversations=6, seconds=2.4, every=0.2)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    return killed(TOOLPLAN, LOAD, tmp_path_factory.mktemp("bench") / "run")


@pytest.fixture
def ledger(run: Trial) -> Iterator[Path]:
    """The ledger, which is as it was afterwards."""
    path = run.folder.ledger
    before = path.read_bytes()
    yield path
    path.write_bytes(before)


def test_two_processes_of_which_one_is_killed_lose_nothing_mix_nothing_and_repeat_nothing(run: Trial) -> None:
    row = run.checked()
    assert (row.lost, row.mixed, row.twice) == (0, 0, 0)
    assert row.conversations > LOAD.conversations and row.moved > 0
    assert row.payments == len({order for talk in run.talks for order in talk.paid}) > 0
    assert row.in_doubt >= row.of_them_paid > 0
    assert set(run.driven.times) == set(SCRIPT) and row.steps == 72


def test_a_payment_that_is_not_in_the_ledger_is_lost(run: Trial, ledger: Path) -> None:
    paid = run.talks[0].paid[0]
    lines = [line for line in ledger.read_text().splitlines(keepends=True) if not line.startswith(f"{paid} ")]
    ledger.write_text("".join(lines))
    assert run.checked().lost == 1


def test_a_payment_that_is_in_the_ledger_twice_was_done_twice(run: Trial, ledger: Path) -> None:
    with ledger.open("a") as file:
        file.write(f"{run.talks[0].paid[0]} {shop.price_of(run.talks[0].paid[0])}\n")
    assert run.checked().twice == 1


def test_a_price_of_another_order_is_mixed(run: Trial, ledger: Path) -> None:
    one, other = run.talks[0].paid[0], run.talks[1].paid[0]
    with ledger.open("a") as file:
        file.write(f"{one} {shop.price_of(other)}\n")
    assert run.checked().mixed == 1


def test_what_a_host_was_told_and_nobody_has_noted_is_lost(run: Trial) -> None:
    talk = run.talks[0]
    strange = shop.order_of(talk.number, 400)
    talk.said.append(strange)
    talk.paid.append(strange)
    try:
        assert run.checked().lost == 2
    finally:
        talk.said.remove(strange)
        talk.paid.remove(strange)


def test_what_another_conversation_knows_is_mixed(run: Trial) -> None:
    one, other = run.talks[:2]
    before = one.handle, one.subject
    one.handle, one.subject = other.handle, other.subject
    try:
        assert run.checked().mixed > 0
    finally:
        one.handle, one.subject = before


class Busy:
    """Takes no more than twenty steps in a second."""

    async def step(self) -> str:
        await asyncio.sleep(0.05)
        return "step"


def test_a_server_that_does_not_start_is_told_with_what_it_said(tmp_path: Path) -> None:
    broken = Kind("broken", lambda *_: ("-c", "raise SystemExit('no port for me')"))
    with pytest.raises(RuntimeError, match="no port for me"), running(broken, tmp_path / "run"):
        pass


def test_an_answer_that_is_long_in_coming_comes_as_a_stream() -> None:
    events = [
        b": ping\r\n\r\n",
        b'event: message\r\ndata: {"method": "progress"}\r\n\r\n',
        b'event: message\r\ndata: {"result": {"isError": false}}\r\n\r\n',
    ]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in (*events, b""))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readexactly(int((await reader.readuntil(END)).decode().rpartition("content-length: ")[2]))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + chunks)
        writer.close()

    async def asked() -> list[object]:
        async with await asyncio.start_server(answer, HOST, 0) as server:
            port = server.sockets[0].getsockname()[1]
            client = Client(1, Balancer([port]), {port: "token"})
            results: list[object] = [await client.call("pay", {}, name) for name in ("one", "two")]
            client.close()
        return results

    assert asyncio.run(asked()) == [{"isError": False}] * 2


def test_a_server_is_pushed_until_it_does_not_keep_up_or_the_levels_end() -> None:
    async def pushed(most: int) -> list[RampRow]:
        return [row async for row in levels("busy", [Busy(), Busy()], Load(2, 0.6, 0.2), most)]

    rows = asyncio.run(pushed(9))
    assert [row.due for row in rows] == pytest.approx([10 * 1.5**level for level in range(len(rows))])
    assert [row.kept_up for row in rows] == [True] * (len(rows) - 1) + [False]
    assert all(row.done <= 40 and row.p50 <= row.p99 for row in rows)
    assert len(asyncio.run(pushed(1))) == 1
    table(rows)


def test_promised_are_whole_conversations_and_a_half_more_time_than_servers_that_do_nothing() -> None:
    def kept(*late: float, lost: int = 0) -> list[bool]:
        steps = [StepRow(kind.name, "all", 1, 1.0, p99) for kind, p99 in zip((EMPTY, FORWARDING, TOOLPLAN), late, strict=True)]
        row = CheckRow(1, 1, 0, 1, 0, 0, lost, 0, 0)
        return [promise.kept for promise in promises(row, steps)]

    assert kept(2.0, 4.0, 3.0) == [True, True, True]
    assert kept(2.0, 4.0, 3.1) == [True, False, True]
    assert kept(2.0, 4.0, 6.1, lost=1) == [False, False, False]
