"""`toolplan bench gist`: the right goal before the right tool."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench import gist
from toolplan.cli.bench.tables import WIDE, names_of, refuse, show
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, show_json

EXAMPLE = "Example: toolplan bench gist --ranker lexical"


def command(
    suite: Annotated[str, typer.Option("--suite", metavar="NAME", help="Requests: development, or measured.")] = "development",
    rankers: Annotated[str, typer.Option("--ranker", metavar="NAME,...", help="Rankers, instead of all that ship.")] = "",
    as_json: AsJson = False,
) -> None:
    """Measure a table of all requests and one for each type, what is promised, and where ours breaks a promise."""
    names = names_of("rankers", rankers, gist.RANKERS) if rankers else gist.RANKERS
    if suite not in gist.SUITES:
        refuse(f"the suites of requests are {', '.join(gist.SUITES)}, not `{suite}`")
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        measured = list(gist.measure(suite, names, lambda text: status.update(f"{suite}: {text}")))
    rows = list(gist.rows(measured))
    promises = list(gist.promises(rows))
    failures = list(gist.failures(measured, gist.best_ranker(rows)))
    if as_json:
        data = {"promises": [promise.to_dict() for promise in promises], "failures": [failure.to_dict() for failure in failures]}
        show_json({"suite": suite, "rows": [row.to_json() for row in rows], **data})
        return
    for kind, group in groupby(rows, key=lambda row: row.type):
        show(f"Requests of the type: {kind}", list(group), WIDE)
    show(f"What is promised of ours, and what was measured with its best ranker, {gist.best_ranker(rows)}", promises)
    show("Where ours breaks a promise", failures)
