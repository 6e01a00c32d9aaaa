"""The planner, measured. Each tier is a module: a title, rows as they are measured, and what is promised of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from toolplan.bench.planner import entities, limits, outside, paper, registry, stress, telecom
from toolplan.bench.planner.measuring import Promise, Settings
from toolplan.bench.tables import Row


class Tier(Protocol):
    """A set of rows that make one table. A tier that the settings give nothing to measure has none."""

    TITLE: str

    def rows(self, settings: Settings) -> Iterator[Row]:
        """Measure, row by row."""
        ...

    def promises(self, rows: Sequence[Any]) -> Iterator[Promise]:
        """What is promised of `rows`, beside what was measured."""
        ...


TIERS: Mapping[str, Tier] = {
    "paper": paper,
    "registry": registry,
    "stress": stress,
    "entities": entities,
    "limits": limits,
    "outside": outside,
    "telecom": telecom,
}
