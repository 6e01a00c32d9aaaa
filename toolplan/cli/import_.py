"""`toolplan import`: the tools that people have, or a problem of another language, as a domain file."""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import fail, reporting, say, show_findings, show_json
from toolplan.cli.texts import decoded, in_place_of
from toolplan.cli.writing import write_together
from toolplan.importing import functions, pddl
from toolplan.importing.files import Listing, beside, listing_of, read_listing, read_openapi
from toolplan.importing.tools import Imported, Rater, Trust, imported
from toolplan.importing.updating import Updated, updated
from toolplan.language.codes import Severity
from toolplan.language.diagnostics import quoted
from toolplan.language.source import Source
from toolplan.receipts.reading import bytes_in
from toolplan.retrieval.packages import required

EXAMPLE = "Example: toolplan import functions textwrap"


class Form(enum.StrEnum):
    """What can be imported."""

    TOOLS = "tools"
    SERVER = "server"
    OPENAPI = "openapi"
    FUNCTIONS = "functions"
    PDDL = "pddl"


USAGE: Mapping[Form, tuple[str, int]] = {
    Form.TOOLS: ("LISTING.json", 1),
    Form.OPENAPI: ("DOCUMENT", 1),
    Form.FUNCTIONS: ("PACKAGE.MODULE", 1),
    Form.PDDL: ("DOMAIN PROBLEM", 2),
}
"""What follows each form, and how many words that is. A server takes a URL, or a command of any number of words."""


def command(
    form: Annotated[Form, typer.Argument(metavar="FORM", help=f"One of {', '.join(Form)}.", show_default=False)],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="A list of tools in JSON; a command or URL; an OpenAPI file; a module; a domain and a problem of PDDL.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the domain file there, and the exact schemas beside it.")
    ] = None,
    update: Annotated[
        Path | None, typer.Option("--update", metavar="FILE", help="Merge what has changed into this domain file, edited or not.")
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the domain is called.", show_default=False)] = "",
    trusts: Annotated[bool, typer.Option("--trust", help="Believe what the server hints about its tools.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a domain file of tools, or of a problem of PDDL, that can be used as it is. The open points go to stderr."""
    words, count = USAGE.get(form, ("COMMAND... or URL", len(sources)))
    if len(sources) != count or (update and (out or form in (Form.PDDL, Form.FUNCTIONS))):
        raise typer.BadParameter(f"`import {form} {words}`; --update goes without --out, and with tools, server and openapi")
    trust = Trust.HINTS if trusts else Trust.NONE
    if form is Form.PDDL:
        _import_pddl(sources[0], sources[1], out, as_json=as_json)
    elif update is not None:
        _update(form, sources, update, trust, as_json=as_json)
    else:
        _import_tools(form, sources, out, name or _name(form, sources, out), trust, as_json=as_json)


def _import_tools(form: Form, sources: Sequence[str], out: Path | None, name: str, trust: Trust, *, as_json: bool) -> None:
    if out is not None:
        _leave(out, "" if form is Form.FUNCTIONS else "; --update merges what has changed into it")
        _leave(beside(out))
    with reporting(as_json=as_json):
        if form is Form.FUNCTIONS:
            # As for `python -m`, modules here are found.
            sys.path.insert(0, str(Path.cwd()))
            gathered = functions.of_module(sources[0])
            listing, made = listing_of(gathered.catalog.values()), gathered.imported
        else:
            listing = _listing(form, sources)
            made = imported(listing.tools, name=name, rater=Rater(trust))
    if out is not None:
        _write({beside(out): listing.kept, out: made.text.encode("utf-8")})
    if as_json:
        show_json(_data(made))
        return
    _tell(made)
    if out is None:
        say(made.text.removesuffix("\n"))
    else:
        typer.echo(f"wrote {out} and {beside(out)}; next: toolplan check {out} --tools {beside(out)}", err=True)


def _leave(path: Path, instead: str = "") -> None:
    """Exits where there is something at `path`, and says what can be done `instead`."""
    if path.exists():
        typer.echo(f"`{path}` is there already and is left as it is{instead}", err=True)
        raise typer.Exit(Exit.USAGE)


def _update(form: Form, sources: Sequence[str], path: Path, trust: Trust, *, as_json: bool) -> None:
    with reporting(as_json=as_json):
        data = bytes_in(path)
        before = read_listing(beside(path))
        listing = _listing(form, sources)
        after = updated(Source(str(path), decoded(data, str(path))), before.tools, listing.tools, trust=trust)
    if any(finding.severity is Severity.ERROR for finding in after.findings):
        fail(after.findings, as_json=as_json)
    _write({path: in_place_of(data, after.text), beside(path): listing.kept})
    if as_json:
        show_json(_data(after.imported) | _changes(after))
        return
    _tell(after.imported)
    show_findings(finding for finding in after.findings if finding.severity is Severity.WARNING)
    told = [
        *map(str, after.differences),
        *(f"gone, and marked: {quoted(tool)}" for tool in after.gone),
        *(f"changed by the server, and left as it was changed here: {disputed}" for disputed in after.disputed),
    ]
    for line in told or ["no plan and no risk has changed"]:
        say(line)
    typer.echo(f"wrote {path} and {beside(path)}", err=True)


def _listing(form: Form, sources: Sequence[str]) -> Listing:
    if form is Form.SERVER:
        return listing_of(required("toolplan.cli.live", "serve").listed(sources))
    return read_openapi(Path(sources[0])) if form is Form.OPENAPI else read_listing(Path(sources[0]))


def _name(form: Form, sources: Sequence[str], out: Path | None) -> str:
    """What a domain is called that nobody named: as its file, or else as what it was made of."""
    if out is not None:
        return out.stem
    return "server" if form is Form.SERVER else Path(sources[0]).stem


def _tell(made: Imported) -> None:
    show_findings(made.warnings)
    for point in made.open_points:
        typer.echo(f"open: {point}", err=True)


def _data(made: Imported) -> dict[str, object]:
    return {
        "text": made.text,
        "names": dict(made.names.tools),
        "open": [point.to_dict() for point in made.open_points],
        "links": [asdict(link) for link in made.links],
        "diagnostics": [finding.to_dict() for finding in made.warnings],
    }


def _changes(after: Updated) -> dict[str, object]:
    return {
        "text": after.text,
        "differences": [difference.to_dict() for difference in after.differences],
        "gone": list(after.gone),
        "disputed": list(after.disputed),
        "diagnostics": [finding.to_dict() for finding in (*after.imported.warnings, *after.findings)],
    }


def _import_pddl(domain: str, problem: str, out: Path | None, *, as_json: bool) -> None:
    if out is not None:
        _leave(out)
    with reporting(as_json=as_json):
        found = pddl.read(_source(domain), _source(problem))
    if out is not None:
        _write({out: found.text.encode("utf-8")})
    if as_json:
        show_json(_problem(found))
        return
    show_findings(found.warnings)
    if out is None:
        say(found.text.removesuffix("\n"))
    else:
        typer.echo(f"wrote {out}; next: toolplan plan {out} --state @{out} --goal {pddl.GOAL}", err=True)


def _source(name: str) -> Source:
    """The text of a file of PDDL. Old files have comments in Latin-1; their names are ASCII in any case."""
    data = bytes_in(Path(name))
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Source(name, data.decode("latin-1"))


def _write(files: Mapping[Path, bytes]) -> None:
    try:
        write_together(files)
    except OSError as error:
        typer.echo(f"cannot write to {' and '.join(map(str, files))}: {error.strerror}", err=True)
        raise typer.Exit(Exit.USAGE) from None


def _problem(found: pddl.Imported) -> dict[str, object]:
    return {
        "text": found.text,
        "state": sorted(map(str, found.problem.state.known)),
        "goal": pddl.GOAL,
        "actions": {name: tool.call_name for name, tool in found.domain.tools.items()},
        "diagnostics": [finding.to_dict() for finding in found.warnings],
    }
