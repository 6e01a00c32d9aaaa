"""`toolplan bench cmtf`: the tasks of CMTF, by models that really choose."""

from __future__ import annotations

from typing import Annotated

import typer

from toolplan.bench.cmtf.suite import Cmtf
from toolplan.cli.bench.choosing import Address, ArmNames, Free, Jobs, ModelFile, ModelName, Out, choosing, ran, tables_of
from toolplan.cli.options import AsJson

EXAMPLE = "Example: toolplan bench cmtf --tasks 12"
ALL = 102


def command(
    model: ModelFile = None,
    free: Free = False,
    endpoint: Address = "",
    name: ModelName = "",
    arms: ArmNames = "",
    tasks: Annotated[int, typer.Option("--tasks", metavar="N", min=1, max=ALL, help="Tasks, as many of each pattern as can be.")] = ALL,
    jobs: Jobs = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Run the tasks with each method's tools, and show success, wrong tools and tokens. Without a model, a simulated one chooses."""
    suite = Cmtf()
    runs = ran(suite, choosing(model, endpoint, name, free=free), arms, suite.tasks(tasks), jobs, out, as_json=as_json)
    tables_of([runs], as_json=as_json)
