"""A graph as text for Mermaid and for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from toolplan.checks.graph import Edge, Graph, Kind, Mark, Node, Relation
from toolplan.language.diagnostics import visible

MERMAID_SHAPES = {Kind.FACT: ("([", "])"), Kind.TOOL: ("[", "]"), Kind.ASK: ("{{", "}}"), Kind.GOAL: ("[[", "]]")}
MERMAID_ARROWS = {
    Relation.REQUIRES: "-->",
    Relation.EXCLUDES: "--o|not|",
    Relation.PRODUCES: "==>",
    Relation.REMOVES: "-.->|removes|",
}
MERMAID_CLASSES = {
    "fact": "fill:#ffffff,stroke:#94a3b8",
    "known": "fill:#dcfce7,stroke:#16a34a",
    "uncertain": "fill:#ffffff,stroke:#16a34a,stroke-dasharray:4 3",
    "safe": "fill:#e0f2fe,stroke:#0284c7",
    "risky": "fill:#ffedd5,stroke:#ea580c",
    "highest": "fill:#fee2e2,stroke:#dc2626",
    "question": "fill:#f3e8ff,stroke:#9333ea",
    "goal": "fill:#1e293b,stroke:#1e293b,color:#ffffff",
    "onPath": "stroke:#1d4ed8,stroke-width:3px",
    "nextStep": "stroke:#c2410c,stroke-width:4px",
}
DOT_SHAPES = {Kind.FACT: "ellipse", Kind.TOOL: "box", Kind.ASK: "hexagon", Kind.GOAL: "box"}
DOT_ARROWS = {
    Relation.REQUIRES: 'color="#94a3b8"',
    Relation.EXCLUDES: 'color="#c026d3", style=dotted, arrowhead=odot, label="not"',
    Relation.PRODUCES: 'color="#475569", style=bold',
    Relation.REMOVES: 'color="#dc2626", style=dashed, arrowhead=tee, label="removes"',
}


def to_mermaid(graph: Graph) -> str:
    """`graph` as a Mermaid flowchart."""
    used = {name for node in graph.nodes for name in _classes(node)}
    lines = ["flowchart LR"]
    for node in graph.nodes:
        opening, closing = MERMAID_SHAPES[node.kind]
        lines.append(f'  {node.id}{opening}"{_mermaid_text(node)}"{closing}')
    lines += [f"  {edge.source} {MERMAID_ARROWS[edge.relation]} {edge.target}" for edge in graph.edges]
    lines += [f"  classDef {name} {style}" for name, style in MERMAID_CLASSES.items() if name in used]
    for name in MERMAID_CLASSES:
        if members := [node.id for node in graph.nodes if name in _classes(node)]:
            lines.append(f"  class {','.join(members)} {name}")
    if on_path := [str(number) for number, edge in enumerate(graph.edges) if edge.on_path]:
        lines.append(f"  linkStyle {','.join(on_path)} stroke:#1d4ed8")
    return "\n".join(lines) + "\n"


def to_dot(graph: Graph) -> str:
    """`graph` as a Graphviz digraph."""
    lines = [
        f"digraph {_dot_quoted(graph.title)} {{",
        "  rankdir=LR;",
        '  node [fontname="sans-serif", fontsize=11, style=filled, fillcolor="#ffffff", color="#94a3b8"];',
        '  edge [fontname="sans-serif", fontsize=9, arrowsize=0.7];',
        *(f"  {node.id} [{', '.join(_dot_attributes(node))}];" for node in graph.nodes),
        *(f"  {edge.source} -> {edge.target} [{_dot_arrow(edge)}];" for edge in graph.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _classes(node: Node) -> Iterator[str]:
    """The names of the styles of a node; later ones win."""
    if node.kind is Kind.FACT:
        yield node.mark.value if node.mark else "fact"
    elif node.kind is Kind.TOOL:
        yield "safe" if not node.severity else "highest" if node.severity > 0.3 else "risky"
    else:
        yield node.kind.value
    if node.position:
        yield "nextStep" if node.mark is Mark.NEXT else "onPath"


def _caption(node: Node) -> tuple[str, ...]:
    """The lines of a label: name, level of risk, place on the path."""
    numbered = f"{node.position}. {node.label}" if node.position else node.label
    return (numbered, node.note) if node.note else (numbered,)


def _mermaid_text(node: Node) -> str:
    return "<br/>".join(_mermaid_escaped(line) for line in _caption(node))


def _mermaid_escaped(text: str) -> str:
    """`text` with everything that Mermaid or the HTML in it could read as its own as a numbered entity."""
    return "".join(letter if letter.isalnum() or letter in " _.,:()=-/?!'" else f"#{ord(letter)};" for letter in visible(text))


def _dot_attributes(node: Node) -> Iterator[str]:
    yield f"label={_dot_quoted(chr(10).join(_caption(node)))}"
    yield f"shape={DOT_SHAPES[node.kind]}"
    styles = dict(
        part.split(":", 1) for name in _classes(node) for part in MERMAID_CLASSES[name].split(",") if not part.startswith("stroke-dash")
    )
    yield f'fillcolor="{styles["fill"]}"'
    yield f'color="{styles["stroke"]}"'
    if "color" in styles:
        yield f'fontcolor="{styles["color"]}"'
    if "stroke-width" in styles:
        yield f"penwidth={styles['stroke-width'].removesuffix('px')}"
    if node.mark is Mark.CLAIMED:
        yield 'style="filled,dashed"'


def _dot_arrow(edge: Edge) -> str:
    return f"{DOT_ARROWS[edge.relation]}{', penwidth=2.5' if edge.on_path else ''}"


def _dot_quoted(text: str) -> str:
    escaped = "\\n".join(visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return f'"{escaped}"'
