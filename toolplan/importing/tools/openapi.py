"""The operations of an OpenAPI document, 3.0 or 3.1, as real tools.

The schema of an operation lists its parameters and, where there is room for them, the members of its JSON body side by side. Schemas are
taken over as they stand: what their local references lead to comes along, under the same path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplan.catalog import RealTool
from toolplan.importing.tools.kinds import pointed, unescaped
from toolplan.importing.tools.naming import Names, snake, words
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError

Members = Mapping[str, Any]

METHODS: Mapping[str, Mapping[str, object]] = {
    "get": {"readOnlyHint": True},
    "head": {"readOnlyHint": True},
    "options": {"readOnlyHint": True},
    "put": {"readOnlyHint": False, "idempotentHint": True},
    "post": {"readOnlyHint": False},
    "patch": {"readOnlyHint": False},
    "delete": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
}
"""What HTTP says of its methods, as hints of MCP. That a server keeps to it is as much a claim as a hint is."""
BODY = "body"
"""The argument that takes a body which cannot be spread out."""
SPREADABLE = frozenset({"type", "properties", "required", "title", "description", "example", "examples"})
"""What the schema of a body may say, that its members can stand beside the parameters."""
OF_THE_CLIENT = frozenset({"accept", "authorization", "content-type"})
"""Headers that are no parameters."""
JSON = re.compile(r"application/(?:[\w.+-]+\+)?json\b.*")


def operations(document: object, origin: str = "") -> list[RealTool]:
    """The operations of `document`, in its order. Raises DomainError where it is no OpenAPI document of a version that is read here."""
    match document:
        case {"openapi": str(version), "paths": Mapping() as paths} if version.startswith("3.") and isinstance(document, Mapping):
            reader, names = _Reader(document), Names()
            found = [
                reader.tool(method, path, item, operation, names, origin)
                for path, item in ((path, reader.resolved(item)) for path, item in paths.items())
                for method, operation in item.items()
                if method in METHODS and isinstance(operation, Mapping)
            ]
            return found
        case {"swagger": version}:
            raise _no_document(f"this is Swagger {version}, which came before OpenAPI 3", "convert it, as with the converter of Swagger")
    raise _no_document("this is no OpenAPI document of version 3", "it begins with `openapi` and has `paths`")


@dataclass(frozen=True)
class _Taken:
    """What an operation takes: the schemas of its arguments, the required ones, and what no argument stands for."""

    properties: dict[str, object] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Reader:
    document: Members

    def resolved(self, node: object) -> Members:
        """`node`, or what its reference leads to; empty where that is no object."""
        for _ in range(8):
            match node:
                case {"$ref": str(pointer)}:
                    node = pointed(pointer, self.document)
                case Mapping():
                    return node
        return {}

    def tool(self, method: str, path: str, item: Members, operation: Members, names: Names, origin: str) -> RealTool:
        """One operation. Without an `operationId`, its name is made of its method and its path."""
        made = snake((method, *words(path)), method)
        name = names.unique(str(operation.get("operationId") or made), made)
        described = [text for key in ("summary", "description") if isinstance(text := operation.get(key), str) and text.strip()]
        taken = self._arguments(item, operation)
        schema: dict[str, object] = {"type": "object", "properties": taken.properties}
        schema |= {"required": list(dict.fromkeys(taken.required))} if taken.required else {}
        results = self._results(operation)
        return RealTool(
            name,
            "\n\n".join(described),
            self._whole(schema),
            origin,
            METHODS[method],
            self._whole(results) if results else {},
            left_out=tuple(taken.left_out),
        )

    def _arguments(self, item: Members, operation: Members) -> _Taken:
        taken, names = _Taken(), Names()
        for (place, name), parameter in self._parameters(item, operation, taken.left_out).items():
            argument = names.unique(name, f"{name}_{place}")
            taken.properties[argument] = _described(_schema(parameter), parameter)
            if parameter.get("required") is True:
                taken.required.append(argument)
        self._add_body(operation.get("requestBody"), taken)
        return taken

    def _add_body(self, node: object, taken: _Taken) -> None:
        body = self.resolved(node)
        schema = _json_schema(body)
        if schema is None:
            taken.left_out.extend(_lost_body(node, body))
            return
        inside = self.resolved(schema)
        members = inside.get("properties")
        if isinstance(members, Mapping) and SPREADABLE.issuperset(inside) and not set(members) & set(taken.properties):
            taken.properties.update(members)
            required = list(_names(inside.get("required")))
        else:
            name = next(name for name in (BODY, f"{BODY}_", f"{BODY}__") if name not in taken.properties)
            taken.properties[name] = schema
            required = [name]
        taken.required.extend(required if body.get("required") is True else [])

    def _parameters(self, item: Members, operation: Members, left_out: list[str]) -> Mapping[tuple[str, str], Members]:
        """Those of the path, as far as the operation does not have its own, and those of the operation, by place and name."""
        found: dict[tuple[str, str], Members] = {}
        for node in (node for holder in (item, operation) for node in _items(holder.get("parameters"))):
            match self.resolved(node):
                case {"in": "path" | "query" | "header" | "cookie" as place, "name": str() | int() | float() as name} as parameter:
                    found[place, name if isinstance(name, str) else json.dumps(name)] = parameter
                case parameter:
                    left_out.append(str(node["$ref"] if "$ref" in node else parameter.get("name") or "a parameter without a name"))
        return {
            (place, name): parameter
            for (place, name), parameter in found.items()
            if place in ("path", "query") or (place == "header" and name.lower() not in OF_THE_CLIENT)
        }

    def _results(self, operation: Members) -> Members:
        """The schema of what comes where all went well, if it is JSON."""
        responses = self.resolved(operation.get("responses"))
        for status in sorted(map(str, responses)):
            if status.startswith("2"):
                schema = _json_schema(self.resolved(next(node for key, node in responses.items() if str(key) == status)))
                return schema if isinstance(schema, Mapping) else {}
        return {}

    def _whole(self, schema: Members) -> Members:
        """`schema` with all that its local references lead to."""
        definitions: dict[str, Any] = {}
        seen: set[str] = set()
        left = list(_pointers(schema))
        while left:
            pointer = left.pop()
            target = pointed(pointer, self.document)
            if pointer not in seen and target is not None:
                seen.add(pointer)
                _put(definitions, pointer[2:].split("/"), target)
                left += _pointers(target)
        return {**schema, **definitions}


def _put(definitions: dict[str, Any], steps: list[str], target: object) -> None:
    """Place `target` where the reference of `steps` looks for it; where something that holds it is there already, all is well."""
    for step in steps[:-1]:
        inside = definitions.setdefault(unescaped(step), {})
        if not isinstance(inside, dict):
            return
        definitions = inside
    definitions.setdefault(unescaped(steps[-1]), target)


def _pointers(node: object) -> Iterator[str]:
    """The local references inside `node`; looked through without recursion."""
    left = [node]
    while left:
        match left.pop():
            case Mapping() as members:
                pointer = members.get("$ref")
                if isinstance(pointer, str) and pointer.startswith("#/"):
                    yield pointer
                left.extend(members.values())
            case list() as items:
                left.extend(items)


def _schema(parameter: Members) -> object:
    schema = parameter.get("schema")
    return schema if isinstance(schema, Mapping | bool) else _json_schema(parameter) or {}


def _described(schema: object, parameter: Members) -> object:
    """The schema of a parameter, with the description that stands beside it."""
    description = parameter.get("description")
    return {"description": description, **schema} if isinstance(description, str) and isinstance(schema, Mapping) else schema


def _json_schema(holder: Members) -> Any:
    """The schema of the JSON among the contents of a body, a response or a parameter."""
    content = holder.get("content")
    if not isinstance(content, Mapping):
        return None
    media = (media for kind, media in content.items() if JSON.fullmatch(kind) and isinstance(media, Mapping))
    return next((schema for said in media if isinstance(schema := said.get("schema"), Mapping | bool)), None)


def _lost_body(node: object, body: Members) -> Iterator[str]:
    """What is said of a body that is no JSON, or whose schema is not there."""
    content = body.get("content")
    if isinstance(content, Mapping) and content:
        yield f"a body of {', '.join(content)}"
    elif body.get("required") is True:
        yield "a body"
    elif not body and isinstance(node, Mapping) and "$ref" in node:
        yield str(node["$ref"])


def _items(node: object) -> Iterator[Members]:
    """The objects in a list; none where it is no list."""
    return (item for item in node if isinstance(item, Mapping)) if isinstance(node, list) else iter(())


def _names(node: object) -> Iterator[str]:
    """The texts in a list; none where it is no list."""
    return (item for item in node if isinstance(item, str)) if isinstance(node, list) else iter(())


def _no_document(message: str, hint: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_JSON, message, None, hint)])
