"""The command line: one module a subcommand, translation only.

Results go to stdout, everything else to stderr. Exit codes: see `exits`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from toolplan.cli.exits import Exit

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
    "serve": "serve",
    "audit": "audit",
    "doctor": "doctor",
    "bench": "bench",
}
"""The commands and their modules. (pytest would take a module called `test` for tests, and Python none called `import`.)"""


class _Commands(TyperGroup):
    """Imports a command when it is asked for, so that none pays for what the others need."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in MODULES:
            return None
        module = import_module(f"toolplan.cli.{MODULES[cmd_name]}")
        command = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        command.command(name=cmd_name, epilog=module.EXAMPLE)(module.command)
        return typer.main.get_command(command)


app = typer.Typer(
    name="toolplan",
    cls=_Commands,
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
