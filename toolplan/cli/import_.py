"""`toolplan import`: a problem of another language as a domain file."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_findings, show_json
from toolplan.importing import pddl
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Source

EXAMPLE = "Example: toolplan import pddl domain.pddl problem.pddl"


class Form(enum.StrEnum):
    """What can be imported."""

    PDDL = "pddl"


def command(
    form: Annotated[Form, typer.Argument(metavar="pddl", help="The language of the files.", show_default=False)],
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="The file of the domain.", show_default=False)],
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="The file of the problem.", show_default=False)],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the domain file there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a PDDL domain and problem as a domain file, with the goal `solved` and a test that gives the initial state."""
    with reporting(as_json=as_json):
        imported = pddl.read(_source(domain), _source(problem))
    if out is not None:
        _write(out, imported.text)
    if as_json:
        show_json(_data(imported))
        return
    show_findings(imported.warnings)
    if out is None:
        say(imported.text.removesuffix("\n"))
    else:
        typer.echo(f"wrote {out}; next: toolplan plan {out} --state @{out} --goal {pddl.GOAL}", err=True)


def _source(name: str) -> Source:
    """The text of a file. Old files have comments in Latin-1; their names are ASCII in any case."""
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(name)}: {reason.lower()}")]) from None
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Source(name, data.decode("latin-1"))


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None


def _data(imported: pddl.Imported) -> dict[str, object]:
    return {
        "text": imported.text,
        "state": sorted(map(str, imported.problem.state.known)),
        "goal": pddl.GOAL,
        "actions": {name: tool.call_name for name, tool in imported.domain.tools.items()},
        "diagnostics": [finding.to_dict() for finding in imported.warnings],
    }
