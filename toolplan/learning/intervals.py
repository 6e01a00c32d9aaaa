"""Intervals of what was counted."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959964
"""The normal quantile of a two-sided interval of 95%."""


def wilson(hits: int, cases: int) -> tuple[float, float]:
    """The 95% interval of the share `hits` / `cases` by Wilson's score (JASA 22, 1927), from 0 to 1; of no cases it is all of it.

    It holds for shares near 0 and 1, too.
    """
    if not cases:
        return 0.0, 1.0
    share, spread = hits / cases, Z95**2 / cases
    centre, half = share + spread / 2, Z95 * sqrt(share * (1 - share) / cases + spread / cases / 4)
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))


def percent(hits: int, cases: int, *, places: int = 0) -> str:
    """The share in percent, with its interval: `90 (83-94)`. Of no cases there is none, and nothing is said."""
    if not cases:
        return ""
    share, low, high = (f"{100 * value:.{places}f}" for value in (hits / cases, *wilson(hits, cases)))
    return f"{share} ({low}-{high})"
