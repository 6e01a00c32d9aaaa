"""`toolplan bench inertia`: what past runs save, and what contracts have ready, on published runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.learning import inertia
from toolplan.bench.learning.datasets import DATASETS
from toolplan.bench.learning.growth import SIZES
from toolplan.bench.tables import Row
from toolplan.cli.bench.tables import Note, measured, numbers_of, refuse
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench inertia --data tests/data/learning --sizes 1000"


def command(
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="A folder that holds scienceworld, tau1, bfcl, livemcpbench, or some.")
    ],
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,...", help="Numbers of synthetic steps.")] = "",
    as_json: AsJson = False,
) -> None:
    """Compute the figures of AutoTool again on published runs, and count the calls that need no model by inertia and by contracts."""
    counts = numbers_of("sizes", sizes, least=20) or SIZES
    if not any((data / dataset.folder).is_dir() for dataset in DATASETS):
        refuse(f"--data takes a folder that holds {', '.join(dict.fromkeys(dataset.folder for dataset in DATASETS))}, or some of them")

    def tables(note: Note) -> Iterator[tuple[str, Sequence[Row]]]:
        for title, rows in inertia.tables(data, sizes=counts):
            note(title)
            yield title, rows

    measured("inertia", tables, as_json=as_json)
