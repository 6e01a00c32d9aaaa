"""A graph as JSON, and back. The same graph gives the same text, whatever the order in which it was learned."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.learning.graph import Graph, Weight
from toolplan.learning.runs import LONGEST_WINDOW, Place

FORMAT = "toolplan-inertia"
VERSION = 1


def to_json(graph: Graph) -> str:
    """`graph` as the text that `from_json` reads."""
    sequences = [
        [list(before), tool, *weight] for before in sorted(graph.sequences) for tool, weight in sorted(graph.sequences[before].items())
    ]
    sources = [[*argument, *place, times] for argument in sorted(graph.sources) for place, times in sorted(graph.sources[argument].items())]
    data = {
        FORMAT: VERSION,
        "executions": dict(sorted(graph.executions.items())),
        "arguments": {tool: dict(sorted(names.items())) for tool, names in sorted(graph.arguments.items()) if names},
        "sequences": sequences,
        "sources": sources,
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def from_json(text: str | bytes, name: str = "the graph") -> Graph:
    """The graph of `text`, which is called `name`. Raises DomainError where it is none, or of a later version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise _unusable(f"{name} is no JSON") from None
    match data:
        case {"toolplan-inertia": int(version)} if version == VERSION:
            pass
        case {"toolplan-inertia": version}:
            raise _unusable(f"{name} has version {version}, and this is version {VERSION}")
        case _:
            raise _unusable(f"{name} is no graph that was learned")
    try:
        return _graph(data)
    except (KeyError, TypeError, ValueError):
        raise _unusable(f"{name} holds what is no count of a graph") from None


def merged(graphs: Iterable[Graph]) -> Graph:
    """One graph of all the runs that `graphs` were learned from."""
    together = Graph()
    for graph in graphs:
        together.add(graph)
    return together


def read_graphs(paths: Iterable[Path]) -> Graph:
    """One graph of those in the files `paths`. Raises DomainError, with what is wrong with each file."""
    findings: list[Diagnostic] = []
    graphs = []
    for path in paths:
        try:
            graphs.append(from_json(_read(path), quoted(str(path))))
        except DomainError as error:
            findings += error.diagnostics
    if findings:
        raise DomainError(findings)
    return merged(graphs)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: {reason}")]) from None


def _graph(data: Mapping[str, Any]) -> Graph:
    graph = Graph(Counter({_text(tool): _count(times) for tool, times in data["executions"].items()}))
    for tool, names in data["arguments"].items():
        graph.arguments[tool] = Counter({_text(name): _count(times) for name, times in names.items()})
    for before, tool, *weight in data["sequences"]:
        graph.sequences[_window(before)][_text(tool)] = Weight(*map(_count, _three(weight)))
    for tool, argument, source, at, times in data["sources"]:
        graph.sources[Place(_text(tool), _text(argument))][Place(_text(source), _text(at))] = _count(times)
    return graph


def _window(before: list[object]) -> tuple[str, ...]:
    if not 1 <= len(before) <= LONGEST_WINDOW:
        raise ValueError("a window of no length that is looked at")
    return tuple(_text(tool) for tool in before)


def _three(weight: list[object]) -> Iterator[object]:
    if len(weight) != len(Weight._fields):
        raise ValueError("a weight has three counts")
    return iter(weight)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no name")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("no count")
    return value


def _unusable(message: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_JSON, message, None, "`toolplan learn graph` writes one")])
