"""`toolplan bench show`: a stored run, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.cmtf.replaying import lines
from toolplan.bench.cmtf.running import read
from toolplan.cli.bench.tables import refuse
from toolplan.cli.output import say

EXAMPLE = "Example: toolplan bench show runs.jsonl move_event-1 --arm all"


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file that --out has kept.", show_default=False)],
    task: Annotated[str, typer.Argument(metavar="TASK", help="The id of a task.", show_default=False)],
    arm: Annotated[str, typer.Option("--arm", metavar="NAME", help="Only this method.")] = "",
) -> None:
    """Show what was visible, due and called at each step of a task, and what came of it."""
    found = [record for record in read(run) if record.task == task and arm in ("", record.arm)]
    if not found:
        known = sorted({record.task for record in read(run)})
        refuse(f"{run} has no run of `{task}`; it has {', '.join(known[:8])}{' ...' if len(known) > 8 else ''}")
    for record in found:
        for line in lines(record):
            say(line)
