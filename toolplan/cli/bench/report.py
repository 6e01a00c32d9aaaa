"""`toolplan bench report`: one page of all stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.report.page import html, markdown, stored
from toolplan.cli.bench.tables import refuse
from toolplan.cli.output import reporting, say
from toolplan.cli.ranking import write

EXAMPLE = "Example: toolplan bench report docs/benchmarks"


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with stored runs, packed by gzip.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the page there, as Markdown; else to stdout.")
    ] = None,
    page: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write it there, as HTML, with plots.")] = None,
) -> None:
    """Make the report of the runs in a folder."""
    with reporting(as_json=False):
        files = stored(folder)
    if not files:
        refuse(f"there are no stored runs in {folder}: `toolplan bench pack` stores what --out has kept")
    if page is not None:
        write(page, html(files))
    if out is not None:
        write(out, markdown(files))
    elif page is None:
        say(markdown(files).rstrip())
