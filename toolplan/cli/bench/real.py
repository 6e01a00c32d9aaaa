"""`toolplan bench real`: our decisions against data that others collected."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench import real
from toolplan.bench.local_model import local_ask
from toolplan.bench.real import by_model
from toolplan.cli.bench.tables import WIDE, refuse, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, show_json

EXAMPLE = "Example: toolplan bench real --data tests/data"
SAMPLE = 100


def command(
    data: Annotated[
        list[Path], typer.Option("--data", metavar="DIR", help="A folder that holds one for each set (sgd, when2call, bfcl).")
    ] = [],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="Only how values are read, also by the model of a GGUF file.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=1, help="For --model: turns of each set, drawn the same each time.")
    ] = SAMPLE,
    as_json: AsJson = False,
) -> None:
    """Measure every set that lies in one of the folders; with a model, only values that readers read on a sample."""
    if not any((folder / suite.DATA).is_dir() for folder in data for suite in real.SUITES.values()):
        refuse(f"--data takes a folder that holds {', '.join(sorted({suite.DATA for suite in real.SUITES.values()}))}, or some of them")
    with reporting(as_json=as_json):
        tables = real.tables if model is None else partial(by_model.tables, ask=local_ask(model), size=sample)
    shown: dict[str, list[dict[str, object]]] = {}
    for folder in data:
        with reporting(as_json=as_json), Console(stderr=True).status(str(folder)):
            titled = list(tables(folder))
        for title, rows in titled:
            shown[title] = [row.to_dict() for row in rows]
            if not as_json:
                show(title, rows, WIDE)
    if as_json:
        show_json(shown)
