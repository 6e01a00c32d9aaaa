"""Whatever a framework or a server gives back, as one JSON value and the text that patterns are searched in."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import NamedTuple, NoReturn
from uuid import UUID

ERRORS = ("isError", "is_error")
STRUCTURED = ("structuredContent", "structured_content")
"""The marks of a result of the Model Context Protocol, as it and as Python writes them."""
BLOCKS = ("text", "image", "audio", "resource", "resource_link")
"""The types of its blocks of content."""
TOOL_MESSAGES = ("tool", "tool_result")
"""The types of the messages in which frameworks hand a result on to a model."""


class Content(NamedTuple):
    """What a call gave back: structured content, else its text where that is JSON, else `{"text": ...}`.

    `text` is the text that came, or the compact JSON of what came without any; None where nothing came.
    """

    value: object
    text: str | None


class Broken(NamedTuple):
    """The call failed, as an exception or the result itself says."""

    message: str


class Unreadable(NamedTuple):
    """What came back is nothing that JSON can hold; `reason` says why."""

    reason: str


def content_of(raw: object) -> Content | Broken | Unreadable:
    """`raw` as one JSON value: an exception, a text, bytes, a JSON value, a model, a dataclass, blocks of content, or a result of such blocks."""
    if isinstance(raw, BaseException):
        return Broken(words_of(raw))
    try:
        result = raw if raw is None or isinstance(raw, str | int | float | list | dict) else _plain(raw)
        return _opened(result) if isinstance(result, Mapping) and _is_envelope(result) else _content(result)
    except Exception as error:  # an object of a framework may do anything when it is looked at
        return Unreadable(f"the result is no JSON: {words_of(error)}")


def words_of(error: BaseException) -> str:
    """What `error` says; where it says nothing, or cannot, what it is called."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def as_json(value: object) -> object:
    """`value` as a JSON value of its own. Raises TypeError, ValueError or RecursionError where JSON cannot hold it."""
    return json.loads(_compact(value))


def _is_envelope(result: Mapping[object, object]) -> bool:
    if any(mark in result for mark in STRUCTURED) or any(result.get(mark) is True for mark in ERRORS):
        return True
    marked = any(mark in result for mark in ERRORS) or result.get("type") in TOOL_MESSAGES
    return "content" in result and (marked or _are_blocks(result["content"]))


def _opened(result: Mapping[object, object]) -> Content | Broken:
    """What is in a result that is marked as one."""
    held = result.get("content")
    text = held if isinstance(held, str) else _joined(held) if isinstance(held, list) else None
    structured = next((result[mark] for mark in STRUCTURED if result.get(mark) is not None), None)
    if any(result.get(mark) is True for mark in ERRORS) or (result.get("type") == "tool" and result.get("status") == "error"):
        return Broken(text or _compact(structured or result))
    if structured is None:
        return _content(text)
    content = _content(structured)
    return content if text is None else content._replace(text=text)


def _content(value: object) -> Content:
    if value is None:
        return Content(None, None)
    if isinstance(value, list) and _are_blocks(value):
        return _content(_joined(value))
    if isinstance(value, str):
        return Content(_parsed(value), value)
    text = _compact(value)
    return Content(json.loads(text), text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite(written: str) -> float:
    """Python reads a number that is too great for it as infinity, which JSON has no number for."""
    number = float(written)
    return number if math.isfinite(number) else _refuse(written)


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def _parsed(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return {"text": text}


def _are_blocks(content: object) -> bool:
    """Whether `content` is a list of blocks of the protocol, by its first."""
    if not isinstance(content, list) or not content:
        return False
    first = content[0]
    return (first.get("type") if isinstance(first, Mapping) else getattr(first, "type", None)) in BLOCKS


def _joined(blocks: list[object]) -> str | None:
    """The texts of `blocks`, each on lines of its own; None where none of them is a text."""
    texts = [text for block in blocks if isinstance(text := _block_text(block), str)]
    return "\n".join(texts) if texts else None


def _block_text(block: object) -> object:
    if isinstance(block, str):
        return block
    held = block if isinstance(block, Mapping) else _plain(block)
    if not isinstance(held, Mapping):
        return None
    resource = held.get("resource")
    return held.get("text", resource.get("text") if isinstance(resource, Mapping) else None)


def _plain(value: object) -> object:
    """What is no JSON, one level nearer to it. Raises TypeError where it has no such form."""
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode("utf-8-sig", "replace")
    if hasattr(value, "model_dump"):
        return _dumped(value.model_dump(mode="json", by_alias=True))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=_compact)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal | UUID | PurePath):
        return str(value)
    raise TypeError(f"a value of the type {type(value).__name__} has no form in it")


def _dumped(value: object) -> object:
    """What a model gives of itself. An object that has every attribute it is asked for gives such objects without end."""
    if value is not None and not isinstance(value, str | int | float | list | tuple | Mapping):
        raise TypeError(f"a model gave a value of the type {type(value).__name__}")
    return value


_compact = json.JSONEncoder(default=_plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
