"""`toolplan learn drift`: where runs and contracts differ, for CI."""

from __future__ import annotations

from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.learn.propose import DomainName
from toolplan.cli.learn.reading import Files, Form, records_in
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json
from toolplan.language.diagnostics import visible
from toolplan.language.loading import load
from toolplan.learning.drift import TOLERANCE, drift

EXAMPLE = "Example: toolplan learn drift runs.jsonl --domain office"


def command(
    files: Files,
    domain: DomainName,
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="SHARE", min=0, max=1, help="The share of calls that may differ from a contract.")
    ] = TOLERANCE,
    form: Form = None,
    as_json: AsJson = False,
) -> None:
    """List where runs and contracts differ; exits with 1 where a share is above the tolerance, and hardly by chance."""
    with reporting(as_json=as_json):
        found = drift(load(domain), records_in(files, form), tolerance)
    has_drifted = any(finding.is_drift for finding in found)
    if as_json:
        show_json({"drift": has_drifted, "findings": [finding.to_dict() for finding in found]})
    else:
        for finding in found:
            say(visible(f"{'drift' if finding.is_drift else 'seen'}: {finding}"))
        if not found:
            say("runs and contracts do not differ")
    if has_drifted:
        raise typer.Exit(Exit.INPUT)
