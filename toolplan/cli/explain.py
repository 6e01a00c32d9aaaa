"""`toolplan explain`: what a diagnostic code means, why this tool is next, and why another one is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from toolplan.checks.explain import why, why_not
from toolplan.checks.reasons import NotCompared
from toolplan.cli.exits import Exit
from toolplan.cli.options import (
    AsJson,
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
from toolplan.frontier import Blocked, Undecided, frontier
from toolplan.language.codes import Code, find_code
from toolplan.language.loading import load, shipped_domains
from toolplan.language.suggest import Suggester

EXAMPLE = "Example: toolplan explain workspace --state date,event_description,new_time --goal move_event --why-not delete_event"

Subject = Annotated[
    str,
    typer.Argument(
        metavar="CODE|DOMAIN",
        help="A code such as TP101 or unknown-fact; with --goal, a .toolplan file or the name of a domain that ships.",
        show_default=False,
    ),
]
Goal = Annotated[
    list[str], typer.Option("--goal", "-g", metavar="GOAL", help="What is wanted: explain the next step towards it.", show_default=False)
]
Other = Annotated[
    str | None,
    typer.Option(
        "--why-not",
        metavar="STEP",
        help="A tool or question, perhaps with arguments: explain why it is not the next step.",
        show_default=False,
    ),
]


def command(
    subject: Subject,
    goal: Goal = [],
    state: StateTexts = [],
    other: Other = None,
    forbid: Forbid = [],
    exhausted: Exhausted = [],
    engine: Engine = "auto",
    seconds: Seconds = 30.0,
    expansions: Expansions = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Explain a diagnostic code; or, with --goal, why a tool is next (or, with --why-not, why one is not)."""
    if not goal:
        if state or other or forbid or exhausted:
            _refuse("what a state leads to depends on what is wanted; add `--goal`")
        _explain_code(subject, as_json=as_json)
        return
    if find_code(subject) is not None and not Path(subject).exists():
        _refuse(f"`{subject}` is a code; leave `--goal` away, or name a domain")
    limit = limit_of(seconds, expansions)
    with reporting(as_json=as_json):
        now = frontier(
            load(subject), state=read_state(state), goal=together(goal), forbid=forbid, exhausted=exhausted, engine=engine, limit=limit
        )
        found = why(now) if other is None else why_not(now, other, engine=engine, limit=limit)
    if as_json:
        show_json(found.to_dict())
    else:
        for line in found.lines:
            say(line)
    if other is None and isinstance(now.decision, Blocked):
        raise typer.Exit(Exit.NO_PLAN)
    undecided = isinstance(now.decision, Undecided) if other is None else isinstance(getattr(found, "reason", None), NotCompared)
    if undecided:
        raise typer.Exit(Exit.LIMIT)


def _explain_code(text: str, *, as_json: bool) -> None:
    found = find_code(text)
    if found is None:
        if text in shipped_domains() or text.endswith(".toolplan") or Path(text).exists():
            _refuse(f"`{text}` is a domain; add `--goal` to have its next step explained")
        hint = Suggester().hint(text, [name for known in Code for name in (known.number, known.slug)])
        _refuse(f"there is no code `{text}`; {hint or '`toolplan check` prints codes in brackets'}")
    if as_json:
        show_json({"code": found.number, "slug": found.slug, "severity": found.severity.value, "page": found.page})
    else:
        say(found.page.rstrip())


def _refuse(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(Exit.USAGE)
