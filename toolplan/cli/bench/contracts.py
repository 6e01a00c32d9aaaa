"""`toolplan bench contracts`: contracts learned from runs, beside those that are written."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from toolplan.bench.learning import contracts
from toolplan.cli.bench.tables import measured, numbers_of
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench contracts --runs 50,200 --seeds 2"


def command(
    runs: Annotated[str, typer.Option("--runs", metavar="N,...", help="How many runs to learn from.")] = ",".join(
        map(str, contracts.COUNTS)
    ),
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="How often, each time from other runs.")] = contracts.SEEDS,
    as_json: AsJson = False,
) -> None:
    """Hide contracts, learn them from random runs with noise, and compare them with those that are written."""
    counts = numbers_of("runs", runs, least=1)
    measured("contracts", partial(contracts.tables, counts=counts, seeds=seeds), as_json=as_json)
