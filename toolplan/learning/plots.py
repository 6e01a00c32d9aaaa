"""Bars as an SVG that stands alone: no script, no style sheet, no font but what the viewer has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from toolplan.language.diagnostics import visible

WIDTH, LABELS, ROW, MARGIN = 760.0, 330.0, 26.0, 24.0
HEAD = 30.0
LONGEST_LABEL = 44
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, QUIET, PAPER, BAR, TRACK = "#1e293b", "#64748b", "#ffffff", "#1d4ed8", "#e2e8f0"


class Bar(NamedTuple):
    """A bar: what it is of, how long it is, and what stands behind it."""

    label: str
    value: float
    text: str


def bars(title: str, rows: Sequence[Bar], full: float) -> str:
    """`rows` from top to bottom, as the text of an SVG file; a bar of the value `full` has the whole width."""
    height = 2 * MARGIN + HEAD + ROW * max(1, len(rows))
    described = "; ".join(f"{row.label}: {row.text}" for row in rows)
    body = [line for number, row in enumerate(rows) for line in _bar(row, MARGIN + HEAD + number * ROW, full)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}" viewBox="0 0 {WIDTH:.0f} {height:.0f}"'
            f' role="img" aria-labelledby="title desc" font-family="{FONT}" font-size="12" fill="{INK}">',
            f'<title id="title">{_text(title)}</title>',
            f'<desc id="desc">{_text(described)}</desc>',
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f'<text x="{MARGIN:g}" y="{MARGIN + 8:g}" font-size="15" font-weight="600">{_text(title)}</text>',
            *(body or [f'<text x="{MARGIN:g}" y="{MARGIN + HEAD + 14:g}" fill="{QUIET}">nothing was seen</text>']),
            "</svg>",
            "",
        ]
    )


def _bar(row: Bar, top: float, full: float) -> Iterator[str]:
    left, track = MARGIN + LABELS, WIDTH - LABELS - 2 * MARGIN - 90
    length = track * min(1.0, row.value / full) if full > 0 else 0.0
    label = row.label if len(row.label) <= LONGEST_LABEL else f"{row.label[: LONGEST_LABEL - 1]}…"
    yield f'<text x="{left - 10:g}" y="{top + 14:g}" text-anchor="end">{_text(label)}<title>{_text(row.label)}</title></text>'
    yield f'<rect x="{left:g}" y="{top + 3:g}" width="{track:g}" height="15" rx="3" fill="{TRACK}"/>'
    yield f'<rect x="{left:g}" y="{top + 3:g}" width="{length:.1f}" height="15" rx="3" fill="{BAR}"/>'
    yield f'<text x="{left + track + 8:g}" y="{top + 14:g}" fill="{QUIET}">{_text(row.text)}</text>'


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
