"""`toolplan bench import`: whether the lists of real servers are imported as they are."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench import importing
from toolplan.cli.bench.tables import measured, refuse
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench import --data tests/data/mcp_imports"


def command(
    data: Annotated[list[Path], typer.Option("--data", metavar="DIR", help="Folders of lists of tools and OpenAPI documents.")],
    as_json: AsJson = False,
) -> None:
    """Import every list of a folder without a hand edit, check the domains, and update them by the same lists."""
    for folder in data:
        if not folder.is_dir():
            refuse(f"there is no folder `{folder}`")
    measured("import", partial(importing.tables, data), as_json=as_json)
