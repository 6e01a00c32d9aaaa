"""`toolplan bench serving`: two processes of `toolplan serve` on one store, under load, one of them killed."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from toolplan.cli.bench.tables import measured
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting
from toolplan.cli.serve import PACKAGES
from toolplan.retrieval.packages import required

EXAMPLE = "Example: toolplan bench serving --conversations 6 --seconds 4"


def command(
    conversations: Annotated[int, typer.Option("--conversations", metavar="N", min=1, help="Conversations at once.")] = 20,
    seconds: Annotated[float, typer.Option("--seconds", metavar="N", min=1.0, help="How long they last.")] = 10.0,
    every: Annotated[float, typer.Option("--every", metavar="N", min=0.01, help="Seconds from step to step of each.")] = 1.0,
    store: Annotated[
        str, typer.Option("--store", metavar="FILE|URL", help="As of `toolplan serve`; else a file.", show_default=False)
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Measure how long steps take beside a server that does nothing, what is lost or done twice, and where each saturates."""
    with reporting(as_json=as_json):
        for package in PACKAGES:
            required(package, "serve")
    from toolplan.bench import serving
    from toolplan.bench.serving.driving import Load

    measured("serving", partial(serving.tables, Load(conversations, seconds, every), store), as_json=as_json)
