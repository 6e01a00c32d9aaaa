"""The multi-turn part of BFCL: which call fails without which earlier one, as found by running them in the simulators of its authors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from toolplan.bench.links.gold import Chain, Edge, Gold, of_chains
from toolplan.catalog import RealTool

DATA = "bfcl"
TYPES = {"dict": "object", "float": "number", "tuple": "array"}
"""The names of types that are not those of JSON schema."""


def read(folder: Path) -> Iterator[Gold]:
    """Two golds over the tools of all its servers: every edge, and those along which the later call takes a value of the earlier result."""
    listed = tools(folder)
    requests = [_chain(one) for one in json.loads((folder / "dependency_probe.json").read_text("utf-8"))]
    yield of_chains("bfcl: hard edges", listed, requests, [part for request in requests for part in request.parts()])
    passing = [Chain(one.request, one.calls, frozenset(edge for edge in one.edges if edge.argument), one.given) for one in requests]
    data = of_chains("bfcl: edges that pass data", listed, passing, [part for request in passing for part in request.parts()])
    yield replace(data, teaches=False)


def tools(folder: Path) -> list[RealTool]:
    """The tools of all servers."""
    listed = json.loads((folder / "tools.json").read_text("utf-8"))
    return [_tool(entry, origin) for origin, entries in listed.items() for entry in entries]


def _tool(entry: Mapping[str, object], origin: str) -> RealTool:
    schema, results = json_schema(entry["parameters"]), json_schema(entry.get("response", {}))
    assert isinstance(schema, dict) and isinstance(results, dict)
    return RealTool(str(entry["name"]), str(entry["description"]), schema, origin, {}, results)


def json_schema(written: object) -> object:
    """`written` with the types of JSON schema. A property may itself be called `type`."""
    if isinstance(written, Mapping):
        return {
            key: TYPES.get(value, value) if key == "type" and isinstance(value, str) else json_schema(value)
            for key, value in written.items()
        }
    return [json_schema(value) for value in written] if isinstance(written, list) else written


def _chain(probed: Mapping[str, object]) -> Chain:
    calls, needs = probed["calls"], probed["hard_deps"]
    assert isinstance(calls, list) and isinstance(needs, list)
    edges = frozenset(Edge(before, after, argument) for before, after in needs for argument in _passed(calls[before], calls[after]) or [""])
    filled = {(edge.consumer, edge.argument) for edge in edges}
    given = tuple(frozenset(name for name in call["kwargs"] if (place, name) not in filled) for place, call in enumerate(calls))
    return Chain(str(probed["id"]), tuple(call["name"] for call in calls), edges, given)


def passed_within(probed: Mapping[str, object], places: range) -> frozenset[tuple[int, str]]:
    """The arguments of calls at `places` whose value an earlier one of them returns that they fail without."""
    calls, needs = probed["calls"], probed["hard_deps"]
    assert isinstance(calls, list) and isinstance(needs, list)
    within = [(before, after) for before, after in needs if before in places and after in places]
    return frozenset((after, argument) for before, after in within for argument in _passed(calls[before], calls[after]))


def _passed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """The arguments of a call whose value is a whole value in the result of an earlier one, and not what that one was itself called with."""
    taken, given = before["kwargs"], after["kwargs"]
    assert isinstance(taken, dict) and isinstance(given, dict)
    returned = set(_scalars(json.loads(str(before["result"])))) - set(_scalars(taken))
    return [name for name, value in given.items() if set(_scalars(value)) & returned]


def _scalars(value: object) -> Iterator[str]:
    """The numbers and texts in a value, as texts: the same id is a number here and a text there."""
    match value:
        case dict():
            yield from (text for inside in value.values() for text in _scalars(inside))
        case list():
            yield from (text for inside in value for text in _scalars(inside))
        case bool() | None:
            return
        case _:
            yield str(value)
