"""Rows of figures, and tables made of nothing but rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


SHOWN = 3
"""How many of several values fit into a cell of a table; the JSON has all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table. Its fields are the columns, in order; None stands for what was not measured."""

    def to_dict(self) -> dict[str, object]:
        """The row as JSON values, floats to four significant digits."""
        return {field.name: _rounded(getattr(self, field.name)) for field in fields(self)}


def table(rows: Sequence[Row]) -> Table:
    """`rows`, all of one type, under their column names."""
    from rich import box
    from rich.table import Table

    lines = [row.to_dict() for row in rows]
    result = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in lines[0].items():
        result.add_column(name.replace("_", " "), justify="left" if isinstance(value, str) else "right")
    for line in lines:
        result.add_row(*map(shown, line.values()))
    return result


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def shown(value: object) -> str:
    """A value as a cell of a table has it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "NO"
        case tuple():
            return ", ".join([*map(str, value[:SHOWN]), *([f"and {len(value) - SHOWN:,} more"] if len(value) > SHOWN else [])])
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        case _:
            return str(value)
