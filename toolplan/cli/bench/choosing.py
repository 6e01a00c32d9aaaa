"""What all suites that models choose in share: who chooses, where runs are kept, and the tables of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench.choosers import Chooser
from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.runs import Subject
from toolplan.bench.runs.figures import errors, rows
from toolplan.bench.runs.keeping import Kept, Runs
from toolplan.bench.runs.running import Suite, run_all
from toolplan.bench.tables import Row
from toolplan.cli.bench.tables import WIDE, refuse, show
from toolplan.cli.output import reporting, show_json

ModelFile = Annotated[Path | None, typer.Option("--model", metavar="FILE", help="A GGUF file whose model chooses.")]
Free = Annotated[bool, typer.Option("--free", help="Let the model say what it likes, instead of only what may be called.")]
Address = Annotated[str, typer.Option("--endpoint", metavar="URL", help="A server that speaks OpenAI's chat completions.")]
ModelName = Annotated[str, typer.Option("--name", metavar="MODEL", help="For --endpoint: the name of the model.")]
ArmNames = Annotated[str, typer.Option("--arms", metavar="NAME;...", help="Arms, instead of all; see the table for their names.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=0, help="Processes that run tasks; 0 for as many as there are processors.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Keep the runs there, and go on where they were left off.")]

Choosing = Callable[[], Chooser]
"""Makes a chooser, in this process or in another."""


def choosing(model: Path | None, endpoint: str, name: str, *, free: bool = False) -> Choosing:
    """Who chooses: a model of a file, one behind an address, else a simulation. What is missing is said when it is made."""
    if model is not None:
        from toolplan.bench.choosers.local import Local

        return partial(Local, model, constrained=not free)
    if endpoint:
        from toolplan.bench.choosers.endpoint import Endpoint

        return partial(Endpoint, endpoint, name or refuse("--endpoint takes the name of a model, too: --name"))
    return Simulated


def ran(suite: Suite, choosing: Choosing, arms: str, tasks: Sequence[str], jobs: int, out: Path | None, *, as_json: bool) -> Runs:
    """The runs of `tasks` by each of `arms`."""
    chosen = _arms(arms, suite.arms)
    with reporting(as_json=as_json), Console(stderr=True).status(suite.name) as status:
        status.update(f"{suite.name}: loading")
        chooser = choosing()
        subject = Subject(suite.name, chooser.name, chooser.details)
        kept = None if out is None else Kept(out, subject)
        plan = [(arm, task) for arm in chosen for task in tasks]
        makes = (lambda: chooser) if jobs == 1 else choosing
        records = list(run_all(suite, plan, makes, jobs or os.cpu_count() or 1, kept, lambda text: status.update(f"{suite.name}: {text}")))
    return Runs(subject, records)


def tables_of(files: Sequence[Runs], *, as_json: bool) -> None:
    """How each arm did, and why runs failed."""
    tables: dict[str, Sequence[Row]] = {
        "Methods": [row for runs in files for row in rows(runs)],
        "Why runs failed": [row for runs in files for row in errors(runs)],
    }
    if as_json:
        show_json({title: [row.to_dict() for row in lines] for title, lines in tables.items()})
        return
    for title, lines in tables.items():
        show(title, lines, WIDE)


def _arms(text: str, known: Sequence[str]) -> list[str]:
    """The arms that are listed with semicolons between them: their names have commas."""
    names = [name.strip() for name in text.split(";") if name.strip()] or list(known)
    for name in names:
        if name not in known:
            refuse(f"the arms are {'; '.join(known)}, not `{name}`")
    return names
