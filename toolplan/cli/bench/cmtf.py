"""`toolplan bench cmtf`: the tasks of CMTF, by models that really choose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench.choosers import Chooser
from toolplan.bench.cmtf.figures import errors, rows
from toolplan.bench.cmtf.running import ARMS, read, run_all, subset
from toolplan.bench.tables import Row
from toolplan.cli.bench.tables import WIDE, refuse, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, show_json

EXAMPLE = "Example: toolplan bench cmtf --tasks 12"
ALL = 102


def command(
    model: Annotated[Path | None, typer.Option("--model", metavar="FILE", help="A GGUF file whose model chooses.")] = None,
    free: Annotated[bool, typer.Option("--free", help="Let the model say what it likes, instead of only what may be called.")] = False,
    endpoint: Annotated[str, typer.Option("--endpoint", metavar="URL", help="A server that speaks OpenAI's chat completions.")] = "",
    name: Annotated[str, typer.Option("--name", metavar="MODEL", help="For --endpoint: the name of the model.")] = "",
    arms: Annotated[str, typer.Option("--arms", metavar="NAME;...", help="Arms, instead of all; see the table for their names.")] = "",
    tasks: Annotated[int, typer.Option("--tasks", metavar="N", min=1, max=ALL, help="Tasks, as many of each pattern as can be.")] = ALL,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Keep the runs there, and go on where they were left off.")
    ] = None,
    only_show: Annotated[bool, typer.Option("--tables", help="Only the tables of the runs in --out, whoever chose.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run the tasks with each method's tools, and show success, wrong tools and tokens. Without a model, a simulated one chooses."""
    if only_show:
        records = list(read(out)) if out is not None and out.exists() else refuse("--tables takes runs that are kept: name them with --out")
    else:
        chosen = {arm.name: arm for arm in ARMS}
        names = _named(arms, list(chosen))
        with reporting(as_json=as_json):
            chooser = _chooser(model, endpoint, name, free=free)
        with reporting(as_json=as_json), Console(stderr=True).status("cmtf") as status:
            records = list(run_all(chooser, [chosen[each] for each in names], subset(tasks), out, status.update))
    tables: dict[str, Sequence[Row]] = {"Methods": list(rows(records)), "Why runs failed": list(errors(records))}
    if as_json:
        show_json({title: [row.to_dict() for row in lines] for title, lines in tables.items()})
        return
    for title, lines in tables.items():
        show(title, lines, WIDE)


def _chooser(model: Path | None, endpoint: str, name: str, *, free: bool) -> Chooser:
    if model is not None:
        from toolplan.bench.choosers.local import Local

        return Local(model, constrained=not free)
    if endpoint:
        from toolplan.bench.choosers.endpoint import Endpoint

        return Endpoint(endpoint, name or refuse("--endpoint takes the name of a model, too: --name"))
    from toolplan.bench.choosers.simulated import Simulated

    return Simulated()


def _named(arms: str, known: list[str]) -> list[str]:
    """The arms that are listed with semicolons between them: their names have commas."""
    names = [name.strip() for name in arms.split(";") if name.strip()] or known
    for name in names:
        if name not in known:
            refuse(f"the arms are {'; '.join(known)}, not `{name}`")
    return names
