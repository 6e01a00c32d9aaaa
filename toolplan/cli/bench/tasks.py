"""`toolplan bench tasks`: tasks that others wrote, by models that really choose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench import real_tasks
from toolplan.cli.bench.choosing import Address, ArmNames, Free, Jobs, ModelFile, ModelName, choosing, ran, tables_of
from toolplan.cli.bench.tables import names_of, refuse
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting

EXAMPLE = "Example: toolplan bench tasks --data tests/data/tasks --set sgd --tasks 4"
TASKS = 100


def command(
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="A folder that holds one for each set.", show_default=False)],
    sets: Annotated[str, typer.Option("--set", metavar="NAME,...", help="Sets, instead of all that lie in the folder.")] = "",
    model: ModelFile = None,
    free: Free = False,
    endpoint: Address = "",
    name: ModelName = "",
    arms: ArmNames = "",
    tasks: Annotated[int, typer.Option("--tasks", metavar="N", min=1, help="Tasks of each set, drawn the same each time.")] = TASKS,
    jobs: Jobs = 1,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Keep the runs of each set there, and go on where they were left off.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run tasks of each set with each method's tools, and show success, wrong tools and tokens. Without a model, a simulated one chooses."""
    there = [each for each, tasks_of in real_tasks.SETS.items() if (data / tasks_of.DATA).is_dir()]
    chosen = names_of("sets", sets, there) if sets else there
    if not chosen:
        refuse(f"--data takes a folder that holds {', '.join(each.DATA for each in real_tasks.SETS.values())}, or some of them")
    who = choosing(model, endpoint, name, free=free)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    runs = []
    for each in chosen:
        with reporting(as_json=as_json), Console(stderr=True).status(f"{each}: reading requests"):
            suite = real_tasks.suite_of(each, data, tasks)
        kept = None if out is None else out / f"{suite.name}.jsonl"
        runs.append(ran(suite, who, arms, suite.tasks(tasks), jobs, kept, as_json=as_json))
    tables_of(runs, as_json=as_json)
