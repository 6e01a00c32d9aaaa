"""`toolplan bench show`: stored runs, as tables or one step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.bench.report.sections import sections
from toolplan.bench.runs.keeping import Runs, read
from toolplan.bench.runs.replaying import lines
from toolplan.cli.bench.tables import WIDE, refuse, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json

EXAMPLE = "Example: toolplan bench show runs.jsonl move_event-1 --arm all"


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The file that --out has kept, packed by gzip or not.", show_default=False)],
    task: Annotated[str, typer.Argument(metavar="TASK", help="The id of a task; the tables of all without it.", show_default=False)] = "",
    arm: Annotated[str, typer.Option("--arm", metavar="NAME", help="Only this method.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what was visible, due and called at each step of a task, and what came of it; without a task, the tables of all runs."""
    with reporting(as_json=as_json):
        runs = read(run)
    if not task:
        _tables(runs, as_json=as_json)
        return
    found = [record for record in runs.records if record.task == task and arm in ("", record.arm)]
    if not found:
        known = sorted({record.task for record in runs.records})
        refuse(f"{run} has no run of `{task}`; it has {', '.join(known[:8])}{' ...' if len(known) > 8 else ''}")
    for record in found:
        for line in lines(record, runs.subject.chooser):
            say(line)


def _tables(runs: Runs, *, as_json: bool) -> None:
    """What the report has of these runs."""
    tables = {title: rows for section in sections([runs]) for title, rows in section.tables.items()}
    if as_json:
        show_json({title: [row.to_dict() for row in rows] for title, rows in tables.items()})
        return
    for title, rows in tables.items():
        show(title, rows, WIDE)
