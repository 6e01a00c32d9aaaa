"""NESTFUL: sequences of calls whose arguments refer to fields of earlier results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from toolplan.bench.links.gold import Chain, Edge, Gold, of_chains
from toolplan.catalog import RealTool

DATA = "nestful"
PARTS = ("executable", "glaive")
RESULT = "var_result"
"""The name of the call that only says what the answer is."""


def read(folder: Path) -> Iterator[Gold]:
    """A gold for each part: services on the web, all of them read by GET, and tools that were made up."""
    for part, its_tools in zip(PARTS, tools(folder), strict=True):
        tasks = json.loads((folder / f"{part}_tasks.json").read_text("utf-8"))
        chains = [_chain(task) for task in tasks]
        yield of_chains(f"nestful: {part}", its_tools, chains, chains)


def tools(folder: Path) -> Iterator[tuple[RealTool, ...]]:
    """The tools of each part."""
    for part in PARTS:
        yield tuple(_tool(entry) for entry in json.loads((folder / f"{part}_tools.json").read_text("utf-8")))


def _tool(entry: Mapping[str, object]) -> RealTool:
    given, returned = entry.get("query_parameters"), entry.get("output_parameters")
    properties = given if isinstance(given, dict) else {}
    schema = {
        "type": "object",
        "properties": {name: {key: value for key, value in inside.items() if key != "required"} for name, inside in properties.items()},
        "required": [name for name, inside in properties.items() if inside.get("required")],
    }
    results = {"type": "object", "properties": returned} if isinstance(returned, dict) and returned else {}
    hints = {"readOnlyHint": True} if entry.get("method") == "GET" else {}
    return RealTool(str(entry["name"]), str(entry.get("description") or ""), schema, str(entry.get("host") or ""), hints, results)


def _chain(task: Mapping[str, object]) -> Chain:
    output, needs = task["output"], task["data_deps"]
    assert isinstance(output, list) and isinstance(needs, list)
    calls = [call for call in output if call["name"] != RESULT]
    edges = frozenset(Edge(before, after, argument) for before, after, _, argument in needs)
    filled = {(edge.consumer, edge.argument) for edge in edges}
    given = tuple(frozenset(name for name in call["arguments"] if (place, name) not in filled) for place, call in enumerate(calls))
    return Chain(str(task["input"]), tuple(call["name"] for call in calls), edges, given)
