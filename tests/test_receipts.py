"""Receipts: a change of a file shows, writers do not get into each other's way, and no private value is in the bytes."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from typer.testing import CliRunner, Result

from toolplan.cli import app
from toolplan.cli.exits import Exit
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.receipts import NO_RECEIPTS, FileReceipts, Kind, Private, Receipts, Tee, read_key
from toolplan.receipts.seals import Keyed, Plain, Seal
from toolplan.receipts.spans import MOST_RUNNING, Spans
from toolplan.receipts.verifying import Audited, source_of, verify

KEY = b"0123456789abcdef0123456789abcdef"
OTHER_KEY = b"another key, as long as the first"

DECISION = {
    "domain": {"name": "office", "digest": "d1", "version": "1.0"},
    "decision": "act",
    "reading": {"candidates": [{"goal": "move_event", "probability": 0.9}], "none": 0.1},
    "plan": {"steps": ["search_events", "update_event"], "score": "2"},
    "exposure": {"strategy": "trim", "tools": ["search-events"]},
}
ALLOWED = {
    "call": "c1",
    "tool": "search-events",
    "arguments": {"query": {"value": Private("dentist"), "source": "user"}},
    "verdict": "allow",
}
REFUSED = {"call": "c2", "tool": "update-event", "arguments": {}, "verdict": "refuse", "reason": "not callable now"}
WATCHED = {"call": "c3", "tool": "send-mail", "arguments": {}, "verdict": "would-refuse", "reason": "not confirmed"}
DONE = {"call": "c1", "tool": "search-events", "outcome": "done"}
AGREED = {"question": "q1", "by": "user", "answer": "yes"}
TALK: tuple[tuple[Kind, Mapping[str, object]], ...] = (
    ("decision", DECISION),
    ("verdict", ALLOWED),
    ("verdict", REFUSED),
    ("verdict", WATCHED),
    ("outcome", DONE),
    ("answer", AGREED),
)

NAMES = st.text(st.characters(), max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | NAMES
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3) | inner.map(Private), max_leaves=6
)
CONTENTS = st.lists(st.dictionaries(NAMES, VALUES, max_size=3), min_size=1, max_size=5)
SEALS = st.sampled_from([None, KEY])


@contextmanager
def written(contents: list[dict[str, object]], key: bytes | None) -> Iterator[Path]:
    """The file of a session with a decision of each of `contents`."""
    with tempfile.TemporaryDirectory() as folder:
        receipts = FileReceipts(folder, key=key)
        for content in contents:
            receipts.write("s", "decision", content)
        yield receipts.path("s")


def audited(path: Path, key: bytes | None = None) -> Audited:
    return verify(source_of(path), seal_of(key))


def seal_of(key: bytes | None) -> Seal:
    return Plain() if key is None else Keyed(key)


def talk(folder: Path, key: bytes | None = None, session: str = "alice") -> Path:
    receipts = FileReceipts(folder, key=key)
    for kind, content in TALK:
        receipts.write(session, kind, content)
    return receipts.path(session)


def refused(error: pytest.ExceptionInfo[DomainError]) -> Diagnostic:
    (finding,) = error.value.diagnostics
    return finding


# What the chain shows.


@given(CONTENTS, SEALS)
def test_what_was_written_is_whole(contents: list[dict[str, object]], key: bytes | None) -> None:
    with written(contents, key) as path:
        found = audited(path, key)
        assert not found.faults
        assert not found.torn
        assert [receipt.seq for receipt in found.receipts] == list(range(1, len(contents) + 1))
        assert found.receipts[0].previous == ""
        path.read_bytes().decode("ascii")


@given(CONTENTS, SEALS, st.data())
def test_every_changed_byte_is_found(contents: list[dict[str, object]], key: bytes | None, data: st.DataObject) -> None:
    with written(contents, key) as path:
        whole = path.read_bytes()
        at = data.draw(st.integers(0, len(whole) - 1))
        byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole[at]))
        path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        assert audited(path, key).faults


@given(CONTENTS, SEALS, st.data())
def test_every_missing_byte_is_found_but_for_the_last_line_end(
    contents: list[dict[str, object]], key: bytes | None, data: st.DataObject
) -> None:
    with written(contents, key) as path:
        whole = path.read_bytes()
        at = data.draw(st.integers(0, len(whole) - 2))
        path.write_bytes(whole[:at] + whole[at + 1 :])
        assert audited(path, key).faults


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"seq"', '{ "seq"'),
        ('"verdict":"refuse"', '"verdict":"allow","verdict":"refuse"'),
        ('"previous"', '"approved":true,"previous"'),
        ("}\n", "}\r\n"),
        ('"seq":1', '"seq":1e0'),
        ("dentist", "\\u0064entist"),
        ("\n", "\n\n"),
    ],
)
def test_what_means_the_same_is_found_too(tmp_path: Path, old: str, new: str) -> None:
    path = talk(tmp_path)
    receipts = FileReceipts(tmp_path)
    receipts.write("alice", "decision", {"goal": "dentist"})
    text = path.read_text()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    assert audited(path).faults


@given(CONTENTS.filter(lambda contents: len(contents) > 1), SEALS, st.data())
def test_every_removed_repeated_or_moved_line_is_found(contents: list[dict[str, object]], key: bytes | None, data: st.DataObject) -> None:
    with written(contents, key) as path:
        lines = path.read_text().splitlines(keepends=True)
        places = st.integers(0, len(lines) - 1)
        one, other = data.draw(places), data.draw(places)
        changes: list[Callable[[], list[str]]] = [
            lambda: [line for number, line in enumerate(lines) if number != min(one, len(lines) - 2)],
            lambda: [*lines[:other], lines[one], *lines[other:]],
            lambda: [*lines[:other], "\n", *lines[other:]],
            lambda: lines[::-1],
        ]
        path.write_text("".join(data.draw(st.sampled_from(changes))()))
        assert audited(path, key).faults


@given(CONTENTS, SEALS)
def test_a_line_of_another_session_is_found(contents: list[dict[str, object]], key: bytes | None) -> None:
    with written(contents, key) as path:
        receipts = FileReceipts(path.parent, key=key)
        for content in [*contents, {}]:
            receipts.write("t", "decision", content)
        foreign = receipts.path("t").read_text().splitlines(keepends=True)[-1]
        path.write_text(path.read_text() + foreign)
        (fault,) = audited(path, key).faults
        assert fault.message == "this receipt belongs to session `t`, the others to `s`"


@pytest.mark.parametrize("forger", [None, OTHER_KEY], ids=["without a key", "with another key"])
def test_whoever_chains_a_file_anew_needs_the_key(tmp_path: Path, forger: bytes | None) -> None:
    path = talk(tmp_path / "true", KEY)
    forged = talk(tmp_path / "forged", forger)
    path.write_bytes(forged.read_bytes())
    (fault,) = audited(path, KEY).faults
    assert fault.message in ("this receipt is sealed by `sha256`, not by `hmac-sha256`", "the key fits none of the receipts")


def test_seals_of_a_key_are_not_checked_without_it(tmp_path: Path) -> None:
    (fault,) = audited(talk(tmp_path, KEY)).faults
    assert "--key-file" in fault.hint


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        (lambda lines: [lines[0].replace("act", "ask"), *lines[1:]], ["1: this receipt was changed after it was written"]),
        (lambda lines: [*lines[:2], *lines[4:]], ["3: 2 receipts before this one were removed"]),
        (lambda lines: [*lines[:2], lines[1], *lines[2:]], ["3: receipt 2 stands where receipt 3 belongs"]),
        (
            lambda lines: [lines[0], lines[2], lines[1], *lines[3:]],
            [
                "2: receipt 3 stands where receipt 2 belongs",
                "3: receipt 2 stands where receipt 4 belongs",
                "4: receipt 4 stands where receipt 3 belongs",
            ],
        ),
        (lambda lines: [*lines[:2], "so it was\n", *lines[2:]], ["3: this is no receipt"]),
        (lambda lines: [*lines[:-1], lines[-1][:-20]], ["6: the last receipt was not written to its end"]),
    ],
)
def test_a_fault_says_what_and_where(tmp_path: Path, change: Callable[[list[str]], list[str]], messages: list[str]) -> None:
    path = talk(tmp_path)
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    faults = audited(path).faults
    assert {fault.code for fault in faults} == {Code.BROKEN_RECEIPTS}
    assert [f"{fault.location.start[0]}: {fault.message}" for fault in faults if fault.location] == messages


def test_a_receipt_written_anew_does_not_follow(tmp_path: Path) -> None:
    path = talk(tmp_path)
    other = FileReceipts(tmp_path / "other")
    other.write("alice", "decision", {**DECISION, "decision": "done"})
    rest = path.read_text().splitlines(keepends=True)[1:]
    path.write_text("".join([other.path("alice").read_text(), *rest]))
    assert [fault.message for fault in audited(path).faults] == ["this receipt does not follow the one before it"]


@pytest.mark.parametrize("key", [None, KEY])
def test_another_program_can_check_a_line(tmp_path: Path, key: bytes | None) -> None:
    previous = ""
    for line in talk(tmp_path, key).read_text().splitlines():
        body, _, end = line.rpartition(',"hash":')
        text = f"{body}}}".encode()
        digest = hashlib.sha256(text) if key is None else hmac.new(key, text, "sha256")
        assert json.loads(line)["previous"] == previous
        previous = json.loads("{" + f'"hash":{end}')["hash"]
        assert previous.partition(":")[2] == digest.hexdigest()


@pytest.mark.parametrize("data", [b"", b"\n", b"[" * 100_000, b"\xff\xfe{}\n", b"null\n", b'{"seq": 1}', b"\0" * 50])
def test_any_file_is_taken(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes(data)
    assert bool(audited(path).faults) == bool(data)


def test_a_receipt_nested_deeper_than_python_counts_is_found_out(tmp_path: Path) -> None:
    path = talk(tmp_path)
    deep = "[" * 5000 + "]" * 5000
    path.write_text(path.read_text().replace('"decision":"act"', f'"decision":{deep}'))
    assert audited(path).faults


# Who writes.


WRITES = 200
WRITER = f"""
import sys
from toolplan.receipts import FileReceipts
receipts = FileReceipts(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range({WRITES}):
    receipts.write("s", "outcome", {{"writer": sys.argv[2], "number": number}})
"""


def test_processes_and_threads_append_at_once(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path)

    def write(writer: str) -> None:
        for number in range(WRITES):
            receipts.write("s", "outcome", {"writer": writer, "number": number})

    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    processes = [subprocess.Popen([*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for name in ("p1", "p2")]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    threads = [Thread(target=write, args=(name,)) for name in ("t1", "t2")]
    for thread in threads:
        thread.start()
    for process in processes:
        assert process.stdin
        print("go", file=process.stdin, flush=True)
    for process in processes:
        process.communicate()
    for thread in threads:
        thread.join()
    assert [process.returncode for process in processes] == [0, 0]
    found = audited(receipts.path("s"))
    assert not found.faults
    contents = [cast(dict[str, object], receipt.content) for receipt in found.receipts]
    for writer in ("p1", "p2", "t1", "t2"):
        assert [content["number"] for content in contents if content["writer"] == writer] == list(range(WRITES))
    assert receipts.head("s").count == 4 * WRITES


@given(st.data(), SEALS)
def test_what_an_interrupted_write_left_is_told_and_stays(data: st.DataObject, key: bytes | None) -> None:
    with written([{"n": 1}, {"n": 2}], key) as path:
        receipts = FileReceipts(path.parent, key=key)
        whole = path.read_bytes()
        line = len(whole.splitlines(keepends=True)[1])
        cut = data.draw(st.integers(1, line - 1))
        path.write_bytes(whole[:-cut])
        receipts.write("s", "decision", {"n": 3})
        found = audited(path, key)
        assert not found.faults
        assert path.read_bytes().startswith(whole[:-cut])
        assert found.torn == (() if cut == 1 else (2,))
        assert [receipt.kind for receipt in found.receipts] == ["decision", "decision" if cut == 1 else "mended", "decision"]


def test_two_interrupted_writes_in_a_row(tmp_path: Path) -> None:
    path = talk(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seq":7,"a')
    FileReceipts(tmp_path).write("alice", "outcome", DONE)
    path.write_bytes(path.read_bytes()[: len(whole) + 30])
    FileReceipts(tmp_path).write("alice", "outcome", DONE)
    found = audited(path)
    assert not found.faults
    assert found.torn == (7, 8)


def test_what_an_interrupted_write_left_cannot_be_removed(tmp_path: Path) -> None:
    path = talk(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"seq":7,"a')
    FileReceipts(tmp_path).write("alice", "outcome", DONE)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:6], *lines[7:]]))
    assert [fault.message for fault in audited(path).faults] == [
        "what an interrupted write had left before this receipt was changed or removed"
    ]


def test_what_others_have_done_to_a_file_meanwhile_is_seen(tmp_path: Path) -> None:
    one, other = FileReceipts(tmp_path), FileReceipts(tmp_path)
    for number in range(3):
        one.write("s", "outcome", {"number": number})
        other.write("s", "outcome", {"number": number})
    path = one.path("s")
    assert verify(source_of(path), Plain()).faults == ()
    path.unlink()
    one.write("s", "outcome", {})
    assert one.head("s").count == 1


def test_a_receipt_longer_than_what_is_searched_first(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path, redact="none")
    for text in ("a", "b" * 200_000, "c"):
        receipts.write("s", "decision", {"text": Private(text)})
    assert not audited(receipts.path("s")).faults
    assert receipts.head("s").count == 3


@given(st.lists(st.text(st.characters(), max_size=300), min_size=2, max_size=2, unique=True))
def test_every_session_has_a_file_of_its_own(sessions: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        receipts = FileReceipts(folder)
        for session in sessions:
            receipts.write(session, "decision", {})
        paths = list(Path(folder).iterdir())
        assert len({path.name.lower() for path in paths}) == 2
        assert {receipt.session for path in paths for receipt in audited(path).receipts} == set(sessions)


@pytest.mark.parametrize("session", ["../../etc/passwd", "..", "", "con", "a/b\0c", "x" * 10_000])
def test_no_name_of_a_session_leads_out_of_the_folder(tmp_path: Path, session: str) -> None:
    receipts = FileReceipts(tmp_path / "in")
    receipts.write(session, "decision", {})
    assert receipts.path(session).parent == tmp_path / "in"
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_times_are_in_utc_and_the_same_talk_gives_the_same_bytes(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(hours=2)))
    for folder in ("one", "two"):
        FileReceipts(tmp_path / folder, key=KEY, clock=lambda: noon).write("s", "verdict", ALLOWED)
    one, two = (FileReceipts(tmp_path / folder).path("s") for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert audited(one, KEY).receipts[0].at == datetime(2026, 3, 2, 10, tzinfo=UTC).isoformat()


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DomainError) as error:
        FileReceipts(tmp_path / "file")
    assert refused(error).code is Code.UNREADABLE_FILE
    receipts = FileReceipts(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(DomainError) as error:
        receipts.write("s", "decision", {})
    assert refused(error).code is Code.UNREADABLE_FILE


def test_a_key_that_can_be_guessed_is_none(tmp_path: Path) -> None:
    with pytest.raises(DomainError) as error:
        FileReceipts(tmp_path, key=b"secret")
    assert refused(error).code is Code.BAD_CALL


def test_an_unknown_redaction_is_told(tmp_path: Path) -> None:
    with pytest.raises(DomainError) as error:
        FileReceipts(tmp_path, redact=cast("object", "all"))  # type: ignore[arg-type]
    assert refused(error).hint == "choose `digests` or `none`"


# What is private.

MARKS = st.integers(0, 2**64 - 1).map(lambda number: f"mark-{number:016x}")
MARKED = st.recursive(
    MARKS, lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(MARKS, inner, min_size=1, max_size=3), max_leaves=5
)


@given(MARKED, SEALS)
def test_no_private_value_is_in_the_bytes(value: object, key: bytes | None) -> None:
    with written([{"tool": "t", "value": Private(value), "deep": [{"value": Private((Private(value), 1))}]}], key) as path:
        assert b"mark-" not in path.read_bytes()
        assert b'"tool":"t"' in path.read_bytes()


def digest_of(receipts: FileReceipts, value: object, session: str = "s") -> object:
    receipts.write(session, "verdict", {"value": Private(value)})
    content = audited(receipts.path(session), KEY).receipts[-1].content
    assert isinstance(content, dict)
    return content["value"]


def test_digests_tell_whether_values_of_one_session_are_the_same(tmp_path: Path) -> None:
    for key in (KEY, None):
        receipts = FileReceipts(tmp_path / str(bool(key)), key=key)
        first = digest_of(receipts, {"amount": 500})
        assert first == digest_of(receipts, {"amount": 500})
        assert first != digest_of(receipts, {"amount": 501})
        assert first != digest_of(receipts, {"amount": 500}, session="t")


def test_digests_are_found_again_by_whoever_has_the_key_and_by_nobody_else(tmp_path: Path) -> None:
    def digest(folder: str, key: bytes | None) -> object:
        return digest_of(FileReceipts(tmp_path / folder, key=key), "yes")

    assert digest("one", KEY) == digest("two", KEY)
    assert len({digest("one", KEY), digest("three", OTHER_KEY), digest("four", None), digest("five", None)}) == 4


def test_values_are_kept_where_the_host_wants_them(tmp_path: Path) -> None:
    receipts = FileReceipts(tmp_path, redact="none")
    receipts.write("s", "verdict", {"value": Private({"to": ["anna", Private("ben")], "at": datetime(2026, 3, 2), "sum": Decimal("1.50")})})
    content = audited(receipts.path("s")).receipts[0].content
    assert content == {"value": {"to": ["anna", "ben"], "at": "2026-03-02 00:00:00", "sum": "1.50"}}


@pytest.mark.parametrize("redact", ["digests", "none"])
def test_no_value_ends_the_writer(tmp_path: Path, redact: str) -> None:
    deep: object = "x"
    for _ in range(20_000):
        deep = [deep]
    receipts = FileReceipts(tmp_path, redact=redact)  # type: ignore[arg-type]
    for value in (deep, float("nan"), float("-inf"), "\ud800", b"\xff", {1: {2, 3}}, object):
        receipts.write("s", "verdict", {"value": Private(value), "plain": value})
    found = audited(receipts.path("s"))
    assert not found.faults
    assert len(found.receipts) == 7


def test_the_text_of_a_private_value_does_not_show_it() -> None:
    assert "dentist" not in repr(Private("dentist"))


# Several writers, and none.


class Listed:
    """Receipts in a list."""

    def __init__(self) -> None:
        self.kinds: list[Kind] = []

    def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
        self.kinds.append(kind)


def test_a_tee_hands_on_to_all() -> None:
    one, two = Listed(), Listed()
    both: Receipts = Tee(one, NO_RECEIPTS, two)
    for kind, content in TALK:
        both.write("s", kind, content)
    assert one.kinds == two.kinds == [kind for kind, _ in TALK]


# Spans.


def spans_of(*written: tuple[Kind, Mapping[str, object]]) -> tuple[ReadableSpan, ...]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = Spans(provider.get_tracer("test"))
    for kind, content in written:
        spans.write("alice", kind, content)
    return exporter.get_finished_spans()


def test_a_call_is_a_span_from_its_verdict_to_its_outcome() -> None:
    decision, refusal, answer, call = spans_of(
        ("decision", DECISION), ("verdict", REFUSED), ("verdict", ALLOWED), ("answer", AGREED), ("outcome", DONE)
    )
    assert [decision.name, refusal.name, answer.name, call.name] == [
        "toolplan.decision",
        "toolplan.verdict",
        "toolplan.answer",
        "execute_tool search-events",
    ]
    assert call.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": "alice",
        "gen_ai.tool.name": "search-events",
        "gen_ai.tool.call.id": "c1",
        "toolplan.verdict": "allow",
        "toolplan.outcome": "done",
    }
    assert call.start_time and answer.start_time and call.end_time and answer.end_time
    assert call.start_time <= answer.start_time <= answer.end_time <= call.end_time
    assert call.status.status_code is StatusCode.UNSET


def test_a_call_that_failed_is_an_error_also_where_another_process_let_it_run() -> None:
    (call,) = spans_of(("outcome", {**DONE, "outcome": "failed"}))
    assert call.name == "execute_tool search-events"
    assert call.status.status_code is StatusCode.ERROR
    assert call.attributes
    assert call.attributes["error.type"] == "failed"


def test_a_watched_call_is_a_span_too() -> None:
    (call,) = spans_of(("verdict", WATCHED), ("outcome", {**DONE, "call": "c3", "tool": "send-mail"}))
    assert call.attributes
    assert call.attributes["toolplan.verdict"] == "would-refuse"


def test_spans_hold_no_private_value() -> None:
    secret = Private("mark-1")
    spans = spans_of(("verdict", {**ALLOWED, "why": secret, "arguments": {"q": secret}}), ("outcome", DONE), ("answer", {"value": secret}))
    assert len(spans) == 2
    assert "mark-1" not in "".join(span.to_json() for span in spans)


def test_calls_without_an_outcome_do_not_pile_up() -> None:
    begun = [("verdict", {**ALLOWED, "call": f"c{number}"}) for number in range(MOST_RUNNING + 2)]
    assert [span.attributes and span.attributes["gen_ai.tool.call.id"] for span in spans_of(*begun)] == ["c0", "c1"]  # type: ignore[arg-type]


# The command line.


def audit(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


def test_audit_sums_up(tmp_path: Path) -> None:
    talk(tmp_path)
    talk(tmp_path, session="bob")
    ran = audit(tmp_path, "--json")
    assert ran.exit_code == Exit.OK
    data = json.loads(ran.stdout)
    files = data.pop("files")
    assert [(file["session"], file["receipts"], file["whole"]) for file in files] == [("alice", 6, True), ("bob", 6, True)]
    assert data == {
        "decisions": {"act": 2},
        "tools": {"search-events": {"allow": 2}, "update-event": {"refuse": 2}, "send-mail": {"would-refuse": 2}},
        "reasons": {"refuse": {"not callable now": 2}, "would-refuse": {"not confirmed": 2}},
        "outcomes": {"done": 2},
        "answers": {"yes": 2},
        "diagnostics": [],
    }


def test_audit_draws_what_it_sums_up(tmp_path: Path) -> None:
    path = talk(tmp_path)
    head = FileReceipts(tmp_path).head("alice").hash
    assert audit(path).stdout == (
        f"whole   alice: 6 receipts, head {head}\n"
        "\ndecisions\n  act               1\n"
        "\nverdicts\n  search-events     1 allow\n  update-event      1 refuse\n  send-mail         1 would-refuse\n"
        "\nrefuse\n  not callable now  1\n"
        "\nwould-refuse\n  not confirmed     1\n"
        "\noutcomes\n  done              1\n"
        "\nanswers\n  yes               1\n"
    )


def test_audit_tells_faults(tmp_path: Path) -> None:
    path = talk(tmp_path)
    path.write_text(path.read_text().replace("refuse", "allow", 1))
    ran = audit(path)
    assert ran.exit_code == Exit.INPUT
    assert ran.stdout.startswith("BROKEN  alice")
    assert "error[TP607]: this receipt was changed after it was written\n" in ran.stderr
    assert f"--> {path}:3:1" in ran.stderr
    ran = audit(path, "--json")
    assert ran.exit_code == Exit.INPUT
    assert ran.stderr == ""
    assert json.loads(ran.stdout)["diagnostics"][0]["start"] == {"line": 3, "column": 1}


def test_audit_finds_a_cut_end_by_a_head_that_was_kept(tmp_path: Path) -> None:
    path = talk(tmp_path)
    head = FileReceipts(tmp_path).head("alice")
    kept = ("--head", head.hash, "--count", head.count)
    FileReceipts(tmp_path).write("alice", "outcome", DONE)
    assert audit(path, *kept).exit_code == audit(path, *kept[:2]).exit_code == audit(path, *kept[2:]).exit_code == Exit.OK
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    assert audit(path).exit_code == Exit.OK
    for given_head in (kept, kept[:2], kept[2:]):
        ran = audit(path, *given_head)
        assert ran.exit_code == Exit.INPUT
        assert "the end was cut off" in ran.stderr
    assert audit(path, "--head", head.hash, "--count", 2).exit_code == Exit.INPUT


def test_audit_takes_the_key_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    path = talk(tmp_path / "receipts", read_key(tmp_path / "key"))
    assert audit(path, "--key-file", tmp_path / "key").exit_code == Exit.OK
    assert audit(path).exit_code == Exit.INPUT
    (tmp_path / "key").write_bytes(OTHER_KEY)
    assert "the key fits none of the receipts" in audit(path, "--key-file", tmp_path / "key").stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["none.jsonl"], Exit.INPUT, "TP601"),
        (["."], Exit.INPUT, "TP601"),
        ([], Exit.USAGE, "FILE|FOLDER"),
        (["one.jsonl", "two.jsonl", "--count", "1"], Exit.USAGE, "there are 2"),
        (["one.jsonl", "--key-file", "none"], Exit.INPUT, "TP601"),
    ],
)
def test_audit_says_what_it_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: Exit, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    ran = audit(*arguments)
    assert ran.exit_code == code
    assert told in ran.stderr


def test_a_name_with_orders_for_the_terminal_is_shown_as_text(tmp_path: Path) -> None:
    path = talk(tmp_path, session="\x1b[2Jalice")
    assert "\x1b" not in audit(path).stdout


def test_the_example_in_help_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(tmp_path / "receipts")
    monkeypatch.chdir(tmp_path)
    example = " ".join(audit("--help").stdout.split()).split("Example: toolplan audit ")[1].split()
    assert audit(*example).exit_code == Exit.OK
