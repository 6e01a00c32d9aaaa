"""Type hints as JSON schemas."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import pathlib
import types
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

Schema = dict[str, Any]

PLAIN: Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    type(None): {"type": "null"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.timedelta: {"type": "string", "format": "duration"},
    decimal.Decimal: {"type": "number"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    pathlib.Path: {"type": "string", "format": "path"},
}
DEEPEST = 8
"""Types inside each other; what lies deeper may be anything."""


def schema_of(hint: object, depth: int = DEEPEST) -> Schema:
    """The schema of the values of `hint`; one that takes anything where nothing is known of it."""
    if not depth:
        return {}
    if hint is None:
        return schema_of(type(None))
    if isinstance(hint, type) and hint in PLAIN:
        return dict(PLAIN[hint])
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(inside, depth)
    if origin in (Required, NotRequired):
        return schema_of(inside[0], depth)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(choice, depth - 1) for choice in inside]}
    if origin is Literal:
        return _enumerated(inside)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inside[1], depth - 1)}
    if isinstance(origin, type) and issubclass(origin, Collection):
        return {"type": "array", "items": schema_of(inside[0], depth - 1)}
    return _named(hint, depth) if isinstance(hint, type) else {}


def in_json(values: Sequence[object]) -> list[Any]:
    """The values as JSON has them; none where it cannot hold one of them, such as a number without end."""
    try:
        found: list[Any] = json.loads(json.dumps(values, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return []
    return found


def _enumerated(values: Sequence[object]) -> Schema:
    options = in_json([value.value if isinstance(value, enum.Enum) else value for value in values])
    return {"enum": options} if options else {}


def _annotated(inside: tuple[Any, ...], depth: int) -> Schema:
    """The schema of an annotated type, with the first text or `description` among its annotations."""
    notes = [note if isinstance(note, str) else getattr(note, "description", None) for note in inside[1:]]
    text = next((note for note in notes if isinstance(note, str)), "")
    return schema_of(inside[0], depth) | ({"description": text} if text else {})


def _named(hint: type, depth: int) -> Schema:
    if issubclass(hint, enum.Enum):
        return _enumerated(list(hint))
    if callable(own := getattr(hint, "model_json_schema", None)):
        schema: Schema = own()
        return schema
    if is_typeddict(hint):
        members = resolved(hint)
        # Where annotations are texts, `__required_keys__` has all names.
        unless = NotRequired if vars(hint)["__total__"] else None
        required = [
            name for name, inside in members.items() if get_origin(inside) is Required or (unless and get_origin(inside) is not unless)
        ]
        return _object(members, required, depth)
    if is_dataclass(hint):
        required = [field.name for field in fields(hint) if field.default is MISSING and field.default_factory is MISSING]
        return _object({field.name: resolved(hint)[field.name] for field in fields(hint)}, required, depth)
    if issubclass(hint, dict):
        return {"type": "object"}
    return {"type": "array"} if issubclass(hint, list | tuple | set | frozenset) else {}


def _object(members: Mapping[str, object], required: list[str], depth: int) -> Schema:
    schema: Schema = {"type": "object", "properties": {name: schema_of(hint, depth - 1) for name, hint in members.items()}}
    return schema | ({"required": required} if required else {})


def resolved(holder: Any) -> dict[str, Any]:
    """The type hints of a function or a class; those that cannot be looked up may be anything."""
    try:
        return get_type_hints(holder, include_extras=True)
    except Exception:
        # A hint that is a text is code, and may raise anything.
        return {name: hint for name, hint in getattr(holder, "__annotations__", {}).items() if not isinstance(hint, str)}
