"""TaskBench: graphs over tools whose inputs and outputs have a type of resource, and the paths of RestBench through the API of TMDB."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from toolplan.bench.links.gold import Chain, Edge, Gold, Pair, of_chains, of_graph
from toolplan.catalog import RealTool

DATA = "taskbench"
GRAPHS = ("multimedia", "huggingface")
TMDB = "restbench_tmdb"
STRING: Mapping[str, object] = {"type": "string"}


def read(folder: Path) -> Iterator[Gold]:
    """Two golds for each graph, one for TMDB's, and one for the gold paths through TMDB.

    A graph links what has one type. Where types are names, matching names and types is all of it.
    """
    for name in GRAPHS:
        graph = _json(folder / name / "graph_desc.json")
        yield of_graph(f"taskbench: {name}", [_named(node) for node in graph["nodes"]], _links(graph))
        told = of_graph(f"taskbench: {name}, types described", [_described(node) for node in graph["nodes"]], _links(graph))
        yield replace(told, teaches=False)
    nodes = _json(folder / TMDB / "tool.json")["nodes"]
    tools = [_templated(node) for node in nodes]
    arguments = {tool.name: tool.required for tool in tools}
    chains = [_chain(entry, arguments) for entry in json.loads((folder / TMDB / "gold.json").read_text("utf-8"))]
    yield replace(of_graph("tmdb: graph", tools, _links(_json(folder / TMDB / "graph_desc.json"))), teaches=False)
    yield of_chains("tmdb: gold paths", tools, chains, chains)


def _json(path: Path) -> Mapping[str, Sequence[Mapping[str, object]]]:
    read: Mapping[str, Sequence[Mapping[str, object]]] = json.loads(path.read_text("utf-8"))
    return read


def _links(graph: Mapping[str, Sequence[Mapping[str, object]]]) -> Iterator[Pair]:
    return (Pair(str(link["source"]), str(link["target"])) for link in graph["links"])


def _named(node: Mapping[str, object]) -> RealTool:
    """A tool whose arguments and result are named by their types, the second of one type with a number."""
    taken, given = _types(node)
    names = [kind if kind not in taken[:place] else f"{kind}_{place + 1}" for place, kind in enumerate(taken)]
    return _tool(node, {name: STRING for name in names}, {name: STRING for name in given})


def _described(node: Mapping[str, object]) -> RealTool:
    """The same tool, whose arguments and result have no telling names, and are described by their types."""
    taken, given = _types(node)
    return _tool(node, _described_as("input", taken), _described_as("output", given))


def _described_as(name: str, kinds: Sequence[str]) -> Mapping[str, object]:
    return {f"{name}_{place}": {**STRING, "description": kind} for place, kind in enumerate(kinds, 1)}


def _types(node: Mapping[str, object]) -> tuple[list[str], list[str]]:
    taken, given = node["input-type"], node["output-type"]
    assert isinstance(taken, list) and isinstance(given, list)
    return taken, given


def _tool(node: Mapping[str, object], takes: Mapping[str, object], returns: Mapping[str, object]) -> RealTool:
    results = _object(returns) if returns else {}
    return RealTool(str(node["id"]), str(node["desc"]), _object(takes), DATA, {}, results)


def _templated(node: Mapping[str, object]) -> RealTool:
    """A tool that takes what its path has in braces. Nothing is known of its result."""
    names = re.findall(r"\{(\w+)\}", str(node["raw"]))
    return RealTool(str(node["id"]), str(node["desc"]), _object({name: STRING for name in names}), TMDB, {"readOnlyHint": True})


def _object(properties: Mapping[str, object]) -> Mapping[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _chain(entry: Mapping[str, object], arguments: Mapping[str, Sequence[str]]) -> Chain:
    """A path, on which each call takes something of the one before. Of what it takes, the request gives all but ids."""
    nodes = entry["task_nodes"]
    assert isinstance(nodes, list)
    calls = tuple(node["task"] for node in nodes)
    given = tuple(frozenset(name for name in arguments[call] if not name.endswith("_id")) for call in calls)
    return Chain(str(entry["user_request"]), calls, frozenset(Edge(*places) for places in pairwise(range(len(calls)))), given)
