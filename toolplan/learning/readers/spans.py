"""Spans of OpenTelemetry to one form, whether OTLP writes them or the SDK of Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.learning.readers.documents import Document
from toolplan.learning.traces import left_out

EXECUTE_TOOL = "execute_tool"
ERRORS = (2, "STATUS_CODE_ERROR", "ERROR")
"""How an error is written: in OTLP as a number or a name, in the SDK by a shorter name."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Span(NamedTuple):
    """A span, whoever wrote it. `begin` and `end` are in nanoseconds, `error` what it says when it failed."""

    trace: str
    id: str
    parent: str
    name: str
    begin: int
    end: int
    error: str | None
    attributes: Mapping[str, object]

    @property
    def is_execution(self) -> bool:
        """Whether a tool is executed in it."""
        return self.attributes.get("gen_ai.operation.name") == EXECUTE_TOOL or self.name.startswith(EXECUTE_TOOL + " ")

    @property
    def tool(self) -> str:
        """The tool that is executed in it."""
        named = self.attributes.get("gen_ai.tool.name")
        return named if isinstance(named, str) else self.name.removeprefix(EXECUTE_TOOL).strip()


def spans(document: Document) -> Iterator[Span | Diagnostic]:
    """The spans in a document, in its order."""
    for data in _listed(document.data):
        span = _span(data)
        yield span or left_out(f"a span of {quoted(document.name)}", "it lacks its ids or its times, or its attributes are no list of them")


def _listed(data: object) -> Iterator[object]:
    """The spans in what OTLP writes, or else the items of a list, or the value itself."""
    match data:
        case {"resourceSpans": list(inside)} | {"scopeSpans": list(inside)}:
            for each in inside:
                yield from _listed(each)
        case {"spans": list(inside)} | [*inside]:
            yield from inside
        case _:
            yield data


def _span(data: object) -> Span | None:
    try:
        match data:
            case {"traceId": str(trace), "spanId": str(id), **rest}:
                times = int(str(rest.get("startTimeUnixNano") or 0)), int(str(rest.get("endTimeUnixNano") or 0))
                parent, attributes = rest.get("parentSpanId"), _key_values(rest.get("attributes") or [])
            case {"context": {"trace_id": str(trace), "span_id": str(id)}, **rest}:
                times = _nanoseconds(rest.get("start_time")), _nanoseconds(rest.get("end_time"))
                parent, attributes = rest.get("parent_id"), _mapping(rest.get("attributes") or {})
            case _:
                return None
    except (ValueError, TypeError, RecursionError):
        return None
    return Span(trace, id, str(parent or ""), str(rest.get("name") or ""), *times, _error(rest.get("status")), attributes)


def _mapping(attributes: object) -> Mapping[str, object]:
    """Attributes as the SDK writes them."""
    if not isinstance(attributes, Mapping):
        raise ValueError("no attributes")
    return attributes


def _key_values(pairs: object) -> Mapping[str, object]:
    """Attributes as OTLP writes them."""
    if not isinstance(pairs, list):
        raise ValueError("no list of attributes")
    return {key: _any_value(pair.get("value")) for pair in pairs if isinstance(pair, Mapping) and isinstance(key := pair.get("key"), str)}


def _any_value(value: object) -> object:
    match value:
        case {"intValue": int() | str() as number}:
            return int(number)
        case {"arrayValue": {"values": list(items)}}:
            return [_any_value(item) for item in items]
        case {"kvlistValue": {"values": pairs}}:
            return _key_values(pairs)
        case {"stringValue": plain} | {"boolValue": plain} | {"doubleValue": plain}:
            return plain
        case _:
            return None


def _nanoseconds(time: object) -> int:
    """A time as the SDK writes it; 0 where there is none."""
    if not isinstance(time, str):
        return 0
    since = datetime.fromisoformat(time) - EPOCH
    return ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1_000


def _error(status: object) -> str | None:
    match status:
        case {"code": code, **rest} | {"status_code": code, **rest} if code in ERRORS:
            return str(rest.get("message") or rest.get("description") or "")
        case _:
            return None
