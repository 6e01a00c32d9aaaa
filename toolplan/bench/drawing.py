"""Drawings as SVG that take their colours from the page around them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from toolplan.bench.pages import escaped

WIDTH = 880.0
LABELS = 170.0
"""Pixels for the names at the left."""


def across(share: float) -> float:
    """Where a share of the axis lies, from its left end at 0."""
    return LABELS + (WIDTH - LABELS - 30) * share


def end_of_axis(most: float) -> float:
    """The least number from `most` on, zero aside, that is easy to divide."""
    step = 10.0 ** math.floor(math.log10(most)) / 2 if most > 0 else 1.0
    return max(1, math.ceil(most / step)) * step


def label(x: float, y: float, text: str, anchor: str) -> str:
    """A text whose middle line is at `y`; its `anchor` is that of SVG."""
    return f'<text x="{x:g}" y="{y + 4:g}" text-anchor="{anchor}">{escaped(text)}</text>'


def drawing(name: str, title: str, described: Sequence[str], lines: Sequence[str], height: float) -> str:
    """Lines of SVG under a title, with a description for those who cannot see them. `name` is unique in its page."""
    return "\n".join(
        [
            f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-labelledby="{name}-title {name}-desc">',
            f'<title id="{name}-title">{escaped(title)}</title>',
            f'<desc id="{name}-desc">{escaped(". ".join(described))}.</desc>',
            *lines,
            "</svg>",
        ]
    )
