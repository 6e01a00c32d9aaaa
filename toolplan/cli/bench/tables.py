"""What all benchmarks share: tables on stdout as they are measured, or all of them as JSON, and options that list things."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from toolplan.bench.planner.measuring import machine
from toolplan.bench.real.agreement import Titled
from toolplan.bench.tables import Row, table
from toolplan.cli.exits import Exit
from toolplan.cli.output import reporting, say, show_json

Note = Callable[[str], None]
WIDTH = 160
"""The columns that a table may fill; a narrower terminal wraps its lines, and no figure is cut."""
WIDE = 200
"""The same for tables whose figures stand with their intervals."""


def measured(suite: str, tables: Callable[[Note], Iterator[tuple[str, Sequence[Row]]]], *, as_json: bool) -> None:
    """Each table when it is measured, after the machine."""
    if not as_json:
        say(machine())
    shown: dict[str, list[dict[str, object]]] = {}
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        for title, rows in tables(lambda text: status.update(f"{suite}: {text}")):
            shown[title] = [row.to_dict() for row in rows]
            if not as_json:
                show(title, rows, WIDE)
    if not shown:
        refuse("there was nothing to measure: the folders hold none of what this benchmark reads")
    if as_json:
        show_json({"machine": machine(), "tables": shown})


def measured_in(folders: Sequence[Path], tables: Callable[[Path], Iterator[Titled]], *, as_json: bool) -> None:
    """The tables of each folder when all of it is measured."""
    shown: dict[str, list[dict[str, object]]] = {}
    for folder in folders:
        with reporting(as_json=as_json), Console(stderr=True).status(str(folder)):
            titled = list(tables(folder))
        for title, rows in titled:
            shown[title] = [row.to_dict() for row in rows]
            if not as_json:
                show(title, rows, WIDE)
    if as_json:
        show_json(shown)


def show(title: str, rows: Sequence[Row], width: int = WIDTH) -> None:
    """Print `rows` under `title`; nothing where there are none."""
    if rows:
        console = Console(width=max(Console().width, width))
        console.print(title, style="bold", highlight=False)
        console.print(table(rows))


def numbers_of(option: str, text: str, *, least: int) -> tuple[int, ...]:
    """The numbers that `text` lists, with ranges such as 0-9 in full."""
    found: list[int] = []
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"\s*(\d{1,7})(?:-(\d{1,7}))?\s*", part, re.ASCII)
        if match is None or int(match[1]) < least or int(match[2] or match[1]) < int(match[1]):
            refuse(f"--{option} takes numbers from {least} on, such as {least},1000 or {least}-{least + 9}, not `{part.strip()}`")
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(dict.fromkeys(found))


def names_of(what: str, text: str, known: Collection[str]) -> list[str]:
    """The names that `text` lists, each of which must be among `known`."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in known:
            refuse(f"the {what} are {', '.join(known)}, not `{name}`")
    return names


def files_of(paths: Sequence[Path], index: str = "") -> tuple[Path, ...]:
    """The files that `paths` name, or `index` in the folders that they name."""
    files = tuple(path / index for path in paths)
    for file in files:
        if not file.is_file():
            refuse(f"there is no file `{file}`")
    return files


def refuse(message: str) -> NoReturn:
    """Say on stderr what is wrong with the options, and exit."""
    typer.echo(message, err=True)
    raise typer.Exit(Exit.USAGE)
