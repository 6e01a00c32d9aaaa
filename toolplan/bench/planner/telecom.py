"""The telecom tier: real tasks with two actors, held against the plans of their authors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import toolplan
from toolplan.bench import telecom
from toolplan.bench.planner.measuring import PATIENT, Promise, Settings, at_least
from toolplan.bench.tables import Row

TITLE = "Telecom tier: tasks of tau2-bench, held against the plans of their authors"
PROMISED = dict(zip((claim.text for claim in telecom.CLAIMS), (100, 100, 99, 0, 99), strict=True))
"""For how many percent of its tasks each claim must hold; 0 where nothing is promised."""


@dataclass(frozen=True, slots=True)
class TelecomRow(Row):
    """For how many tasks of a file a claim holds, and the names of the others. The median time is that of all tasks of the file."""

    file: str
    claim: str
    tasks: int
    holds: int
    percent: float
    median_ms: float
    exceptions: tuple[str, ...]


def rows(settings: Settings) -> Iterator[TelecomRow]:
    """One row a claim, for each file that the settings name."""
    for path in settings.telecom:
        settings.note(path.name)
        yield from _of_file(path)


def _of_file(path: Path) -> Iterator[TelecomRow]:
    found = list(telecom.rows(toolplan.load("telecom"), telecom.read(path), limit=PATIENT))
    milliseconds = telecom.median_seconds(found) * 1e3
    for share in telecom.shares(found):
        if share.tasks:
            holds = share.tasks - len(share.exceptions)
            exceptions = tuple(row.task.id for row in share.exceptions)
            percent = 100 * holds / share.tasks
            yield TelecomRow(path.name, share.claim.text, share.tasks, holds, percent, milliseconds, exceptions)


def promises(rows: Sequence[TelecomRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    for row in rows:
        if PROMISED[row.claim]:
            yield at_least(f"telecom tier, {row.file}, {row.claim}: percent", row.percent, PROMISED[row.claim])
