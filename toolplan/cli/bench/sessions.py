"""`toolplan bench sessions`: what conversations cost in time and memory, and several workers on the same ones."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from toolplan.bench import sessions
from toolplan.cli.bench.tables import measured, numbers_of
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench sessions --sizes 100,200"


def command(
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,...", help="Numbers of sessions.")] = "",
    as_json: AsJson = False,
) -> None:
    """Measure the memory of many conversations, the time of each method, and workers that share sessions."""
    measured("sessions", partial(sessions.tables, numbers_of("sizes", sizes, least=10) or sessions.SIZES), as_json=as_json)
