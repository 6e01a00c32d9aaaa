"""The real tools: the lists that people have, read as they are, and names that two servers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from toolplan import DomainError
from toolplan.catalog import Catalog, RealTool, prefixed, real_tools
from toolplan.language.codes import Code

SCHEMA = {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": ["string", "null"]}}, "required": ["a"]}
LISTS: dict[str, Any] = {
    "tools/list": {"tools": [{"name": "t", "description": "does", "inputSchema": SCHEMA}]},
    "mcp": [{"name": "t", "description": "does", "inputSchema": SCHEMA}],
    "chat": [{"type": "function", "function": {"name": "t", "description": "does", "parameters": SCHEMA}}],
    "responses": [{"type": "function", "name": "t", "description": "does", "parameters": SCHEMA, "strict": False}],
    "anthropic": [{"name": "t", "description": "does", "input_schema": SCHEMA}],
    "gemini": [{"functionDeclarations": [{"name": "t", "description": "does", "parametersJsonSchema": SCHEMA}]}],
    "gemini in python": [{"function_declarations": [{"name": "t", "description": "does", "parameters_json_schema": SCHEMA}]}],
}


@pytest.mark.parametrize("shape", LISTS)
def test_every_shape_of_a_list_gives_the_same_tool(shape: str) -> None:
    (tool,) = real_tools(LISTS[shape], "here")
    assert (tool.name, tool.description, tool.origin) == ("t", "does", "here")
    assert tool.schema is SCHEMA
    assert (list(tool.properties), tool.required) == (["a"], ("a",))


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA,
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "additionalProperties": False, "properties": {}},
        {"type": "object"},
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}, "required": None},
    ],
)
def test_a_schema_passes_through_unchanged(schema: Mapping[str, object]) -> None:
    (tool,) = real_tools([{"name": "t", "inputSchema": schema}])
    assert tool.schema is schema
    assert isinstance(tool.required, tuple)


@pytest.mark.parametrize(
    "listed",
    [
        3,
        None,
        {"tools": 3},
        "t",
        [3],
        [{"title": "t"}],
        [{"type": "function", "function": {}}],
        [{"name": ""}],
        [{"type": "function", "function": {"name": ""}}],
        [{"name": "cut \ud83d"}],
    ],
)
def test_what_is_no_list_of_tools_is_a_diagnostic(listed: object) -> None:
    with pytest.raises(DomainError, match="TP412"):
        real_tools(listed)


def test_every_entry_that_is_no_tool_is_found() -> None:
    with pytest.raises(DomainError) as caught:
        real_tools([{"name": "t"}, 3, {"name": 4}])
    assert ["entry 2" in caught.value.diagnostics[0].message, "entry 3" in caught.value.diagnostics[1].message] == [True, True]


def test_a_name_on_two_servers_is_a_diagnostic_with_both_origins() -> None:
    tools = [RealTool("search", origin="mail"), RealTool("open", origin="mail"), RealTool("search", origin="files")]
    with pytest.raises(DomainError) as caught:
        Catalog(tools)
    (finding,) = caught.value.diagnostics
    assert finding.code is Code.NAME_CLASH
    assert "`search`" in finding.message
    assert "`mail` and `files`" in finding.message


def test_with_prefixes_both_can_be_used() -> None:
    mail, files = RealTool("search", "in mails", origin="mail"), RealTool("search", "in files", origin="files")
    catalog = Catalog([*prefixed([mail], "mail_"), *prefixed([files], "files_")])
    assert {name: tool.description for name, tool in catalog.items()} == {"mail_search": "in mails", "files_search": "in files"}
    assert [tool.origin for tool in catalog.values()] == ["mail", "files"]


def test_the_digest_is_of_what_is_shown() -> None:
    tool = RealTool("t", "does", {"type": "object", "properties": {}}, "here", {"readOnlyHint": True})
    same = RealTool("t", "does", {"properties": {}, "type": "object"}, "there", {"readOnlyHint": True}, {"type": "object"})
    others = [
        RealTool("u", "does", tool.schema, "here", tool.hints),
        RealTool("t", "does it", tool.schema, "here", tool.hints),
        RealTool("t", "does", {"type": "object"}, "here", tool.hints),
        RealTool("t", "does", tool.schema, "here"),
    ]
    assert tool.digest == same.digest
    assert len({tool.digest, *(other.digest for other in others)}) == 5
