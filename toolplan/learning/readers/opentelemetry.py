"""Spans of OpenTelemetry that follow its semantic conventions for generative AI: each `execute_tool` span is an execution.

They come as OTLP writes them (`{"resourceSpans": [...]}`, one such or one span a line), or as the SDK of Python does (`span.to_json()`). Arguments
and results are in them only where the instrumentation was told to record them (`gen_ai.tool.call.arguments`, `gen_ai.tool.call.result`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.documents import Document
from toolplan.learning.readers.spans import Span, spans
from toolplan.learning.traces import UNKNOWN, Execution, Failed, Record, Result, Returned, parsed

MOST_WAITING = 4_096
"""Traces whose end is waited for at once; of more, the oldest goes on without it."""
NANOSECONDS = 1_000_000_000


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The executions of each trace by the time of their beginning; those of one parent that overlap in time were started together.

    Spans are exported when they end, a parent after what is in it: a trace goes on once its root has come, or at the end. A run is called as
    its conversation (`gen_ai.conversation.id`), else as its trace.
    """
    waiting: dict[str, list[Span]] = {}
    numbers = count(1)
    for document in documents:
        over = []
        for span in spans(document):
            if isinstance(span, Diagnostic):
                yield span
                continue
            if span.is_execution:
                waiting.setdefault(span.trace, []).append(span)
            if not span.parent:
                over.append(span.trace)
        if len(waiting) > MOST_WAITING:
            over.append(next(iter(waiting)))
        for trace in over:
            yield from _executions(waiting.pop(trace, []), numbers)
    for executed in waiting.values():
        yield from _executions(executed, numbers)


def tells(data: object) -> bool:
    """Whether a document is of this form, and of no other."""
    match data:
        case {"resourceSpans": [*_]} | {"traceId": str(), "spanId": str()} | {"context": {"trace_id": str()}, "attributes": _}:
            return True
        case _:
            return False


def _executions(executed: Iterable[Span], numbers: Iterator[int]) -> Iterator[Execution]:
    by_id = {span.id: span for span in executed}
    # What an agent and a server both record of one execution is one span in the other.
    outer = [span for span in by_id.values() if span.parent not in by_id or by_id[span.parent].tool != span.tool]
    ordered = sorted(outer, key=lambda span: (span.begin, span.end, span.id))
    batches = _batches(ordered, numbers)
    for span in ordered:
        yield replace(_execution(span), batch=batches.get(span.id, 0))


def _batches(ordered: Iterable[Span], numbers: Iterator[int]) -> dict[str, int]:
    """For each span that overlaps with one before it, and for that one, the number of their batch."""
    batches: dict[str, int] = {}
    latest: dict[str, Span] = {}
    for span in ordered:
        before = latest.get(span.parent)
        if before is not None and span.begin < before.end:
            batches[span.id] = batches[before.id] = batches.get(before.id) or next(numbers)
        if before is None or span.end > before.end:
            latest[span.parent] = span
    return batches


def _execution(span: Span) -> Execution:
    given = _recorded(span.attributes.get("gen_ai.tool.call.arguments"))
    conversation = span.attributes.get("gen_ai.conversation.id")
    return Execution(
        conversation if isinstance(conversation, str) else span.trace,
        span.tool,
        given if isinstance(given, Mapping) else {},
        _result(span),
        seconds=(span.end - span.begin) / NANOSECONDS if span.end > span.begin else None,
    )


def _result(span: Span) -> Result:
    error = span.attributes.get("error.type")
    if span.error is not None or error is not None:
        return Failed(span.error or str(error))
    return Returned(_recorded(span.attributes.get("gen_ai.tool.call.result"))) if span.end else UNKNOWN


def _recorded(value: object) -> object:
    """What an attribute holds, which may be an object or the text of one."""
    if isinstance(value, str):
        with suppress(ValueError):
            return parsed(value)
    return value
