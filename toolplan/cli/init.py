"""`toolplan init`: a domain to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_json

EXAMPLE = "Example: toolplan init agent.toolplan"


def command(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="The file to write, or the directory in which to write agent.toolplan.")
    ] = Path("agent.toolplan"),
    as_json: AsJson = False,
) -> None:
    """Write a commented domain to start from, with tests. An existing file is left as it is."""
    target = path if path.suffix == ".toolplan" else path / "agent.toolplan"
    text = resources.files("toolplan.cli").joinpath("starter.toolplan").read_text("utf-8")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        typer.echo(f"`{target}` is there already and is left as it is", err=True)
        raise typer.Exit(Exit.USAGE) from None
    except OSError as error:
        typer.echo(f"cannot write `{target}`: {(error.strerror or str(error)).lower()}", err=True)
        raise typer.Exit(Exit.USAGE) from None
    if as_json:
        show_json({"path": str(target)})
    else:
        say(f"wrote {target}; next: toolplan check {target}, toolplan test {target}")
