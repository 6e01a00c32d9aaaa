"""Lines of traces: what they hold, what becomes of bad ones, and what redaction leaves of them."""

from __future__ import annotations

import json
from itertools import count, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.contracts import learned as learned_contracts
from toolplan.learning.entropy import entropies, sources, successors
from toolplan.learning.graph import learned
from toolplan.learning.redaction import redacted
from toolplan.learning.traces import UNKNOWN, Ended, Execution, Failed, Record, Requested, Returned, read, written

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
SECRET = "sk-live-4242"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=4), inside, max_size=3),
    max_leaves=8,
)
FACTS = st.none() | st.frozensets(st.text(max_size=6), max_size=3)
RECORDS = st.one_of(
    st.builds(Requested, st.text(max_size=4), st.text(max_size=8)),
    st.builds(Ended, st.text(max_size=4), st.booleans()),
    st.builds(
        Execution,
        st.text(max_size=4),
        st.text(min_size=1, max_size=4),
        st.dictionaries(st.text(max_size=4), JSON, max_size=3),
        st.builds(Returned, JSON) | st.builds(Failed, st.text(max_size=8)) | st.just(UNKNOWN),
        st.text(max_size=8),
        st.integers(0, 9),
        FACTS,
        FACTS,
        st.none() | st.floats(0.001, 100),
    ),
)


def reasons(text: str) -> list[str]:
    return [found.message.partition(": ")[2] for found in read(text.splitlines()) if isinstance(found, Diagnostic)]


def digests(record: Record, key: bytes = KEY) -> Record:
    (again,) = read([written(redacted(record, key))])
    assert not isinstance(again, Diagnostic)
    return again


@given(RECORDS)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_a_record_is_what_its_line_says(record: Record) -> None:
    line = written(record)
    assert line.isascii()
    assert "\n" not in line
    assert list(read([line])) == [record]


def test_values_without_a_form_in_json_are_written_as_text() -> None:
    (read_again,) = read([written(Execution("r", "t", {"when": KEY}))])
    assert isinstance(read_again, Execution)
    assert read_again.arguments == {"when": str(KEY)}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("1" * 5_000, "it is no JSON"),
        ("[]", "it names no `trace` or no `tool`"),
        ('{"tool": "t"}', "it names no `trace` or no `tool`"),
        ('{"trace": "r", "tool": 1}', "it names no `trace` or no `tool`"),
        ('{"trace": "r", "ended": "perhaps"}', "`ended` is `success` or `failure`, beside the `trace` that it ends"),
        ('{"trace": "r", "tool": "t", "arguments": "x"}', "the arguments of `t` are no object"),
        ('{"trace": "r", "tool": "t", "thought": 1}', "`thought` is a text, and `batch` a whole number"),
        ('{"trace": "r", "tool": "t", "before": "x"}', "`before` is a list of facts"),
        ('{"trace": "r", "tool": "t", "seconds": "x"}', "`seconds` is a number"),
    ],
)
def test_a_bad_line_is_left_out_and_the_next_is_read(line: str, reason: str) -> None:
    bad, good = read([line, '{"trace": "r", "tool": "t"}'])
    assert isinstance(bad, Diagnostic)
    assert (bad.code, bad.message) == (Code.BAD_TRACE, f"line 1 of the trace is left out: {reason}")
    assert good == Execution("r", "t", {})


def test_lines_are_read_one_at_a_time() -> None:
    endless = (f'{{"trace": "r{number}", "tool": "t"}}' for number in count())
    assert [record.trace for record in islice(read(endless), 3) if isinstance(record, Execution)] == ["r0", "r1", "r2"]


def test_numbers_that_json_has_no_form_for_are_null() -> None:
    assert list(read(['{"trace": "r", "tool": "t", "returned": [NaN, Infinity]}'])) == [Execution("r", "t", {}, Returned([None, None]))]


@pytest.mark.parametrize(
    "record",
    [
        Requested("r", SECRET),
        Requested(SECRET, ""),
        Ended(SECRET, success=True),
        Execution("r", "t", {"a": SECRET}),
        Execution("r", "t", {"a": {"b": [SECRET, {"c": SECRET}]}}),
        Execution("r", "t", {"a": {SECRET: 1}}),
        Execution("r", "t", {}, Returned(SECRET)),
        Execution("r", "t", {}, Returned(json.dumps({"a": SECRET, SECRET: 1}))),
        Execution("r", "t", {}, Returned({"users": {SECRET: {"age": 1}}})),
        Execution("r", "t", {}, Failed(SECRET)),
        Execution("r", "t", {}, thought=SECRET),
        Execution("r", "t", {}, before=frozenset({f"found({SECRET})"}), after=frozenset({f'sent("{SECRET}", x)'})),
        Execution("r", "t", {"a": SECRET * 100}),
    ],
    ids=str,
)
def test_no_secret_is_left(record: Record) -> None:
    assert SECRET in written(record)
    assert SECRET not in written(redacted(record, KEY))


def test_equal_values_stay_equal_under_one_key_and_types_are_told() -> None:
    def value(given: object, key: bytes = KEY) -> object:
        record = digests(Execution("r", "t", {"a": given}), key)
        assert isinstance(record, Execution)
        return record.arguments["a"]

    assert value("e17") == value("e17") != value("e18")
    assert value("e17") != value("e17", OTHER_KEY)
    assert value("17") != value(17)
    assert str(value("e17")).startswith("str:")
    assert str(value(17)).startswith("int:")
    assert str(value(1.5)).startswith("float:")
    # These tell nothing apart, and have no digest that would say that they do.
    assert [value(given) for given in (7, "", True, None, "x" * 1_000)] == [0, "", True, None, ""]


def test_names_of_fields_are_kept_and_names_that_are_data_are_not() -> None:
    people = {"alice": {"age": 30, "city": "Rome"}, "bob": {"age": 31, "city": "Oslo"}}
    given = {"address1": "x", "last_four": "x", "$ref": "x", "certificate_8544743": "x", "a@b.c": "x", "2026-01-01": "x", "people": people}
    record = digests(Execution("r", "t", {}, Returned(given)))
    assert isinstance(record, Execution)
    assert isinstance(record.result, Returned)
    left = record.result.value
    assert isinstance(left, dict)
    assert [name for name in left if ":" not in name] == ["address1", "last_four", "$ref", "people"]
    assert all(":" in name and list(person) == ["age", "city"] for name, person in left["people"].items())


def test_the_same_is_learned_of_inertia_from_redacted_records() -> None:
    records: list[Record] = []
    for number in range(20):
        run, id = f"run {number}", f"e{number}"
        listing = json.dumps({"events": [{"id": id, "size": 3}]})
        records += [
            Execution(run, "search", {"query": "dentist", "limit": 5}, Returned(listing)),
            Execution(run, "move", {"event": id}, Failed("no") if number % 7 == 0 else Returned({"ok": True})),
            Ended(run, success=number % 7 != 0),
        ]
    whole, left = learned(records), learned(digests(record) for record in records)
    assert whole == left
    assert [*entropies(left)] == [*entropies(whole)]
    assert [share.first for share in successors(left)] == ["move"]
    assert [share.first for share in sources(left)] == ["search / $.events[*].id"]


def test_the_same_contracts_are_learned_from_redacted_records() -> None:
    records: list[Record] = []
    for number in range(40):
        name, is_known = f"report {number}", number % 4 != 0
        before = frozenset({f"found({name})"} if is_known else ())
        result = Returned(None) if is_known else Failed("not found")
        records.append(
            Execution("r", "send", {"file": name}, result, before=before, after=before | {f"sent({name})"} if is_known else before)
        )
    found = list(learned_contracts(records))
    assert [rule.fact for rule in found[0].requires] == ["found(file)"]
    assert list(learned_contracts(digests(record) for record in records)) == found
