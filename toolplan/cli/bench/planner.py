"""`toolplan bench planner`: how fast the planner is, and that it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench.planner import TIERS
from toolplan.bench.planner.measuring import SEEDS, SIZES, Promise, Settings, machine
from toolplan.bench.tables import Row
from toolplan.cli.bench.tables import files_of, names_of, numbers_of, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json

EXAMPLE = "Example: toolplan bench planner --tiers entities --seeds 4"


def command(
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,...", help="Numbers of tools, instead of each tier's own.")] = "",
    tiers: Annotated[str, typer.Option("--tiers", metavar="NAME,...", help="Tiers, in this order.")] = ",".join(TIERS),
    seeds: Annotated[str, typer.Option("--seeds", metavar="N-N,...", help="Seeds, instead of 0-9.")] = "",
    problems: Annotated[list[Path], typer.Option("--problems", metavar="DIR", help="PDDL problems, listed in an INDEX.json.")] = [],
    telecom: Annotated[list[Path], typer.Option("--telecom", metavar="FILE", help="Telecom tasks of tau2-bench, with their states.")] = [],
    as_json: AsJson = False,
) -> None:
    """Measure the tiers, one table each, and at the end what is promised of them."""
    numbers = numbers_of("sizes", sizes, least=100) or SIZES
    settings = Settings(numbers, numbers_of("seeds", seeds, least=0) or SEEDS, files_of(problems, "INDEX.json"), files_of(telecom))
    _measure(names_of("tiers", tiers, TIERS), settings, as_json=as_json)


def _measure(names: Sequence[str], settings: Settings, *, as_json: bool) -> None:
    """A table for each tier when it is measured, and at the end one of the promises."""
    if not as_json:
        say(machine())
    measured: dict[str, list[Row]] = {}
    promises: list[Promise] = []
    for name in names:
        rows = _rows(name, settings, as_json=as_json)
        measured[name] = rows
        promises += TIERS[name].promises(rows) if rows else ()
        if not as_json:
            show(TIERS[name].TITLE, rows)
    if as_json:
        tiers = {name: [row.to_dict() for row in rows] for name, rows in measured.items()}
        show_json({"machine": machine(), "tiers": tiers, "promises": [promise.to_dict() for promise in promises]})
    else:
        show("What is promised, and what was measured", promises)


def _rows(name: str, settings: Settings, *, as_json: bool) -> list[Row]:
    """The rows of one tier; what is under way is shown on the terminal meanwhile."""
    with reporting(as_json=as_json), Console(stderr=True).status(name) as status:
        return list(TIERS[name].rows(replace(settings, note=lambda text: status.update(f"{name}: {text}"))))
