"""Logs of other programs as records: real ones where the package that writes them is installed, and broken ones of each form."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

import toolplan
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.learning.readers import Format, detect, read, read_file
from toolplan.learning.readers.documents import Document, documents
from toolplan.learning.redaction import redacted
from toolplan.learning.traces import UNKNOWN, Ended, Execution, Failed, Record, Requested, Returned, written
from toolplan.receipts import FileReceipts, Private
from toolplan.receipts.spans import Spans

FOUND = {"id": "e7"}
READ_AGAIN = Path(__file__).parent / "data" / "traces" / "openai.jsonl"


def told(*values: object, form: Format | None = None, name: str = "log") -> list[Record | Diagnostic]:
    text = "".join(json.dumps(value) + "\n" for value in values)
    return list(read(documents(io.BytesIO(text.encode()), name), name, form))


def executions(*values: object, form: Format | None = None) -> list[Execution]:
    return [record for record in told(*values, form=form) if isinstance(record, Execution)]


def reasons(*values: object, form: Format | None = None) -> list[str]:
    return [found.message for found in told(*values, form=form) if isinstance(found, Diagnostic)]


def called(id: str | None, tool: str, arguments: object) -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}


def assistant(*calls: Mapping[str, object], text: str | None = None) -> dict[str, object]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def answer(id: str | None, content: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": id, "content": content}


# Chat Completions and Responses


def test_messages_of_chat_completions() -> None:
    log = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "move the dentist"}]},
        assistant(called("c1", "search", '{"q": "dentist"}'), text="find it first"),
        answer("c1", '{"id": "e7"}'),
        assistant(called("c2", "move", '{"id": "e7"}'), called("c3", "notify", "")),
        answer("c3", "Error: nobody to tell"),
        answer("c2", [{"type": "text", "text": "moved"}]),
        {"role": "assistant", "content": "done"},
    ]
    assert told({"messages": log, "trace": "r1", "ended": "success"}) == [
        Requested("r1", "move the dentist"),
        Execution("r1", "search", {"q": "dentist"}, Returned('{"id": "e7"}'), "find it first"),
        Execution("r1", "move", {"id": "e7"}, Returned("moved"), batch=1),
        Execution("r1", "notify", {}, Failed("Error: nobody to tell"), batch=1),
        Ended("r1", success=True),
    ]


def test_items_of_responses() -> None:
    log = {
        "input": "move the dentist",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "find it first"}]},
            {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": "dentist"}'},
            {"type": "function_call", "call_id": "c2", "name": "weather", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c2", "output": '{"error": "no such place"}'},
            {"type": "function_call_output", "call_id": "c1", "output": '{"id": "e7"}'},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "now move it"}]},
            {"type": "custom_tool_call", "call_id": "c3", "name": "run", "input": "move e7"},
        ],
    }
    assert told(log, name="log") == [
        Requested("log:1", "move the dentist"),
        Execution("log:1", "search", {"q": "dentist"}, Returned('{"id": "e7"}'), "find it first", batch=1),
        Execution("log:1", "weather", {}, Failed('{"error": "no such place"}'), "find it first", batch=1),
        Execution("log:1", "run", {"input": "move e7"}, UNKNOWN, "now move it"),
    ]


def test_functions_of_old_logs_have_no_ids() -> None:
    one = {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": "{}"}}
    two = {"role": "assistant", "content": None, "function_call": {"name": "move", "arguments": "{}"}}
    log = [one, {"role": "function", "name": "search", "content": "a"}, two, {"role": "function", "name": "move", "content": "b"}]
    assert [done.result for done in executions(log)] == [Returned("a"), Returned("b")]


@pytest.mark.parametrize(
    ("log", "results"),
    [
        ([assistant(called("c1", "t", "{}"))], [UNKNOWN]),
        # Late, out of order, and before its call.
        ([assistant(called("c1", "t", "{}")), assistant(called("c2", "t", "{}")), answer("c2", "b"), answer("c1", "a")], ["a", "b"]),
        ([answer("c1", "a"), assistant(called("c1", "t", "{}"))], ["a"]),
        # The same id again: in the next message, in the same one, and where the first was never answered.
        ([assistant(called("c", "t", "{}")), answer("c", "a"), assistant(called("c", "t", "{}")), answer("c", "b")], ["a", "b"]),
        ([assistant(called("c", "t", "{}"), called("c", "t", "{}")), answer("c", "a"), answer("c", "b")], ["a", "b"]),
        ([assistant(called("c", "t", "{}")), assistant(called("c", "t", "{}")), answer("c", "b")], [UNKNOWN, "b"]),
        # No ids at all.
        ([assistant(called(None, "t", "{}"), called(None, "t", "{}")), answer(None, "a"), answer(None, "b")], ["a", "b"]),
    ],
)
def test_results_are_matched_with_calls(log: list[object], results: list[object]) -> None:
    assert [done.result for done in executions(log)] == [result if result is UNKNOWN else Returned(result) for result in results]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (assistant(called("c1", "t", "{")), "a call in `log:1` is left out: the arguments of `t` are no JSON"),
        (assistant(called("c1", "t", "[1]")), "a call in `log:1` is left out: the arguments of `t` are no object"),
        (assistant(called("c1", "", "{}")), "a call in `log:1` is left out: it names no tool"),
        (assistant({"id": "c1"}), "a call in `log:1` is left out: it has no `function` with a `name`"),
        ({"content": "x"}, "a message in `log:1` is left out: it has no `role`"),
        (answer("c8", "x"), "a result of `c8` in `log:1` is left out: there is no call for it"),
    ],
)
def test_an_entry_that_cannot_be_used_is_told_and_the_others_count(message: object, reason: str) -> None:
    log = [message, assistant(called("c9", "t", "{}")), answer("c9", "x"), {"role": "stranger", "content": "?"}]
    assert [found.message for found in told(log) if isinstance(found, Diagnostic)] == [reason]
    assert executions(log) == [Execution("log:1", "t", {}, Returned("x"))]


def test_the_result_of_a_call_that_cannot_be_used_is_not_told_again() -> None:
    assert len(reasons([assistant(called("c1", "t", "{")), answer("c1", "x")])) == 1


# Anthropic


def test_messages_of_anthropic() -> None:
    log = [
        {"role": "user", "content": "move the dentist"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": ""},
                {"type": "text", "text": "find it first"},
                {"type": "tool_use", "id": "c1", "name": "search", "input": {"q": "dentist"}},
                {"type": "mcp_tool_use", "id": "c2", "name": "weather", "input": {}, "server_name": "s"},
                {"type": "mcp_tool_result", "tool_use_id": "c2", "is_error": False, "content": [{"type": "text", "text": "rain"}]},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "gone", "is_error": True}]},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "again"}, {"type": "tool_use", "id": "c3", "name": "search", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c3"}, {"type": "text", "text": "hurry"}]},
    ]
    assert told(log) == [
        Requested("log:1", "move the dentist"),
        Execution("log:1", "search", {"q": "dentist"}, Failed("gone"), "find it first", batch=1),
        Execution("log:1", "weather", {}, Returned("rain"), "find it first", batch=1),
        Execution("log:1", "search", {}, Returned(None), "again"),
        Requested("log:1", "hurry"),
    ]


def test_blocks_that_are_none_are_told() -> None:
    log = [{"role": "assistant", "content": [{"text": "x"}, {"type": "tool_use", "id": "c", "name": "t", "input": 3}, 7]}, {"content": []}]
    assert reasons(log, form=Format.ANTHROPIC) == [
        "a block in `log:1` is left out: it has no `type`",
        "a call in `log:1` is left out: the arguments of `t` are no object",
        "a message in `log:1` is left out: it has no `role`",
    ]


# LangChain, as langchain-core writes it

TALK = [
    HumanMessage("move the dentist"),
    AIMessage(
        "find it first",
        tool_calls=[
            {"name": "search", "args": {"q": "dentist"}, "id": "c1", "type": "tool_call"},
            {"name": "weather", "args": {}, "id": "c2", "type": "tool_call"},
        ],
        invalid_tool_calls=[{"name": "move", "args": "{", "id": "c3", "error": "no JSON", "type": "invalid_tool_call"}],
    ),
    ToolMessage("rain", tool_call_id="c2"),
    ToolMessage("Error: gone", tool_call_id="c1", status="error"),
    ToolMessage("no such arguments", tool_call_id="c3", status="error"),
    AIMessage("sorry"),
]


@pytest.mark.parametrize(
    "log",
    [messages_to_dict(TALK), dumpd(TALK), {"messages": messages_to_dict(TALK)}, dumpd({"messages": TALK})],
    ids=["messages_to_dict", "dumpd", "state", "dumpd state"],
)
def test_messages_of_langchain(log: object) -> None:
    assert [record for record in told(log) if not isinstance(record, Diagnostic)] == [
        Requested("log:1", "move the dentist"),
        Execution("log:1", "search", {"q": "dentist"}, Failed("Error: gone"), "find it first", batch=1),
        Execution("log:1", "weather", {}, Returned("rain"), "find it first", batch=1),
    ]
    assert reasons(log) == ["a call in `log:1` is left out: its arguments could not be read when it was made"]


# Pydantic AI, as its own agent writes it


def agent(**options: Any) -> Agent[None, str]:
    """Calls `search` and `weather` at once, and `move` when it has their results; `search` fails when it is called first."""
    steps = iter(
        [
            [TextPart("find it first"), ToolCallPart("search", {"q": "dentist"}, "c1"), ToolCallPart("weather", "{}", "c2")],
            [ToolCallPart("search", '{"q": "dental"}', "c3")],
            [ToolCallPart("move", {"id": "e7"}, "c4")],
            [TextPart("done")],
        ]
    )

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=next(steps))

    made: Agent[None, str] = Agent(FunctionModel(model), name="helper", **options)

    @made.tool_plain
    def search(q: str) -> dict[str, str]:
        if q == "dentist":
            raise ModelRetry("nothing found")
        return FOUND

    @made.tool_plain
    def weather() -> str:
        return "rain"

    @made.tool_plain
    def move(id: str) -> list[str]:
        return [id]

    return made


def test_messages_of_pydantic_ai() -> None:
    log = json.loads(agent().run_sync("move the dentist").all_messages_json())
    assert told(log) == [
        Requested("log:1", "move the dentist"),
        Execution("log:1", "search", {"q": "dentist"}, Failed("nothing found"), "find it first", batch=1),
        Execution("log:1", "weather", {}, Returned("rain"), "find it first", batch=1),
        Execution("log:1", "search", {"q": "dental"}, Returned(FOUND)),
        Execution("log:1", "move", {"id": "e7"}, Returned(["e7"])),
    ]


def test_parts_of_pydantic_ai_that_are_none_are_told() -> None:
    log = [
        {"kind": "response", "parts": [{}, {"part_kind": "tool-call", "tool_name": "t", "args": "{", "tool_call_id": "c"}]},
        {"kind": "x"},
    ]
    assert reasons(log, form=Format.PYDANTIC_AI) == [
        "a part in `log:1` is left out: it has no `part_kind`",
        "a call in `log:1` is left out: the arguments of `t` are no JSON",
        "a message in `log:1` is left out: it has no `kind` or no `parts`",
    ]


# OpenTelemetry


def test_spans_of_an_instrumented_agent_as_the_sdk_writes_them() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    agent(capabilities=[Instrumentation(settings=InstrumentationSettings(tracer_provider=provider))]).run_sync("move the dentist")
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    done = executions(*spans)
    assert sorted((each.tool, json.dumps(each.arguments)) for each in done[:2]) == [("search", '{"q": "dentist"}'), ("weather", "{}")]
    assert [(each.tool, each.arguments, each.result) for each in done[2:]] == [
        ("search", {"q": "dental"}, Returned(FOUND)),
        ("move", {"id": "e7"}, Returned(["e7"])),
    ]
    assert {each.trace for each in done} == {spans[0]["attributes"]["gen_ai.conversation.id"]}
    assert all(each.seconds for each in done)


def attribute(key: str, value: object) -> dict[str, object]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else value}


def span(id: str, tool: str, begin: int, end: int, *attributes: object, parent: str = "root", **more: object) -> dict[str, object]:
    named = [attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", tool), *attributes]
    times = {"startTimeUnixNano": str(begin), "endTimeUnixNano": str(end)}
    return {"traceId": "t1", "spanId": id, "parentSpanId": parent, "name": f"execute_tool {tool}", **times, "attributes": named, **more}


ROOT = {"traceId": "t1", "spanId": "root", "name": "invoke_agent a", "startTimeUnixNano": "1", "endTimeUnixNano": "9000000000"}
QUERY = {
    "kvlistValue": {
        "values": [
            attribute("q", "dentist"),
            attribute("n", {"intValue": "3"}),
            attribute("l", {"arrayValue": {"values": [{"boolValue": True}]}}),
        ]
    }
}
SPANS = [
    span("s2", "move", 3_000_000_000, 4_000_000_000, attribute("error.type", "timeout")),
    span(
        "s1",
        "search",
        1_000_000_000,
        2_500_000_000,
        attribute("gen_ai.tool.call.arguments", QUERY),
        attribute("gen_ai.tool.call.result", '{"id": "e7"}'),
    ),
    # What an MCP client records of the same execution.
    span("s3", "search", 1_100_000_000, 2_000_000_000, parent="s1"),
    span("s4", "weather", 2_000_000_000, 2_600_000_000, status={"code": 2, "message": "no such place"}),
    {**ROOT, "attributes": [attribute("gen_ai.operation.name", "invoke_agent")]},
]
EXECUTED = [
    Execution("t1", "search", {"q": "dentist", "n": 3, "l": [True]}, Returned(FOUND), batch=1, seconds=1.5),
    Execution("t1", "weather", {}, Failed("no such place"), batch=1, seconds=0.6),
    Execution("t1", "move", {}, Failed("timeout"), seconds=1.0),
]


@pytest.mark.parametrize(
    "values",
    [
        SPANS,
        [{"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": SPANS}]}]}],
        [{"resourceSpans": [{"scopeSpans": [{"spans": [each]}]}]} for each in SPANS],
        # No root: the end of the file is the end of the trace.
        SPANS[:-1],
    ],
    ids=["spans", "one OTLP document", "OTLP lines", "without a root"],
)
def test_spans_of_otlp(values: Sequence[object]) -> None:
    assert told(*values) == EXECUTED


def test_spans_of_several_traces_may_alternate_and_are_let_go_when_their_root_has_come() -> None:
    other = [{**each, "traceId": "t2"} for each in SPANS]
    mixed = [each for pair in zip(SPANS, other, strict=True) for each in pair]
    assert [done.trace for done in executions(*mixed)] == ["t1"] * 3 + ["t2"] * 3

    def endless() -> Iterator[Document]:
        for number in count():
            yield from (Document("x", {**each, "traceId": f"t{number}"}) for each in SPANS)

    assert [record.trace for record in islice(read(endless(), "x"), 6) if isinstance(record, Execution)] == ["t0"] * 3 + ["t1"] * 3


def test_spans_that_are_none_are_told() -> None:
    bad = [
        {**SPANS[0], "startTimeUnixNano": "soon"},
        {**SPANS[0], "attributes": 3},
        {"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]},
    ]
    assert len(reasons(*bad, SPANS[0])) == 3
    assert len(executions(*bad, SPANS[0])) == 1


def test_our_own_spans_can_be_read() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = Spans(provider.get_tracer("test"))
    for call, outcome in (("c1", "done"), ("c2", "failed")):
        spans.write("alice", "verdict", {"call": call, "tool": "search", "verdict": "allow"})
        spans.write("alice", "outcome", {"call": call, "tool": "search", "outcome": outcome})
    done = executions(*(json.loads(span.to_json()) for span in exporter.get_finished_spans()))
    assert [(each.trace, each.tool, each.result) for each in done] == [
        ("alice", "search", Returned(None)),
        ("alice", "search", Failed("failed")),
    ]


# Our own


def test_receipts(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path, key=b"k" * 32)

    def verdict(call: str, tool: str, said: str, **arguments: str) -> None:
        given = {name: {"value": Private(value), "source": "user"} for name, value in arguments.items()}
        receipts.write("alice", "verdict", {"call": call, "tool": tool, "verdict": said, "arguments": given})

    receipts.write("alice", "decision", {"decision": "act"})
    verdict("c1", "search", "allow", q="dentist")
    receipts.write("alice", "outcome", {"call": "c1", "tool": "search", "outcome": "several found"})
    verdict("c2", "move", "refuse", id="e7")
    verdict("c3", "move", "allow", id="e7")
    verdict("c4", "notify", "would-refuse", about="e7")
    receipts.write("alice", "outcome", {"call": "c4", "tool": "notify", "outcome": "failed"})
    receipts.write("alice", "outcome", {"call": "c3", "tool": "move", "outcome": "in doubt"})
    verdict("c5", "search", "allow")
    receipts.write("alice", "outcome", {"call": "c5", "tool": "search", "outcome": "refused"})
    verdict("c6", "search", "allow")
    done = [record for record in read_file(receipts.path("alice")) if isinstance(record, Execution)]
    assert [(each.trace, each.tool, each.result, each.batch) for each in done] == [
        ("alice", "search", Returned(None), 0),
        ("alice", "notify", Failed("failed"), 1),
        ("alice", "move", UNKNOWN, 1),
        ("alice", "search", UNKNOWN, 0),
    ]
    assert done[1].arguments["about"] == done[2].arguments["id"] != done[0].arguments["q"]
    assert "dentist" not in "".join(map(written, done))


def test_sessions() -> None:
    talk = toolplan.Session(toolplan.load("office"), state={"calendar_id(mine)": "primary"}, clock=at_nine)
    talk.hear("Move tomorrow's dentist appointment to 4 PM")
    search = talk.propose("search-events", {"query": "dentist"}).call  # type: ignore[union-attr]
    talk.observe(search, {"events": [{"id": "e17", "summary": "Dentist"}]})
    talk.propose("update-event", {"end": "2026-12-01T16:30:00+00:00"})
    talk.hear("yes")
    move = talk.next().decision.ready  # type: ignore[union-attr]
    assert move is not None
    talk.start(move)
    talk.observe(move, RuntimeError("the server is gone"))
    log = json.loads(talk.snapshot())
    asked, found, yes, moved = told(log)
    assert isinstance(asked, Requested)
    assert isinstance(found, Execution)
    assert isinstance(moved, Execution)
    assert (asked.text, yes) == ("Move tomorrow's dentist appointment to 4 PM", Requested(asked.trace, "yes"))
    assert (found.tool, found.arguments["query"], found.result) == ("search-events", "dentist", Returned({"event_id": "e17"}))
    assert (moved.tool, moved.arguments["eventId"]) == ("update-event", "e17")
    assert isinstance(moved.result, Failed)
    log["events"].insert(1, {"strange": 1})
    assert [isinstance(record, Diagnostic) for record in told(log)] == [True, False, False, False, False]


def at_nine() -> datetime:
    return datetime(2026, 11, 30, 9, tzinfo=UTC)


# Files


LINE = Execution("r", "t", {"a": "x"}, Returned("y"))


def test_plain_lines_are_read_with_their_places() -> None:
    assert told(json.loads(written(LINE)), {"trace": "r", "tool": 3}, json.loads(written(LINE)))[::2] == [LINE, LINE]
    assert reasons(json.loads(written(LINE)), {"trace": "r"}) == ["log:2 is left out: it names no `trace` or no `tool`"]


def in_file(text: str, largest: int = 1_000) -> list[Document | Diagnostic]:
    return list(documents(io.BytesIO(text.encode()), "f", largest))


def test_a_file_is_lines_or_one_value() -> None:
    assert in_file('{"a": 1}\n\n[2]\n') == [Document("f:1", {"a": 1}), Document("f:3", [2])]
    assert in_file('{"a": 1}') == [Document("f:1", {"a": 1})]
    assert in_file('[\n{"a": 1}\n]\n') == [Document("f", [{"a": 1}])]
    assert in_file("") == []
    (bad, good) = in_file('{"a": \n{"a": 1}\n')
    assert isinstance(bad, Diagnostic)
    assert bad.message == "f:1 is left out: it is no JSON"
    assert good == Document("f:2", {"a": 1})


def test_what_is_too_large_is_refused_with_a_hint_and_a_line_of_it_left_out() -> None:
    with pytest.raises(DomainError, match="is one JSON value of more than") as refused:
        in_file(json.dumps([{"a": "x" * 100}] * 20, indent=1))
    assert "on each line" in refused.value.diagnostics[0].hint
    first, long, last = in_file('{"a": 1}\n' + json.dumps({"a": "x" * 5_000}) + '\n{"a": 2}\n')
    assert isinstance(long, Diagnostic)
    assert (first, last) == (Document("f:1", {"a": 1}), Document("f:3", {"a": 2}))
    assert [type(each) for each in in_file('{"bad"\n' + '{"a": 1}\n' * 200)] == [Diagnostic] + [Document] * 200


class Endless(io.RawIOBase):
    """A log that never ends."""

    def __init__(self, line: bytes) -> None:
        self._line, self._at, self.given = line, 0, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        start = self._at % len(self._line)
        chunk = (self._line[start:] + self._line * (len(buffer) // len(self._line) + 1))[: len(buffer)]
        buffer[: len(chunk)] = chunk
        self._at += len(chunk)
        self.given += len(chunk)
        return len(chunk)


@pytest.mark.parametrize(
    "value",
    [
        json.loads(written(LINE)),
        {"messages": [assistant(called("c", "t", "{}")), answer("c", "x")]},
        SPANS[0] | {"parentSpanId": ""},
    ],
    ids=["traces", "openai", "opentelemetry"],
)
def test_a_file_is_read_no_further_than_asked_for(value: object) -> None:
    raw = Endless(json.dumps(value).encode() + b"\n")
    records = read(documents(io.BufferedReader(raw), "endless"), "endless")
    assert all(isinstance(record, Execution) for record in islice(records, 1_000))
    assert raw.given < 2_000 * len(raw._line)


FORMS: dict[Format, object] = {
    Format.TRACES: json.loads(written(LINE)),
    Format.OPENAI: [assistant(called("c", "t", "{}"))],
    Format.ANTHROPIC: [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {}}]}],
    Format.LANGCHAIN: messages_to_dict(TALK),
    Format.PYDANTIC_AI: [{"kind": "request", "parts": []}],
    Format.OPENTELEMETRY: SPANS[0],
    Format.RECEIPTS: {"seq": 1, "at": "", "session": "s", "kind": "verdict", "content": {}, "previous": "", "hash": ""},
    Format.SESSIONS: {"toolplan-session": 1, "events": []},
}


def test_each_form_is_told_from_all_others() -> None:
    assert {form: detect(Document("x", value)) for form, value in FORMS.items()} == {form: form for form in Format}
    assert detect(Document("x", [{"role": "user", "content": "hi"}])) is None


def test_a_conversation_without_calls_does_not_tell_and_a_file_without_any_is_refused() -> None:
    said = [{"role": "user", "content": "hi"}]
    assert told(said, FORMS[Format.ANTHROPIC]) == [Requested("log:1", "hi"), Execution("log:2", "t", {})]
    with pytest.raises(DomainError, match="no known form of runs"):
        told(said, said)
    with pytest.raises(DomainError, match="cannot read"):
        list(read_file(Path("nowhere.jsonl")))


def test_a_list_of_conversations_is_read_as_several() -> None:
    talks = [[assistant(called("c", tool, "{}"))] for tool in ("a", "b")]
    assert [(done.trace, done.tool) for done in executions(talks)] == [("log:1#1", "a"), ("log:1#2", "b")]
    assert executions([{"messages": talk} for talk in talks]) == executions(talks)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.sampled_from(["user", "assistant", "tool_use", "tool-call", "ai"]),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "role content type id name input data tool_calls function arguments kwargs lc parts kind part_kind tool_name args messages output"
                " traceId spanId attributes key value status session call tool verdict outcome trace toolplan-session events resourceSpans".split()
            ),
            inside,
            max_size=5,
        )
    ),
    max_leaves=12,
)


def deep(value: object) -> str:
    """`value` as JSON, however deep it is."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        return json.dumps(value)
    finally:
        sys.setrecursionlimit(limit)


def mutations(value: object, strange: object) -> Iterable[object]:
    """`value` with each of its parts in turn replaced by `strange`."""
    yield strange
    if isinstance(value, dict):
        yield from ({**value, key: changed} for key, item in value.items() for changed in mutations(item, strange))
    elif isinstance(value, list):
        yield from ([*value[:at], changed, *value[at + 1 :]] for at, item in enumerate(value) for changed in mutations(item, strange))


@pytest.mark.parametrize("form", Format)
@given(JSON)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_nothing_that_is_json_ends_a_reader(form: Format, value: object) -> None:
    assert all(isinstance(record, Record | Diagnostic) for record in told(value, FORMS[form], form=form))


@pytest.mark.parametrize("strange", [None, 7, "x", [], {}, [[]], [{}]], ids=str)
@pytest.mark.parametrize("form", Format)
def test_no_part_of_an_entry_is_taken_for_granted(form: Format, strange: object) -> None:
    for value in mutations(FORMS[form], strange):
        assert all(isinstance(record, Record | Diagnostic) for record in told(value, FORMS[form], form=form))


def nested(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value] if depth % 2 else {"resourceSpans": [value]}
    return value


@pytest.mark.parametrize("form", Format)
@pytest.mark.parametrize("depth", [201, 202, 301, 401, 451, 601, 801])
def test_nothing_is_nested_too_deep(form: Format, depth: int) -> None:
    values = [nested(depth), *mutations(FORMS[form], nested(depth))]
    lines = "".join(deep(value) + "\n" for value in values)
    for record in read(documents(io.BytesIO(lines.encode()), "log"), "log", form):
        if not isinstance(record, Diagnostic):
            assert isinstance(written(redacted(record, b"k" * 32)), str)
    with suppress(DomainError):
        list(read(documents(io.BytesIO(lines.encode()), "log"), "log"))


def test_the_log_of_the_examples_is_read_without_a_word() -> None:
    records = list(read_file(READ_AGAIN))
    assert not [record for record in records if isinstance(record, Diagnostic)]
    assert sum(isinstance(record, Execution) for record in records) == 117
