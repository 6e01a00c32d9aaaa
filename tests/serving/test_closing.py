"""Servers that were started here end in their own time, however whoever started them goes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest
from serving.bank import run

from toolplan.serving.configuration import Process, Upstream
from toolplan.serving.pins import pins_beside
from toolplan.serving.upstreams import Upstreams

SLOW_TO_END = """
import json, sys, time
open(sys.argv[1] + ".began", "w").close()
about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "slow", "version": "1"}}
answers = {"initialize": about, "tools/list": {"tools": []}}
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        known = request["method"] in answers
        answer = {"result": answers[request["method"]]} if known else {"error": {"code": -32601, "message": "no such method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
time.sleep(0.3)
open(sys.argv[1] + ".ended", "w").close()
"""
"""It speaks the protocol without a package of it, and so begins at once."""


class Server:
    """A server that takes a moment to end."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._mark = folder, folder / "mark"
        (folder / "slow.py").write_text(SLOW_TO_END)
        arguments = (str(folder / "slow.py"), str(self._mark))
        self.process = Process(sys.executable, arguments)

    def fronted(self) -> Upstreams:
        return Upstreams([Upstream("slow", self.process)], pins_beside(self.folder / "team.json"))

    @property
    def has_begun(self) -> bool:
        return self._mark.with_suffix(".began").exists()

    @property
    def has_ended(self) -> bool:
        return self._mark.with_suffix(".ended").exists()

    async def begins(self) -> None:
        while not self.has_begun:
            await asyncio.sleep(0.01)


async def leaves(server: Server) -> None:
    async with server.fronted():
        pass


async def is_out_of_time(server: Server) -> None:
    with anyio.CancelScope() as scope:
        async with server.fronted():
            scope.cancel()


async def is_cancelled_while_it_connects(server: Server) -> None:
    task = asyncio.create_task(leaves(server))
    await server.begins()
    task.cancel()
    await asyncio.wait([task])


async def is_cancelled_twice(server: Server) -> None:
    inside = asyncio.Event()

    async def stays() -> None:
        async with server.fronted():
            inside.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(stays())
    await inside.wait()
    task.cancel()
    await asyncio.sleep(0.1)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


@pytest.mark.parametrize("goes", [leaves, is_out_of_time, is_cancelled_while_it_connects, is_cancelled_twice])
def test_a_server_has_ended_when_whoever_started_it_is_gone(goes: Callable[[Server], Awaitable[None]], tmp_path: Path) -> None:
    async def test() -> bool:
        server = Server(tmp_path)
        await goes(server)
        return server.has_begun and server.has_ended

    assert run(test)
