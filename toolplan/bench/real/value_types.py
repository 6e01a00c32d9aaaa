"""The types of the values that schemas describe, as the language writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

BY_WORD = {"date": "date", "time": "datetime", "amount": "decimal", "rating": "decimal", "number": "integer", "length": "integer"}
"""The types of what has such a word in its name, the first that fits. A time of day is a datetime: the language has no type for it alone."""
BY_JSON_TYPE = {"string": "text", "integer": "integer", "float": "decimal", "number": "decimal", "boolean": "boolean"}


def of_options(options: Sequence[str]) -> str:
    """The type of which `options` are all values."""
    if set(options) == {"True", "False"}:
        return "boolean"
    if all(map(str.isdecimal, options)):
        return "integer"
    return f"enum({', '.join(json.dumps(option, ensure_ascii=False) for option in options)})"


def of_name(name: str) -> str:
    """The type that a `name` of words and underscores tells of, else text."""
    words = name.split("_")
    return next((kind for word, kind in BY_WORD.items() if word in words), "text")


def of_property(schema: Mapping[str, Any]) -> str | None:
    """The type of a property in a JSON schema; none for lists, objects, and what may be anything."""
    options = schema.get("enum") or ()
    if options and all(isinstance(option, str) for option in options):
        return of_options(options)
    return BY_JSON_TYPE.get(schema.get("type", ""))
