"""`toolplan bench gate`: what the gate and the adapters add to a step."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from toolplan.bench import gate
from toolplan.cli.bench.tables import measured, numbers_of, refuse
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench gate --sizes 10"


def command(
    sizes: Annotated[str, typer.Option("--sizes", metavar="N", help="A number of conversations.")] = "",
    as_json: AsJson = False,
) -> None:
    """Measure the parts of a step, and what each framework's step costs with and without us."""
    counts = numbers_of("sizes", sizes, least=1)
    if len(counts) > 1:
        refuse("--sizes takes one number of conversations")
    measured("gate", partial(gate.tables, counts[0] if counts else gate.CONVERSATIONS), as_json=as_json)
