"""The operations of an OpenAPI document, 3.0 or 3.1, as real tools.

The schema of an operation lists its parameters and, where there is room for them, the members of its JSON body side by side. Schemas are
taken over as they stand: what their local references lead to comes along, under the same path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolplan.catalog import RealTool
from toolplan.importing.tools.kinds import pointed
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
        properties, required = self._arguments(item, operation)
        schema: dict[str, object] = {"type": "object", "properties": properties}
        schema |= {"required": required} if required else {}
        results = self._results(operation)
        return RealTool(
            name,
            "\n\n".join(described),
            self._whole(schema),
            origin,
            METHODS[method],
            self._whole(results) if results else {},
        )

    def _arguments(self, item: Members, operation: Members) -> tuple[dict[str, object], list[str]]:
        properties: dict[str, object] = {}
        required: list[str] = []
        for parameter in self._parameters(item, operation):
            name = str(parameter.get("name"))
            properties[name] = _described(_schema(parameter), parameter)
            if parameter.get("required") is True:
                required.append(name)
        body = self.resolved(operation.get("requestBody"))
        schema = _json_schema(body)
        if schema is None:
            return properties, required
        inside = self.resolved(schema)
        members = inside.get("properties")
        if isinstance(members, Mapping) and SPREADABLE.issuperset(inside) and not set(members) & set(properties):
            properties |= members
            required += [name for name in inside.get("required", []) if body.get("required") is True]
        else:
            name = next(name for name in (BODY, f"{BODY}_", f"{BODY}__") if name not in properties)
            properties[name] = schema
            required += [name] if body.get("required") is True else []
        return properties, required

    def _parameters(self, item: Members, operation: Members) -> Iterator[Members]:
        """Those of the path, as far as the operation does not have its own, and those of the operation."""
        given = [self.resolved(node) for holder in (item, operation) for node in holder.get("parameters", [])]
        last = {(parameter.get("in"), parameter.get("name")): parameter for parameter in given}
        for (place, name), parameter in last.items():
            if place in ("path", "query") or (place == "header" and str(name).lower() not in OF_THE_CLIENT):
                yield parameter

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
        inside = definitions.setdefault(_unescaped(step), {})
        if not isinstance(inside, dict):
            return
        definitions = inside
    definitions.setdefault(_unescaped(steps[-1]), target)


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


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
    return parameter["schema"] if "schema" in parameter else _json_schema(parameter) or {}


def _described(schema: object, parameter: Members) -> object:
    """The schema of a parameter, with the description that stands beside it."""
    description = parameter.get("description")
    return {"description": description, **schema} if isinstance(description, str) and isinstance(schema, Mapping) else schema


def _json_schema(holder: Members) -> Any:
    """The schema of the JSON among the contents of a body, a response or a parameter."""
    content = holder.get("content")
    if not isinstance(content, Mapping):
        return None
    return next((media["schema"] for kind, media in content.items() if JSON.fullmatch(kind) and "schema" in media), None)


def _no_document(message: str, hint: str) -> DomainError:
    return DomainError([Diagnostic(Code.BAD_JSON, message, None, hint)])
