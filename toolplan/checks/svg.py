"""A graph as an SVG that stands alone: no script, no style sheet, no font but what the viewer has."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from toolplan.checks.graph import Edge, Graph, Kind, Mark, Node, Relation
from toolplan.checks.layout import Arc, Box, Point, lay_out
from toolplan.language.diagnostics import visible

MARGIN = 24.0
CHARACTER = 7.3
"""Pixels that a character of a label takes, on the wide side."""
LONGEST_LABEL = 44
NARROWEST = 640.0
LEGEND_ROW = 22.0
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, 'Liberation Sans', sans-serif"
INK, QUIET, PAPER = "#1e293b", "#64748b", "#ffffff"
RISKS = ((0.0, "#e0f2fe", "#0284c7"), (0.15, "#fef9c3", "#ca8a04"), (0.3, "#ffedd5", "#ea580c"), (1.0, "#fee2e2", "#dc2626"))
"""The colours of a tool, up to each severity: fill and border."""
PATH = "#1d4ed8"
STROKES = {
    Relation.REQUIRES: ("#94a3b8", 1.3, ""),
    Relation.EXCLUDES: ("#c026d3", 1.4, "1.5 3.5"),
    Relation.PRODUCES: ("#475569", 1.5, ""),
    Relation.REMOVES: ("#dc2626", 1.4, "6 4"),
}


def to_svg(graph: Graph) -> str:
    """`graph` as the text of an SVG file, laid out from left to right."""
    numbers = {node.id: number for number, node in enumerate(graph.nodes)}
    boxes = [_box(node) for node in graph.nodes]
    arcs = [
        Arc(numbers[edge.source], numbers[edge.target], edge.relation is not Relation.REMOVES, f"{edge.relation.value} {edge.on_path}")
        for edge in graph.edges
    ]
    layout = lay_out(boxes, arcs)
    head, inner = 46.0, max(layout.width, NARROWEST, _width(graph.title, 9.0))
    legend, legend_height = _legend(graph, inner)
    width = inner + 2 * MARGIN
    height = head + layout.height + 18.0 + legend_height + 2 * MARGIN
    places = list(zip(graph.nodes, boxes, layout.centres, strict=True))
    body = [_halo(box, at) for node, box, at in places if node.mark is Mark.NEXT]
    by_importance = sorted(zip(graph.edges, layout.routes, strict=True), key=lambda pair: pair[0].on_path)
    body += [_edge(edge, points) for edge, points in by_importance]
    body += [line for node, box, at in places for line in _node(node, box, at)]
    described = f"{_count(graph, Kind.FACT, 'fact')}, {_count(graph, Kind.TOOL, 'tool')}, {_count(graph, Kind.ASK, 'question')}"
    path = sorted((node.position, node.label) for node in graph.nodes if node.position)
    described += f"; the path: {', then '.join(label for _, label in path)}" if path else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
            f' role="img" aria-labelledby="title desc" font-family="{FONT}" font-size="13" fill="{INK}">',
            f'<title id="title">{_text(graph.title)}</title>',
            f'<desc id="desc">{_text(described)}.</desc>',
            "<defs>",
            *(_marker(name, colour) for name, colour in _markers()),
            "</defs>",
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            f'<text x="{MARGIN:g}" y="{MARGIN + 12:g}" font-size="16" font-weight="600">{_text(graph.title)}</text>',
            f'<g transform="translate({MARGIN:g} {MARGIN + head - 10:g})">',
            *body,
            "</g>",
            f'<g transform="translate({MARGIN:g} {height - MARGIN - legend_height + 14:.0f})" font-size="11.5" fill="{QUIET}">',
            *legend,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _count(graph: Graph, kind: Kind, word: str) -> str:
    number = sum(node.kind is kind for node in graph.nodes)
    return f"{number} {word}{'' if number == 1 else 's'}"


# Nodes


def _box(node: Node) -> Box:
    width = max(_width(_short(node.label), CHARACTER), _width(node.note, 6.2)) + 26.0
    if node.kind is Kind.ASK:
        width += 16.0
    return Box(max(width, 70.0), 28.0 if node.kind is Kind.FACT else 42.0, 0 if node.kind is Kind.FACT else 1)


def _node(node: Node, box: Box, at: Point) -> Iterator[str]:
    fill, border, thickness, dashes = _look(node)
    left, top = at.x - box.width / 2, at.y - box.height / 2
    details = f"{node.kind.value} {node.label}{f': {node.description}' if node.description else ''}"
    yield f'<g class="node {node.kind.name.lower()}" id="{node.id}"><title>{_text(details)}</title>'
    if node.kind is Kind.ASK:
        right, bottom, cut = at.x + box.width / 2, at.y + box.height / 2, 13.0
        corners = [(left + cut, top), (right - cut, top), (right, at.y), (right - cut, bottom), (left + cut, bottom), (left, at.y)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        yield f'<polygon points="{points}" fill="{fill}" stroke="{border}" stroke-width="{thickness:g}"/>'
    else:
        radius = box.height / 2 if node.kind is Kind.FACT else 7
        yield _rect(left, top, box.width, box.height, radius, fill, border, thickness, dashes)
    ink = PAPER if node.kind is Kind.GOAL else INK
    weight = ' font-weight="600"' if node.kind is not Kind.FACT else ""
    base = at.y + 4.5 if not node.note else at.y - 1.5
    yield f'<text x="{at.x:.1f}" y="{base:.1f}" text-anchor="middle" fill="{ink}"{weight}>{_text(_short(node.label))}</text>'
    if node.note:
        quiet = "#cbd5e1" if node.kind is Kind.GOAL else QUIET
        yield f'<text x="{at.x:.1f}" y="{at.y + 13:.1f}" text-anchor="middle" font-size="11" fill="{quiet}">{_text(node.note)}</text>'
    if node.position:
        colour = "#c2410c" if node.mark is Mark.NEXT else PATH
        yield f'<circle cx="{left:.1f}" cy="{top:.1f}" r="9.5" fill="{colour}" stroke="{PAPER}" stroke-width="1.5"/>'
        yield (
            f'<text x="{left:.1f}" y="{top + 4:.1f}" text-anchor="middle" font-size="11" font-weight="700"'
            f' fill="{PAPER}">{node.position}</text>'
        )
    yield "</g>"


def _halo(box: Box, at: Point) -> str:
    """What lies behind the next step."""
    width, height = box.width + 12, box.height + 12
    return _rect(at.x - width / 2, at.y - height / 2, width, height, 12, "#ffedd5", "none", 0, "")


def _look(node: Node) -> tuple[str, str, float, str]:
    """Fill, border, its thickness, and its dashes."""
    if node.kind is Kind.FACT:
        if node.mark is Mark.KNOWN:
            return "#dcfce7", "#16a34a", 1.6, ""
        return (PAPER, "#16a34a", 1.4, "4 3") if node.mark is Mark.CLAIMED else (PAPER, "#94a3b8", 1.2, "")
    if node.kind is Kind.GOAL:
        return INK, INK, 1.5, ""
    fill, border = next((fill, border) for most, fill, border in RISKS if node.severity <= most)
    if node.kind is Kind.ASK:
        fill, border = "#f3e8ff", "#9333ea"
    if node.mark is Mark.NEXT:
        return fill, "#c2410c", 2.6, ""
    return (fill, PATH, 2.2, "") if node.mark is Mark.PATH else (fill, border, 1.2, "")


def _rect(x: float, y: float, width: float, height: float, radius: float, fill: str, border: str, thickness: float, dashes: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}" fill="{fill}"'
        f' stroke="{border}" stroke-width="{thickness:g}"{dashed}/>'
    )


# Edges


def _edge(edge: Edge, points: Sequence[Point]) -> str:
    colour, thickness, dashes = STROKES[edge.relation]
    name = edge.relation.name.lower()
    if edge.on_path:
        colour, thickness, name = PATH, 2.2, "path"
    return f'<path d="{_curve(points)}" fill="none" stroke="{colour}" stroke-width="{thickness:g}"{_dashed(dashes)} marker-end="url(#{name})"/>'


def _curve(points: Sequence[Point]) -> str:
    """Level through the layers, and an S from one to the next."""
    drawn = [f"M{points[0].x:.1f} {points[0].y:.1f}"]
    for one, other in pairwise(points):
        if abs(one.y - other.y) < 0.1:
            drawn.append(f"H{other.x:.1f}")
        else:
            middle = (one.x + other.x) / 2
            drawn.append(f"C{middle:.1f} {one.y:.1f} {middle:.1f} {other.y:.1f} {other.x:.1f} {other.y:.1f}")
    return " ".join(drawn)


def _dashed(dashes: str) -> str:
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _markers() -> list[tuple[str, str]]:
    return [*((relation.name.lower(), colour) for relation, (colour, _, _) in STROKES.items()), ("path", PATH)]


def _marker(name: str, colour: str) -> str:
    """The end of an edge: an arrow; a bar for what is removed, a ring for what must be false."""
    shape = f'<path d="M0 0.8 L9 5 L0 9.2 Z" fill="{colour}"/>'
    if name == "removes":
        shape = f'<path d="M7.5 0 V10" stroke="{colour}" stroke-width="2.4"/>'
    elif name == "excludes":
        shape = f'<circle cx="5" cy="5" r="3.4" fill="{PAPER}" stroke="{colour}" stroke-width="1.6"/>'
    size = 'markerUnits="userSpaceOnUse" markerWidth="9" markerHeight="9" refX="8.6" refY="5" viewBox="0 0 10 10"'
    return f'<marker id="{name}" {size} orient="auto">{shape}</marker>'


# The legend


def _legend(graph: Graph, width: float) -> tuple[list[str], float]:
    """What the shapes and colours that occur mean, in rows no wider than `width`, and how high they are."""
    items: list[tuple[str, str]] = []
    kinds = {node.kind for node in graph.nodes}
    if Kind.FACT in kinds:
        items.append((_swatch(9, PAPER, "#94a3b8"), "fact"))
    if any(node.mark is Mark.KNOWN for node in graph.nodes):
        items.append((_swatch(9, "#dcfce7", "#16a34a"), "known"))
    if any(node.mark is Mark.CLAIMED for node in graph.nodes):
        items.append((_swatch(9, PAPER, "#16a34a", "4 3"), "uncertain"))
    levels = {(node.severity, node.note.partition(",")[0]) for node in graph.nodes if node.kind is Kind.TOOL}
    for most, fill, border in RISKS:
        names = [name for severity, name in sorted(levels) if _band(severity) == most]
        if names:
            items.append((_swatch(4, fill, border), f"tool: {', '.join(names)}"))
    if Kind.ASK in kinds:
        items.append(('<polygon points="4,-9 20,-9 24,-3 20,3 4,3 0,-3" fill="#f3e8ff" stroke="#9333ea"/>', "question"))
    if any(node.mark is Mark.NEXT for node in graph.nodes):
        items.append((_swatch(4, "#ffedd5", "#c2410c"), "next"))
    relations = {edge.relation for edge in graph.edges}
    for relation, (colour, thickness, dashes) in STROKES.items():
        if relation in relations:
            items.append((_line(colour, thickness, dashes, relation.name.lower()), relation.value))
    if any(edge.on_path for edge in graph.edges):
        items.append((_line(PATH, 2.2, "", "path"), "on the path"))
    drawn, x, y = [], 0.0, 0.0
    for picture, words in items:
        taken = 31 + _width(words, 6.4) + 20
        if x and x + taken > width:
            x, y = 0.0, y + LEGEND_ROW
        drawn.append(f'<g transform="translate({x:.0f} {y:g})">{picture}<text x="31" y="1">{_text(words)}</text></g>')
        x += taken
    return drawn, y + LEGEND_ROW


def _band(severity: float) -> float:
    return next(most for most, _, _ in RISKS if severity <= most)


def _swatch(radius: int, fill: str, border: str, dashes: str = "") -> str:
    return f'<rect y="-9" width="24" height="12" rx="{min(radius, 6)}" fill="{fill}" stroke="{border}"{_dashed(dashes)}/>'


def _line(colour: str, thickness: float, dashes: str, marker: str) -> str:
    return f'<path d="M0 -3 H25" fill="none" stroke="{colour}" stroke-width="{thickness:g}"{_dashed(dashes)} marker-end="url(#{marker})"/>'


# Texts


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _width(text: str, character: float) -> float:
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in visible(text))
    return character * (len(visible(text)) + 0.8 * wide)


def _text(text: str) -> str:
    return escape(visible(text), quote=True)
