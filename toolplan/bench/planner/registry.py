"""The registry tier: how the time of a decision grows with the number of tools, beside the paper's own search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import toolplan
from toolplan.bench.breadth_first import Contract, Stopped, breadth_first
from toolplan.bench.planner.measuring import Promise, Settings, at_most, cold, percentile
from toolplan.bench.registries import Registry, families
from toolplan.bench.tables import Row

TITLE = "Registry tier: families of a search, a read and eight writes; domain loaded, state parsed"
ALTERNATIVES = (1, 3)
TASKS = 60
"""The tasks that are asked for in one registry, at most."""
LARGE = 10_000
"""Larger registries, which take half a minute to load, are drawn from the first seed only."""
BASELINE_TASKS = 3
"""The tasks that the paper's search is given, from the first seed: they differ in what they write."""
BASELINE_STATES = 300_000
BASELINE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class RegistryRow(Row):
    """A cold decision at one size; `growth` is the median over that at the smallest size.

    The last three columns are the paper's search: medians of its visited states and its time, and how many of its tasks it gave up at
    the cap, so that these figures are too small.
    """

    alternatives: int
    tools: int
    seeds: int
    tasks: int
    median_ms: float
    p99_ms: float
    growth: float
    paper_states: int
    paper_ms: float
    paper_gave_up: int


def rows(settings: Settings) -> Iterator[RegistryRow]:
    """One row a size, for tools of which each fact has one producer, and three."""
    for alternatives in ALTERNATIVES:
        smallest = None
        for tools in settings.sizes:
            seeds = settings.seeds if tools <= LARGE else settings.seeds[:1]
            seconds = []
            for seed in seeds:
                settings.note(f"{tools:,} tools, alternatives {alternatives}, seed {seed}")
                seconds += _measured(families(tools, seed, alternatives))
            settings.note(f"{tools:,} tools, alternatives {alternatives}, breadth first")
            states, baseline, gave_up = _baseline(families(tools, seeds[0], alternatives))
            middle = median(seconds)
            smallest = smallest or middle
            p99 = percentile(seconds, 99)
            figures = (middle * 1e3, p99 * 1e3, middle / smallest, states, baseline * 1e3, gave_up)
            yield RegistryRow(alternatives, tools, len(seeds), len(seconds), *figures)


def _measured(registry: Registry) -> list[float]:
    """The seconds of each task but the last, which is asked for first and does not count."""
    domain = toolplan.loads(registry.text)
    *tasks, warm = registry.tasks[: TASKS + 1]
    cold(domain, warm.state, warm.goal)
    return [cold(domain, task.state, task.goal).seconds for task in tasks]


def _baseline(registry: Registry) -> tuple[int, float, int]:
    """The paper's search: its median of visited states, that of its seconds, and how often it gave up."""
    tools = [Contract(tool.name, frozenset(tool.requires), frozenset(tool.produces)) for tool in registry.tools]
    results = []
    for task in registry.tasks[:BASELINE_TASKS]:
        started = time.perf_counter()
        result = breadth_first(tools, task.given, task.wanted, states=BASELINE_STATES, seconds=BASELINE_SECONDS)
        results.append((time.perf_counter() - started, result))
    states = median(result.visited for _, result in results)
    return round(states), median(seconds for seconds, _ in results), sum(isinstance(result, Stopped) for _, result in results)


def promises(rows: Sequence[RegistryRow]) -> Iterator[Promise]:
    """What is promised of this tier."""
    for row in rows:
        name = f"registry tier, alternatives {row.alternatives}, {row.tools:,} tools: cold median in ms"
        yield at_most(name, row.median_ms, 1)
