"""`toolplan bench real`: our decisions against data that others collected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench import real
from toolplan.cli.bench.tables import measured_in, refuse
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench real --data tests/data"


def command(
    data: Annotated[
        list[Path], typer.Option("--data", metavar="DIR", help="A folder that holds one for each set (sgd, when2call, bfcl).")
    ] = [],
    as_json: AsJson = False,
) -> None:
    """Measure every set that lies in one of the folders."""
    if not any((folder / suite.DATA).is_dir() for folder in data for suite in real.SUITES.values()):
        refuse(f"--data takes a folder that holds {', '.join(sorted({suite.DATA for suite in real.SUITES.values()}))}, or some of them")
    measured_in(data, real.tables, as_json=as_json)
