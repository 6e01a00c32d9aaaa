"""The command line: exit codes, what goes to which stream, and the example that each `--help` shows."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run, run_alone

import toolplan
from toolplan.cli.bench import SUITES
from toolplan.cli.exits import Exit
from toolplan.language.codes import Code
from toolplan.receipts import FileReceipts

ROOT = Path(__file__).parent.parent
COMMANDS = (
    "init",
    "check",
    "test",
    "fmt",
    "plan",
    "frontier",
    "chat",
    "pddl",
    "import",
    "explain",
    "graph",
    "calibrate",
    "learn-goals",
    "learn",
    "eval",
    "serve",
    "audit",
    "review",
    "doctor",
    "bench",
)
HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    }
)
REQUESTS = ROOT / "tests" / "data" / "requests" / "calendar.jsonl"
GIVEN = "date,event_description,new_time"

LOCKED = """
fact key closed  fact a  fact b
tool t { requires key produces a removes key risk read }
tool u { requires key produces b removes key risk read }
"""


def domain(tmp_path: Path, text: str) -> str:
    path = tmp_path / "d.toolplan"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_in_help_runs(command: str, tmp_path: Path) -> None:
    shown = run(command, "--help").stdout
    example = " ".join(" ".join(shown.split()).split("Example: toolplan ")[1].split())
    for name, file in (("domain", "domain"), ("problem", "p01")):
        shutil.copy(ROOT / "tests" / "data" / "ipc" / "visit_all" / f"{file}.pddl", tmp_path / f"{name}.pddl")
    shutil.copy(REQUESTS, tmp_path / "requests.jsonl")
    shutil.copy(ROOT / "tests" / "data" / "traces" / "openai.jsonl", tmp_path / "runs.jsonl")
    shutil.copy(ROOT / "examples" / "suites" / "refunds.jsonl", tmp_path / "refunds.jsonl")
    (tmp_path / "team.json").write_text('{"mcpServers": {"mail": {"command": "mail-server"}}}', "utf-8")
    (tmp_path / "mail.json").write_text('{"tools": [{"name": "send_mail", "inputSchema": {"type": "object"}}]}', "utf-8")
    FileReceipts(tmp_path / "receipts").write("alice", "outcome", {"outcome": "done"})
    # A server talks until its client is gone.
    ran = (
        run_alone(*shlex.split(example), cwd=tmp_path, text=f"{HELLO}\n")
        if command == "serve"
        else run(*shlex.split(example), cwd=tmp_path)
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


@pytest.mark.parametrize("suite", SUITES)
def test_every_benchmark_has_an_example_and_the_quick_ones_run(suite: str) -> None:
    shown = " ".join(run("bench", suite, "--help").stdout.split())
    example = shlex.split(shown.split("Example: toolplan ")[1])
    assert example[:2] == ["bench", suite]
    if suite in ("planner", "import", "links", "inertia", "cmtf"):
        assert run(*example, cwd=ROOT).stdout.strip()


def test_a_benchmark_with_nothing_to_measure_says_so(tmp_path: Path) -> None:
    ran = run("bench", "import", "--data", str(tmp_path))
    assert ran.returncode == 2 and "nothing to measure" in ran.stderr


def test_every_command_is_tested_and_help_lists_exit_codes() -> None:
    shown = " ".join(run("--help").stdout.split())
    for exit_code in Exit:
        assert f"{exit_code.value} {exit_code.meaning}" in shown
    listed = [
        line.split()[0]
        for line in run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()
        if line.startswith("  ") and line[2].islower()
    ]
    assert tuple(listed) == COMMANDS


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["frontier", "workspace", "--state", GIVEN, "--goal", "move_event"], Exit.OK),
        (["frontier", "workspace", "--state", "event_updated", "--goal", "event_updated"], Exit.OK),
        (["check", "workspace"], Exit.OK),
        (["check", "nothing_here"], Exit.INPUT),
        (["plan", "workspace", "--goal", "mov_event"], Exit.INPUT),
        (["plan", "workspace", "--goal", "move_event", "--state", "date("], Exit.INPUT),
        (["plan", "workspace"], Exit.USAGE),
        (["nonsense"], Exit.USAGE),
        (["explain", "TP999"], Exit.USAGE),
        (["plan", "workspace", "--goal", "event_updated", "--forbid", "update_event"], Exit.NO_PLAN),
        (["frontier", "workspace", "--goal", "event_updated", "--forbid", "update_event"], Exit.NO_PLAN),
        (["plan", "workspace", "--goal", "move_event", "--engine", "uniform-cost", "--expansions", "1"], Exit.LIMIT),
        (["frontier", "workspace", "--goal", "move_event", "--engine", "uniform-cost", "--expansions", "1"], Exit.LIMIT),
        (["plan", "workspace", "--goal", "move_event", "--engine", "fast-downward", "--seconds", "0.001"], Exit.LIMIT),
        (["plan", "workspace", "--goal", "move_event", "--engine", "up:nobody"], Exit.INTERNAL),
    ],
)
def test_exit_codes(arguments: list[str], code: Exit) -> None:
    ran = run(*arguments)
    assert ran.returncode == code, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("arguments", "code"), [(["check", "calendar"], Exit.OK), (["check", "nothing_here"], Exit.INPUT), ([], Exit.USAGE)]
)
def test_a_process_ends_with_the_exit_code(arguments: list[str], code: Exit) -> None:
    ran = run_alone(*arguments)
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_strict_turns_warnings_into_errors(tmp_path: Path) -> None:
    path = domain(tmp_path, "fact f  tool t { produces f }")
    assert run("check", path).returncode == Exit.OK
    strict = run("check", "--strict", path)
    assert strict.returncode == Exit.INPUT
    assert "warning[TP301]" in strict.stderr


def test_no_plan_that_only_search_can_tell(tmp_path: Path) -> None:
    ran = run("plan", domain(tmp_path, LOCKED), "--state", "key", "--goal", "a, b")
    assert ran.returncode == Exit.NO_PLAN
    assert "no order of the tools works" in ran.stdout


@pytest.mark.parametrize("engine", ["fast-downward", "uniform-cost"])
@pytest.mark.parametrize("command", ["plan", "frontier"])
def test_json_is_all_that_stdout_holds(command: str, engine: str) -> None:
    ran = run_alone(command, "workspace", "--state", GIVEN, "--goal", "move_event", "--engine", engine, "--json")
    data = json.loads(ran.stdout)
    assert ran.stderr == ""
    assert data["engine"] == engine
    steps = data["steps"] if command == "plan" else data["plan"]["steps"]
    assert [step["action"] for step in steps] == ["search_events", "update_event"]


def test_errors_as_json_go_to_stdout_too() -> None:
    ran = run("plan", "workspace", "--goal", "move_evnt", "--json")
    found = json.loads(ran.stdout)["diagnostics"][0]
    assert ran.returncode == Exit.INPUT
    assert found["code"] == "TP401"
    assert found["hint"] == "did you mean `move_event`?"
    assert found["start"] == {"line": 1, "column": 1}


def test_a_state_from_a_file_as_list_or_mapping_and_from_stdin(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text(json.dumps(["date", "event_description", "new_time"]))
    (tmp_path / "mapping.json").write_text(
        json.dumps({"date": "2026-12-01", "event_description": "dentist", "new_time": "16:00", "event_id": None})
    )
    expected = run("frontier", "workspace", "--state", GIVEN, "--goal", "move_event", "--json").stdout
    for name in ("list.json", "mapping.json"):
        found = run("frontier", "workspace", "--state", f"@{name}", "--goal", "move_event", "--json", cwd=tmp_path)
        assert json.loads(found.stdout) == json.loads(expected)
    piped = run_alone(
        "frontier", "workspace", "--state", "@-", "--goal", "move_event", "--json", text='[["date"], "event_description, new_time"]'
    )
    assert json.loads(piped.stdout) == json.loads(expected)


def test_json_may_begin_with_the_mark_of_utf_8(tmp_path: Path) -> None:
    (tmp_path / "d.toolplan").write_text("fact a  fact b  tool t { requires a produces b risk read }", "utf-8")
    (tmp_path / "state.json").write_text('["a"]', "utf-8-sig")
    (tmp_path / "tools.json").write_text('[{"name": "t"}]', "utf-8-sig")
    assert run("plan", "d.toolplan", "-s", "@state.json", "-g", "b", cwd=tmp_path).returncode == Exit.OK
    assert run("plan", "d.toolplan", "-s", "@-", "-g", "b", cwd=tmp_path, text='\ufeff["a"]').returncode == Exit.OK
    assert run("check", "d.toolplan", "--tools", "tools.json", cwd=tmp_path).returncode == Exit.OK
    assert run("import", "tools", "tools.json", "-o", "new.toolplan", cwd=tmp_path).returncode == Exit.OK
    assert (tmp_path / "new.tools.json").read_bytes() == (tmp_path / "tools.json").read_bytes()


@pytest.mark.parametrize("name", [".", "/", ""])
@pytest.mark.parametrize(
    "before", [("review",), ("learn-goals",), ("import", "tools", str(REQUESTS), "--update"), ("frontier", "--request", "hello")]
)
def test_what_has_no_name_is_no_file(before: tuple[str, ...], name: str, tmp_path: Path) -> None:
    after = [str(REQUESTS)] if before == ("learn-goals",) else []
    ran = run(*before, name, *after, cwd=tmp_path)
    assert (ran.returncode, "error[TP601]: cannot read" in ran.stderr) == (Exit.INPUT, True)


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("[1, 2", "TP412", "state.json:1:6"),
        ("{'a': 1}", "TP412", "state.json:1:2"),
        ("3", "TP412", "state.json:1:1"),
        ("[3]", "TP408", ""),
        ("[" * 100_000, "TP412", "state.json:1:1"),
        (f"[{'1' * 5_000}]", "TP412", "state.json:1:1"),
    ],
)
def test_a_bad_state_file_has_a_place(content: str, code: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(content)
    ran = run("frontier", "workspace", "--state", "@state.json", "--goal", "move_event", cwd=tmp_path)
    assert ran.returncode == Exit.INPUT
    assert f"[{code}]" in ran.stderr
    assert place in ran.stderr
    assert ran.stdout == ""


@pytest.mark.parametrize("command", ["frontier", "plan", "pddl", "explain", "graph"])
def test_goals_and_states_that_are_given_one_by_one_count_together(command: str) -> None:
    together = ["--state", GIVEN, "--goal", "event_updated, email_deleted"]
    one_by_one = [*(part for fact in GIVEN.split(",") for part in ("-s", fact)), "-g", "event_updated", "-g", "email_deleted"]
    expected = run(command, "workspace", *together, "--json")
    assert expected.returncode == Exit.OK
    assert json.loads(run(command, "workspace", *one_by_one, "--json").stdout) == json.loads(expected.stdout)


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        (("-s", "a", "-g", "b # or so", "-g", "c"), ["t", "u"]),
        (("-s", "d # known", "-s", "a", "-g", "c"), ["u"]),
        (("-s", "a", "-g", "b or d", "-g", "c"), ["t", "u"]),
    ],
)
def test_each_goal_and_state_is_read_for_itself(options: tuple[str, ...], steps: list[str], tmp_path: Path) -> None:
    tools = "tool t { requires a produces b risk read } tool u { requires a produces c risk read }"
    (tmp_path / "d.toolplan").write_text(f"fact a fact b fact c fact d {tools}", "utf-8")
    planned = json.loads(run("plan", "d.toolplan", *options, "--json", cwd=tmp_path).stdout)
    assert [step["action"] for step in planned["steps"]] == steps
    wrong = run("plan", "d.toolplan", *options, "-g", "elsewhere", cwd=tmp_path)
    assert "<goal>:1:1\n  |\n1 | elsewhere" in wrong.stderr


def test_a_state_in_a_file_is_all_that_is_known(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text('["date"]')
    ran = run("frontier", "workspace", "-s", "@state.json", "-s", "new_time", "-g", "move_event", cwd=tmp_path)
    assert ran.returncode == Exit.USAGE
    assert "--state" in ran.stderr


def test_a_state_file_that_is_not_there() -> None:
    ran = run("frontier", "workspace", "--state", "@none.json", "--goal", "move_event")
    assert ran.returncode == Exit.INPUT
    assert "TP601" in ran.stderr


def test_a_domain_from_a_pipe_is_all_there(tmp_path: Path) -> None:
    text = "fact a  fact b  tool t { requires a produces b risk read }"
    assert run_alone("plan", "/dev/stdin", "-s", "a", "-g", "b", text=text).returncode == Exit.OK
    assert "t<br/>read" in run_alone("graph", "/dev/stdin", text=text).stdout
    ran = run_alone("check", "--fix", "/dev/stdin", text=text.replace("requires a", "requires aa"))
    assert (ran.returncode, ran.stdout) == (Exit.INPUT, "")
    assert "cannot mend `/dev/stdin`: it is no file" in ran.stderr


def test_check_does_not_load_the_planners() -> None:
    script = (
        "import sys; sys.argv = ['toolplan', 'check', 'workspace']\n"
        "from toolplan.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code, end.code\n"
        "loaded = [name for name in sys.modules if name.startswith(('unified_planning', 'up_fast_downward', 'numpy'))]\n"
        "assert not loaded, loaded"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_pddl_can_be_written_to_a_directory(tmp_path: Path) -> None:
    ran = run("pddl", "workspace", "--state", GIVEN, "--goal", "move_event", "--out", str(tmp_path / "new" / "place"))
    assert ran.returncode == 0
    assert ran.stdout == ""
    assert (tmp_path / "new" / "place" / "domain.pddl").read_text().startswith("; workspace")
    assert run("pddl", "workspace", "--goal", "move_event", "--out", "/proc/nowhere").returncode == Exit.USAGE


@pytest.mark.parametrize("name", ["TP101", "tp101", "unknown-fact"])
def test_explain_takes_numbers_and_names(name: str) -> None:
    ran = run("explain", name)
    assert ran.returncode == 0
    assert ran.stdout.rstrip() == Code.UNKNOWN_FACT.page.rstrip()


def test_explain_suggests_a_code() -> None:
    assert "did you mean `unknown-fact`?" in run("explain", "unknow-fact").stderr


def test_a_terminal_without_unicode_is_no_reason_to_fail(tmp_path: Path) -> None:
    path = domain(tmp_path, 'fact f "naïve – 名前"  tool t { "Prüfe." produces f risk read }  goal g { achieves f }')
    for arguments in (["check", path], ["frontier", path, "--goal", "g"], ["pddl", path, "--goal", "g", "--json"]):
        ran = run_alone(*arguments, PYTHONIOENCODING="ascii", LC_ALL="C")
        assert ran.returncode == 0, ran.stderr


def none_in_the_reading(*arguments: str, cwd: Path) -> float:
    """How probable it is that a request of the calendar is for none of its goals."""
    ran = run("frontier", "calendar", "--request", "call off the dentist", "--json", *arguments, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    none = json.loads(ran.stdout)["reading"]["none"]
    assert isinstance(none, float)
    return none


def test_a_request_is_read_with_the_examples_and_the_calibration_beside_the_domain(tmp_path: Path) -> None:
    alone = none_in_the_reading("--ranker", "lexical", cwd=tmp_path)
    run("learn-goals", "calendar", str(REQUESTS), cwd=tmp_path)
    learned = none_in_the_reading("--ranker", "lexical", cwd=tmp_path)
    run("calibrate", "calendar", str(REQUESTS), "--ranker", "lexical", "--out", "calendar.calibration.json", cwd=tmp_path)
    calibrated = none_in_the_reading("--ranker", "lexical", cwd=tmp_path)
    assert alone > learned > calibrated > 0
    assert none_in_the_reading(cwd=tmp_path) == calibrated, "without a name, the ranker that was calibrated reads"
    of_another = run("plan", "calendar", "--request", "call off the dentist", "--ranker", "mixed", cwd=tmp_path)
    assert of_another.returncode == Exit.INPUT
    assert "of the ranker `lexical`, not `mixed`" in of_another.stderr


def test_a_request_is_read_by_the_best_ranker_that_is_installed(tmp_path: Path) -> None:
    found = none_in_the_reading(cwd=tmp_path)
    assert found == none_in_the_reading("--ranker", "mixed", cwd=tmp_path)
    reading = toolplan.frontier(toolplan.load("calendar"), request="call off the dentist").reading
    assert reading is not None
    assert found == pytest.approx(reading.none, abs=1e-4)


@pytest.mark.parametrize("command", ["plan", "frontier"])
def test_a_ranker_that_is_none_or_has_nothing_to_read(command: str) -> None:
    misspelt = run(command, "calendar", "--request", "call off the dentist", "--ranker", "lexicl")
    assert misspelt.returncode == Exit.INPUT
    assert "did you mean `lexical`?" in misspelt.stderr
    assert run(command, "calendar", "--goal", "move_event", "--ranker", "lexical").returncode == Exit.USAGE


@pytest.mark.parametrize(
    ("cost", "other", "score"), [("1234567", "0.0000001", "1234567.0000001"), ("0.1", "0.2", "0.3"), ("5", "0.50", "5.5")]
)
def test_scores_are_shown_exactly(cost: str, other: str, score: str, tmp_path: Path) -> None:
    path = tmp_path / "dear.toolplan"
    path.write_text(
        f"fact a  fact b  tool t {{ produces a cost {cost} risk read }}  tool u {{ requires a produces b cost {other} risk read }}"
    )
    planned = run("plan", str(path), "--goal", "b", "--verify-with", "uniform-cost").stdout
    assert f"score {score}, 2 steps, proved optimal" in planned
    assert f"score {score} in 2 steps" in planned
    assert f"score {score}, 2 steps, proved optimal" in run("frontier", str(path), "--goal", "b").stdout
    assert f"none scores less than {score}" in run("explain", str(path), "--goal", "b").stdout
    assert f"; t (cost {cost}, risk read)" in run("pddl", str(path), "--goal", "b").stdout
