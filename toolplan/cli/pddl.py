"""`toolplan pddl`: the planning task as PDDL."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson, DomainFile, Forbid, GoalTexts, StateTexts, read_state, together
from toolplan.cli.output import reporting, say, show_json
from toolplan.language.loading import load
from toolplan.planning.inputs import build
from toolplan.planning.pddl import to_pddl

EXAMPLE = "Example: toolplan pddl workspace --state date,event_description,new_time --goal move_event"


def command(
    domain: DomainFile,
    goal: GoalTexts,
    state: StateTexts = [],
    forbid: Forbid = [],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="DIRECTORY", help="Write domain.pddl and problem.pddl there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the planning task as PDDL: the domain, then the problem."""
    with reporting(as_json=as_json):
        text = to_pddl(build(load(domain), read_state(state), together(goal), forbid))
    if as_json:
        show_json({"domain": text.domain, "problem": text.problem, "names": dict(text.names)})
    elif out is None:
        say(text.domain)
        say(text.problem)
    else:
        try:
            out.mkdir(parents=True, exist_ok=True)
            (out / "domain.pddl").write_text(text.domain, "utf-8")
            (out / "problem.pddl").write_text(text.problem, "utf-8")
        except OSError as error:
            typer.echo(f"cannot write to {out}: {error.strerror}", err=True)
            raise typer.Exit(Exit.USAGE) from None
        typer.echo(f"wrote {out / 'domain.pddl'} and {out / 'problem.pddl'}", err=True)
