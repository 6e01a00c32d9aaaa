"""Written contracts watched: what runs do that they do not say, and what they say that runs do not do."""

from __future__ import annotations

import pytest

import toolplan
from toolplan.bench.learning.random_runs import runs
from toolplan.learning.drift import Finding, Kind, Monitor, drift
from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested, Result, Returned

SHIPPED = ("calendar", "email", "files", "contacts", "github", "refunds")
FILES = toolplan.load("files")
SHOP = toolplan.loads("""
domain shop "Orders"
type order
fact order_id: text "the order"
fact paid closed
fact refused closed
fact open(order) closed
fact packed(order)
fact label(order): text "what stands on the parcel"
fact note: text "what to write"
tool find calls "shop.find" { passes q from note produces order_id returns order_id = $.orders[*].id fails when $.error risk read }
tool pay calls "shop.pay" { requires order_id, not refused passes id = order_id produces oneof (paid or refused) risk write }
tool pack(o: order) calls "shop.pack" { requires open(o) produces packed(o), label(o) when paid removes open(o) risk write }
""")


def call(tool: str, known: str, since: str, result: Result | None = None, **arguments: object) -> Execution:
    """A call in a state and after it; `known` and `since` are facts with blanks between them."""
    return Execution("r", tool, arguments, result or Returned({}), before=frozenset(known.split()), after=frozenset(since.split()))


def told(records: list[Record]) -> list[tuple[Kind, str, str, int, int]]:
    return [(each.kind, each.tool, each.subject, each.count, each.cases) for each in drift(SHOP, records)]


@pytest.mark.parametrize("name", SHIPPED)
def test_runs_of_a_contract_do_not_differ_from_it(name: str) -> None:
    domain = toolplan.load(name)
    assert drift(domain, runs(domain, 10, 0, 5)) == []


def test_noise_differs_and_is_no_drift() -> None:
    found = drift(FILES, runs(FILES, 60, 0.05, 5))
    assert found
    assert not [str(each) for each in found if each.is_drift]


def test_a_requirement_that_is_not_needed_is_drift() -> None:
    stricter = toolplan.loads(
        'domain files "f"\ntype file\nfact found(file)\nfact seen(file)\nfact read(file)\ntool open(f: file) { requires found(f), seen(f) produces read(f) risk read }'
    )
    seen = [call("open", "found(a)", "found(a) read(a)", f="a")] * 6
    assert [(each.kind, each.subject, each.is_drift) for each in drift(stricter, seen)] == [(Kind.SUCCEEDED, "seen(f)", True)]


def test_a_requirement_that_is_not_written_is_drift_where_calls_fail_for_it() -> None:
    seen = [call("shop.pay", "order_id", "order_id", Failed("no card"))] * 6 + [call("shop.pay", "order_id", "order_id paid")] * 4
    assert told([*seen]) == [(Kind.FAILED, "shop.pay", "", 6, 10)]


def test_failures_that_the_contract_foresees_are_none() -> None:
    assert told([call("shop.pay", "order_id refused", "order_id refused", Failed("no")), call("shop.pay", "", "", Failed("no"))]) == []


def test_a_promise_that_is_not_kept_and_an_effect_that_nobody_promised() -> None:
    seen: list[Record] = [call("shop.pack", "open(o1)", "open(o1) paid", o="o1")] * 3
    assert told(seen) == [
        (Kind.MISSING, "shop.pack", "not open", 3, 3),
        (Kind.MISSING, "shop.pack", "packed", 3, 3),
        (Kind.UNDECLARED, "shop.pack", "paid", 3, 3),
    ]


def test_effects_under_conditions_are_expected_where_these_hold() -> None:
    assert told([call("shop.pack", "open(o1)", "packed(o1)", o="o1")]) == []
    assert told([call("shop.pack", "open(o1) paid", "packed(o1) paid", o="o1")]) == [(Kind.MISSING, "shop.pack", "label", 1, 1)]


def test_any_way_of_turning_out_will_do() -> None:
    assert told([call("shop.pay", "order_id", "order_id paid"), call("shop.pay", "order_id", "order_id refused")]) == []
    assert [kind for kind, *_ in told([call("shop.pay", "order_id", "order_id")])] == [Kind.MISSING]


def test_where_arguments_do_not_name_the_entities_any_will_do() -> None:
    assert told([call("shop.pack", "open(o1) open(o2)", "open(o1) packed(o2)", order="17")]) == []
    assert told([call("shop.pack", "packed(o1)", "packed(o1)", order="17")]) == [(Kind.SUCCEEDED, "shop.pack", "open(o)", 1, 1)]


def test_what_was_started_together_is_not_blamed_for_its_neighbours() -> None:
    both = frozenset(["packed(o1)", "paid"])
    assert told([Execution("r", "shop.pack", {"o": "o1"}, Returned(1), batch=2, before=frozenset(["open(o1)"]), after=both)]) == []


def test_unknown_tools_and_arguments() -> None:
    seen: list[Record] = [
        Requested("r", "pay"),
        *[Execution("r", "shop.cancel", {})] * 3,
        Execution("r", "shop.pay", {"id": 1, "tip": 2}),
        Ended("r", success=True),
    ]
    assert told(seen) == [(Kind.UNKNOWN_TOOL, "shop.cancel", "", 3, 3), (Kind.UNKNOWN_ARGUMENT, "shop.pay", "tip", 1, 1)]


def test_results_without_the_place_that_the_contract_reads() -> None:
    kept, empty, moved, error = {"orders": [{"id": "o1"}]}, {"orders": []}, {"items": [{"id": "o1"}]}, {"error": "down"}
    seen: list[Record] = [Execution("r", "shop.find", {"q": "x"}, Returned(value)) for value in (kept, empty, moved, error)]
    assert told(seen) == [(Kind.MISSING, "shop.find", "order_id", 1, 3)]


def test_drift_is_a_share_above_the_tolerance_and_never_a_single_call() -> None:
    assert not Finding(Kind.FAILED, "t", "", 1, 1, 0.1).is_drift
    assert Finding(Kind.FAILED, "t", "", 2, 2, 0.1).is_drift
    assert not Finding(Kind.FAILED, "t", "", 2, 20, 0.1).is_drift
    assert Finding(Kind.FAILED, "t", "", 40, 200, 0.1).is_drift
    assert not Finding(Kind.FAILED, "t", "", 40, 200, 0.2).is_drift


def test_drift_stands_first() -> None:
    seen = [call("shop.pay", "order_id", "order_id paid")] * 9 + [call("shop.pay", "order_id", "order_id", Failed(""))]
    seen += [call("shop.pack", "open(o1)", "open(o1)", o="o1")] * 9
    found = drift(SHOP, seen)
    assert [each.is_drift for each in found] == [True, True, False]
    assert str(found[2]) == "shop.pay: failed with all it requires, 1 of 10 calls (2-40%)"
    assert found[2].to_dict()["drift"] is False


def test_monitors_of_shards_add_up_in_any_order() -> None:
    seen = list(runs(FILES, 30, 0.2, 1))
    first, second = Monitor(FILES), Monitor(FILES)
    for record in reversed(seen[:150]):
        first.observe(record)
    for record in seen[150:]:
        second.observe(record)
    second.add(first)
    assert second.findings() == drift(FILES, seen)
