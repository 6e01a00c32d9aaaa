"""`toolplan learn report`: whether the last tools of runs tell the next one, and where arguments come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.learn.page import page
from toolplan.cli.learn.reading import Files, Form, columns, records_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json
from toolplan.cli.ranking import write
from toolplan.language.diagnostics import visible
from toolplan.learning.entropy import Share
from toolplan.learning.graph import learned
from toolplan.learning.reports import Report, plots, report

EXAMPLE = "Example: toolplan learn report runs.jsonl --top 3 --html inertia.html"


def command(
    files: Files,
    form: Form = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many successors and sources are shown.")] = 10,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots there, too.", show_default=False)
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FOLDER", help="Write the plots there, a file each.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell whether there is inertia in runs: entropies, likelihood ratios, what follows each tool, where each argument comes from."""
    with reporting(as_json=as_json):
        found = report(learned(records_in(files, form)))
    tables = _tables(found, top)
    if as_json:
        show_json(found.to_dict())
    else:
        say(found.verdict)
        for rows in tables.values():
            for line in ("", *columns(rows)):
                say(visible(line))
    if html is not None:
        write(html, page(found.verdict, tables, plots(found)))
    if svg is not None:
        _make(svg)
        for name, text in plots(found).items():
            write(svg / name, text)


def _make(folder: Path) -> None:
    """Make a folder unless it is there; exits where that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        typer.echo(f"cannot write to {folder}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None


def _tables(found: Report, top: int) -> Mapping[str, Sequence[Sequence[str]]]:
    """The tables by their titles, each with its head; none without rows."""
    tables = {
        "What the last tools leave open": [("last tools", "steps", "bits", "guessed", "G squared", "degrees", "p"), *_orders(found)],
        "What follows": [("after", "most often", "times"), *_shares((*found.successors[:top], *found.second_successors[:top]))],
        "Where arguments come from": [("argument", "most often from", "times"), *_shares(found.sources[:top])],
    }
    return {title: rows for title, rows in tables.items() if len(rows) > 1}


def _orders(found: Report) -> Iterator[Sequence[str]]:
    for row in found.orders:
        compared = ("",) * 3 if row.g_squared is None else (f"{row.g_squared:.1f}", str(row.degrees), f"{row.p:.2g}")
        yield str(row.order), str(row.steps), f"{row.bits:.2f}", f"{row.guessed:.0%}", *compared


def _shares(shares: Sequence[Share]) -> Iterator[Sequence[str]]:
    for share in shares:
        yield share.what, share.first, f"{share.top} of {share.of}"
