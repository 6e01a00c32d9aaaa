"""`toolplan eval`: a suite of tasks through the routing funnel."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.funnel.changes import Change, Contracts, changes
from toolplan.bench.funnel.evaluating import Evaluation, Evaluator
from toolplan.bench.funnel.figures import funnels
from toolplan.bench.funnel.keeping import Kept, Unkept
from toolplan.bench.funnel.likeness import NegativeRow
from toolplan.bench.funnel.menus import DEPTHS, Menu, menus
from toolplan.bench.funnel.page import page
from toolplan.bench.funnel.reading import read_suite
from toolplan.bench.funnel.records import Layer
from toolplan.catalog import NO_TOOLS
from toolplan.checks.schemas import read_tools
from toolplan.cli.bench.choosing import Address, ModelFile, ModelName, Out, choosing
from toolplan.cli.bench.tables import WIDE, names_of, numbers_of, refuse, show
from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson, DomainFile
from toolplan.cli.output import reporting, show_json
from toolplan.cli.ranking import text_of, write
from toolplan.language.codec import digest
from toolplan.language.loading import load
from toolplan.retrieval import SCORERS, scorer

EXAMPLE = "Example: toolplan eval refunds refunds.jsonl --changes none --report funnel.html"
FRONTIER = "frontier"
LAYERS = {layer.name.lower(): layer for layer in Layer}
SHOWN = 12
"""The most frequent mistakes, which a terminal has room for; the report and the JSON have all."""
ALL, NONE = "all", "none"


def command(
    domain: DomainFile,
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="Tasks, one JSON object a line.", show_default=False)],
    tools: Annotated[Path | None, typer.Option("--tools", metavar="FILE", help="What the servers answer to tools/list.")] = None,
    model: ModelFile = None,
    endpoint: Address = "",
    name: ModelName = "",
    only: Annotated[str, typer.Option("--menus", metavar="NAME,...", help="Only these menus, such as all,top-5,frontier.")] = "",
    depths: Annotated[str, typer.Option("--depths", metavar="K,...", help="How long fixed lists are.")] = ",".join(map(str, DEPTHS)),
    words: Annotated[str, typer.Option("--scorer", metavar="SCORER", help=f"How lists compare words: {', '.join(SCORERS)}.")] = "overlap",
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="Run every task so often; the first runs make the figures.")] = 1,
    under: Annotated[
        str, typer.Option("--changes", metavar="NAME,...", help="Run again under these harmless changes: all, none, or names.")
    ] = ALL,
    out: Out = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Write the report there, as HTML.")] = None,
    least: Annotated[
        list[str],
        typer.Option("--fail-under", metavar="LAYER=SHARE", help=f"Exit 1 if less holds; {', '.join(LAYERS)}.", show_default=False),
    ] = [],
    of: Annotated[str, typer.Option("--of", metavar="MENU", help="The menu that --fail-under is about.")] = FRONTIER,
    as_json: AsJson = False,
) -> None:
    """Run tasks with every menu, and show where they are lost. Without a model, a simulated one chooses."""
    bounds = [_bound(text) for text in least]
    with reporting(as_json=as_json):
        contracts = Contracts(load(domain), NO_TOOLS if tools is None else read_tools(tools))
        source = text_of(suite)
        tasks = read_suite(source, contracts.domain)
        comparing, chooser = scorer(words), choosing(model, endpoint, name)()
        chosen = _menus(only, list(menus(comparing, numbers_of("depths", depths, least=1))), of if bounds else "")
        changing = _changes(under)
        # The times of a simulation say nothing, and without them every run of it gives the same bytes.
        clock = (lambda: 0.0) if isinstance(chooser, Simulated) else time.perf_counter
        with Console(stderr=True).status("eval") as status:
            keeping = Unkept() if out is None else Kept(out, _subject(contracts, source.text, words))
            evaluated = Evaluator(contracts, chooser, comparing, clock, status.update, keeping).evaluate(tasks, chosen, runs, changing)
    if report is not None:
        write(report, page(evaluated))
    if as_json:
        show_json(evaluated.to_dict())
    else:
        _show(evaluated)
    missed = [
        f"{layer.value} is {_percent(share)}, not {bound:.0%}"
        for layer, bound in bounds
        if (share := evaluated.share(layer, of)) is None or share < bound
    ]
    for line in missed:
        typer.echo(f"{of}: {line}", err=True)
    if missed:
        raise typer.Exit(Exit.INPUT)


def _subject(contracts: Contracts, suite: str, words: str) -> str:
    """What kept runs depend on: the tasks, the contracts, the tools as their servers describe them, and how lists compare words."""
    domain, catalog = contracts
    declared = [dict(part) for part in (domain.types, domain.facts, domain.tools, domain.asks, domain.goals)]
    return digest([suite, repr([*declared, domain.policy]), [tool.digest for tool in catalog.values()], words])


def _menus(only: str, every: Sequence[Menu], needed: str) -> list[Menu]:
    known = [menu.name for menu in every]
    names = names_of("menus", only, known) if only else known
    if needed and needed not in names:
        refuse(f"--fail-under is about the menu `{needed}`, which is not run: the menus are {', '.join(names)}")
    return [menu for menu in every if menu.name in names]


def _changes(text: str) -> dict[str, Change]:
    every = changes()
    names = {ALL: list(every), NONE: []}.get(text)
    return {name: every[name] for name in (names_of("changes", text, every) if names is None else names)}


def _bound(text: str) -> tuple[Layer, float]:
    layer, _, share = text.partition("=")
    try:
        bound = float(share)
    except ValueError:
        bound = -1.0
    if layer not in LAYERS or not 0 <= bound <= 1:
        refuse(
            f"--fail-under takes a layer and a share from 0 to 1, such as acceptance=0.9, not `{text}`; the layers are {', '.join(LAYERS)}"
        )
    return LAYERS[layer], bound


def _percent(share: float | None) -> str:
    return "not measured" if share is None else f"{share:.1%}"


def _most_chosen(negatives: Sequence[NegativeRow]) -> list[NegativeRow]:
    return sorted((row for row in negatives if row.chosen), key=lambda row: -row.chosen)[:SHOWN]


def _show(evaluated: Evaluation) -> None:
    show("Layers", list(funnels(evaluated.layers)), WIDE)
    show("What it costs", evaluated.operating, WIDE)
    show("Closest negatives that were chosen", _most_chosen(evaluated.negatives), WIDE)
    show("Menus compared, where chance is below 0.05", [row for row in evaluated.pairs if row.p < 0.05], WIDE)
    show("The same tasks again", evaluated.repeats, WIDE)
    show("Decisions that flip", [row for row in evaluated.changes if row.chosen or row.accepted or row.rejected], WIDE)
    show("Our own decisions that flip", evaluated.own, WIDE)
