"""OpenAPI documents as tools: parameters and body side by side, schemas as they stand, and all that they refer to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolplan import DomainError, plan
from toolplan.catalog import Catalog
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas
from toolplan.importing.files import Listing, read_openapi
from toolplan.importing.tools import Rater, Trust, imported
from toolplan.importing.tools.openapi import operations
from toolplan.language.codes import Code, Severity

DATA = Path(__file__).parent / "data" / "openapi"
DOCUMENTS = sorted(path for path in DATA.iterdir() if path.suffix in (".json", ".yaml"))


def document(
    path: str = "/pets", method: str = "get", components: object = None, version: str = "3.1.0", **operation: object
) -> dict[str, Any]:
    made = {"openapi": version, "info": {"title": "t", "version": "1"}, "paths": {path: {method: operation}}}
    return made | ({"components": components} if components else {})


def body(schema: object, *, required: bool = True) -> dict[str, object]:
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def pointers(node: object) -> Iterator[str]:
    if isinstance(node, Mapping):
        yield from (value for key, value in node.items() if key == "$ref")
        for value in node.values():
            yield from pointers(value)
    elif isinstance(node, list):
        for value in node:
            yield from pointers(value)


def test_parameters_and_the_members_of_a_body_stand_side_by_side() -> None:
    pet = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]}
    parameters = [
        {"name": "shop_id", "in": "path", "required": True, "description": "The shop.", "schema": {"type": "integer"}},
        {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
        {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
        {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
        {"name": "session", "in": "cookie", "schema": {"type": "string"}},
    ]
    (tool,) = operations(document("/shops/{shop_id}/pets", "post", operationId="addPet", parameters=parameters, requestBody=body(pet)))
    assert tool.name == "addPet"
    assert tool.schema == {
        "type": "object",
        "properties": {
            "shop_id": {"description": "The shop.", "type": "integer"},
            "dry": {"type": "boolean"},
            "X-Trace": {"type": "string"},
            "name": {"type": "string"},
            "age": {"type": "integer"},
        },
        "required": ["shop_id", "name"],
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"allOf": [{"type": "object"}]},
        {"type": "object", "properties": {"shop_id": {"type": "string"}}},
        {"type": "object", "properties": {}, "minProperties": 1},
    ],
)
def test_a_body_that_cannot_be_spread_out_is_one_argument(schema: object) -> None:
    parameters = [{"name": "shop_id", "in": "path", "required": True, "schema": {"type": "integer"}}]
    (tool,) = operations(document(method="put", parameters=parameters, requestBody=body(schema)))
    assert tool.properties["body"] == schema
    assert tool.required == ("shop_id", "body")
    (tool,) = operations(document(method="put", parameters=parameters, requestBody=body(schema, required=False)))
    assert tool.required == ("shop_id",)


QUERY = {"name": "id", "in": "query", "schema": {"type": "integer"}}
BAG = {"200": {"description": "ok", "content": {"application/json": None}}}


def open_points(made: dict[str, Any]) -> tuple[str, ...]:
    tools = operations(made)
    found = imported(tools, name="d")
    resolved = lints.check_text(found.text)
    assert not [*resolved.diagnostics, *against_schemas(resolved, Catalog(tools))]
    return next((point.names for point in found.open_points if "no argument stands for" in point.message), ())


@pytest.mark.parametrize(
    "operation",
    [
        {"parameters": None},
        {"parameters": {"id": QUERY}},
        {"parameters": [None, "id"]},
        {"requestBody": None},
        {"requestBody": {"content": None}},
        {"responses": BAG},
        {"responses": None},
        {"requestBody": body({"type": "object", "properties": None, "required": None})},
        {"requestBody": body({"type": "object", "properties": {}, "required": True})},
    ],
)
def test_an_empty_key_is_none(operation: dict[str, Any]) -> None:
    assert open_points(document(method="post", **operation)) == ()


def test_empty_parameters_of_a_path_are_none() -> None:
    made = document(operationId="get_pets", parameters=[QUERY])
    made["paths"]["/pets"]["parameters"] = None
    assert list(operations(made)[0].properties) == ["id"]


def test_a_parameter_whose_schema_is_empty_takes_anything() -> None:
    (tool,) = operations(document(parameters=[{"name": "id", "in": "query", "schema": None}]))
    assert tool.properties == {"id": {}}


@pytest.mark.parametrize(
    ("operation", "lost"),
    [
        ({"parameters": [{"in": "query", "required": True}]}, "a parameter without a name"),
        ({"parameters": [{"name": ["id"], "in": "query"}]}, "['id']"),
        ({"parameters": [{"name": "id", "in": ["query"]}]}, "id"),
        ({"parameters": [{"$ref": "more.yaml#/id"}]}, "more.yaml#/id"),
        ({"parameters": [{"$ref": "#/components/parameters/none"}]}, "#/components/parameters/none"),
        ({"requestBody": {"$ref": "more.yaml#/pet"}}, "more.yaml#/pet"),
        ({"requestBody": {"required": True}}, "a body"),
        ({"requestBody": {"required": True, "content": {"application/json": None}}}, "a body of application/json"),
        ({"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": {}}}}}, "a body of multipart/form-data"),
    ],
)
def test_what_becomes_no_argument_is_an_open_point(operation: dict[str, Any], lost: str) -> None:
    made = document(method="post", operationId="add_pet", **operation)
    assert operations(made)[0].properties == {}
    assert open_points(made) == (f"add_pet: {lost}",)


def test_parameters_of_one_name_are_told_apart_by_their_place() -> None:
    path = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    (tool,) = operations(document("/pets/{id}", parameters=[path, {**QUERY, "required": True}]))
    assert tool.properties == {"id": {"type": "string"}, "id_query": {"type": "integer"}}
    assert tool.required == ("id", "id_query")


def test_a_name_is_required_once() -> None:
    pet = {"type": "object", "properties": {"name": {}}, "required": ["name", "name", "id"]}
    (tool,) = operations(document(method="post", parameters=[{**QUERY, "required": True}], requestBody=body(pet)))
    assert tool.required == ("id", "name")


def test_a_reference_may_be_percent_encoded() -> None:
    schema = {"type": "object", "properties": {"of": {"$ref": "#/components/schemas/x~1y%20z"}}}
    components = {"parameters": {"a/b c": {**QUERY, "schema": schema}}, "schemas": {"x/y z": {"type": "string"}}}
    (tool,) = operations(document(parameters=[{"$ref": "#/components/parameters/a~1b%20c"}], components=components))
    assert tool.properties == {"id": schema}
    assert tool.schema["components"] == {"schemas": {"x/y z": {"type": "string"}}}


def test_references_are_kept_with_what_they_lead_to() -> None:
    schemas = {
        "Pet": {"type": "object", "properties": {"owner": {"$ref": "#/components/schemas/Person"}, "kind": {"type": "string"}}},
        "Person": {"type": "object", "properties": {"pets": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}},
        "Other": {"type": "string"},
    }
    parameter = {"name": "kind", "in": "query", "required": True, "schema": {"$ref": "#/components/schemas/Other"}}
    components = {"schemas": schemas, "parameters": {"kind": parameter}}
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}
    (tool,) = operations(document(parameters=[{"$ref": "#/components/parameters/kind"}], responses=answer, components=components))
    assert tool.schema["properties"] == {"kind": {"$ref": "#/components/schemas/Other"}}
    assert tool.schema["components"] == {"schemas": {"Other": {"type": "string"}}}
    assert tool.results == {
        "$ref": "#/components/schemas/Pet",
        "components": {"schemas": {name: schemas[name] for name in ("Pet", "Person")}},
    }


@pytest.mark.parametrize("method", ["get", "put", "post", "patch", "delete"])
def test_the_method_hints_at_the_risk_and_is_believed_no_more_than_a_server(method: str) -> None:
    tools = operations(document(method=method, operationId="do_it"))
    assert imported(tools, name="d").domain.tools["do_it"].risk == "delete"
    believed = imported(tools, name="d", rater=Rater(Trust.HINTS)).domain.tools["do_it"]
    assert believed.risk == ("read" if method == "get" else "delete")


def test_an_operation_without_a_name_is_called_after_its_method_and_path() -> None:
    made = document("/pets/{petId}/photos", "get") | {}
    made["paths"]["/pets/{pet-id}/photos"] = {"get": {}}
    assert [tool.name for tool in operations(made)] == ["get_pets_pet_id_photos", "get_pets_pet_id_photos_2"]


@pytest.mark.parametrize("wrong", [{"swagger": "2.0", "paths": {}}, {"openapi": "4.0.0", "paths": {}}, {"openapi": "3.1.0"}, [], None, "x"])
def test_what_is_no_document_of_version_3_is_refused(wrong: object) -> None:
    with pytest.raises(DomainError) as caught:
        operations(wrong)
    assert [finding.code for finding in caught.value.diagnostics] == [Code.BAD_JSON]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.json", "{", Code.BAD_JSON),
        ("a.json", f'{{"a": {"9" * 5000}}}', Code.BAD_JSON),
        ("a.yaml", "", Code.BAD_JSON),
        ("a.yaml", "a: [", Code.BAD_JSON),
        ("a.yaml", "? [1]\n: 2", Code.BAD_JSON),
        ("a.yaml", "x: 1", Code.BAD_JSON),
    ],
)
def test_files_that_cannot_be_read_are_refused_at_their_place(tmp_path: Path, name: str, text: str, code: Code) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(DomainError) as caught:
        read_openapi(tmp_path / name)
    assert caught.value.diagnostics[0].code is code


def in_yaml(tmp_path: Path, schema: str, name: str = "day") -> Listing:
    text = f"openapi: 3.0.3\npaths:\n  /a:\n    get:\n      parameters:\n      - {{name: {name}, in: query, schema: {schema}}}\n"
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    return read_openapi(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *(
            (text, text)
            for text in ("2026-12-01", "NO", "on", "y", "off", "10:30", "1:30.5", "010", "0x1F", "1_000", "+1", ".inf", ".nan", "=")
        ),
        ("true", True),
        ("False", False),
        ("-12", -12),
        ("0", 0),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("~", None),
        ('"true"', "true"),
    ],
)
def test_yaml_says_what_json_would(tmp_path: Path, written: str, value: object) -> None:
    (tool,) = in_yaml(tmp_path, f"{{default: {written}}}").tools
    assert tool.properties["day"] == {"default": value}
    assert type(tool.properties["day"]["default"]) is type(value)


@pytest.mark.parametrize("name", ["on", "no", "y"])
def test_a_name_that_older_yaml_takes_for_a_truth_is_a_name(tmp_path: Path, name: str) -> None:
    assert list(in_yaml(tmp_path, "{type: string}", name).tools[0].properties) == [name]


@pytest.mark.parametrize("number", ["1e999", "9" * 5000])
def test_a_number_that_json_cannot_hold_is_refused(tmp_path: Path, number: str) -> None:
    with pytest.raises(DomainError):
        in_yaml(tmp_path, f"{{default: {number}}}")


LAUGHS = "a0: &a0 [ha, ha]\n" + "".join(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]\n" for at in range(1, 12))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{at}: &a{at} {{<<: [{', '.join([f'*a{at - 1}'] * 10)}]}}\n" for at in range(1, 12))


@pytest.mark.parametrize("text", [LAUGHS, MERGES, "a: &a [*a, *a]", f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 1_000)}]"])
def test_aliases_that_would_fill_the_memory_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(f"openapi: 3.0.3\npaths: {{}}\n{text}", "utf-8")
    with pytest.raises(DomainError, match="TP412"):
        read_openapi(tmp_path / "a.yaml")


def test_aliases_stand_for_what_they_name(tmp_path: Path) -> None:
    parameter = "{in: query, schema: {type: string}}"
    text = f"openapi: 3.0.3\nx: &p {parameter}\npaths: {{/a: {{get: {{parameters: [{{<<: *p, name: a}}, {{<<: *p, name: b}}]}}}}}}\n"
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    assert list(read_openapi(tmp_path / "a.yaml").tools[0].properties) == ["a", "b"]


# Real services


@pytest.fixture(scope="module", params=DOCUMENTS, ids=lambda path: path.stem)
def real(request: pytest.FixtureRequest) -> Listing:
    return read_openapi(request.param)


def test_a_real_document_is_imported_without_a_finding(real: Listing) -> None:
    made = imported(real.tools, name="service")
    resolved = lints.check_text(made.text)
    findings = [*resolved.diagnostics, *against_schemas(resolved, Catalog(real.tools))]
    assert not [str(finding) for finding in findings if finding.severity is not Severity.NOTE]
    for goal in made.domain.goals:
        assert plan(made.domain, state="", goal=f"`{goal}`").steps[-1].action == goal


def test_schemas_of_a_real_document_are_whole(real: Listing) -> None:
    for tool in real.tools:
        for schema in (tool.schema, tool.results):
            Draft202012Validator.check_schema(json.loads(json.dumps(schema)))
            for pointer in pointers(schema):
                found: Any = schema
                for step in pointer.removeprefix("#/").split("/"):
                    found = found[step.replace("~1", "/").replace("~0", "~")]


def test_the_documents_are_those_of_three_services() -> None:
    assert {path.stem: len(read_openapi(path).tools) for path in DOCUMENTS} == {"airflow": 9, "figma": 8, "github": 7}
