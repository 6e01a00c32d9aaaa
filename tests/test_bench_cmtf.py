"""The benchmark of CMTF: its tasks, its mocked world, its menus, what choosers say, and runs that are kept."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from commands import run

import toolplan
from toolplan.bench.choosers import Called, Choice, Nothing, Turn, Unreadable
from toolplan.bench.choosers.endpoint import Endpoint
from toolplan.bench.choosers.reading import read_call
from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.cmtf.environment import Answered, NoSuchTool, NotNow, World, WrongArguments
from toolplan.bench.cmtf.menus import METHODS, menu, shown_by
from toolplan.bench.cmtf.suite import ARMS, Cmtf
from toolplan.bench.cmtf.tasks import tasks
from toolplan.bench.pairs import mcnemar
from toolplan.bench.runs import RunRecord, Subject
from toolplan.bench.runs.figures import rows
from toolplan.bench.runs.keeping import Kept, Runs, packed, read, times_of
from toolplan.bench.runs.running import run as run_task
from toolplan.bench.runs.running import run_all
from toolplan.domain import Domain
from toolplan.language.diagnostics import DomainError

TASKS = {task.id: task for task in tasks()}
MOVE = TASKS["move_event-1"]
USAGE = {"prompt_tokens": 70, "completion_tokens": 7, "total_tokens": 77}


@pytest.fixture(scope="module")
def domain() -> Domain:
    return toolplan.load("workspace")


def _right(world: World, tool: str) -> dict[str, object]:
    return {argument.name: argument.value or "as known" for argument in world.arguments(tool)}


def test_there_are_34_tasks_of_each_domain_in_nine_patterns() -> None:
    patterns = Counter(task.pattern for task in TASKS.values())
    assert len(TASKS) == 102 and len({task.request for task in TASKS.values()}) == 102
    assert [sum(list(patterns.values())[i : i + 3]) for i in (0, 3, 6)] == [34, 34, 34]


@pytest.mark.parametrize("name", Cmtf().tasks(18))
def test_the_gold_chain_is_a_best_plan_and_the_mocks_follow_it(domain: Domain, name: str) -> None:
    task = TASKS[name]
    best = toolplan.plan(domain, state=dict(task.given), goal=task.goal)
    assert sorted(step.action for step in best.steps) == sorted(task.gold)
    world = World.of(domain, task)
    for tool in task.gold:
        assert tool in world.next_gold
        world, answer = world.call(tool, _right(world, tool))
        assert isinstance(answer, Answered)
    assert world.done and world.next_gold == ()


def test_what_the_mocks_answer_depends_on_the_call(domain: Domain) -> None:
    world = World.of(domain, MOVE)
    assert world.call("search_events", {"date": "2026-03-03", "query": "Dentist appointment"})[1] == Answered({"event_id": "evt_4037"})
    for wrong in ({"date": "2026-03-04", "query": "the dentist appointment"}, {"query": "the dentist appointment"}):
        assert world.call("search_events", wrong) == (world, WrongArguments(("date",)))
    assert world.call("update_event", {"event_id": "evt_4037", "start": "2026-03-03T16:00:00"}) == (world, NotNow())
    assert world.call("read_file", {"file_id": "x"}) == (world, NotNow())
    assert world.call("fly", {}) == (world, NoSuchTool())


def test_each_method_shows_what_the_paper_says(domain: Domain) -> None:
    world = World.of(domain, MOVE)
    shown = {method: shown_by(method, world) for method in METHODS}
    assert len(shown["all"]) == 98 and len(shown["keyword-5"]) == 5 and len(shown["keyword-10"]) == 10
    assert set(shown["state-aware"]) > {"search_events", "create_event", "check_availability"}
    assert "update_event" not in shown["state-aware"]
    assert (shown["full-path"], shown["frontier"]) == (("search_events", "update_event"), ("search_events",))


def test_the_strategies_declare_all_tools_one_or_the_frontier(domain: Domain) -> None:
    sizes = {strategy: len(menu(domain, ["search_events"], strategy).declared) for strategy in ("trim", "allow", "dispatch")}
    assert sizes == {"trim": 3, "allow": 100, "dispatch": 1}
    callable_by = {strategy: [tool.name for tool in menu(domain, ["search_events"], strategy).callable] for strategy in sizes}
    assert set(map(tuple, callable_by.values())) == {("search_events", "request_human", "cancel_run")}
    assert '"search_events"' in menu(domain, ["search_events"], "dispatch").lines[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>', Called("a", {"x": 1})),
        ('{"name": "a", "arguments": {}}', Called("a", {})),
        ('```json\n{"name": "a", "arguments": {}}\n```', Called("a", {})),
        ('<tool_call>\n{"name": "none", "arguments": {}}', Nothing("")),
        ("I would search.", Nothing("I would search.")),
        ('{"name": "a", "arguments": "x"}', Unreadable('{"name": "a", "arguments": "x"}')),
        ('{"name": "a", ', Unreadable('{"name": "a", ')),
        ("[" * 100_000, Nothing("[" * 100_000)),
    ],
)
def test_a_call_is_read_out_of_what_a_model_says(text: str, answer: object) -> None:
    assert read_call(text, dispatched=False) == answer


def test_a_call_through_the_dispatcher_is_one_of_the_tool_behind_it() -> None:
    text = '{"name": "call", "arguments": {"name": "a", "arguments": {"x": 1}}}'
    assert read_call(text, dispatched=True) == Called("a", {"x": 1})
    assert read_call(text, dispatched=False) == Called("call", {"name": "a", "arguments": {"x": 1}})


class Stubborn:
    """Calls the first tool that is shown with what it likes."""

    name, details = "stubborn", {}

    def choose(self, turn: Turn) -> Choice:
        return Choice(Called(turn.callable[0].name, {"query": "something else"}), 10, 2)


def test_a_gate_tells_a_model_what_is_wrong_with_a_call() -> None:
    record, _ = run_task(Cmtf(), "frontier, gate", "draft_reply-1", Stubborn())
    assert {step.outcome for step in record.steps} == {"refused"}
    assert all("query" in step.detail for step in record.steps)


def test_behind_a_gate_a_model_is_told_what_every_host_of_a_session_tells_it() -> None:
    for arm, what in (("frontier, gate", ()), ("frontier, dispatch, gate", ('{"name": "search_events"',)), ("frontier", None)):
        turn = Cmtf().episode(arm, MOVE.id).turn()
        assert turn is not None
        if what is None:
            assert turn.note == ""
        else:
            assert all(part in turn.note for part in ("Next: call `search_events`.", "`request_human`, `cancel_run`", *what))


def test_a_tool_that_was_not_shown_does_not_run() -> None:
    class Eager(Stubborn):
        def choose(self, turn: Turn) -> Choice:
            return Choice(Called("delete_event", {"event_id": "evt_4037"}), 10, 2)

    record, _ = run_task(Cmtf(), "frontier", MOVE.id, Eager())
    assert [step.outcome for step in record.steps] == ["no such tool"] * 6 and not record.success


@pytest.fixture
def served() -> Iterator[tuple[str, list[Any]]]:
    """An address that answers as OpenAI's chat completions do, with the messages that it is to give."""
    messages: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = messages.pop(0)(asked) if messages else None
            body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "usage": USAGE}
            body["choices"] = [{"index": 0, "finish_reason": "stop", "message": message}]
            data = json.dumps(body if message is not None else {"error": {"message": "no such model"}}).encode()
            self.send_response(200 if message is not None else 404)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", messages
        server.shutdown()


def _calls(name: str, arguments: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}],
    }


def test_a_model_behind_an_address_chooses(domain: Domain, served: tuple[str, list[Any]]) -> None:
    address, messages = served
    seen: list[Any] = []
    messages += [
        lambda asked: (seen.append(asked), _calls("call", '{"name": "search_events", "arguments": {}}'))[1],
        lambda asked: _calls("call", '{"name": 7}'),
        lambda asked: {"role": "assistant", "content": "I cannot."},
    ]
    with closing(Endpoint(address, "m")) as chooser:
        shown = menu(domain, ["search_events"], "dispatch")
        turn = Turn("move it", {"date": "2026-03-03"}, "", shown.declared, shown.callable, "\n".join(shown.lines), dispatched=True)
        answers = [chooser.choose(turn) for _ in range(3)]
        assert answers[0] == Choice(Called("search_events", {}), 70, 7)
        assert isinstance(answers[1].answer, Unreadable) and answers[2].answer == Nothing("I cannot.")
        assert [tool["function"]["name"] for tool in seen[0]["tools"]] == ["call"] and seen[0]["temperature"] == 0
        with pytest.raises(DomainError, match="no answer from `m`"):
            chooser.choose(turn)


SUBJECT = Subject("cmtf", "simulated", Simulated().details)


def _runs(tasks: int, arms: Iterable[str] = ARMS, kept: Kept | None = None, jobs: int = 1) -> tuple[list[RunRecord], list[str]]:
    """The runs, and what was noted of those that were made."""
    suite, made = Cmtf(), list[str]()
    plan = [(arm, task) for arm in arms for task in suite.tasks(tasks)]
    return list(run_all(suite, plan, Simulated, jobs, kept, made.append)), made


def test_runs_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    path, arms = tmp_path / "runs.jsonl", list(ARMS)[-2:]
    first, _ = _runs(4, arms, Kept(path, SUBJECT))
    path.write_bytes(path.read_bytes()[:-40])  # killed while the last line was written
    again, made = _runs(4, arms, Kept(path, SUBJECT))
    assert again == first and len(made) == 1
    assert read(path) == Runs(SUBJECT, first)
    assert len(times_of(path).read_text("utf-8").splitlines()) == 9


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are listed by Linux")
def test_a_run_that_is_killed_leaves_no_process_behind_and_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "runs.jsonl"
    command = [sys.executable, "-m", "toolplan", "bench", "cmtf", "--arms", "all", "--jobs", "2", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as bench:
        _wait_until(lambda: out.exists() and out.read_text("utf-8").count("\n") > 2)
        children = Path(f"/proc/{bench.pid}/task/{bench.pid}/children").read_text("utf-8").split()
        bench.kill()
    assert len(children) >= 2
    _wait_until(lambda: not any(Path("/proc", child).exists() for child in children))
    assert run("bench", "cmtf", "--arms", "all", "--tasks", "12", "--out", str(out)).returncode == 0
    names = [record.task for record in read(out).records]
    assert set(names) >= set(Cmtf().tasks(12)) and len(names) == len(set(names))


def _wait_until(has_come: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not has_come():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_runs_of_something_else_are_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Kept(path, SUBJECT)
    with pytest.raises(DomainError, match=r"skill 1\.0, and not 2\.0"):
        Kept(path, Subject("cmtf", "simulated", {"skill": "2.0"}))
    path.write_text("no runs\n", "utf-8")
    with pytest.raises(DomainError, match="holds no runs"):
        Kept(path, SUBJECT)


def test_several_processes_make_the_same_runs_which_are_packed_to_the_same_bytes(tmp_path: Path) -> None:
    arms = list(ARMS)[-2:]
    order = [(arm, task) for arm in arms for task in sorted(Cmtf().tasks(4))]
    files = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.jsonl"
        _runs(4, arms, Kept(path, SUBJECT), jobs)
        files.append(packed(read(path)))
    assert files[0] == files[1]
    (tmp_path / "packed.jsonl.gz").write_bytes(files[0])
    assert [record.key for record in read(tmp_path / "packed.jsonl.gz").records] == order


def test_twelve_tasks_by_the_simulated_model() -> None:
    found = {row.method: row for row in rows(Runs(SUBJECT, _runs(12)[0]))}
    ours = [row for name, row in found.items() if name.startswith("frontier")]
    assert all(row.tools == 1 and row.premature == 0 and row.n == 12 for row in ours)
    assert all(int(row.success.split()[0]) > int(found["all"].success.split()[0]) for row in ours)
    assert float(found["frontier, gate"].of_all.rstrip("%")) <= 10


def test_pairs_are_compared_exactly() -> None:
    assert mcnemar([True] * 6 + [False], [False] * 6 + [True]).p == pytest.approx(2 * (1 + 7) / 2**7)
    assert mcnemar([True, False], [True, False]).p == 1


def test_the_command_keeps_runs_shows_tables_and_replays_one(tmp_path: Path) -> None:
    kept = str(tmp_path / "runs.jsonl")
    ran = run("bench", "cmtf", "--tasks", "3", "--arms", "all; frontier, gate", "--out", kept, "--json")
    assert ran.returncode == 0
    assert [row["method"] for row in json.loads(ran.stdout)["Methods"]] == ["all", "frontier, gate"]
    assert "frontier, gate" in run("bench", "show", kept).stdout
    shown = run("bench", "show", kept, "move_event-1", "--arm", "all")
    assert "98 visible, due search_events" in shown.stdout
    for arguments in (("show", kept, "nope"), ("cmtf", "--arms", "nope"), ("cmtf", "--endpoint", "http://x")):
        assert run("bench", *arguments).returncode == 2
