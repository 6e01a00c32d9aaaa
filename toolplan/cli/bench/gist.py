"""`toolplan bench gist`: the right goal before the right tool."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench import gist
from toolplan.bench.gist.asking import Reader
from toolplan.bench.gist.by_models import Work, run
from toolplan.bench.gist.figures import GistRow
from toolplan.bench.gist.methods import METHODS
from toolplan.bench.gist.requests import requests
from toolplan.bench.gist.sources import Shipped, Source
from toolplan.bench.gist.weighing import Weighing
from toolplan.bench.runs.figures import errors
from toolplan.bench.runs.keeping import Runs
from toolplan.bench.tables import Row
from toolplan.cli.bench.choosing import Address, Free, Jobs, ModelFile, ModelName, Out, choosing
from toolplan.cli.bench.tables import WIDE, names_of, refuse, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, show_json

EXAMPLE = "Example: toolplan bench gist --ranker lexical"
PRACTISED = 360


def command(
    suite: Annotated[str, typer.Option("--suite", metavar="NAME", help="Requests: development, or measured.")] = "development",
    rankers: Annotated[str, typer.Option("--ranker", metavar="NAME,...", help="Rankers, instead of all that ship.")] = "",
    reader: Annotated[
        Path | None, typer.Option("--ranker-model", metavar="FILE", help="A GGUF file whose model reads, instead of a ranker.")
    ] = None,
    weigh: Annotated[
        bool, typer.Option("--weigh", help="For --ranker-model: as confidences take how probable its answers are, not what it says.")
    ] = False,
    practised: Annotated[
        int, typer.Option("--practised", metavar="N", min=0, help="For --ranker-model: practice requests that it reads, to learn from.")
    ] = PRACTISED,
    model: ModelFile = None,
    free: Free = False,
    endpoint: Address = "",
    name: ModelName = "",
    methods: Annotated[str, typer.Option("--methods", metavar="NAME,...", help="For models: methods, instead of all.")] = "",
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="For models: requests, of each type its share; 0 for all.")
    ] = 0,
    jobs: Jobs = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Measure a table of all requests and one for each type, what is promised, and where ours breaks a promise.

    A model that chooses stands in the place of the simulated one; then the figures stand beside the paper's.
    """
    names = names_of("rankers", rankers, gist.RANKERS) if rankers else list(gist.RANKERS)
    chosen = names_of("methods", methods, METHODS) if methods else list(METHODS)
    if suite not in gist.SUITES:
        refuse(f"the suites of requests are {', '.join(gist.SUITES)}, not `{suite}`")
    chooses = choosing(model, endpoint, name, free=free) if model or endpoint else None
    if reader is None and chooses is None:
        _simulated(suite, [Shipped(each) for each in names], {}, as_json=as_json)
        return
    if reader is None and len(names) > 1:
        refuse("a model that chooses takes one --ranker, or a --ranker-model")
    reading = Shipped(names[0]) if reader is None else partial(Weighing if weigh else Reader, reader)
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        count, cores = sample or len(requests(suite)), jobs or os.cpu_count() or 1
        work = Work(suite, count, chosen, practised, cores, out, lambda text: status.update(f"{suite}: {text}"))
        worked = run(work, reading, chooses)
    read = {"How requests were read": list(gist.how_read(worked.runs))}
    if chooses is None:
        _simulated(suite, [worked.source], read, as_json=as_json)
    else:
        _chosen(worked.runs, read, as_json=as_json)


def _simulated(suite: str, sources: Sequence[Source], read: Mapping[str, Sequence[Row]], *, as_json: bool) -> None:
    """The tables of the simulated model, after those of `read`."""
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        measured = list(gist.measure(suite, sources, lambda text: status.update(f"{suite}: {text}")))
    rows = list(gist.rows(measured))
    promises = list(gist.promises(rows))
    failures = list(gist.failures(measured, gist.best_ranker(rows)))
    if as_json:
        data = {"promises": [promise.to_dict() for promise in promises], "failures": [failure.to_dict() for failure in failures]}
        show_json({"suite": suite, "rows": [row.to_json() for row in rows], **data, **_as_json(read)})
        return
    _show(read)
    _show_by_type(rows)
    show(f"What is promised of ours, and what was measured with its best ranker, {gist.best_ranker(rows)}", promises)
    show("Where ours breaks a promise", failures)


def _chosen(runs: Runs, read: Mapping[str, Sequence[Row]], *, as_json: bool) -> None:
    """The tables of a model that chose, after those of `read`."""
    rows = list(gist.rows(gist.measured_of(runs)))
    tables = {**read, "Beside the paper": list(gist.beside_paper(runs)), "Why runs failed": list(errors(gist.chosen(runs)))}
    if as_json:
        show_json({"suite": runs.subject.details[gist.REQUESTS], "rows": [row.to_json() for row in rows], **_as_json(tables)})
        return
    _show_by_type(rows)
    _show(tables)


def _show_by_type(rows: Sequence[GistRow]) -> None:
    for kind, group in groupby(rows, key=lambda row: row.type):
        show(f"Requests of the type: {kind}", list(group), WIDE)


def _show(tables: Mapping[str, Sequence[Row]]) -> None:
    for title, lines in tables.items():
        show(title, lines, WIDE)


def _as_json(tables: Mapping[str, Sequence[Row]]) -> dict[str, object]:
    return {title: [row.to_dict() for row in lines] for title, lines in tables.items()}
