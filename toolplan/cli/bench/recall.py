"""`toolplan bench recall`: whether the tool that is wanted is shown, by lists and by the frontier."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench import recall
from toolplan.cli.bench.tables import measured
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench recall"


def command(
    data: Annotated[list[Path], typer.Option("--data", metavar="DIR", help="A folder that holds livemcpbench.")] = [],
    as_json: AsJson = False,
) -> None:
    """Measure recall at K and the characters sent, for each scorer, alone and before the frontier."""
    measured("recall", partial(recall.tables, data), as_json=as_json)
