"""`toolplan serve` under load: two processes on one store, of which one is killed, beside servers of the same SDK that do nothing.

- `shop`: the contracts and values; `upstream`: the server behind; `empty`: the servers beside. `sites`: all of them, as processes.
- `client`, `talking`: one conversation. `driving`: many at once, and the kill. `checking`: that nothing is lost. `ramp`: where it saturates.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from toolplan.bench.planner.measuring import Promise, at_most, percentile
from toolplan.bench.serving.checking import CheckRow, checked
from toolplan.bench.serving.checking import promises as kept_whole
from toolplan.bench.serving.driving import Driven, Load, caught, drive, talks_of
from toolplan.bench.serving.ramp import RampRow, levels
from toolplan.bench.serving.sites import EMPTY, FORWARDING, KINDS, PROCESSES, TOOLPLAN, Folder, Kind, Process, running
from toolplan.bench.serving.talking import SCRIPT, Talk
from toolplan.bench.tables import Row

ALL = "all"
CAUGHT = 4
"""Conversations whose payments are on their way when their server is killed."""
LEVELS, SECONDS = 12, 10.0
"""Of the ramp: how many levels at most, and how long one takes."""
FACTOR = 1.5
"""How much longer a step may take than with a server that does nothing."""


@dataclass(frozen=True, slots=True)
class StepRow(Row):
    """Milliseconds of a step, from when it was due, through one kind of server."""

    server: str
    step: str
    steps: int
    p50: float
    p99: float


class Trial(NamedTuple):
    """The conversations of one kind of server, how long their steps took, and what is left of them in `folder`."""

    talks: Sequence[Talk]
    driven: Driven
    folder: Folder

    def checked(self) -> CheckRow:
        """What came of the conversations."""
        return checked(self.talks, len(self.driven.all_times), self.folder)


def tables(load: Load, store: str, note: Callable[[str], None], *, most: int = LEVELS) -> Iterator[tuple[str, Sequence[Row]]]:
    """Each table with its title, when it is measured. `store` is as of `toolplan serve`, by default a file; a ramp has `most` levels."""
    steps: list[StepRow] = []
    ramps: list[RampRow] = []
    with tempfile.TemporaryDirectory() as directory:
        for kind in KINDS:
            note(f"{kind.name}, one process killed")
            trial = killed(kind, load, Path(directory, f"{kind.name}, killed"), store)
            steps += _rows(kind, trial.driven)
        whole = trial.checked()  # The last kind is the one that keeps something.
        yield (
            f"Steps of {load.conversations} conversations, one every {load.every:g} s, through {PROCESSES} processes of which one is killed",
            steps,
        )
        yield "What came of the conversations through toolplan serve", [whole]
        for kind in KINDS:
            note(f"{kind.name}, ever faster")
            ramps += ramp(kind, load, Path(directory, f"{kind.name}, ramp"), store, most)
    yield "Steps in a second, until a server does not keep up", ramps
    yield "What is promised, and what was measured", list(promises(whole, steps))


def killed(kind: Kind, load: Load, path: Path, store: str = "") -> Trial:
    """All conversations through servers of one kind, of which one is killed in the middle. Their files are in the new folder `path`."""
    with running(kind, path, store) as (folder, processes):
        return asyncio.run(_killed(kind, load, folder, processes))


def ramp(kind: Kind, load: Load, path: Path, store: str = "", most: int = LEVELS) -> list[RampRow]:
    """At most so many levels, until the servers do not keep up. Their files are in the new folder `path`."""
    with running(kind, path, store) as (folder, processes):
        return asyncio.run(_ramp(kind, load, folder, processes, most))


def promises(whole: CheckRow, steps: Sequence[StepRow]) -> Iterator[Promise]:
    """What is promised: that conversations stay whole, and how long a step takes."""
    yield from kept_whole(whole)
    late = {row.server: row.p99 for row in steps if row.step == ALL}
    for beside in (EMPTY, FORWARDING):
        ratio = late[TOOLPLAN.name] / late[beside.name]
        yield at_most(f"p99 of all steps, as a multiple of that of the server: {beside.name}", ratio, FACTOR)


async def _killed(kind: Kind, load: Load, folder: Folder, processes: Sequence[Process]) -> Trial:
    """All conversations, and those that are caught by the death of their server, where the shop hears of these."""
    await _warmed(load, folder, processes)
    talks = talks_of(range(load.conversations), folder, processes)
    last = load.conversations + PROCESSES
    ambushed = (
        talks_of(range(last - last % PROCESSES, last + CAUGHT * PROCESSES, PROCESSES), folder, processes)[:CAUGHT]
        if kind is TOOLPLAN
        else []
    )
    try:
        driven = await drive(talks, load, partial(caught, ambushed, processes[0], folder.ledger))
    finally:
        _close([*talks, *ambushed])
    return Trial([*talks, *ambushed], driven, folder)


async def _ramp(kind: Kind, load: Load, folder: Folder, processes: Sequence[Process], most: int) -> list[RampRow]:
    await _warmed(load, folder, processes)
    talks = talks_of(range(load.conversations), folder, processes)
    try:
        level = Load(load.conversations, min(load.seconds, SECONDS), load.every)
        return [row async for row in levels(kind.name, talks, level, most)]
    finally:
        _close(talks)


async def _warmed(load: Load, folder: Folder, processes: Sequence[Process]) -> None:
    """One request through each process, which nobody times: what is loaded once is loaded then."""
    first = load.conversations + 100
    talks = talks_of(range(first, first + len(processes)), folder, processes)
    for talk in talks:
        for _ in SCRIPT:
            await talk.step()
    _close(talks)


def _close(talks: Sequence[Talk]) -> None:
    for talk in talks:
        talk.client.close()


def _rows(kind: Kind, driven: Driven) -> Iterator[StepRow]:
    for name, times in [*((name, driven.times[name]) for name in SCRIPT if driven.times[name]), (ALL, driven.all_times)]:
        yield StepRow(kind.name, name, len(times), 1_000 * percentile(times, 50), 1_000 * percentile(times, 99))
