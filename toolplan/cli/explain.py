"""`toolplan explain`: what a diagnostic code means."""

from __future__ import annotations

from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json
from toolplan.language.codes import Code, find_code
from toolplan.language.suggest import Suggester

EXAMPLE = "Example: toolplan explain TP101"


def command(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="The number or name of a code, such as TP101 or unknown-fact.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    """Explain a diagnostic code, with a bad and a good example."""
    found = find_code(code)
    if found is None:
        hint = Suggester().hint(code, [name for known in Code for name in (known.number, known.slug)])
        typer.echo(f"there is no code `{code}`" + (f"; {hint}" if hint else "; `toolplan check` prints codes in brackets"), err=True)
        raise typer.Exit(Exit.USAGE)
    if as_json:
        show_json({"code": found.number, "slug": found.slug, "severity": found.severity.value, "page": found.page})
    else:
        say(found.page.rstrip())
