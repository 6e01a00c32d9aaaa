"""`toolplan learn propose`: what runs say that contracts do not, as a diff with evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.learn.reading import Files, Form, records_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json
from toolplan.cli.ranking import text_of, write
from toolplan.importing.files import beside, read_listing
from toolplan.importing.linking import Link, links
from toolplan.language.diagnostics import visible
from toolplan.language.loading import load
from toolplan.learning.proposals import Proposal, proposals
from toolplan.learning.proposals.writing import with_proposals

EXAMPLE = "Example: toolplan learn propose runs.jsonl --domain office"

DomainName = Annotated[
    str, typer.Option("--domain", "-d", metavar="DOMAIN", help="A .toolplan file, or the name of a domain that ships.", show_default=False)
]


def command(
    files: Files,
    domain: DomainName,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the domain with all proposals there.", show_default=False)
    ] = None,
    form: Form = None,
    as_json: AsJson = False,
) -> None:
    """Propose what contracts should say, each line with its evidence; nothing is changed but the file that --out names."""
    if out is not None and not Path(domain).is_file():
        raise typer.BadParameter("--out takes a domain file, and not a domain that ships")
    with reporting(as_json=as_json):
        found = proposals(load(domain), records_in(files, form), _links(Path(domain)))
        new = with_proposals(text_of(Path(domain)), found) if out is not None else None
    if as_json:
        show_json({"proposals": [proposal.to_dict() for proposal in found]})
    else:
        _tell(found)
    if out is not None and new is not None:
        write(out, new.text)
        for proposal in new.elsewhere:
            typer.echo(f"tool {visible(proposal.name)} is declared in another file, and stays as it is", err=True)


def _links(domain: Path) -> tuple[Link, ...]:
    """What the tools of a domain that was imported tell by their names; they are listed beside it."""
    listing = beside(domain)
    return links(read_listing(listing).tools) if domain.is_file() and listing.is_file() else ()


def _tell(found: Sequence[Proposal]) -> None:
    if not found:
        say("the runs say nothing that the contracts do not")
    for number, proposal in enumerate(found):
        for line in ("", *str(proposal).splitlines()) if number else str(proposal).splitlines():
            say(visible(line))
