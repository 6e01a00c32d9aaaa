"""What contracts read from results: of the servers of the office domain, of every shape that frameworks give, and of hostile ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from jsonpath_rfc9535 import JSONPathEnvironment

import toolplan
from toolplan import DomainError
from toolplan.checks.lints import check_text
from toolplan.checks.results import path_error, readable_pattern
from toolplan.domain import Domain, Pattern, Performer, Tool
from toolplan.domain import Path as PathReader
from toolplan.language.loading import shipped_domains
from toolplan.session.results import Failed, Found, Nothing, Read, ResultReading, read_result

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ROOT = Path(__file__).parents[1]
OFFICE = toolplan.load(ROOT / "domains" / "office.toolplan")
RECORDED = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "tests" / "data" / "results").glob("*.json"))}
CALLED = [tool for tool in OFFICE.tools.values() if tool.performer is Performer.CALL]


def recorded(tool: Tool) -> Mapping[str, object]:
    return RECORDED[tool.evidence.server][tool.call_name]


def plain(reading: ResultReading) -> object:
    """The values by fact, None for nothing, `?` for in doubt; of a failure its reason."""
    if isinstance(reading, Failed):
        return reading.reason
    return {
        atom.fact: [match.value for match in finding.matches]
        if isinstance(finding, Found)
        else None
        if isinstance(finding, Nothing)
        else "?"
        for atom, finding in reading.facts.items()
    }


def office(name: str, case: str) -> object:
    tool = OFFICE.tools[name]
    return plain(read_result(OFFICE, tool, recorded(tool)[case], NOW, {}))


def domain(reads: str, kind: str = "") -> Domain:
    return toolplan.loads(f"fact value{kind}\ntool look {{ produces value {reads} risk read }}\ngoal see {{ achieves value }}")


def read(reads: str, raw: object, kind: str = "", **readers: object) -> ResultReading:
    made = domain(reads, kind)
    return read_result(made, made.tools["look"], raw, NOW, readers)  # type: ignore[arg-type]


def value(reads: str, raw: object, kind: str = "", **readers: object) -> object:
    found = plain(read(reads, raw, kind, **readers))
    return found["value"] if isinstance(found, dict) else found


def labels(reads: str, raw: object) -> list[str]:
    reading = read(reads, raw)
    assert isinstance(reading, Read)
    (finding,) = reading.facts.values()
    assert isinstance(finding, Found)
    return [match.label for match in finding.matches]


# What the servers of the office domain answer


@pytest.mark.parametrize("tool", CALLED, ids=lambda tool: tool.name)
def test_every_tool_has_recorded_results_and_sees_its_errors(tool: Tool) -> None:
    cases = recorded(tool)
    assert {"one", "error"} <= cases.keys()
    for case, raw in cases.items():
        failed = isinstance(read_result(OFFICE, tool, raw, NOW, {}), Failed)
        assert failed == (case in ("error", "not-found")), case


@pytest.mark.parametrize(
    ("tool", "case", "expected"),
    [
        ("find_main_calendar", "one", {"calendar_id": ["ana@example.com"]}),
        ("find_main_calendar", "none", {"calendar_id": None}),
        ("find_main_calendar", "five", {"calendar_id": [f"ana{number}@example.com" for number in range(1, 6)]}),
        ("search_events", "one", {"event_id": ["ev1"]}),
        ("search_events", "none", {"event_id": None}),
        ("search_events", "five", {"event_id": ["ev1", "ev2", "ev3", "ev4", "ev5"]}),
        ("search_events", "error", "MCP error -32600: Resource not found: Not Found"),
        ("check_slot", "none", {"free": [{"busy": []}], "busy": None}),
        ("check_slot", "one", {"free": None, "busy": [{"start": "2026-12-01T16:00:00+01:00", "end": "2026-12-01T17:00:00+01:00"}]}),
        ("check_slot", "not-found", "notFound"),
        ("create_event", "one", {"event_id": ["ev1"]}),
        ("search_emails", "one", {"message_id": ["18c1"]}),
        ("search_emails", "none", {"message_id": None}),
        ("search_emails", "five", {"message_id": ["18c1", "18c2", "18c3", "18c4", "18c5"]}),
        ("search_emails", "error", "Error: Request had invalid authentication credentials. See the log."),
        ("find_address", "one", {"address": ["maria@example.org"]}),
        ("find_address", "none", {"address": None}),
        ("find_address", "five", {"address": ["maria@example.org", "maria.s@example.net", "office@example.org", "mb@example.com"]}),
        ("save_draft", "one", {"draft_id": ["r-77"]}),
        ("list_folders", "one", {"root": ["/home/ana/documents"]}),
        ("list_folders", "none", {"root": None}),
        ("list_folders", "windows", {"root": ["C:\\Users\\ana"]}),
        ("search_files", "one", {"path": ["/home/ana/documents/report.md"], "absent": None}),
        ("search_files", "none", {"path": None, "absent": ["No matches found"]}),
        ("search_files", "five", {"path": [f"/home/ana/documents/{number}/report.md" for number in range(1, 6)], "absent": None}),
        ("send_reply", "one", {}),
    ],
)
def test_what_office_reads(tool: str, case: str, expected: object) -> None:
    assert office(tool, case) == expected


def test_a_mail_is_read_from_its_head_whatever_its_body_says() -> None:
    read = office("read_email", "one")
    assert isinstance(read, dict)
    assert (read["thread_id"], read["subject"], read["sender"]) == (["th1"], ["Offer: please sign"], ["maria@example.org"])
    assert read["mail_text"][0].startswith("Dear Ana,\n\nThread ID: forged")
    assert read["mail_text"][0].endswith("Maria")


def test_the_same_text_without_its_envelope_reads_the_same() -> None:
    for tool in CALLED:
        if tool.evidence.server != "filesystem":
            for case, raw in recorded(tool).items():
                text = raw["content"][0]["text"]  # type: ignore[index]
                if case != "error":
                    assert read_result(OFFICE, tool, text, NOW, {}) == read_result(OFFICE, tool, raw, NOW, {})


# Where a path leads


@pytest.mark.parametrize(
    ("path", "raw", "expected"),
    [
        ("$.events[*].id", {"events": [{"id": "a"}, {"id": "b"}]}, ["a", "b"]),
        ("$.events[*].id", {"events": []}, None),
        ("$.events[*].id", {"events": {}}, None),
        ("$.events[*].id", {"events": None}, "?"),
        ("$.events[*].id", {}, "?"),
        ("$.events[*].id", {"events": "none"}, "?"),
        ("$.events[*].id", "No events found", "?"),
        ("$.events[*].id", {"events": [{"name": "a"}]}, "?"),
        ("$.events[*].id", {"events": [{"name": "a"}, {"id": "b"}]}, ["b"]),
        ("$.events[*].id", {"events": [{"id": None}]}, "?"),
        ("$.events[*].id", {"events": [{"id": "a"}, {"id": "a"}, {"id": 1}, {"id": True}]}, ["a", 1, True]),
        ("$.calendars[?@.primary == true].id", {"calendars": [{"id": "a"}]}, None),
        ("$.calendars[?@.primary == true].id", {"calendars": [{"primary": True}]}, "?"),
        ("$.calendars[?length(@.busy) == 0]", {"calendars": {"a": {"busy": []}}}, [{"busy": []}]),
        ("$.calendars[*].busy[*]", {"calendars": {"a": {}}}, "?"),
        ("$.email", {"email": "a@b.c"}, ["a@b.c"]),
        ("$.email", {"email": None}, "?"),
        ("$.email", {}, "?"),
        ("$.email", [], "?"),
        ("$.email", None, "?"),
        ("$.rows", {"rows": []}, None),
        ("$.rows", {"rows": [1, 2]}, [[1, 2]]),
        ("$.items[0].id", {"items": []}, None),
        ("$.items[0].id", {"items": [{}]}, "?"),
        ("$..id", {"a": [{"id": 1}]}, [1]),
        ("$..id", {"a": []}, "?"),
        ("$..id", [], None),
        ("$[?length(@) == 0]", {"same": []}, [[]]),
        ("$.text", "in plain words", ["in plain words"]),
        ("$", "[1]", [[1]]),
    ],
)
def test_where_a_path_leads(path: str, raw: object, expected: object) -> None:
    assert value(f"returns value = {path}", raw) == expected


@pytest.mark.parametrize(
    ("raw", "fails"),
    [
        ({"error": "no"}, True),
        ({"error": {"message": "no"}}, True),
        ({"error": None}, False),
        ({"error": False}, False),
        ({"error": ""}, False),
    ],
)
def test_an_error_that_is_null_false_or_empty_is_none(raw: object, fails: bool) -> None:
    assert isinstance(read("fails when $.error", raw), Failed) == fails


def test_a_filter_may_look_for_what_is_false() -> None:
    assert isinstance(read("fails when $[?@ == false]", {"ok": False}), Failed)


# Patterns


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("ID: (?P<value>.*)", "ID:  7 \nID: 8", ["7", "8"]),
        ("ID: (?P<other>.*)", "ID: 7", ["7"]),
        ("(?P<a>x)(?P<value>y)", "xy", ["y"]),
        ("[0-9]+", "7 and 8", ["7", "8"]),
        ("ID: (?P<value>.*)", "", None),
        ("x*", "aaa", None),
        ("(?P<value>[^ ]+)é", "aé", ["a"]),
        ('"id":(?P<value>[0-9]+)', {"id": 7}, ["7"]),
        ("(?P<value>.+)", [{"type": "image", "data": ""}], "?"),
        ("(?P<value>.)x", "\ud800x", ["?"]),
    ],
)
def test_what_a_pattern_finds(pattern: str, text: object, expected: object) -> None:
    assert value(f"returns value = pattern {json.dumps(pattern, ensure_ascii=False)}", text) == expected


@pytest.mark.parametrize(
    ("reads", "code"),
    [
        ("returns value = $.a[", None),
        ("returns value = $.a.", "TP206"),
        ("fails when $.a[?@.b[*] == 1]", "TP206"),
        ('returns value = pattern "(?=a)"', "TP207"),
        ('returns value = pattern "(?P<a>.)(?P<b>.)"', "TP208"),
    ],
)
def test_what_cannot_be_read_is_an_error_of_the_contract(reads: str, code: str | None) -> None:
    with pytest.raises(DomainError) as raised:
        read(reads, "text")
    if code:
        assert [finding.code.number for finding in raised.value.diagnostics] == [code]


# What frameworks give back


@dataclass
class Event:
    id: str
    day: date


class Model:
    def model_dump(self, **_: object) -> dict[str, object]:
        return {"content": [{"type": "text", "text": '{"id": "a"}'}], "isError": False}


class Block:
    type = "text"

    def __init__(self, text: str) -> None:
        self.text = text

    def model_dump(self, **_: object) -> dict[str, object]:
        return {"type": "text", "text": self.text}


@pytest.mark.parametrize(
    "raw",
    [
        '{"id": "a"}',
        b'{"id": "a"}',
        b'\xef\xbb\xbf{"id": "a"}',
        {"id": "a"},
        Model(),
        Event("a", date(2026, 12, 1)),
        [{"type": "text", "text": '{"id":'}, {"type": "text", "text": '"a"}'}],
        [Block('{"id": "a"}')],
        {"content": [], "structuredContent": {"id": "a"}},
        {"content": [{"type": "text", "text": "in words"}], "structured_content": {"id": "a"}, "is_error": False},
        {"type": "tool", "content": '{"id": "a"}', "status": "success"},
        {"content": [{"type": "resource", "resource": {"uri": "x", "text": '{"id": "a"}'}}]},
    ],
)
def test_every_shape_is_one_json_value(raw: object) -> None:
    assert value("returns value = $.id", raw) == ["a"]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (ValueError("not now\nor ever"), "not now or ever"),
        (TimeoutError(), "TimeoutError"),
        ({"content": [{"type": "text", "text": "no"}], "isError": True}, "no"),
        ({"content": [{"type": "text", "text": "no"}], "is_error": True}, "no"),
        ({"type": "tool", "content": "no", "status": "error"}, "no"),
        ({"isError": True, "code": 7}, '{"isError":true,"code":7}'),
    ],
)
def test_what_failed_says_why(raw: object, reason: str) -> None:
    assert read("returns value = $.id", raw) == Failed(reason)


def test_text_in_blocks_comes_before_structured_content_for_patterns() -> None:
    raw = {"content": [{"type": "text", "text": "/a\n/b"}], "structuredContent": {"content": "/a\n/b"}}
    assert value('returns value = pattern "(?m)^/(?P<value>.)$"', raw) == ["a", "b"]


def test_a_host_reader_gets_the_json_and_may_find_fail_or_be_missing() -> None:
    reads = "returns value = by ids"
    assert value(reads, '{"a": [1, 2]}', ids=lambda result: result["a"]) == [1, 2]
    assert value(reads, "{}", ids=lambda result: None) is None
    assert value(reads, "{}", ids=lambda result: []) is None
    assert value(reads, "{}", ids=lambda result: result["a"]) == "?"
    assert value(reads, "{}") == "?"


# Labels


def test_a_label_is_what_tells_one_item_from_another() -> None:
    events = [{"id": "1", "kind": "event", "summary": "Dentist", "start": {"dateTime": "2026-12-01T16:00"}}, {"id": "2", "colour": "red"}]
    assert labels("returns value = $.events[*].id", {"name": "Ana", "events": events}) == ["Dentist, 2026-12-01T16:00", "red"]
    assert labels("returns value = $.items[*].owner.login", {"items": [{"name": "repo", "owner": {"login": "ana"}}]}) == ["repo"]
    assert labels("returns value = $.ids[*]", {"name": "Ana", "ids": ["1", "2"]}) == ["1", "2"]


def test_a_label_of_a_text_is_its_record() -> None:
    text = "ID: 1\nSubject: Offer\nFrom: a\n\nID: 2\nSubject: Bill\n"
    assert labels('returns value = pattern "ID: (?P<value>.*)"', text) == ["Subject: Offer, From: a", "Subject: Bill"]
    assert labels('returns value = pattern "(?m)^/(?P<value>.*)$"', "/a\n/b\n/c") == ["a", "b", "c"]


def test_a_label_is_one_short_line_without_what_is_not_seen() -> None:
    (label,) = labels(
        "returns value = $[*].id", [{"id": 1, "title": "a\nb\u202ec\x1b[31m" + "d" * 45, "name": "e" * 60, "summary": "f" * 60}]
    )
    assert label.startswith("a b c [31md")
    assert len(label) == 120
    assert label.endswith("...")


# Hostile results


def test_a_result_nested_too_deep_is_in_doubt() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert value("returns value = $.a", {"a": deep}) == "?"
    assert value("returns value = $..id", "[" * 100_000 + "]" * 100_000) == "?"
    assert value("returns value = $..id", "[" * 300 + "]" * 300) == "?"
    while deep:  # else its end would be as deep as it is
        deep = deep[0]  # type: ignore[assignment]


def test_a_result_that_holds_itself_or_no_json_is_in_doubt() -> None:
    loop: list[object] = []
    loop.append(loop)
    for raw in (loop, {"a": object()}, {"a": float("nan")}, {("a", 1): 2}):
        assert value("returns value = $.a", raw) == "?"
    for text in ('{"a": NaN}', '{"a": 1e999}', '{"a": [-1e999]}'):
        assert value("returns value = $.text", text) == [text]


class Broken(TimeoutError):
    """Breaks down when it is looked at, as lazy objects do."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class BrokenModel:
    def model_dump(self, **_: object) -> object:
        raise Broken


def test_a_result_that_breaks_down_when_it_is_looked_at_is_in_doubt() -> None:
    assert value("returns value = $.a", BrokenModel()) == "?"
    assert value("returns value = $.a", {"a": BrokenModel()}) == "?"
    assert read("returns value = $.a", Broken()) == Failed("Broken")

    def breaks_down(_: object) -> object:
        raise Broken

    assert value("returns value = by ids", "{}", ids=breaks_down) == "?"


def test_whatever_comes_back_something_has_become_of_the_call() -> None:
    for raw in (BrokenModel(), Broken(), '{"value": 1e999}', float("inf")):
        talk = toolplan.Session(domain("returns value = $.value"))
        talk.want("see")
        talk.observe("look", raw)
        assert not talk.running and talk.memory.outcomes


def test_an_object_with_every_attribute_that_it_is_asked_for_is_soon_in_doubt() -> None:
    made: list[object] = []

    class Anything:
        def __init__(self) -> None:
            made.append(self)

        def __getattr__(self, name: str) -> object:
            return Anything()

        def __call__(self, **_: object) -> object:
            return Anything()

    assert value("returns value = $.a", Anything()) == "?"
    assert len(made) < 10


def test_too_many_values_are_no_candidates() -> None:
    assert value("returns value = $[*]", list(range(10_001))) == "?"
    assert value('returns value = pattern "[0-9]+"', " ".join(map(str, range(10_001)))) == "?"


def test_no_text_makes_a_filter_slow() -> None:
    # An engine that goes back needs exponential time here: each `ab` more than doubles it.
    path = '$[?match(@, "((ab|a|b)*(b|a)*)*c?d?e*f|((ab|a|b)+c?)+d|(a|b|ab)*c(a|b|c)*[x-z]")]'
    assert value(f"returns value = {path}", {"text": "ab" * 100 + "c"}) is None


def test_a_regular_expression_in_a_filter_matches_as_i_regexp() -> None:
    assert value('returns value = $[?match(@, "a.c")]', {"x": "a\nc", "y": "abc"}) == ["abc"]
    assert value('returns value = $[?search(@, "b.")]', {"x": "abcd", "y": "ab"}) == ["abcd"]
    assert value('returns value = $[?match(@, "\\\\d")]', {"x": "1"}) is None
    assert value('returns value = $[?search(@, "$")]', {"x": "1", "y": "$"}) == ["$"]


# What `toolplan check` says of it, with or without the packages


@pytest.mark.parametrize("name", shipped_domains())
def test_all_that_ships_can_be_followed(name: str) -> None:
    shipped = toolplan.load(ROOT / "domains" / f"{name}.toolplan")
    environment = JSONPathEnvironment()
    for tool in shipped.tools.values():
        for path in (*tool.interface.fails_when, *(reader.text for _, reader in tool.interface.returns if isinstance(reader, PathReader))):
            environment.compile(path)
            assert path_error(path) is None
        for _, reader in tool.interface.returns:
            if isinstance(reader, Pattern):
                re2.compile(reader.text)
                assert not isinstance(readable_pattern(reader.text), str)


PIECES = [
    "$",
    ".a",
    "..",
    "[",
    "]",
    "*",
    "?",
    "@",
    "'b'",
    '"c"',
    "0",
    "-1",
    ":",
    ",",
    "==",
    "<",
    "&&",
    "||",
    "!",
    "(",
    ")",
    " ",
    "length(",
    "match(",
    "true",
    "1.5",
]
PARTS = [
    "a",
    "(",
    ")",
    "(?P<a>",
    "(?:",
    "(?i)",
    "(?=",
    "(?<!",
    "[",
    "]",
    "^",
    "-z",
    "\\d",
    "\\1",
    "\\Z",
    "\\b",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "|",
    "\\",
    ".",
    "$",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(lambda pieces: ("$" + "".join(pieces)).rstrip()))
def test_what_is_called_a_path_is_one_for_the_package(path: str) -> None:
    if path_error(path) is None:
        JSONPathEnvironment().compile(path)


@pytest.mark.parametrize(
    "path",
    [
        "$",
        "$.a.é_1",
        "$['a'][\"b\\u00e9\"][-1]",
        "$..a..*..[0, 'b']",
        "$[1:, :-1, ::2, *]",
        "$[?!(@.a || $.b[0] < 1.5e3) && @['c'] != null]",
        "$[?count(@..a) > 1 && value(@..b) == length(@.c)]",
        "$[?search(@.a, 'x') || !match(@.b, $.c)]",
        "$[?@[?@.a]]",
    ],
)
def test_paths_of_every_form_are_paths(path: str) -> None:
    assert path_error(path) is None


@given(st.lists(st.sampled_from(PARTS), max_size=10).map("".join))
def test_what_is_called_a_pattern_is_one_for_the_engine(pattern: str) -> None:
    options = re2.Options()
    options.log_errors = False
    if not isinstance(readable_pattern(pattern), str):
        re2.compile(pattern, options)


def test_the_finding_points_into_the_path() -> None:
    text = "fact a  tool look { produces a returns a = $.x[?@.y = 1] risk read }  goal see { achieves a }"
    (finding,) = check_text(text).diagnostics
    assert finding.location is not None
    assert text[slice(*finding.location.span)] == "= 1]"


def test_without_the_packages_the_core_works_and_a_result_names_the_command() -> None:
    program = """
import sys
sys.modules |= {"jsonpath_rfc9535": None, "re2": None}
import toolplan
from datetime import datetime
from toolplan.session.results import read_result
domain = toolplan.loads('fact a  tool look { produces a returns a = $.a risk read }  tool act { produces a risk read }')
print(read_result(domain, domain.tools["act"], "done", datetime.now(), {}))
try:
    read_result(domain, domain.tools["look"], "done", datetime.now(), {})
except toolplan.DomainError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert "Read(facts={})" in done.stdout, done.stderr
    assert "pip install 'toolplan[sessions]'" in done.stdout
