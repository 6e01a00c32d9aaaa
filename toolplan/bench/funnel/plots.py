"""The plots of the report, as SVG that takes its colours from the page around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolplan.bench.drawing import LABELS, WIDTH, across, drawing, end_of_axis, label
from toolplan.bench.funnel.figures import LayerRow, OperatingRow
from toolplan.bench.funnel.records import Layer, Run
from toolplan.bench.pages import escaped

BAR = 26.0
DOT_ROW = 18.0
TICKS = 5
CLASSES: Mapping[Layer | None, str] = {None: "held", **{layer: f"lost{number}" for number, layer in enumerate(Layer)}}
"""The style of what is accepted (None), and of what is lost at each layer."""


def lost(runs: Mapping[str, Sequence[Run]]) -> str:
    """A bar for each menu: the tasks that were accepted, and where the others were lost."""
    lines: list[str] = []
    described: list[str] = []
    for number, (menu, ran) in enumerate(runs.items()):
        counts = {layer: sum(run.lost_at is layer for run in ran) for layer in (None, *Layer)}
        top = number * (BAR + 10)
        lines.append(label(LABELS - 10, top + BAR / 2, menu, "end"))
        lines += _bar(counts, len(ran), top)
        described.append(f"{menu}: {'; '.join(f'{count} {_name(layer)}' for layer, count in counts.items() if count)}")
    occurring = [layer for layer in (None, *Layer) if any(run.lost_at is layer for ran in runs.values() for run in ran)]
    height = len(runs) * (BAR + 10)
    lines += _legend([(CLASSES[layer], _name(layer)) for layer in occurring], height + 8)
    return drawing("lost", "Where tasks are lost", described, lines, height + 48)


def shares(rows: Sequence[LayerRow]) -> str:
    """For each layer, a dot for each menu with its 95% interval; none where nothing got there."""
    menus = list(dict.fromkeys(row.menu for row in rows))
    lines: list[str] = []
    described: list[str] = []
    top = 8.0
    for layer in Layer:
        lines.append(f'<text x="0" y="{top + 4:g}" class="strong">{escaped(layer.value)}</text>')
        top += DOT_ROW
        for menu in menus:
            row = next(row for row in rows if (row.menu, row.layer) == (menu, layer.value))
            lines += [label(LABELS - 10, top, menu, "end"), *_interval(row, top)]
            described.append(f"{layer.value}, {menu}: {row.held} of {row.cases}")
            top += DOT_ROW
        top += 10
    axis = [_tick(number / TICKS, top) for number in range(TICKS + 1)]
    return drawing("shares", "Each layer, of what got there, with 95% intervals", described, [*axis, *lines], top + 24)


def costs(operating: Sequence[OperatingRow], rows: Sequence[LayerRow]) -> str:
    """How many tasks are accepted, by the tokens of the definitions that are sent for a look."""
    accepted = {row.menu: row.percent or 0.0 for row in rows if row.layer == Layer.ACCEPTANCE.value}
    most = end_of_axis(max((row.definition_tokens for row in operating), default=0.0))
    left, bottom, width, height = 60.0, 300.0, WIDTH - 180.0, 280.0
    lines = [f'<path class="axis" d="M{left:g} {bottom - height:g} V{bottom:g} H{left + width:g}"/>']
    for number in range(TICKS + 1):
        x, y = left + width * number / TICKS, bottom - height * number / TICKS
        lines.append(f'<text x="{x:g}" y="{bottom + 18:g}" text-anchor="middle" class="quiet">{most * number / TICKS:.0f}</text>')
        lines.append(f'<text x="{left - 8:g}" y="{y + 4:g}" text-anchor="end" class="quiet">{100 * number // TICKS}%</text>')
    for row in operating:
        x, y = left + width * row.definition_tokens / most, bottom - height * accepted[row.menu] / 100
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" class="held"/>')
        lines.append(f'<text x="{x + 10:.1f}" y="{y + 4:.1f}">{escaped(row.menu)}</text>')
    lines.append(
        f'<text x="{left + width / 2:g}" y="{bottom + 38:g}" text-anchor="middle">tokens of the definitions shown at a look</text>'
    )
    described = [f"{row.menu}: {row.definition_tokens:.0f} tokens, {accepted[row.menu]:.0f}% accepted" for row in operating]
    return drawing("costs", "Tasks accepted, by what is sent", described, lines, bottom + 48)


def _bar(counts: Mapping[Layer | None, int], tasks: int, top: float) -> Iterator[str]:
    x = LABELS
    for layer, count in counts.items():
        width = (WIDTH - LABELS) * count / tasks
        if count:
            yield f'<rect x="{x:.1f}" y="{top:g}" width="{width:.1f}" height="{BAR:g}" class="{CLASSES[layer]}"/>'
            yield (
                f'<text x="{x + width / 2:.1f}" y="{top + BAR / 2 + 4:g}" text-anchor="middle" class="on">{count}'
                f"<title>{escaped(f'{count} {_name(layer)}')}</title></text>"
            )
        x += width


def _interval(row: LayerRow, y: float) -> Iterator[str]:
    if row.percent is None:
        yield label(LABELS, y, "nothing got there", "start")
        return
    low, at, high = (across(percent / 100) for percent in (row.low, row.percent, row.high))
    yield f'<path class="whisker" d="M{low:.1f} {y:g} H{high:.1f}"/>'
    told = f"{row.held} of {row.cases}: {row.percent:.0f}% ({row.low:.0f}-{row.high:.0f})"
    yield f'<circle cx="{at:.1f}" cy="{y:g}" r="5" class="held"><title>{escaped(told)}</title></circle>'


def _tick(share: float, bottom: float) -> str:
    x = across(share)
    text = f'<text x="{x:g}" y="{bottom + 14:g}" text-anchor="middle" class="quiet">{share:.0%}</text>'
    return f'<path class="rule" d="M{x:g} 0 V{bottom:g}"/>{text}'


def _legend(items: Sequence[tuple[str, str]], top: float) -> Iterator[str]:
    """What the colours mean, in two rows at most."""
    x = LABELS
    for style, words in items:
        width = 40 + 6.0 * len(words)
        if x + width > WIDTH:
            x, top = LABELS, top + 20
        yield f'<rect x="{x:g}" y="{top:g}" width="14" height="14" class="{style}"/>'
        yield f'<text x="{x + 20:g}" y="{top + 12:g}" class="small">{escaped(words)}</text>'
        x += width


def _name(layer: Layer | None) -> str:
    return "accepted" if layer is None else f"lost at {layer.value}"
