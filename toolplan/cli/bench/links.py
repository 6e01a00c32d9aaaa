"""`toolplan bench links`: which result fills which argument, against what others say."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench import links
from toolplan.cli.bench.tables import measured, refuse
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench links --data tests/data/links"


def command(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="A folder that holds bfcl, nestful, taskbench, or some of them.")],
    as_json: AsJson = False,
) -> None:
    """Measure proposed links against gold, beside matching by name and type, and which chains the imported contracts plan."""
    if not any((data / reader.DATA).is_dir() for reader in links.READERS):
        refuse("--data takes a folder that holds bfcl, nestful, taskbench, or some of them")
    measured("links", partial(links.tables, data), as_json=as_json)
