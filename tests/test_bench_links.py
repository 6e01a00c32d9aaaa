"""The benchmark of links, on extracts of its data."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import pytest

from toolplan.bench.links import golds, measure, tables
from toolplan.bench.links.chains import EXACT, chained, outcome
from toolplan.bench.links.figures import margins, scored
from toolplan.bench.links.fitting import AGAINST, FOR, fit
from toolplan.bench.links.gold import Chain, Edge, Gold, Pair, of_chains
from toolplan.bench.links.methods import GRAPH_TOOL_CALL, OURS, PACKAGE, by_name_and_type, graph_tool_call, methods
from toolplan.bench.links.misses import missed
from toolplan.catalog import RealTool
from toolplan.importing.linking.evidence import Evidence
from toolplan.importing.tools import imported

DATA = Path(__file__).parent / "data" / "links"
needs_graph_tool_call = pytest.mark.skipif(importlib.util.find_spec(PACKAGE) is None, reason="graph-tool-call is not installed")


@pytest.fixture(scope="module")
def by_name() -> Mapping[str, Gold]:
    return {gold.name: gold for gold in golds(DATA)}


def small(*linked: tuple[str, str], tools: str = "abc") -> Gold:
    pairs = frozenset(Pair(*pair) for pair in linked)
    every = frozenset(Pair(one, other) for one in tools for other in tools if one < other)
    return Gold("small", tuple(RealTool(name) for name in tools), pairs, every)


def test_the_golds_of_the_data(by_name: Mapping[str, Gold]) -> None:
    sizes = {name: (len(gold.tools), len(gold.linked), len(gold.judged), len(gold.chains)) for name, gold in by_name.items()}
    assert sizes == {
        "bfcl: hard edges": (10, 6, 14, 5),
        "bfcl: edges that pass data": (10, 5, 14, 4),
        "nestful: executable": (6, 3, 3, 3),
        "nestful: glaive": (8, 4, 4, 4),
        "taskbench: multimedia": (7, 12, 42, 0),
        "taskbench: multimedia, types described": (7, 12, 42, 0),
        "taskbench: huggingface": (6, 15, 30, 0),
        "taskbench: huggingface, types described": (6, 15, 30, 0),
        "tmdb: graph": (8, 20, 56, 0),
        "tmdb: gold paths": (8, 4, 5, 4),
    }


def test_every_gold_speaks_of_its_tools_and_judges_what_it_links(by_name: Mapping[str, Gold]) -> None:
    for gold in by_name.values():
        names = {tool.name for tool in gold.tools}
        assert gold.linked <= gold.judged
        assert all(pair.producer in names and pair.consumer in names and pair.producer != pair.consumer for pair in gold.judged)
        assert {pair for pair, _ in gold.arguments} <= gold.linked
        assert all(names.issuperset(chain.calls) and len(chain.given) == len(chain.calls) for chain in gold.chains)


def test_bfcl_tells_data_from_order(by_name: Mapping[str, Gold]) -> None:
    hard, data = by_name["bfcl: hard edges"], by_name["bfcl: edges that pass data"]
    assert Pair("cd", "cat") in hard.linked - data.linked
    assert (Pair("book_flight", "retrieve_invoice"), "booking_id") in data.arguments
    assert {tool.schema["type"] for tool in hard.tools} == {"object"}


def test_a_chain_falls_into_parts() -> None:
    calls, edges = ("a", "b", "c", "d", "e"), frozenset({Edge(0, 3, "x"), Edge(1, 2), Edge(3, 4)})
    chain = Chain("", calls, edges, tuple(frozenset({name}) for name in calls))
    first, second = chain.parts()
    assert first == Chain("", ("a", "d", "e"), frozenset({Edge(0, 1, "x"), Edge(1, 2)}), (frozenset("a"), frozenset("d"), frozenset("e")))
    assert second == Chain("", ("b", "c"), frozenset({Edge(0, 1)}), (frozenset("b"), frozenset("c")))


def test_pairs_of_recorded_requests_are_judged_in_their_order() -> None:
    chain = Chain("", ("a", "b", "a"), frozenset({Edge(0, 1, "x")}), (frozenset[str](),) * 3)
    gold = of_chains("", [RealTool("a"), RealTool("b")], [chain], [])
    assert (gold.linked, gold.judged) == ({Pair("a", "b")}, {Pair("a", "b"), Pair("b", "a")})


def test_precision_recall_and_f1() -> None:
    row = scored(small(("a", "b"), ("b", "c")), "one", frozenset({Pair("a", "b"), Pair("a", "c"), Pair("c", "a")}))
    assert (row.linked, row.proposed, row.right, row.f1) == (2, 2, 1, 0.5)
    assert (row.precision, row.recall) == ("50 (9-91)", "50 (9-91)")
    assert (row.proposed_in_all, row.f1_all_pairs) == (3, 0.4)
    nothing = scored(small(("a", "b")), "none", frozenset())
    assert (nothing.precision, nothing.recall, nothing.f1) == ("", "0 (0-79)", 0.0)


def test_margins_are_kept_or_not() -> None:
    gold = small(("a", "b"), ("b", "c"))
    all_of_it, half = frozenset({Pair("a", "b"), Pair("b", "c")}), frozenset({Pair("a", "b")})
    rows = [scored(gold, OURS, all_of_it), scored(gold, "name and type", half), scored(gold, GRAPH_TOOL_CALL, all_of_it)]
    found = [(row.gold, row.above, round(row.margin, 3), row.kept) for row in margins(rows)]
    assert found == [
        ("small", "name and type", 0.333, True),
        ("mean of all", "name and type", 0.333, True),
        ("small", GRAPH_TOOL_CALL, 0.0, False),
        ("mean of all", GRAPH_TOOL_CALL, 0.0, False),
    ]
    assert {row.above for row in margins(rows[:2])} == {"name and type"}


def test_by_name_and_type_wants_both() -> None:
    returns = {"properties": {"list": {"items": {"properties": {"eventId": {"type": "string"}}}}, "size": {"type": "number"}}}
    takes = {"properties": {"event_id": {"type": "string"}, "size": {"type": "string"}}}
    tools = [
        RealTool("a", results=returns),
        RealTool("b", schema=takes),
        RealTool("c", schema={"properties": {"size": {"type": "string"}}}),
    ]
    assert by_name_and_type(tools) == {Pair("a", "b")}


@needs_graph_tool_call
def test_graph_tool_call_finds_data_flow() -> None:
    """Its edges point from who needs to who is needed."""
    takes = {"type": "object", "properties": {"booking_id": {"type": "string"}}, "required": ["booking_id"]}
    returns = {"type": "object", "properties": {"booking_id": {"type": "string"}}}
    assert graph_tool_call([RealTool("cancel_booking", schema=takes), RealTool("book_flight", results=returns)]) == {
        Pair("book_flight", "cancel_booking")
    }


def test_ours_is_measured_beside_the_others(by_name: Mapping[str, Gold]) -> None:
    rows = measure(DATA)
    assert {row.gold for row in rows} == by_name.keys()
    assert [row.method for row in rows if row.gold == "nestful: executable"] == [*methods(), "toolplan, held out"]
    f1 = {(row.gold, row.method): row.f1 for row in rows}
    assert f1["nestful: executable", OURS] > f1["nestful: executable", "name and type"]
    assert f1["tmdb: gold paths", OURS] > 0.5
    assert f1["taskbench: multimedia", OURS] == f1["taskbench: multimedia", "name and type"] == 1
    told = "taskbench: multimedia, types described"
    assert (f1[told, OURS], f1[told, "name and type"]) == (1, 0)


def test_weights_are_the_same_each_time_and_have_the_sign_of_their_evidence(by_name: Mapping[str, Gold]) -> None:
    model = fit(by_name.values())
    assert model == fit(by_name.values())
    assert all(weight >= 0 for kind, weight in model.weights.items() if kind in FOR)
    assert all(weight <= 0 for kind, weight in model.weights.items() if kind in AGAINST)
    assert model.probability([Evidence.SAME_NAME]) > model.probability([Evidence.SAME_NAME, Evidence.ECHO])


def test_misses_have_kinds(by_name: Mapping[str, Gold]) -> None:
    found = {(row.what, row.why): row for row in missed(by_name["bfcl: hard edges"])}
    assert "cd -> cat" in found["missed", "order only: no value is passed"].examples
    takes_nothing = [row for row in missed(by_name["tmdb: graph"]) if row.why == "the tool takes nothing"]
    assert takes_nothing and all(example.split(" -> ")[1].startswith("Search") for example in takes_nothing[0].examples)


def test_a_chain_is_planned_exactly_or_not() -> None:
    text = {"type": "string"}

    def takes(*names: str) -> Mapping[str, object]:
        return {"type": "object", "properties": dict.fromkeys(names, text), "required": list(names)}

    tools = [
        RealTool("search_events", schema=takes("calendar_id"), hints={"readOnlyHint": True}, results={"properties": {"event_id": text}}),
        RealTool("get_event", schema=takes("event_id")),
        RealTool("get_weather", schema=takes("city")),
        RealTool("count_events", schema=takes("calendar_id")),
    ]
    bundle = imported(tools, name="calendar")
    questions = tuple(bundle.domain.asks)
    nothing = frozenset[str]()
    found = Chain("", ("search_events", "get_event"), frozenset({Edge(0, 1)}), (frozenset({"calendar_id"}), nothing))
    assert outcome(found, bundle, questions) == EXACT
    assert outcome(Chain("", found.calls, found.edges, (nothing, nothing)), bundle, questions) == "no plan"
    assert outcome(Chain("", found.calls, found.edges, (frozenset({"calendar_id"}), frozenset({"event_id"}))), bundle, questions) == (
        "without a call of the gold"
    )
    apart = Chain("", ("count_events", "get_event"), frozenset(), (frozenset({"calendar_id"}), nothing))
    assert outcome(apart, bundle, questions) == "more calls than the gold"
    assert outcome(Chain("", ("get_weather",), frozenset(), (nothing,)), bundle, ()) == "asks for a value"
    assert outcome(Chain("", ("get_weather", "get_weather"), frozenset(), (nothing, nothing)), bundle, ()) == "one tool is called twice"
    row = chained(Gold("", tuple(tools), frozenset(), frozenset(), chains=(found,)))
    assert (row.chains, row.linked, row.others) == (1, 1, ())
    assert row.exact == row.exact_linked == "100 (21-100)"


def test_all_tables() -> None:
    noted: list[str] = []
    shown = dict(tables(DATA, noted.append))
    assert list(shown) == [
        "Links between tools, against gold",
        "What is promised of F1, and what was measured",
        "What a confidence is worth",
        "Missed and wrong",
        "Gold chains, planned with imported contracts",
    ]
    assert all(rows and all(row.to_dict() for row in rows) for rows in shown.values())
    assert noted == ["links", "chains"]


def test_sets_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    assert golds(tmp_path) == ()
