"""Python functions as real tools: what they take by signature, type hints and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from toolplan.catalog import RealTool
from toolplan.importing.functions.docstrings import docstring_of
from toolplan.importing.functions.hints import Schema, in_json, resolved, schema_of

BOUND = ("self", "cls")
"""Parameters that no caller gives."""


def tool_of(function: Callable[..., Any]) -> RealTool:
    """The real tool that calls `function`. A parameter without a default is required; `**` takes anything more."""
    hints, docstring = resolved(function), docstring_of(function)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    schema: Schema = {"type": "object", "properties": properties}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in BOUND or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            schema["additionalProperties"] = True
            continue
        said = docstring.parameters.get(parameter.name, "")
        properties[parameter.name] = ({"description": said} if said else {}) | schema_of(hints.get(parameter.name, object))
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, str | int | float | bool | None) and (default := in_json([parameter.default])):
            properties[parameter.name]["default"] = default[0]
    if required:
        schema["required"] = required
    results = schema_of(hints["return"]) if hints.get("return") not in (None, type(None)) else {}
    return RealTool(function.__name__, docstring.description, schema, function.__module__, {}, results)
