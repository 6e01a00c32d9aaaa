"""The report: one HTML page that needs nothing else, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from toolplan.bench.funnel.evaluating import Evaluation
from toolplan.bench.funnel.figures import funnels
from toolplan.bench.funnel.likeness import NegativeRow
from toolplan.bench.funnel.plots import costs, lost, shares
from toolplan.bench.funnel.records import Layer, Run
from toolplan.bench.tables import Row
from toolplan.language.diagnostics import visible

STYLE = """
:root { color-scheme: light dark; --ink: #1e293b; --quiet: #64748b; --paper: #ffffff; --rule: #e2e8f0; --head: #f8fafc; --held: #15803d;
  --on: #ffffff; --lost0: #334155; --lost1: #1d4ed8; --lost2: #b45309; --lost3: #9333ea; --lost4: #b91c1c; --lost5: #6b7280; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e8f0; --quiet: #94a3b8; --paper: #0f172a; --rule: #334155; --head: #1e293b; --held: #4ade80; --on: #0f172a;
    --lost0: #cbd5e1; --lost1: #60a5fa; --lost2: #fbbf24; --lost3: #c084fc; --lost4: #f87171; --lost5: #9ca3af; } }
body { margin: 0 auto; max-width: 68rem; padding: 1rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; } p { max-width: 44rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.85rem; }
caption { text-align: left; color: var(--quiet); padding: 0.3rem 0; } th, td { border-bottom: 1px solid var(--rule); padding: 0.25rem 0.7rem; }
th { background: var(--head); text-align: left; font-weight: 600; } td { text-align: right; white-space: nowrap; } td.words { text-align: left; }
svg { width: 100%; height: auto; font-size: 12px; } svg text { fill: var(--ink); } svg .quiet { fill: var(--quiet); } svg .small { font-size: 11px; }
svg .strong { font-weight: 600; } svg .on { fill: var(--on); font-weight: 600; } svg .held { fill: var(--held); }
svg .lost0 { fill: var(--lost0); } svg .lost1 { fill: var(--lost1); } svg .lost2 { fill: var(--lost2); } svg .lost3 { fill: var(--lost3); }
svg .lost4 { fill: var(--lost4); } svg .lost5 { fill: var(--lost5); }
svg .whisker { stroke: var(--quiet); stroke-width: 2; } svg .rule { stroke: var(--rule); } svg .axis { stroke: var(--quiet); fill: none; }
"""


def page(evaluation: Evaluation) -> str:
    """The text of the page. The same evaluation has the same page."""
    title = f"The routing funnel of {evaluation.domain}"
    body = "\n".join(_sections(evaluation))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{_text(title)}</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<main>\n<h1>{_text(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _sections(evaluation: Evaluation) -> Iterator[str]:
    tasks, menus = len(evaluation.suite.tasks), len(evaluation.runs)
    yield _paragraph(f"{tasks} tasks, {menus} menus; {evaluation.chooser} chose the tools. The gate is the same for all of them.")
    yield _section("Where tasks are lost", lost(evaluation.runs))
    words = "A layer counts only where the one before it held. A case is a step of a task at its first look, and for acceptance a task."
    yield _section("The layers", _paragraph(words), shares(evaluation.layers), _table(list(funnels(evaluation.layers))))
    yield _section("What it costs", costs(evaluation.operating, evaluation.layers), _table(evaluation.operating))
    yield _section("Closest negatives", *_mistaken(evaluation.negatives))
    yield _section("Kinds of tasks", _table(evaluation.tags))
    yield _section("Menus compared, task by task", _folded("McNemar's test", _table(evaluation.pairs)))
    if evaluation.repeats:
        yield _section("The same tasks again", _table(evaluation.repeats))
    if evaluation.changes:
        yield _section("Changes that should make no difference", *_changed(evaluation))
    yield _section("Every task", _folded("What became of it", _outcomes(evaluation.runs)))


def _mistaken(negatives: Sequence[NegativeRow]) -> Iterator[str]:
    yield _paragraph("Tools that are like the right one, and were chosen where both were shown.")
    shown = [row for row in negatives if row.shown]
    chosen = sorted((row for row in shown if row.chosen), key=lambda row: -row.chosen)
    yield _table(chosen)
    if shown:
        yield _folded(f"All {len(shown)} pairs that were shown", _table(shown))


def _changed(evaluation: Evaluation) -> Iterator[str]:
    yield _paragraph("Decisions that came out otherwise, of those that were reached before and after.")
    changes = list(dict.fromkeys(row.change for row in evaluation.changes))
    cells = {(row.menu, row.change): f"{row.chosen} of {row.decisions}" for row in evaluation.changes}
    lines = [[menu, *(cells[menu, change] for change in changes)] for menu in evaluation.runs]
    own = {row.change: f"{row.flipped} of {row.states}" for row in evaluation.own}
    yield _cells(["menu", *changes], [*lines, ["our own decisions", *(own[change] for change in changes)]])
    flips = [[flip.menu, flip.change, flip.task, str(flip.step + 1), flip.before, flip.after] for flip in evaluation.flips]
    if flips:
        yield _folded(f"{len(flips)} decisions that flip", _cells(["menu", "change", "task", "step", "before", "after"], flips))


def _outcomes(runs: Mapping[str, Sequence[Run]]) -> str:
    by_task = list(zip(*runs.values(), strict=True))
    return _cells(["task", *runs], [[each[0].task, *(_outcome(run.lost_at) for run in each)] for each in by_task])


def _outcome(lost_at: Layer | None) -> str:
    return "accepted" if lost_at is None else f"lost at {lost_at.value}"


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return _paragraph("None.")
    lines = [row.to_dict() for row in rows]
    return _cells([name.replace("_", " ") for name in lines[0]], [[_shown(value) for value in line.values()] for line in lines])


def _cells(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose first column names its rows."""
    names = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    body = "\n".join(f'<tr><th scope="row">{_text(first)}</th>{"".join(map(_cell, rest))}</tr>' for first, *rest in lines)
    return f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _cell(text: str) -> str:
    is_number = text[:1].isdigit() or text == "-"
    return f"<td>{_text(text)}</td>" if is_number else f'<td class="words">{_text(text)}</td>'


def _shown(value: object) -> str:
    match value:
        case None:
            return "-"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        case _:
            return str(value)


def _section(title: str, *parts: str) -> str:
    return "\n".join([f"<section>\n<h2>{_text(title)}</h2>", *parts, "</section>"])


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{_text(title)}</summary>\n{body}\n</details>"


def _paragraph(text: str) -> str:
    return f"<p>{_text(text)}</p>"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
