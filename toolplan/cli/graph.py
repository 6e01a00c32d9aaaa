"""`toolplan graph`: what leads to what, as a picture of a domain or of one task."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from toolplan.checks.diagrams import to_dot, to_mermaid
from toolplan.checks.graph import Graph, domain_graph, task_graph
from toolplan.checks.svg import to_svg
from toolplan.cli.exits import Exit
from toolplan.cli.options import (
    AsJson,
    DomainFile,
    Engine,
    Exhausted,
    Expansions,
    Forbid,
    Seconds,
    StateTexts,
    limit_of,
    read_state,
    together,
)
from toolplan.cli.output import reporting, say, show_json
from toolplan.frontier import plan
from toolplan.language.loading import load

EXAMPLE = "Example: toolplan graph calendar --state date,event_description,new_time --goal move_event"


class Format(Enum):
    """The notations of a graph."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


WRITERS: dict[Format, Callable[[Graph], str]] = {Format.MERMAID: to_mermaid, Format.DOT: to_dot, Format.SVG: to_svg}
ENDINGS = {".svg": Format.SVG, ".dot": Format.DOT, ".gv": Format.DOT}

Goal = Annotated[list[str], typer.Option("--goal", "-g", metavar="GOAL", help="Draw the task that leads to this goal.", show_default=False)]
Notation = Annotated[Format | None, typer.Option("--format", help="Without it, what the name of the file says, else mermaid.")]
OutFile = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there, not to stdout.")]
Only = Annotated[
    list[str], typer.Option("--only", metavar="NAME", help="Draw this fact, tool or question and what it touches; may be repeated.")
]


def command(
    domain: DomainFile,
    goal: Goal = [],
    state: StateTexts = [],
    forbid: Forbid = [],
    exhausted: Exhausted = [],
    notation: Notation = None,
    out: OutFile = None,
    only: Only = [],
    engine: Engine = "auto",
    seconds: Seconds = 30.0,
    expansions: Expansions = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Draw what requires and produces what: a whole domain, or with --goal one task with its path and its next step."""
    if not goal and (state or forbid or exhausted):
        typer.echo("what a state leads to depends on what is wanted; add `--goal`", err=True)
        raise typer.Exit(Exit.USAGE)
    with reporting(as_json=as_json):
        found = load(domain)
        if not goal:
            graph = domain_graph(found, only)
        else:
            limit = limit_of(seconds, expansions)
            planned = plan(
                found, state=read_state(state), goal=together(goal), forbid=forbid, exhausted=exhausted, engine=engine, limit=limit
            )
            graph = task_graph(planned, only)
    if as_json:
        show_json(graph.to_dict())
        return
    if notation is None:
        notation = ENDINGS.get(out.suffix.lower(), Format.MERMAID) if out else Format.MERMAID
    text = WRITERS[notation](graph)
    if out is None:
        say(text.rstrip("\n"))
        return
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None
    typer.echo(f"wrote {out}", err=True)
