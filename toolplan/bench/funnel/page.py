"""The report: one HTML page that needs nothing else, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolplan.bench.funnel.evaluating import Evaluation
from toolplan.bench.funnel.figures import funnels
from toolplan.bench.funnel.likeness import NegativeRow
from toolplan.bench.funnel.plots import costs, lost, shares
from toolplan.bench.funnel.records import Layer, Run
from toolplan.bench.pages import cells, document, folded, paragraph, section, table


def page(evaluation: Evaluation) -> str:
    """The text of the page. The same evaluation has the same page."""
    title = f"The routing funnel of {evaluation.domain}"
    body = "\n".join(_sections(evaluation))
    return document(title, body)


def _sections(evaluation: Evaluation) -> Iterator[str]:
    tasks, menus = len(evaluation.suite.tasks), len(evaluation.runs)
    yield paragraph(f"{tasks} tasks, {menus} menus; {evaluation.chooser} chose the tools. The gate is the same for all of them.")
    yield section("Where tasks are lost", lost(evaluation.runs))
    words = "A layer counts only where the one before it held. A case is a step of a task at its first look, and for acceptance a task."
    yield section("The layers", paragraph(words), shares(evaluation.layers), table(list(funnels(evaluation.layers))))
    yield section("What it costs", costs(evaluation.operating, evaluation.layers), table(evaluation.operating))
    yield section("Closest negatives", *_mistaken(evaluation.negatives))
    yield section("Kinds of tasks", table(evaluation.tags))
    yield section("Menus compared, task by task", folded("McNemar's test", table(evaluation.pairs)))
    if evaluation.repeats:
        yield section("The same tasks again", table(evaluation.repeats))
    if evaluation.changes:
        yield section("Changes that should make no difference", *_changed(evaluation))
    yield section("Every task", folded("What became of it", _outcomes(evaluation.runs)))


def _mistaken(negatives: Sequence[NegativeRow]) -> Iterator[str]:
    yield paragraph("Tools that are like the right one, and were chosen where both were shown.")
    shown = [row for row in negatives if row.shown]
    chosen = sorted((row for row in shown if row.chosen), key=lambda row: -row.chosen)
    yield table(chosen)
    if shown:
        yield folded(f"All {len(shown)} pairs that were shown", table(shown))


def _changed(evaluation: Evaluation) -> Iterator[str]:
    yield paragraph("Decisions that came out otherwise, of those that were reached before and after.")
    changes = list(dict.fromkeys(row.change for row in evaluation.changes))
    counts = {(row.menu, row.change): f"{row.chosen} of {row.decisions}" for row in evaluation.changes}
    lines = [[menu, *(counts[menu, change] for change in changes)] for menu in evaluation.runs]
    own = {row.change: f"{row.flipped} of {row.states}" for row in evaluation.own}
    yield cells(["menu", *changes], [*lines, ["our own decisions", *(own[change] for change in changes)]])
    flips = [[flip.menu, flip.change, flip.task, str(flip.step + 1), flip.before, flip.after] for flip in evaluation.flips]
    if flips:
        yield folded(f"{len(flips)} decisions that flip", cells(["menu", "change", "task", "step", "before", "after"], flips))


def _outcomes(runs: Mapping[str, Sequence[Run]]) -> str:
    by_task = list(zip(*runs.values(), strict=True))
    return cells(["task", *runs], [[each[0].task, *(_outcome(run.lost_at) for run in each)] for each in by_task])


def _outcome(lost_at: Layer | None) -> str:
    return "accepted" if lost_at is None else f"lost at {lost_at.value}"
