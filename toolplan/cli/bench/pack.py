"""`toolplan bench pack`: kept runs as they are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.runs.keeping import packed, read
from toolplan.cli.output import reporting

EXAMPLE = "Example: toolplan bench pack runs.jsonl docs/benchmarks/runs.jsonl.gz"


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file that --out has kept.", show_default=False)],
    out: Annotated[Path, typer.Argument(metavar="FILE", help="Where they are stored, packed by gzip.", show_default=False)],
) -> None:
    """Pack kept runs in the order of their arms and tasks: the same runs make the same bytes."""
    with reporting(as_json=False):
        out.write_bytes(packed(read(run)))
