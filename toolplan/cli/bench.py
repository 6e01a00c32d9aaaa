"""`toolplan bench`: benchmarks, each with its tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from toolplan.bench import loading
from toolplan.bench.planner import TIERS
from toolplan.bench.planner.measuring import SEEDS, SIZES, Promise, Settings, machine
from toolplan.bench.tables import Row, table
from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_json

Note = Callable[[str], None]

EXAMPLE = "Example: toolplan bench planner --tiers entities --seeds 4"

SUITES = ("loading", "planner", "gist", "real", "sessions", "gate")
LOADING_SIZES = (100, 10_000, 100_000)
WIDTH = 160
"""The columns that a table may fill; a narrower terminal wraps its lines, and no figure is cut."""
GIST_WIDTH = 200
"""The same for tables whose figures stand with their intervals."""
SAMPLE = 100


def command(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"{', '.join(SUITES)}.", show_default=False)],
    sizes: Annotated[
        str, typer.Option("--sizes", metavar="N,...", help="Numbers of tools, or of sessions, instead of the suite's own.")
    ] = "",
    tiers: Annotated[str, typer.Option("--tiers", metavar="NAME,...", help="Parts of `planner`, in this order.")] = ",".join(TIERS),
    seeds: Annotated[str, typer.Option("--seeds", metavar="N-N,...", help="Seeds of `planner`, instead of 0-9.")] = "",
    problems: Annotated[
        list[Path], typer.Option("--problems", metavar="DIR", help="For `planner`: PDDL problems, listed in an INDEX.json.")
    ] = [],
    telecom: Annotated[
        list[Path], typer.Option("--telecom", metavar="FILE", help="For `planner`: telecom tasks of tau2-bench, with their states.")
    ] = [],
    requests: Annotated[str, typer.Option("--suite", metavar="NAME", help="For `gist`: development, or measured.")] = "development",
    rankers: Annotated[str, typer.Option("--ranker", metavar="NAME,...", help="For `gist`: rankers, instead of all that ship.")] = "",
    data: Annotated[
        list[Path], typer.Option("--data", metavar="DIR", help="For `real`: a folder that holds one for each set (sgd, when2call, bfcl).")
    ] = [],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FILE", help="For `real`: only how values are read, also by the model of a GGUF file.")
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=1, help="For --model: turns of each set, drawn the same each time.")
    ] = SAMPLE,
    as_json: AsJson = False,
) -> None:
    """Run a benchmark and print its tables, with the machine where it matters."""
    if suite == "loading":
        _loading(_numbers("sizes", sizes, least=10) or LOADING_SIZES, as_json=as_json)
    elif suite == "planner":
        numbers = _numbers("sizes", sizes, least=100) or SIZES
        settings = Settings(numbers, _numbers("seeds", seeds, least=0) or SEEDS, _files(problems, "INDEX.json"), _files(telecom))
        _planner(_names("tiers", tiers, TIERS), settings, as_json=as_json)
    elif suite == "gist":
        _gist(requests, rankers, as_json=as_json)
    elif suite == "real":
        _real(data, model, sample, as_json=as_json)
    elif suite == "sessions":
        _sessions(_numbers("sizes", sizes, least=10), as_json=as_json)
    elif suite == "gate":
        _gate(_numbers("sizes", sizes, least=1), as_json=as_json)
    else:
        _refuse(f"the suites are {', '.join(SUITES)}, not `{suite}`")


def _loading(sizes: tuple[int, ...], *, as_json: bool) -> None:
    if not as_json:
        say(loading.machine())
        say(f"{'what':<22} {'tools':>8} {'user s':>8} {'peak MB':>8}")
    rows = []
    for row in loading.rows(sizes):
        rows.append(row.to_dict())
        if not as_json:
            say(f"{row.what:<22} {row.tools:>8,} {row.seconds:>8.2f} {row.megabytes:>8.0f}")
    if as_json:
        show_json({"machine": loading.machine(), "rows": rows})


def _planner(names: Sequence[str], settings: Settings, *, as_json: bool) -> None:
    """A table for each tier when it is measured, and at the end one of the promises."""
    if not as_json:
        say(machine())
    measured: dict[str, list[Row]] = {}
    promises: list[Promise] = []
    for name in names:
        rows = _rows(name, settings, as_json=as_json)
        measured[name] = rows
        promises += TIERS[name].promises(rows) if rows else ()
        if not as_json:
            _show(TIERS[name].TITLE, rows)
    if as_json:
        tiers = {name: [row.to_dict() for row in rows] for name, rows in measured.items()}
        show_json({"machine": machine(), "tiers": tiers, "promises": [promise.to_dict() for promise in promises]})
    else:
        _show("What is promised, and what was measured", promises)


def _gist(suite: str, rankers: str, *, as_json: bool) -> None:
    """A table of all requests and one for each type, what is promised, and the requests on which a promise of ours is broken."""
    from toolplan.bench import gist

    names = _names("rankers", rankers, gist.RANKERS) if rankers else gist.RANKERS
    if suite not in gist.SUITES:
        _refuse(f"the suites of requests are {', '.join(gist.SUITES)}, not `{suite}`")
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        measured = list(gist.measure(suite, names, lambda text: status.update(f"{suite}: {text}")))
    rows = list(gist.rows(measured))
    promises = list(gist.promises(rows))
    failures = list(gist.failures(measured, gist.best_ranker(rows)))
    if as_json:
        data = {"promises": [promise.to_dict() for promise in promises], "failures": [failure.to_dict() for failure in failures]}
        show_json({"suite": suite, "rows": [row.to_json() for row in rows], **data})
        return
    for kind, group in groupby(rows, key=lambda row: row.type):
        _show(f"Requests of the type: {kind}", list(group), GIST_WIDTH)
    _show(f"What is promised of ours, and what was measured with its best ranker, {gist.best_ranker(rows)}", promises)
    _show("Where ours breaks a promise", failures)


def _real(folders: Sequence[Path], model: Path | None, sample: int, *, as_json: bool) -> None:
    """The tables of every set that lies in one of `folders`; with a model, those of values that readers read on a sample."""
    from toolplan.bench import real
    from toolplan.bench.local_model import local_ask
    from toolplan.bench.real import by_model

    if not any((folder / suite.DATA).is_dir() for folder in folders for suite in real.SUITES.values()):
        _refuse(f"--data takes a folder that holds {', '.join(sorted({suite.DATA for suite in real.SUITES.values()}))}, or some of them")
    with reporting(as_json=as_json):
        tables = real.tables if model is None else partial(by_model.tables, ask=local_ask(model), size=sample)
    shown: dict[str, list[dict[str, object]]] = {}
    for folder in folders:
        with reporting(as_json=as_json), Console(stderr=True).status(str(folder)):
            titled = list(tables(folder))
        for title, rows in titled:
            shown[title] = [row.to_dict() for row in rows]
            if not as_json:
                _show(title, rows, GIST_WIDTH)
    if as_json:
        show_json(shown)


def _sessions(sizes: tuple[int, ...], *, as_json: bool) -> None:
    from toolplan.bench import sessions

    _measured("sessions", partial(sessions.tables, sizes or sessions.SIZES), as_json=as_json)


def _gate(sizes: tuple[int, ...], *, as_json: bool) -> None:
    from toolplan.bench import gate

    if len(sizes) > 1:
        _refuse("--sizes takes one number of sessions for `gate`")
    _measured("gate", partial(gate.tables, sizes[0] if sizes else gate.CONVERSATIONS), as_json=as_json)


def _measured(suite: str, tables: Callable[[Note], Iterator[tuple[str, Sequence[Row]]]], *, as_json: bool) -> None:
    """Each table when it is measured, after the machine."""
    if not as_json:
        say(machine())
    shown: dict[str, list[dict[str, object]]] = {}
    with reporting(as_json=as_json), Console(stderr=True).status(suite) as status:
        for title, rows in tables(lambda text: status.update(f"{suite}: {text}")):
            shown[title] = [row.to_dict() for row in rows]
            if not as_json:
                _show(title, rows, GIST_WIDTH)
    if as_json:
        show_json({"machine": machine(), "tables": shown})


def _rows(name: str, settings: Settings, *, as_json: bool) -> list[Row]:
    """The rows of one tier; what is under way is shown on the terminal meanwhile."""
    with reporting(as_json=as_json), Console(stderr=True).status(name) as status:
        return list(TIERS[name].rows(replace(settings, note=lambda text: status.update(f"{name}: {text}"))))


def _show(title: str, rows: Sequence[Row], width: int = WIDTH) -> None:
    if rows:
        console = Console(width=max(Console().width, width))
        console.print(title, style="bold", highlight=False)
        console.print(table(rows))


def _numbers(option: str, text: str, *, least: int) -> tuple[int, ...]:
    """The numbers that `text` lists, with ranges such as 0-9 in full."""
    numbers: list[int] = []
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"\s*(\d{1,7})(?:-(\d{1,7}))?\s*", part, re.ASCII)
        if match is None or int(match[1]) < least or int(match[2] or match[1]) < int(match[1]):
            _refuse(f"--{option} takes numbers from {least} on, such as {least},1000 or {least}-{least + 9}, not `{part.strip()}`")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(dict.fromkeys(numbers))


def _names(what: str, text: str, known: Collection[str]) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in known:
            _refuse(f"the {what} are {', '.join(known)}, not `{name}`")
    return names


def _files(paths: Sequence[Path], index: str = "") -> tuple[Path, ...]:
    """The files that `paths` name, or `index` in the folders that they name."""
    files = tuple(path / index for path in paths)
    for file in files:
        if not file.is_file():
            _refuse(f"there is no file `{file}`")
    return files


def _refuse(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(Exit.USAGE)
