"""Receipts as spans of OpenTelemetry, for hosts that watch their agents with it.

Names are those of its semantic conventions for generative AI, where it has one (`execute_tool` and `gen_ai.*`), else `toolplan.*`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from opentelemetry.trace import Span, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from toolplan.receipts.writers import Kind

MOST_RUNNING = 1000
"""Calls without an outcome so far that are remembered; of more, the oldest ends without one."""
CONVENTIONS = {"tool": "gen_ai.tool.name", "call": "gen_ai.tool.call.id"}
RUNS = ("allow", "would-refuse", "would-hold")
"""The verdicts after which a call runs: a gate that only watches lets it."""


class Spans:
    """Starts a span `execute_tool TOOL` with a verdict that lets a call run, and ends it with the outcome; all else are spans of no length.

    Attributes are the names and figures at the top of a receipt. What is private or lies deeper is left out.
    A call whose outcome another process observes has a span there, too.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._running: OrderedDict[tuple[str, object], Span] = OrderedDict()
        self._lock = Lock()

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        """Start, end, or make a span."""
        call = session, content.get("call")
        if kind == "outcome":
            self._end(call, session, content)
        elif kind == "verdict" and content.get("verdict") in RUNS:
            self._begin(call, self._execution(session, content))
        else:
            self._tracer.start_span(f"toolplan.{kind}", attributes=_attributes(session, content)).end()

    def _execution(self, session: str, content: Mapping[str, object]) -> Span:
        attributes = {"gen_ai.operation.name": "execute_tool", **_attributes(session, content)}
        return self._tracer.start_span(f"execute_tool {content.get('tool', '')}".rstrip(), attributes=attributes)

    def _begin(self, call: tuple[str, object], span: Span) -> None:
        with self._lock:
            forgotten = [self._running.pop(call, None)]
            self._running[call] = span
            if len(self._running) > MOST_RUNNING:
                forgotten.append(self._running.popitem(last=False)[1])
        for old in forgotten:
            if old:
                old.end()

    def _end(self, call: tuple[str, object], session: str, content: Mapping[str, object]) -> None:
        with self._lock:
            begun = self._running.pop(call, None)
        span = begun or self._execution(session, content)
        span.set_attributes(_attributes(session, content))
        outcome = content.get("outcome")
        if outcome != "done":
            span.set_attribute("error.type", str(outcome))
            span.set_status(StatusCode.ERROR)
        span.end()


def _attributes(session: str, content: Mapping[str, object]) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {"gen_ai.conversation.id": session}
    for name, value in content.items():
        if isinstance(value, str | bool | int | float):
            found[CONVENTIONS.get(name, f"toolplan.{name}")] = value
    return found
