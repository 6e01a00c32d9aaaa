"""`toolplan bench slots`: how a language model reads values, beside the rules."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.local_model import local_ask
from toolplan.bench.real import by_model
from toolplan.cli.bench.tables import measured_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting

EXAMPLE = "Example: toolplan bench slots --data tests/data --model model.gguf --sample 20"
SAMPLE = 100


def command(
    model: Annotated[Path, typer.Option("--model", metavar="FILE", help="A GGUF file whose model reads.", show_default=False)],
    data: Annotated[list[Path], typer.Option("--data", metavar="DIR", help="A folder that holds one for each set (sgd, when2call).")] = [],
    sample: Annotated[int, typer.Option("--sample", metavar="N", min=1, help="Turns of each set, drawn the same each time.")] = SAMPLE,
    as_json: AsJson = False,
) -> None:
    """Measure how values are read on a sample of every set that lies in one of the folders."""
    with reporting(as_json=as_json):
        ask = local_ask(model)
    measured_in(data, partial(by_model.tables, ask=ask, size=sample), as_json=as_json)
