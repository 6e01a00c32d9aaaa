"""Lists of tools brought into the language: every shape is taken, nothing is rewritten, and no word of a server makes a tool less risky."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolplan import Clarify, DomainError, Session, plan
from toolplan.catalog import Catalog, RealTool, real_tools
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas, read_tools
from toolplan.domain import Domain, Free, Literal, ValueType
from toolplan.gate import Allow, Gate, Hold, ToolCall
from toolplan.importing.files import listing_of, read_listing
from toolplan.importing.tools import Imported, Rater, Trust, imported
from toolplan.language.codes import Code, Severity
from toolplan.language.formatter import format_source
from toolplan.language.source import Source

DATA = Path(__file__).parent / "data"
LINEAR = DATA / "mcp_imports" / "linear.json"
BELIEVING, UNBELIEVING = Rater(Trust.HINTS), Rater()


def entry(name: str, properties: object = None, *required: str, **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties or {}, "required": list(required)}, **more}


def imports(*entries: object, rater: Rater = UNBELIEVING) -> Imported:
    """What becomes of the tools, which has to pass `check --tools` as it is."""
    tools = real_tools(list(entries))
    made = imported(tools, name="server", rater=rater)
    resolved = lints.check_text(made.text)
    findings = [*resolved.diagnostics, *against_schemas(resolved, Catalog(tools))]
    assert not [str(finding) for finding in findings if finding.severity is not Severity.NOTE]
    assert format_source(Source("server", made.text)) == made.text
    return made


def steps(domain: Domain, goal: str, state: str = "") -> list[str]:
    planned = plan(domain, state=state, goal=goal)
    return [step.action for step in planned.steps]


def kind(made: Imported, fact: str) -> ValueType | None:
    return made.domain.facts[fact].value


# What a tool becomes


def test_a_tool_can_be_used_at_once() -> None:
    made = imports(
        entry("send-mail", {"to": {"type": "string", "format": "email"}, "cc": {"type": "string"}}, "to", description="Send a mail.")
    )
    tool = made.domain.tools["send_mail"]
    assert (tool.call_name, tool.description, tool.risk) == ("send-mail", "Send a mail.", "delete")
    assert kind(made, "send_mail_to") == ValueType("email")
    assert steps(made.domain, "send_mail") == ["ask_send_mail_to", "send_mail"]
    assert steps(made.domain, "send_mail", "send_mail_to") == ["send_mail"]
    assert made.domain.goals["send_mail"].phrases == ("send mail", "send a mail")
    assert made.domain.asks["ask_send_mail_to"].question == "What is the to?"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, ValueType("text")),
        ({"type": "integer"}, ValueType("integer")),
        ({"type": "number"}, ValueType("decimal")),
        ({"type": "boolean"}, ValueType("boolean")),
        ({"type": "string", "format": "date"}, ValueType("date")),
        ({"type": "string", "format": "date-time"}, ValueType("datetime")),
        ({"type": "string", "format": "duration"}, ValueType("duration")),
        ({"type": "string", "format": "uri"}, ValueType("url")),
        ({"type": "string", "format": "uuid"}, ValueType("text")),
        ({"type": "string", "enum": ["a", "b"]}, ValueType("enum", ("a", "b"))),
        ({"enum": ["a", "b", None]}, ValueType("enum", ("a", "b"))),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, ValueType("enum", ("a", "b"))),
        ({"enum": [1, 2], "type": "integer"}, ValueType("integer")),
        ({"type": ["null", "integer"]}, ValueType("integer")),
        ({"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "string"}}, {"type": "string"}]}, ValueType("text")),
        ({"allOf": [{"$ref": "#/$defs/day"}]}, ValueType("date")),
        ({"$ref": "#/$defs/day"}, ValueType("date")),
        ({"$ref": "#/$defs/nowhere"}, None),
        ({"$ref": "#/$defs/loop"}, None),
        ({"$ref": "https://example.org/schema"}, None),
        ({}, None),
        (True, None),
    ],
)
def test_a_fact_has_the_type_of_its_argument(schema: object, value: ValueType | None) -> None:
    tool = entry("put_it", {"some_thing": schema}, "some_thing")
    shape = tool["inputSchema"]
    assert isinstance(shape, dict)
    shape["$defs"] = {"day": {"type": "string", "format": "date"}, "loop": {"$ref": "#/$defs/loop"}}
    assert kind(imports(tool), "some_thing") == value


def test_a_list_is_a_fact_of_many_values_and_what_is_composed_is_left_to_the_model() -> None:
    properties = {
        "tag_names": {"type": "array", "items": {"type": "string"}},
        "rows": {"type": "array", "items": {"type": "object"}},
        "filter": {"type": "object"},
        "mode": {"const": "full"},
        "page": {"type": "integer"},
    }
    made = imports(entry("write_rows", properties, "tag_names", "rows", "filter", "mode"))
    assert made.domain.facts["tag_names"].many
    assert "rows free, filter free" in made.text
    assert made.domain.tools["write_rows"].interface.passes["mode"] == Literal("full")
    assert "write_rows.rows" in next(point.names for point in made.open_points if "write" in point.message and "model" in point.message)


# Which arguments are one fact


def test_arguments_that_identify_or_are_described_alike_are_one_fact() -> None:
    owner = {"type": "string", "description": "Repository owner"}
    also = {"type": "string", "description": "The owner of the repository (user or organisation)."}
    number = {"type": "integer", "description": "The number of the issue"}
    made = imports(
        entry("read_issue", {"owner": owner, "issue_number": number}, "owner", "issue_number"),
        entry("close_issue", {"owner": also, "issueNumber": {"type": "integer"}}, "owner", "issueNumber"),
    )
    assert {"owner", "issue_number"} <= set(made.domain.facts)
    assert steps(made.domain, "read_issue, close_issue").count("ask_owner") == 1


def test_words_that_say_too_little_are_no_fact_of_two_tools() -> None:
    made = imports(entry("make_team", {"name": {"type": "string"}}, "name"), entry("make_label", {"name": {"type": "string"}}, "name"))
    assert {"make_team_name", "make_label_name"} <= set(made.domain.facts)


def test_two_arguments_of_one_tool_are_two_facts() -> None:
    account = {"type": "object", "properties": {"account_id": {"type": "string"}}}
    results = {"type": "object", "properties": {"accounts": {"type": "array", "items": account}}}
    taken = {
        name: {"type": "string", "description": "The account"} for name in ("from_account_id", "to_account_id", "account_id", "accountId")
    }
    made = imports(entry("list_accounts", outputSchema=results), entry("transfer_money", taken, *taken))
    passes = made.domain.tools["transfer_money"].interface.passes
    assert len(set(map(str, passes.values()))) == len(taken)


# Links


def issues(**hints: object) -> list[dict[str, object]]:
    results = {
        "type": "object",
        "properties": {"issues": {"type": "array", "items": {"type": "object", "properties": {"issue_id": {"type": "string"}}}}},
    }
    wanted = {"issue_id": {"type": "string", "description": "The id of the issue"}}
    return [
        entry("list_issues", {}, outputSchema=results, annotations=hints, description="List the issues."),
        entry(
            "create_issue",
            {},
            outputSchema={"type": "object", "properties": {"issue_id": {"type": "string"}}},
            description="Create an issue.",
        ),
        entry("close_issue", wanted, "issue_id", description="Close an issue."),
    ]


def test_a_linked_argument_is_looked_up_and_the_link_says_why() -> None:
    made = imports(*issues(readOnlyHint=True), rater=BELIEVING)
    assert steps(made.domain, "close_issue") == ["list_issues", "close_issue"]
    assert "returns  issue_id = $.issues[*].issue_id" in made.text
    assert re.search(r"^# issue_id: from `list_issues`, `\$\.issues\[\*\]\.issue_id` \(0\.\d\d: ", made.text, re.MULTILINE)
    assert [(link.producer, link.consumer) for link in made.links] == [("list_issues", "close_issue")]


def test_nothing_is_made_for_the_sake_of_its_identifier() -> None:
    made = imports(*issues()[1:])
    assert "issue_id" in {effect.atom.fact for effect in made.domain.tools["create_issue"].produces}
    assert steps(made.domain, "close_issue") == ["ask_issue_id", "close_issue"]


def test_a_conversation_needs_nothing_but_the_import() -> None:
    catalog = read_tools(LINEAR)
    session = Session(imported(list(catalog.values()), name="linear", rater=BELIEVING).domain, catalog=catalog)
    gate = Gate(session)
    gate.hear("archive an issue")
    assert gate.next().tools == ("linear_getIssues",)
    listed = gate.check(ToolCall("1", "linear_getIssues", {"limit": 5}))
    assert isinstance(listed, Allow)
    gate.observe(listed.permit, {"items": [{"id": "A-1", "title": "Broken"}, {"id": "A-2", "title": "Old"}]})
    assert isinstance(gate.next().decision, Clarify)
    gate.answer(1)
    gate.next()
    held = gate.check(ToolCall("2", "linear_archiveIssue", {"issueId": "A-2"}))
    assert isinstance(held, Hold)
    assert 'issueId = "A-2" (user)' in held.question.text


# Risk


@pytest.mark.parametrize(
    ("name", "hints", "unbelieved", "believed"),
    [
        ("list_notes", {}, "delete", "delete"),
        ("list_notes", {"readOnlyHint": True}, "delete", "read"),
        ("list_notes", {"readOnlyHint": True, "destructiveHint": True}, "delete", "delete"),
        ("save_note", {"readOnlyHint": False}, "delete", "delete"),
        ("save_note", {"destructiveHint": False}, "delete", "write"),
        ("save_note", {"destructiveHint": None}, "delete", "delete"),
        ("save_note", {"destructiveHint": "no"}, "delete", "delete"),
        ("delete_note", {"readOnlyHint": True}, "delete", "delete"),
        ("deleteNote", {"destructiveHint": False}, "delete", "delete"),
        ("list_delete_requests", {"readOnlyHint": True}, "delete", "read"),
    ],
)
def test_a_missing_hint_is_destructive_and_no_claim_lowers_a_risk_unbelieved(
    name: str, hints: object, unbelieved: str, believed: str
) -> None:
    tool = entry(name, annotations=hints)
    assert imports(tool).domain.tools[imports(tool).names.tools[name]].risk == unbelieved
    made = imports(tool, rater=BELIEVING)
    assert made.domain.tools[made.names.tools[name]].risk == believed


def test_a_hint_that_a_name_contradicts_is_a_finding() -> None:
    (finding,) = imports(entry("delete_all", annotations={"readOnlyHint": True}), rater=BELIEVING).warnings
    assert (finding.code, finding.severity) == (Code.CONTRADICTS_HINT, Severity.WARNING)
    assert "`delete_all`" in finding.message
    assert not imports(entry("list_all", annotations={"readOnlyHint": True}), rater=BELIEVING).warnings


def test_every_tool_of_the_gravest_risk_is_confirmed() -> None:
    domain = imports(entry("list_notes"), entry("delete_notes")).domain
    assert all(domain.risk_of(tool).confirm is not None for tool in domain.tools.values())


def test_the_open_points_stand_at_the_head_and_say_which_tools() -> None:
    made = imports(entry("a_b"), entry("c_d", annotations={"readOnlyHint": True}))
    assert [(point.message.split(" ")[0], point.names) for point in made.open_points] == [("rated", ("a_b",)), ("rated", ("c_d",))]
    head = made.text.partition("domain ")[0]
    assert "`a_b`" in head
    assert "`c_d`" in head
    assert all(line.startswith("#") for line in head.splitlines())


# Names


def test_names_that_are_no_identifiers_are_mapped_and_survive() -> None:
    names = ["a.b", "a-b", "a b", "a_b", "カレンダー", "Ünï.çode", "1st", "tool", "not", 'quo"te', "new\nline", "a{b}"]
    made = imports(*(entry(name, {"some value": {"type": "string"}}, "some value") for name in names))
    assert [tool.call_name for tool in made.domain.tools.values()] == names
    assert [made.names.tools[name] for name in names[:4]] == ["a_b_2", "a_b_3", "a_b_4", "a_b"]
    assert "some value" in made.domain.tools["a_b"].interface.passes


def test_names_that_deceive_or_are_too_long_are_left_to_check() -> None:
    made = imported(real_tools([entry("x" * 200), entry("\u202eevil")]), name="server")
    findings = [finding for finding in lints.check_text(made.text).diagnostics if finding.severity is not Severity.NOTE]
    assert [finding.code for finding in findings] == [Code.TOO_LONG_NAME, Code.INVISIBLE_CHARACTER]


@settings(max_examples=40, deadline=None)
@given(st.one_of(st.text(min_size=1, max_size=8), st.sampled_from(["a b", "it's", 'a"b', "a}b", "a,b", "$", "a.b", "item id", "item\nid"])))
def test_a_result_of_any_name_is_read_where_it_lies(name: str) -> None:
    inside = {"type": "object", "properties": {name: {"type": "string"}, "item_id": {"type": "string"}}}
    results = {"type": "object", "properties": {name: inside, "items": {"type": "array", "items": inside}}}
    taken = {name: {"type": "string", "description": "the same thing"}, "item_id": {"type": "string"}}
    tools = real_tools([entry("list_items", outputSchema=results), entry("get_item", taken, *taken)])
    made = imported(tools, name="server")
    resolved = lints.check_text(made.text)
    findings = [*resolved.diagnostics, *against_schemas(resolved, Catalog(tools))]
    assert not [str(finding) for finding in findings if finding.severity is Severity.ERROR]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(DomainError) as caught:
        imported(real_tools([entry("same"), entry("same")]), name="server")
    assert [finding.code for finding in caught.value.diagnostics] == [Code.NAME_CLASH]


# Shapes

SCHEMA = {"type": "object", "properties": {"city_name": {"type": "string"}}, "required": ["city_name"]}
SHAPES = {
    "mcp": {"tools": [{"name": "get_weather", "inputSchema": SCHEMA}]},
    "mcp envelope": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "get_weather", "inputSchema": SCHEMA}]}},
    "openai chat": [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}],
    "openai responses": [{"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": True}],
    "anthropic": [{"name": "get_weather", "input_schema": SCHEMA}],
    "gemini": [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": SCHEMA}]}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lists_of_every_provider_mean_the_same(shape: str) -> None:
    tools = real_tools(SHAPES[shape])
    assert imported(tools, name="server").text == imported(real_tools(SHAPES["mcp"]), name="server").text


ODD = {
    "definitions": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "$defs": {"A": {"type": "integer"}}},
    "several types": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
    "additional properties": {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
    "no properties": {"type": "object"},
    "words of OpenAPI": {
        "properties": {
            "a": {"type": "string", "nullable": True, "example": "x", "readOnly": False},
            "b": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["a", "b"],
    },
    "required null": {"type": "object", "properties": {"a": {"type": "string"}}, "required": None},
    "true": True,
    "nothing": None,
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_schemas_are_taken_as_they_are(odd: str, tmp_path: Path) -> None:
    imports({"name": "odd_tool", "inputSchema": ODD[odd]})
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"tools": [{"name": "odd_tool", "inputSchema": ODD[odd]}]}), "utf-8")
    assert read_listing(path).kept == path.read_bytes()
    if isinstance(ODD[odd], dict):
        assert read_listing(path).tools[0].schema == ODD[odd]


@pytest.mark.parametrize(
    ("odd", "facts"),
    [
        ("definitions", {"odd_tool_a": ValueType("integer")}),
        ("several types", {"odd_tool_a": ValueType("text")}),
        ("additional properties", {}),
        ("no properties", {}),
        ("words of OpenAPI", {"odd_tool_a": ValueType("text"), "odd_tool_b": ValueType("text")}),
    ],
)
def test_what_an_odd_schema_requires_is_a_fact(odd: str, facts: dict[str, ValueType]) -> None:
    found = imports({"name": "odd_tool", "inputSchema": ODD[odd]}).domain.facts
    assert {name: fact.value for name, fact in found.items() if name != "odd_tool_done"} == facts


HALF = "cut \ud83d"


@pytest.mark.parametrize("schema", [{"type": "string", "description": HALF}, {"enum": [HALF, "whole"]}, {"enum": [HALF, "cut \ud83e"]}])
def test_half_a_character_costs_itself_and_not_the_list(schema: object) -> None:
    made = imports(entry("send_note", {"note_text": schema}, "note_text", description=HALF))
    assert made.domain.tools["send_note"].description == "cut ?"
    assert made.domain.facts["note_text"].value in (None, ValueType("text"))


@pytest.mark.parametrize("value", [HALF, int("9" * 101), -int("9" * 100)])
def test_one_value_that_the_language_cannot_write_is_left_to_the_model(value: object) -> None:
    for schema in ({"const": value}, {"enum": [value]}):
        assert imports(entry("send_note", {"kind": schema}, "kind")).domain.tools["send_note"].interface.passes["kind"] == Free()


@pytest.mark.parametrize("value", [int("9" * 100), -int("9" * 99)])
def test_a_number_as_long_as_the_language_can_write_is_passed(value: int) -> None:
    made = imports(entry("send_note", {"kind": {"const": value}}, "kind"))
    assert made.domain.tools["send_note"].interface.passes["kind"] == Literal(value)


# Properties

TEXTS = st.text(max_size=12)
NAMES = st.one_of(TEXTS.filter(bool), st.sampled_from(["get_item", "delete-item", "item.list", "not", "a b"]))
LEAVES = st.one_of(
    st.sampled_from(
        [{"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}, {"$ref": "#/$defs/A"}, {"const": "x"}, True, {}, None]
    ),
    st.builds(
        lambda options: {"enum": options}, st.lists(st.one_of(TEXTS, st.integers(), st.none(), st.floats(allow_nan=False)), max_size=4)
    ),
    st.builds(lambda text: {"type": "string", "description": text}, TEXTS),
    st.just({"type": "integer", "maximum": 10**40, "default": 1.50}),
)
SCHEMAS = st.one_of(
    st.sampled_from([*ODD.values()]),
    st.builds(
        lambda properties, more: {
            "type": "object",
            "properties": properties,
            "required": [*properties][more:],
            "$defs": {"A": {"enum": ["y"]}},
        },
        st.dictionaries(NAMES, LEAVES, max_size=4),
        st.integers(0, 2),
    ),
)
ENTRIES = st.builds(
    lambda name, description, schema, hints: {"name": name, "description": description, "inputSchema": schema, "annotations": hints},
    NAMES,
    st.one_of(st.none(), st.text(max_size=40)),
    SCHEMAS,
    st.dictionaries(st.sampled_from(["readOnlyHint", "destructiveHint", "idempotentHint"]), st.booleans()),
)
LISTS = st.lists(ENTRIES, max_size=4, unique_by=lambda made: made["name"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LISTS, st.sampled_from(Trust))
def test_whatever_a_server_lists_passes_check_and_comes_back(entries: list[dict[str, object]], trust: Trust) -> None:
    tools = real_tools(json.loads(json.dumps(entries)))
    made = imported(tools, name="server", rater=Rater(trust))
    resolved = lints.check_text(made.text)
    findings = [*resolved.diagnostics, *against_schemas(resolved, Catalog(tools))]
    assert not [str(finding) for finding in findings if finding.severity is Severity.ERROR]
    assert format_source(Source("server", made.text)) == made.text
    assert [tool.call_name for tool in made.domain.tools.values()] == [tool.name for tool in tools]
    assert trust is Trust.HINTS or all(tool.risk == "delete" for tool in made.domain.tools.values())
    assert real_tools(json.loads(listing_of(tools).kept)) == [
        RealTool(t.name, t.description, t.schema, "", t.hints, t.results) for t in tools
    ]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS, st.integers(0, 3), st.booleans())
def test_a_list_is_kept_byte_for_byte(tmp_path: Path, entries: list[dict[str, object]], indent: int, escaped: bool) -> None:
    path = tmp_path / "listing.json"
    path.write_bytes(json.dumps({"tools": entries}, indent=indent, ensure_ascii=escaped).encode("utf-8", "backslashreplace"))
    listing = read_listing(path)
    assert listing.kept == path.read_bytes()
    assert list(listing.tools) == list(read_tools(path).values())


def test_numbers_and_doubled_keys_of_a_list_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "listing.json"
    odd = b'{"tools":[ {"name":"t",\t"name":"u", "inputSchema":{"maximum":123456789012345678901234567890.10,  "minimum":1e400}}\r\n]}'
    path.write_bytes(odd)
    assert read_listing(path).kept == odd


# A real server


def test_a_real_list_is_imported_and_its_plans_are_short() -> None:
    tools = list(read_tools(LINEAR).values())
    made = imported(tools, name="linear", rater=BELIEVING)
    resolved = lints.check_text(made.text)
    assert [*resolved.diagnostics, *against_schemas(resolved, Catalog(tools))] == []
    assert format_source(Source("linear", made.text)) == made.text
    assert steps(made.domain, "linear_archiveIssue") == ["linear_getIssues", "linear_archiveIssue"]
    assert steps(made.domain, "linear_getWorkflowStates") == ["linear_getTeams", "linear_getWorkflowStates"]
    assert [finding.message.split("`")[1] for finding in made.warnings] == ["linear_removeIssueLabel"]


def test_the_same_list_gives_the_same_bytes_in_every_process() -> None:
    code = (
        "import sys; from pathlib import Path; from toolplan.checks.schemas import read_tools; from toolplan.importing.tools import imported\n"
        f"sys.stdout.write(imported(list(read_tools(Path({str(LINEAR)!r})).values()), name='linear').text)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(DATA.parent.parent)},
        ).stdout
        for seed in ("1", "2")
    }
    assert texts == {imported(list(read_tools(LINEAR).values()), name="linear").text.encode()}
