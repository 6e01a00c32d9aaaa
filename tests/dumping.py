"""A resolved domain as JSON for goldens: every value with its kind, without what is as it would be anyway."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from fractions import Fraction

from toolplan.domain import Domain, Policy

WIDTH = 140


def dump(value: object) -> object:
    """`value` as JSON holds it: dataclasses with a `kind` and without fields that have their default, fractions as text.

    A field that is called `kind` itself stands behind the name of the class: `"Ask: entity"`.
    """
    if is_dataclass(value) and not isinstance(value, type):
        shown = {field.name: getattr(value, field.name) for field in fields(value)}
        kept = {field.name: shown[field.name] for field in fields(value) if not _is_default(value, field)}
        kind = kept.pop("kind", None)
        named = type(value).__name__ if kind is None else f"{type(value).__name__}: {dump(kind)}"
        return {"kind": named} | {name: dump(part) for name, part in kept.items()}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): dump(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [dump(part) for part in value]
    assert value is None or isinstance(value, str | int | float), value
    return value


def _is_default(owner: object, field: Field) -> bool:
    """Whether a field says nothing: it has its default, or in a domain, which has few defaults, it is empty."""
    value = getattr(owner, field.name)
    if isinstance(owner, Domain):
        return not value or value == Policy()
    if field.default is not MISSING:
        return value == field.default
    return field.default_factory is not MISSING and value == field.default_factory()


def dumps(value: object) -> str:
    """The text of `dump(value)`: what fits on one line stands on one line."""
    return _written(dump(value), "") + "\n"


def _written(value: object, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= WIDTH or not isinstance(value, dict | list):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(name, ensure_ascii=False)}: {_written(part, inner)}" for name, part in value.items()]
    else:
        parts = [inner + _written(part, inner) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{indent}{closing}"
