"""The command line: one module a subcommand, translation only.

Results go to stdout, everything else to stderr. Exit codes: see `exits`.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.groups import lazy

MODULES = {
    "init": "init",
    "check": "check",
    "test": "testing",
    "fmt": "fmt",
    "plan": "plan",
    "frontier": "frontier",
    "chat": "chat",
    "pddl": "pddl",
    "import": "import_",
    "explain": "explain",
    "graph": "graph",
    "calibrate": "calibrate",
    "learn-goals": "learn_goals",
    "learn": "learn",
    "eval": "eval",
    "serve": "serve",
    "audit": "audit",
    "review": "review",
    "doctor": "doctor",
    "bench": "bench",
}
"""The commands and their modules. (pytest would take a module called `test` for tests, and Python none called `import`.)"""


app = typer.Typer(
    name="toolplan",
    cls=lazy("toolplan.cli", MODULES),
    help="Decide which tools an LLM agent may see and call, from contracts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: " + ", ".join(f"{exit.value} {exit.meaning}" for exit in Exit) + ".",
)


def _show_version(asked: bool) -> None:  # noqa: FBT001 (typer passes it by position)
    if asked:
        typer.echo(f"toolplan {version('toolplan')}")
        raise typer.Exit


@app.callback()
def _root(
    shows_version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Decide which tools an LLM agent may see and call, from contracts."""


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    try:
        app()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(Exit.OK.value)
