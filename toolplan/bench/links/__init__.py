"""Links between tools, against those that others wrote down.

- `gold`: sets of tools with their links. `bfcl`, `nestful`, `taskbench`: those of three benchmarks.
- `methods`: who proposes links. `figures`: how good they are, and what is promised. `misses`: what is not found, and why.
- `fitting`: the weights of evidence, from all sets, or from all but one. `calibration`: what a confidence is worth.
- `chains`: plans with imported contracts, beside the gold sequences of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolplan.bench.links import bfcl, nestful, taskbench
from toolplan.bench.links.calibration import calibrated
from toolplan.bench.links.chains import chained
from toolplan.bench.links.figures import Scored, margins, scored
from toolplan.bench.links.fitting import fit
from toolplan.bench.links.gold import Gold
from toolplan.bench.links.methods import OURS, methods, ours
from toolplan.bench.links.misses import missed
from toolplan.bench.tables import Row

READERS = (bfcl, nestful, taskbench)
HELD_OUT = f"{OURS}, held out"
"""Ours with weights that no set of the same origin taught."""


def golds(data: Path) -> tuple[Gold, ...]:
    """The golds of every set that has a folder in `data`."""
    return tuple(gold for reader in READERS if (data / reader.DATA).is_dir() for gold in reader.read(data / reader.DATA))


def measure(data: Path) -> list[Scored]:
    """What each method proposes for each gold of `data`; ours also with weights fitted to the others."""
    return list(_scored(golds(data)))


def tables(data: Path, note: Callable[[str], None]) -> Iterator[tuple[str, Sequence[Row]]]:
    """Each table with its title, when it is measured."""
    note("links")
    every = golds(data)
    rows = list(_scored(every))
    yield "Links between tools, against gold", rows
    yield "What is promised of F1, and what was measured", list(margins(rows))
    yield "What a confidence is worth", list(calibrated(_teaching(every)))
    yield "Missed and wrong", [row for gold in every for row in missed(gold)]
    note("chains")
    yield "Gold chains, planned with imported contracts", [chained(gold) for gold in every if gold.chains]


def _scored(every: Sequence[Gold]) -> Iterator[Scored]:
    for gold in every:
        for name, propose in methods().items():
            yield scored(gold, name, propose(gold.tools))
        others = fit(other for other in _teaching(every) if _origin(other) != _origin(gold))
        yield scored(gold, HELD_OUT, ours(gold.tools, model=others))


def _teaching(every: Sequence[Gold]) -> list[Gold]:
    """The golds that weights are fitted to: all but those that others have the data of."""
    return [gold for gold in every if gold.teaches]


def _origin(gold: Gold) -> str:
    return gold.name.partition(":")[0]
