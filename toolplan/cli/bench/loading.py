"""`toolplan bench loading`: how long large domains take to load and to check."""

from __future__ import annotations

from typing import Annotated

import typer

from toolplan.bench import loading
from toolplan.cli.bench.tables import numbers_of
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json

EXAMPLE = "Example: toolplan bench loading --sizes 100"
SIZES = (100, 10_000, 100_000)


def command(
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,...", help="Numbers of tools.")] = "",
    as_json: AsJson = False,
) -> None:
    """Load, load from the cache, and check domains of several sizes, each in a process of its own."""
    if not as_json:
        say(loading.machine())
        say(f"{'what':<22} {'tools':>8} {'user s':>8} {'peak MB':>8}")
    rows = []
    for row in loading.rows(numbers_of("sizes", sizes, least=10) or SIZES):
        rows.append(row.to_dict())
        if not as_json:
            say(f"{row.what:<22} {row.tools:>8,} {row.seconds:>8.2f} {row.megabytes:>8.0f}")
    if as_json:
        show_json({"machine": loading.machine(), "rows": rows})
