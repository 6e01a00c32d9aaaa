"""Logs as all commands read them: one after the other, with a bar on a terminal, and what is left out told at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from toolplan.cli.output import show_findings
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.learning.readers import Format, read_file
from toolplan.learning.traces import Execution, Record

MOST_SHOWN = 10
"""Entries that are left out and told of one by one."""

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="Logs of runs: a JSON value on each line, or one as a whole.", show_default=False),
]
Form = Annotated[
    Format | None,
    typer.Option(
        "--format", metavar="FORMAT", help=f"{', '.join(Format)}; without it, what the first entry looks like.", show_default=False
    ),
]


def records_in(files: Sequence[Path], form: Format | None) -> Iterator[Record]:
    """The records of `files`. Raises DomainError where one cannot be read, or no tool was executed in any."""
    console = Console(stderr=True)
    left_out: list[Diagnostic] = []
    count = executions = 0
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for path in files:
            for record in read_file(path, form, lambda path: progress.open(path, "rb", description=path.name)):
                if isinstance(record, Diagnostic):
                    count += 1
                    left_out += [record] if count <= MOST_SHOWN else []
                else:
                    executions += isinstance(record, Execution)
                    yield record
    if not executions:
        names = ", ".join(quoted(str(path)) for path in files)
        raise DomainError([*left_out, Diagnostic(Code.BAD_JSON, f"no tool is executed in {names}")])
    _tell(left_out, count)


def columns(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """`rows` as lines, each column as wide as its widest cell."""
    rows = list(rows)
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def _tell(left_out: Sequence[Diagnostic], count: int) -> None:
    show_findings(left_out)
    if count > len(left_out):
        typer.echo(f"{count - len(left_out)} more entries are left out", err=True)
