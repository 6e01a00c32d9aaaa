"""What a tool gave, as a session reads it, where a framework hands on whatever a function returns."""

from __future__ import annotations

from pydantic_core import to_jsonable_python


def readable(result: object) -> object:
    """`result` as a JSON value: objects that have none as their text, and bytes as text, all in base64 where some are none."""
    try:
        return to_jsonable_python(result, fallback=str)
    except UnicodeDecodeError:
        return to_jsonable_python(result, fallback=str, bytes_mode="base64")
