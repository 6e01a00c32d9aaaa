"""`toolplan learn`: what runs of the past teach, one command each."""

from __future__ import annotations

import typer

from toolplan.cli.groups import lazy

EXAMPLE = "Example: toolplan learn report runs.jsonl"

COMMANDS = {
    "report": "report",
    "convert": "convert",
    "graph": "graph",
    "propose": "propose",
    "drift": "drift",
}
"""The commands and their modules."""

app = typer.Typer(
    name="learn",
    cls=lazy("toolplan.cli.learn", COMMANDS, {"--report": "report", "--domain": "propose"}),
    help="Learn from logs of runs: whether there is inertia, which contracts are missing, and which are wrong.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=EXAMPLE,
)


@app.callback()
def _root() -> None:
    """Learn from logs of runs: whether there is inertia, which contracts are missing, and which are wrong."""
