"""Many conversations at once: each takes a step whenever one is due, and in the middle one of the servers is killed."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from toolplan.bench.serving import shop
from toolplan.bench.serving.client import Balancer, Client
from toolplan.bench.serving.sites import Folder, Process
from toolplan.bench.serving.talking import Talk

SUBJECTS = 7
"""Users, whose conversations go through the same processes."""
PATIENCE = 20.0
"""Seconds that the shop has to hear of these."""


@dataclass(frozen=True, slots=True)
class Load:
    """How many conversations there are, for how long, and how often each takes a step, in seconds."""

    conversations: int = 200
    seconds: float = 60.0
    every: float = 5.0

    @property
    def rate(self) -> float:
        """Steps that are due in a second."""
        return self.conversations / self.every


class Steps(Protocol):
    """What is driven."""

    async def step(self) -> str:
        """Take the next step. Returns what it is called."""


class Driven:
    """The seconds of each step, under its name, from when it was due: a step that has to wait for the one before is late."""

    def __init__(self) -> None:
        self.times: defaultdict[str, list[float]] = defaultdict(list)

    @property
    def all_times(self) -> list[float]:
        """Those of all steps."""
        return [seconds for times in self.times.values() for seconds in times]


async def drive(talks: Sequence[Steps], load: Load, middle: Callable[[], Awaitable[None]] | None = None) -> Driven:
    """Let `talks` take their steps. `middle` is done at half of the time, beside them."""
    driven, draw = Driven(), Random("phases")
    began = time.perf_counter()
    phases = [draw.random() * load.every for _ in talks]
    async with asyncio.TaskGroup() as group:
        for talk, phase in zip(talks, phases, strict=True):
            group.create_task(_lead(talk, began + phase, began + load.seconds, load.every, driven))
        if middle is not None:
            await asyncio.sleep(load.seconds / 2)
            await middle()
    return driven


async def _lead(talk: Steps, due: float, until: float, every: float, driven: Driven) -> None:
    while due < until:
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        driven.times[await talk.step()].append(time.perf_counter() - due)
        due += every


def talks_of(numbers: Iterable[int], folder: Folder, processes: Sequence[Process]) -> list[Talk]:
    """The conversations of `numbers`, with a balancer in front of `processes`."""
    balancer = Balancer(process.port for process in processes)
    subjects = [f"user {number}" for number in range(SUBJECTS)]
    tokens = {subject: {process.port: folder.token(subject, process.port) for process in processes} for subject in subjects}
    talks = ((number, subjects[number % SUBJECTS]) for number in numbers)
    return [Talk(number, subject, Client(number, balancer, tokens[subject])) for number, subject in talks]


async def caught(talks: Sequence[Talk], victim: Process, ledger: Path) -> None:
    """Kill `victim` while it makes the payments of `talks`, which then turn to another server, and try once more on their own.

    Every other of these payments is written down by then, and the rest is to come.
    """
    for place, talk in enumerate(talks):
        talk.first = shop.SLOW + place % 2
    for talk in talks:
        for step in (talk.say, talk.quote, talk.ask):
            await step()
    async with asyncio.TaskGroup() as group:
        for talk in talks:
            group.create_task(talk.pay())
        await _written(ledger, [talk.order for talk in talks if talk.order % 2 == 0])
        victim.kill()
    for talk in talks:
        await talk.again()


async def _written(ledger: Path, orders: Sequence[int]) -> None:
    """Wait until the shop has written down `orders`."""
    async with asyncio.timeout(PATIENCE):
        while not set(orders) <= {order for order, _ in shop.payments_in(ledger)}:
            await asyncio.sleep(0.01)
