"""`toolplan learn-goals`: examples for the learned ranker, merged with those that lie beside the domain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.options import DomainFile
from toolplan.cli.output import reporting
from toolplan.cli.ranking import LABELLED, beside, labelled_in, write
from toolplan.goals.rankers.labelled import merged, write_labelled
from toolplan.language.loading import load

EXAMPLE = "Example: toolplan learn-goals calendar requests.jsonl"


def command(
    domain: DomainFile,
    labelled: Annotated[
        Path, typer.Argument(metavar="LABELLED", help='Lines such as {"request": "call it off", "goals": ["cancel_event"]}.')
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help=f"Write there, not beside the domain (DOMAIN{LABELLED}).")
    ] = None,
) -> None:
    """Add labelled requests to those that the learned ranker learns from; what is said of a request last is what holds."""
    target = out or beside(domain, LABELLED)
    with reporting(as_json=False):
        contracts = load(domain)
        known = labelled_in(target, contracts) if target.exists() else []
        examples = merged([*known, *labelled_in(labelled, contracts)])
    write(target, write_labelled(examples))
    goals = {goal for example in examples for goal in example.goals}
    typer.echo(f"{len(examples)} requests ({len(examples) - len(known)} more than before) for {len(goals)} of {len(contracts.goals)} goals")
