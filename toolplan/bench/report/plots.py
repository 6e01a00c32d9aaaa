"""A figure of each arm by each who chose, as dots with their intervals on one axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolplan.bench.drawing import LABELS, across, drawing, end_of_axis, label
from toolplan.bench.pages import escaped
from toolplan.bench.report.points import Point, Points

ROW = 16.0
GAP = 10.0
TICKS = 5
STYLES = ("held", "lost1", "lost2", "lost3", "lost4", "lost5")
"""The colours of who chose, in their order; whoever comes later has the last."""


def dots(name: str, title: str, found: Points, most: float | None) -> str:
    """The plot; `name` is unique in its page. The axis begins at zero and ends at `most`, else where the figures end."""
    choosers = list(dict.fromkeys(chooser for of_arm in found.values() for chooser in of_arm))
    end = most or end_of_axis(max((point.high for of_arm in found.values() for point in of_arm.values()), default=1.0))
    lines, described, top = list[str](), list[str](), 8.0
    for arm, of_arm in found.items():
        lines.append(label(LABELS - 10, top, arm, "end"))
        for chooser, point in of_arm.items():
            lines += _dot(point, end, top, STYLES[min(choosers.index(chooser), len(STYLES) - 1)], f"{arm}, {chooser}: {_said(point)}")
            described.append(f"{arm}, {chooser}: {_said(point)}")
            top += ROW
        top += GAP
    axis = [line for number in range(TICKS + 1) for line in _tick(number / TICKS, end, top)]
    legend = [line for number, chooser in enumerate(choosers) for line in _legend(number, chooser, top + 34)]
    return drawing(name, title, described, [*axis, *lines, *legend], top + 40 + ROW * len(choosers))


def _dot(point: Point, end: float, y: float, style: str, told: str) -> Iterator[str]:
    low, at, high = (across(value / end) for value in point[1:2] + point[:1] + point[2:])
    if high > low:
        yield f'<path class="whisker" d="M{low:.1f} {y:g} H{high:.1f}"/>'
    yield f'<circle cx="{at:.1f}" cy="{y:g}" r="5" class="{style}"><title>{escaped(told)}</title></circle>'


def _tick(share: float, end: float, bottom: float) -> Sequence[str]:
    x = across(share)
    text = f'<text x="{x:g}" y="{bottom + 14:g}" text-anchor="middle" class="quiet">{_number(end * share)}</text>'
    return f'<path class="rule" d="M{x:g} 0 V{bottom:g}"/>', text


def _legend(number: int, chooser: str, top: float) -> Sequence[str]:
    y = top + ROW * number
    style = STYLES[min(number, len(STYLES) - 1)]
    return (
        f'<circle cx="{LABELS + 6:g}" cy="{y:g}" r="5" class="{style}"/>',
        f'<text x="{LABELS + 18:g}" y="{y + 4:g}" class="small">{escaped(chooser)}</text>',
    )


def _said(point: Point) -> str:
    interval = f" ({_number(point.low)}-{_number(point.high)})" if point.high > point.low else ""
    return f"{_number(point.value)}{interval}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
