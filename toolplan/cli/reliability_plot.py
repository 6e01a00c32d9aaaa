"""A reliability plot: how often requests were read rightly, by how sure the reading was, before and after calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from toolplan.goals.reliability import Bin
from toolplan.language.diagnostics import visible

SIDE = 360.0
MARGIN = 64.0
LEGEND = 28.0
TICKS = 5
LARGEST, SMALLEST = 9.0, 3.0
"""Radius of the dot of a bin that holds all requests, and of one that holds hardly any."""
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, QUIET, PAPER, RULE = "#1e293b", "#64748b", "#ffffff", "#e2e8f0"
COLOURS = ("#94a3b8", "#1d4ed8")
"""Of the curves, in order."""

Curve = tuple[str, Sequence[Bin]]


def plot(title: str, before: Curve, after: Curve) -> str:
    """Both curves, each a label and its bins, as the text of an SVG file that stands alone; the diagonal is perfect."""
    width, height = SIDE + 2 * MARGIN, SIDE + 2 * MARGIN + LEGEND
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' role="img" aria-labelledby="title" font-family="{FONT}" font-size="12" fill="{INK}">',
        f'<title id="title">{_text(title)}</title>',
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        f'<text x="{MARGIN:g}" y="{MARGIN / 2:g}" font-size="15" font-weight="600">{_text(title)}</text>',
        *_axes(),
    ]
    for number, ((label, bins), colour) in enumerate(zip((before, after), COLOURS, strict=True)):
        lines += _curve(bins, colour)
        x, y = MARGIN + number * SIDE / 2, height - 16
        lines.append(f'<circle cx="{x + 5:g}" cy="{y - 4:g}" r="5" fill="{colour}"/>')
        lines.append(f'<text x="{x + 16:g}" y="{y:g}">{_text(label)}</text>')
    return "\n".join([*lines, "</svg>", ""])


def _axes() -> Iterator[str]:
    for number in range(TICKS + 1):
        share = number / TICKS
        (x, y), right, top = _at(share, share), MARGIN + SIDE, MARGIN
        yield f'<path d="M{MARGIN:g} {y:g} H{right:g} M{x:g} {top:g} V{top + SIDE:g}" stroke="{RULE}"/>'
        yield f'<text x="{x:g}" y="{top + SIDE + 18:g}" text-anchor="middle" fill="{QUIET}">{share:g}</text>'
        yield f'<text x="{MARGIN - 8:g}" y="{y + 4:g}" text-anchor="end" fill="{QUIET}">{share:g}</text>'
    (left, low), (far, high) = _at(0, 0), _at(1, 1)
    yield f'<path d="M{left:g} {low:g} L{far:g} {high:g}" stroke="{QUIET}" stroke-dasharray="4 4"/>'
    yield f'<text x="{MARGIN + SIDE / 2:g}" y="{MARGIN + SIDE + 38:g}" text-anchor="middle">confidence</text>'
    middle = MARGIN + SIDE / 2
    yield f'<text x="20" y="{middle:g}" text-anchor="middle" transform="rotate(-90 20 {middle:g})">share that was right</text>'


def _curve(bins: Sequence[Bin], colour: str) -> Iterator[str]:
    requests = sum(each.count for each in bins)
    points = [_at(each.confidence, each.accuracy) for each in bins]
    yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for (x, y), each in zip(points, bins, strict=True):
        radius = SMALLEST + (LARGEST - SMALLEST) * (each.count / requests) ** 0.5
        told = f"{each.count} requests: {each.confidence:.2f} sure, {each.accuracy:.2f} right"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"><title>{told}</title></circle>'


def _at(confidence: float, accuracy: float) -> tuple[float, float]:
    return MARGIN + SIDE * confidence, MARGIN + SIDE * (1.0 - accuracy)


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
