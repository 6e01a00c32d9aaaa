"""`toolplan bench`: benchmarks, one module each, with their tables."""

from __future__ import annotations

import typer

from toolplan.cli.groups import lazy

EXAMPLE = "Example: toolplan bench planner --tiers entities --seeds 4"

SUITES = {
    "loading": "loading",
    "planner": "planner",
    "gist": "gist",
    "real": "real",
    "slots": "slots",
    "sessions": "sessions",
    "gate": "gate",
    "serving": "serving",
    "import": "importing",
    "links": "links",
    "recall": "recall",
    "inertia": "inertia",
    "contracts": "contracts",
    "cmtf": "cmtf",
    "tasks": "tasks",
    "show": "show",
    "pack": "pack",
    "report": "report",
}
"""The benchmarks and their modules; `show` replays kept runs, `pack` stores them, and `report` makes a page of all that are stored."""

app = typer.Typer(
    name="bench",
    cls=lazy("toolplan.cli.bench", SUITES),
    help="Run a benchmark and print its tables, with the machine where it matters.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=EXAMPLE,
)


@app.callback()
def _root() -> None:
    """Run a benchmark and print its tables, with the machine where it matters."""
