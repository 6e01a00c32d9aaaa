"""Contracts against the schemas of real tools: what does not fit is found, what the schema does not say is no objection."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from toolplan import DomainError
from toolplan.catalog import Catalog, prefixed, real_tools
from toolplan.checks.schemas import against_schemas, read_tools
from toolplan.language.codes import Code, Severity
from toolplan.language.loading import check, check_text

TOOLS = [
    {
        "name": "calendar.update-event",
        "inputSchema": {
            "type": "object",
            "properties": {
                "eventId": {"type": "string"},
                "start": {"type": ["string", "null"]},
                "method": {"type": "string", "enum": ["move", "cancel"]},
                "count": {"type": "integer"},
                "anything": {"anyOf": [{"type": "string"}, {"type": "number"}]},
            },
            "required": ["eventId", "method"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
    {"name": "odd", "inputSchema": {"required": None, "properties": []}, "annotations": None},
    {"name": "bare"},
    {"name": "listing", "outputSchema": {"properties": {"files": {"type": "array"}, "error": {}}}},
    {"name": "accented", "outputSchema": {"properties": {"AÀ": {}}}},
    {"name": "loose", "outputSchema": {"properties": {"files": {}}, "additionalProperties": True}},
    {
        "name": "order.get",
        "inputSchema": {
            "properties": {
                "number": {"type": "string"},
                "either": {"type": ["integer", "null"]},
                "total": {"type": "number"},
                "lines": {"type": "array"},
                "express": {"type": "boolean"},
                "open": {"anyOf": [{"type": "string"}]},
            }
        },
    },
]


FACTS = "fact id: text  fact start_time: text  fact done  fact count: integer  fact rate: decimal  fact day: date  fact lines: text many"


def codes(tool: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": TOOLS}))
    resolved = check_text(f"{FACTS} {tool}")
    assert not [finding for finding in resolved.diagnostics if finding.severity is Severity.ERROR], resolved.diagnostics
    return [finding.code.number for finding in against_schemas(resolved, read_tools(path))]


def contract(passes: str, *, risk: str = "write", calls: str = "calendar.update-event") -> str:
    return f'tool t calls "{calls}" {{ requires id, start_time {passes} produces done risk {risk} }}'


def order(passes: str) -> str:
    return f'tool t calls "order.get" {{ requires id passes {passes} produces done risk read }}'


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (contract('passes eventId = id, start = start_time, method = "move"'), []),
        (contract("passes eventId free, method free, anything free"), []),
        (contract('passes eventId = id, method = "move", count = 3'), []),
        (contract(""), []),
        (contract('passes eventid = id, method = "move"'), ["TP421", "TP422"]),
        (contract('passes method = "move"'), ["TP422"]),
        (contract('passes eventId = id, method = "moved"'), ["TP423"]),
        (contract('passes eventId = id, method = "move", count = 3.5'), ["TP423"]),
        (contract('passes eventId = id, method = "move", count = true'), ["TP423"]),
        (contract("passes eventId = id, method from start_time", risk="read"), ["TP424"]),
        (contract('passes eventId = id, method = "move"', risk="read"), []),
        (contract("", calls="calendar.update_event"), ["TP420"]),
        (contract("", calls="odd"), []),
        (contract("passes x = id", calls="bare"), ["TP421"]),
        (contract("returns done = $.files[0] fails when $.error", calls="listing"), []),
        (contract("returns done = $.AÀ", calls="accented"), []),
        (contract("returns done = $.AÈ", calls="accented"), ["TP425"]),
        (contract("returns done = $.file[0] fails when $.eror", calls="listing"), ["TP425", "TP425"]),
        (contract("returns done = $[0].anything", calls="listing"), []),
        (contract("returns done = $.anything", calls="loose"), []),
        (contract("returns done = $.anything", calls="bare"), []),
        (order("number = id, either = count, total = count, open = count"), []),
        (order("number = day, total = rate, express = done"), []),
        (order("number = count"), []),
        (order("number = rate"), ["TP426"]),
        (order("number = rate if known"), ["TP426"]),
        (order("express = count, either = id, total = day"), ["TP426"] * 3),
        (order("either = rate"), []),
        (order("lines = lines, number = lines"), []),
    ],
)
def test_what_does_not_fit_the_schema_is_found(tool: str, expected: list[str], tmp_path: Path) -> None:
    assert codes(tool, tmp_path) == expected


@pytest.mark.parametrize("content", ["[", "3", '{"tools": 3}', '[{"title": "no name"}]', "[" * 100_000])
def test_a_file_that_is_no_list_of_tools_is_a_diagnostic(content: str, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(content)
    with pytest.raises(DomainError, match="TP412"):
        read_tools(tmp_path / "tools.json")
    with pytest.raises(DomainError, match="TP601"):
        read_tools(tmp_path / "none.json")


def test_the_github_contracts_fit_the_extract_of_their_server(tmp_path: Path) -> None:
    """The extract keeps names, types, enums, what is required, and hints."""
    extract = json.loads((Path(__file__).parent / "data/mcp/github.json").read_text("utf-8"))
    listed = [
        {
            "name": tool["name"],
            "inputSchema": {"properties": tool["properties"], "required": tool["required"]},
            "annotations": {"readOnlyHint": tool.get("readOnlyHint"), "destructiveHint": tool.get("destructiveHint")},
        }
        for tool in extract["tools"]
    ]
    (tmp_path / "tools.json").write_text(json.dumps(listed))
    assert list(against_schemas(check("github"), read_tools(tmp_path / "tools.json"))) == []


def test_check_takes_a_list_of_tools(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "d.toolplan").write_text(f"fact id: text fact start_time: text fact done {contract('passes eventid = id')}")
    command = [sys.executable, "-m", "toolplan", "check", "d.toolplan", "--tools", "tools.json", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    found = json.loads(run.stdout)["diagnostics"]
    assert run.returncode == 1
    found = [finding for finding in found if finding["code"] in ("TP421", "TP422")]
    assert len(found) == 2
    assert found[0]["hint"] == "did you mean `eventId`?"


def test_a_contract_may_pin_the_tool_that_was_reviewed() -> None:
    real = real_tools(TOOLS)[2]
    for digest, expected in ((real.digest, []), ("0" * 64, [Code.CHANGED_REAL_TOOL])):
        resolved = check_text(f'fact done tool bare {{ produces done risk write digest "sha256:{digest}" }}')
        findings = list(against_schemas(resolved, Catalog([real])))
        assert [finding.code for finding in findings] == expected
        assert all(real.digest in finding.hint for finding in findings)


def test_a_tool_that_was_reviewed_is_known_under_the_prefix_of_its_server_too() -> None:
    bare = replace(real_tools(TOOLS)[2], origin="shop")
    resolved = check_text(f'fact done tool bare calls "shop.bare" {{ produces done risk write digest "sha256:{bare.digest}" }}')
    assert list(against_schemas(resolved, Catalog(prefixed([bare], "shop.")))) == []
    assert [finding.code for finding in against_schemas(resolved, Catalog(prefixed([replace(bare, description="Other.")], "shop.")))] == [
        Code.CHANGED_REAL_TOOL
    ]
