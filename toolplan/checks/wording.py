"""Names as sentences show them."""

from __future__ import annotations

from collections.abc import Iterable

MOST_NAMES = 12
"""Names that one sentence or list shows."""


def tick(name: object) -> str:
    """`name` in backquotes, once."""
    return str(name) if "`" in str(name) else f"`{name}`"


def listed(names: Iterable[object], last: str) -> str:
    """Names in backquotes with commas, and `last` before the last one; of many, the first."""
    shown = [tick(name) for name in names]
    if len(shown) > MOST_NAMES:
        return f"{', '.join(shown[:MOST_NAMES])} {last} {len(shown) - MOST_NAMES} more"
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}" if len(shown) > 1 else "".join(shown)
