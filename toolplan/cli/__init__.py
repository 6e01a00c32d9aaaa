"""The command line: one module a subcommand, translation only.

Results go to stdout, everything else to stderr. Exit codes: see `exits`.
"""

from __future__ import annotations

import sys

import typer

from toolplan.cli import check, doctor, explain, frontier, pddl, plan
from toolplan.cli.exits import Exit

app = typer.Typer(
    name="toolplan",
    help="Decide which tools an LLM agent may see and call, from contracts.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: " + ", ".join(f"{exit.value} {exit.meaning}" for exit in Exit) + ".",
)
for module in (check, plan, frontier, pddl, explain, doctor):
    app.command(name=module.__name__.rpartition(".")[2], epilog=module.EXAMPLE)(module.command)


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
