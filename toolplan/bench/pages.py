"""Pages of HTML that need nothing else, in light and in dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from toolplan.bench.tables import Row, shown
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


def document(title: str, body: str) -> str:
    """A whole page."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n'
        f"</head>\n<body>\n<main>\n<h1>{escaped(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n"
    )


def table(rows: Sequence[Row]) -> str:
    """`rows`, all of one type, under their column names."""
    if not rows:
        return paragraph("None.")
    lines = [row.to_dict() for row in rows]
    return cells([name.replace("_", " ") for name in lines[0]], [[shown(value) for value in line.values()] for line in lines])


def cells(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table whose first column names its rows."""
    names = "".join(f'<th scope="col">{escaped(name)}</th>' for name in head)
    body = "\n".join(f'<tr><th scope="row">{escaped(first)}</th>{"".join(map(_cell, rest))}</tr>' for first, *rest in lines)
    return f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def _cell(text: str) -> str:
    is_number = text[:1].isdigit() or text == "-"
    return f"<td>{escaped(text)}</td>" if is_number else f'<td class="words">{escaped(text)}</td>'


def section(title: str, *parts: str) -> str:
    """Parts under a heading of the second level."""
    return "\n".join([f"<section>\n<h2>{escaped(title)}</h2>", *parts, "</section>"])


def folded(title: str, body: str) -> str:
    """What is shown when somebody asks for it."""
    return f"<details>\n<summary>{escaped(title)}</summary>\n{body}\n</details>"


def paragraph(text: str) -> str:
    """Plain text."""
    return f"<p>{escaped(text)}</p>"


def escaped(text: str) -> str:
    """Text in which nothing is markup, and every control character can be seen."""
    return escape(visible(text), quote=True)
