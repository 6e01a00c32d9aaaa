"""The entities tier: few tools with typed parameters over many objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import toolplan
from toolplan.bench.planner.measuring import Promise, Settings, at_most, cold, percentile
from toolplan.bench.registries import entities
from toolplan.bench.tables import Row

TITLE = "Entities tier: typed tools over many objects, facts of up to three arguments"
TOOLS = 60
OBJECTS = 1_000


@dataclass(frozen=True, slots=True)
class EntitiesRow(Row):
    """A cold decision, over all tasks of one registry but the one that is asked for first and does not count."""

    tools: int
    objects: int
    seed: int
    tasks: int
    median_ms: float
    p99_ms: float


def rows(settings: Settings) -> Iterator[EntitiesRow]:
    """One row a seed."""
    for seed in settings.seeds:
        settings.note(f"seed {seed}")
        registry = entities(TOOLS, seed, OBJECTS)
        domain = toolplan.loads(registry.text)
        *tasks, warm = registry.tasks
        cold(domain, warm.state, warm.goal)
        seconds = [cold(domain, task.state, task.goal).seconds for task in tasks]
        yield EntitiesRow(TOOLS, OBJECTS, seed, len(seconds), median(seconds) * 1e3, percentile(seconds, 99) * 1e3)


def promises(rows: Sequence[EntitiesRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    yield at_most("entities tier: cold median in ms, of the slowest seed", max(row.median_ms for row in rows), 20)
