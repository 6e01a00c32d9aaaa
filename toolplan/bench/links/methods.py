"""Ways to propose links between tools, as pairs of tools."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence

from toolplan.bench.links.gold import Pair
from toolplan.catalog import RealTool
from toolplan.importing.linking import LIKELY, POSSIBLE
from toolplan.importing.linking.candidates import candidates
from toolplan.importing.linking.weights import FITTED, Model

Method = Callable[[Sequence[RealTool]], frozenset[Pair]]

OURS, LIKELY_ONLY, BY_NAME, GRAPH_TOOL_CALL = "toolplan", "toolplan, likely", "name and type", "graph-tool-call"
PACKAGE = "graph_tool_call"


def methods() -> Mapping[str, Method]:
    """By name, ours first. graph-tool-call is among them where it is installed."""
    known: dict[str, Method] = {OURS: ours, LIKELY_ONLY: lambda tools: ours(tools, least=LIKELY), BY_NAME: by_name_and_type}
    return known | ({GRAPH_TOOL_CALL: graph_tool_call} if importlib.util.find_spec(PACKAGE) else {})


def ours(tools: Sequence[RealTool], *, model: Model = FITTED, least: float = POSSIBLE) -> frozenset[Pair]:
    """The two tools of each candidate that is at least as likely as `least`."""
    return frozenset(Pair(one.producer, one.consumer) for one in candidates(tools) if model.probability(one.evidence) >= least)


def by_name_and_type(tools: Sequence[RealTool]) -> frozenset[Pair]:
    """Those where a field of a result, at any depth, is called like an argument, but for case and separators, and has its type."""
    fields: dict[tuple[str, str], set[str]] = {}
    for tool in tools:
        for name, kind in _fields(tool.results):
            fields.setdefault((_plain(name), kind), set()).add(tool.name)
    return frozenset(
        Pair(producer, tool.name)
        for tool in tools
        for name, schema in tool.properties.items()
        for producer in fields.get((_plain(name), _type(schema)), ())
        if producer != tool.name
    )


def _fields(schema: object) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, Mapping):
        return
    properties = schema.get("properties")
    for name, inside in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name), _type(inside)
        yield from _fields(inside)
    yield from _fields(schema.get("items"))


def _type(schema: object) -> str:
    return str(schema.get("type", "")) if isinstance(schema, Mapping) else ""


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def graph_tool_call(tools: Sequence[RealTool]) -> frozenset[Pair]:
    """Its edges that say `requires` or `precedes`, with the data flow between contracts, which it leaves out unless asked.

    Without that it finds three edges in all sets together.
    """
    # No dependency of ours, and without type hints.
    ingest = importlib.import_module(f"{PACKAGE}.graphify.ingest").ingest_openapi_graphify
    read = importlib.import_module(f"{PACKAGE}.ingest.mcp").ingest_mcp_tools
    graph, _ = ingest(read([_listed(tool) for tool in tools]), promote_contract_signals=True)
    return frozenset(pair for edge in graph.graph.edges() for pair in _directed(*edge))


def _directed(one: str, other: str, attributes: Mapping[str, object]) -> Iterator[Pair]:
    relation = attributes["relation"]
    match getattr(relation, "value", relation):
        case "requires":
            yield Pair(other, one)
        case "precedes":
            yield Pair(one, other)


def _listed(tool: RealTool) -> Mapping[str, object]:
    """The tool as a server lists it."""
    results = {"outputSchema": dict(tool.results)} if tool.results else {}
    return {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.schema), **results}
