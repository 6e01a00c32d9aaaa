"""A page that stands alone: what was found in words, its tables and its plots."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from toolplan.language.diagnostics import visible

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;color:#1e293b;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.2rem 1rem .2rem 0;border-bottom:1px solid #e2e8f0}"
    "img{max-width:100%;display:block;margin:1rem 0}"
)


def page(verdict: str, tables: Mapping[str, Sequence[Sequence[str]]], plots: Mapping[str, str]) -> str:
    """The text of an HTML file. The first row of a table is its head; `plots` are SVG files by name."""
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>Inertia of tools</title><style>{STYLE}</style></head><body>',
            f"<h1>Inertia of tools</h1><p>{_text(verdict)}</p>",
            # As images, so that their ids do not meet.
            *(
                f'<img alt="{_text(name)}" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'
                for name, svg in plots.items()
            ),
            *(line for title, rows in tables.items() for line in _table(title, rows)),
            "</body></html>",
            "",
        ]
    )


def _table(title: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"<h2>{_text(title)}</h2><table>"
    for number, row in enumerate(rows):
        cell = "td" if number else "th"
        yield "<tr>" + "".join(f"<{cell}>{_text(text)}</{cell}>" for text in row) + "</tr>"
    yield "</table>"


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
