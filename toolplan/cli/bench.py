"""`toolplan bench`: benchmarks, each with its table."""

from __future__ import annotations

from typing import Annotated

import typer

from toolplan.bench import loading
from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json

EXAMPLE = "Example: toolplan bench loading --sizes 100"

SUITES = ("loading",)


def command(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"{', '.join(SUITES)}.", show_default=False)],
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,...", help="Numbers of tools.")] = "100,10000,100000",
    as_json: AsJson = False,
) -> None:
    """Run a benchmark and print its table: medians over several runs, each in a process of its own."""
    numbers = [int(size) for size in sizes.split(",") if size.strip().isdigit()]
    if suite not in SUITES or not numbers or min(numbers) < 10:
        typer.echo(f"the suites are {', '.join(SUITES)}; sizes are numbers of tools from 10 on, such as 100,10000", err=True)
        raise typer.Exit(Exit.USAGE)
    if not as_json:
        say(loading.machine())
        say(f"{'what':<22} {'tools':>8} {'user s':>8} {'peak MB':>8}")
    rows = []
    for row in loading.rows(tuple(numbers)):
        rows.append(row.to_dict())
        if not as_json:
            say(f"{row.what:<22} {row.tools:>8,} {row.seconds:>8.2f} {row.megabytes:>8.0f}")
    if as_json:
        show_json({"machine": loading.machine(), "rows": rows})
