"""`toolplan learn graph`: the tool inertia graph of runs, as a file that grows and merges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.learn.reading import Files, Form, records_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json
from toolplan.cli.ranking import write
from toolplan.learning.graph import learned
from toolplan.learning.saving import merged, read_graphs, to_json

EXAMPLE = "Example: toolplan learn graph runs.jsonl -o graph.json --json"


def command(
    files: Files,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write the graph there.", show_default=False)],
    merge: Annotated[
        list[Path] | None, typer.Option("--merge", metavar="FILE", help="A graph of other runs, to be added.", show_default=False)
    ] = None,
    form: Form = None,
    as_json: AsJson = False,
) -> None:
    """Learn a graph from runs, and write it as JSON; it holds names and counts, and no values."""
    with reporting(as_json=as_json):
        others = read_graphs(merge or [])
        graph = merged([learned(records_in(files, form)), others])
    write(out, to_json(graph))
    counts = {"tools": len(graph.executions), "executions": graph.executions.total(), **graph.edges._asdict()}
    if as_json:
        show_json({"file": str(out), **counts})
    else:
        say(", ".join(f"{count} {name}" for name, count in counts.items()))
