"""`toolplan learn`: logs in, reports, graphs, proposals and findings out."""

from __future__ import annotations

import json
import shlex
import shutil
import tracemalloc
from contextlib import chdir
from itertools import count
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from toolplan.cli.exits import Exit
from toolplan.cli.learn import COMMANDS, app
from toolplan.learning.graph import learned
from toolplan.learning.readers import read_file
from toolplan.learning.saving import from_json
from toolplan.learning.traces import Ended, Execution, Failed, Record, Returned, written

LOG = Path(__file__).parent / "data" / "traces" / "openai.jsonl"
KEY = "k" * 32
DOMAIN = """
domain desk "Desk"
fact ticket: text "the ticket"
fact found
fact closed
goal close { achieves closed }
tool search { produces found risk read }
tool close_it calls "close" { requires found produces closed risk write }
"""


def learn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def records(path: Path) -> list[Record]:
    return [record for record in read_file(path) if isinstance(record, Record)]


def log(path: Path, *lines: Record | str) -> Path:
    path.write_text("".join((line if isinstance(line, str) else written(line)) + "\n" for line in lines), "utf-8")
    return path


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    path = tmp_path / "desk.toolplan"
    path.write_text(DOMAIN, "utf-8")
    return path


def runs(path: Path, many: int = 30) -> Path:
    """Runs in which what was found is closed by its id."""
    lines: list[Record] = []
    for number in range(many):
        id = f"T-{number:03}"
        lines.append(Execution(f"r{number}", "search", {"q": "printer"}, Returned({"tickets": [{"id": id}]})))
        lines.append(Execution(f"r{number}", "close", {"ticket": id}, Returned("closed")))
    return log(path, *lines)


def long_log(path: Path, kilobytes: int) -> Path:
    """Runs of ten steps, whose values are all different, of which four alternate; as many as fit."""
    with path.open("w", encoding="utf-8") as file:
        for number in count():
            if file.tell() > kilobytes * 1_000:
                break
            for step in range(10):
                for run in range(4):
                    seen = f"v{number}.{step - 1}.{run}"
                    found = {"items": [{"id": f"v{number}.{step}.{run}", "text": "x" * 400}]}
                    file.write(written(Execution(f"r{number}.{run}", f"t{step * run % 7}", {"id": seen}, Returned(found))) + "\n")
            for run in range(4):
                file.write(written(Ended(f"r{number}.{run}", success=True)) + "\n")
    return path


def peak_of(*arguments: str | Path) -> int:
    """The most bytes that were held at once."""
    tracemalloc.start()
    try:
        assert learn(*arguments).exit_code == Exit.OK
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("command", ["graph", "convert"])
def test_memory_does_not_follow_the_size_of_a_log(command: str, tmp_path: Path) -> None:
    short, long = long_log(tmp_path / "short.jsonl", 300), long_log(tmp_path / "long.jsonl", 1_200)
    out = tmp_path / "out"
    peak_of(command, runs(tmp_path / "few.jsonl"), "-o", out)
    first, second = peak_of(command, short, "-o", out), peak_of(command, long, "-o", out)
    assert second < 1.5 * first
    assert second < long.stat().st_size / 3


def test_a_terminal_sees_how_far_a_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = runs(tmp_path / "runs.jsonl")
    assert learn("report", path).stderr == ""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    shown = learn("report", path).stderr
    assert "runs.jsonl" in shown
    assert "100%" in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_in_help_runs(command: str, tmp_path: Path) -> None:
    shown = " ".join(learn(command, "--help").stdout.split())
    example = shown.split("Example: toolplan learn ")[1]
    shutil.copy(LOG, tmp_path / "runs.jsonl")
    with chdir(tmp_path):
        ran = learn(*shlex.split(example))
    assert ran.exit_code == Exit.OK, ran.output
    assert ran.stdout.strip()


def test_plots_that_cannot_be_written_are_a_mistake_of_the_call(tmp_path: Path) -> None:
    file = log(tmp_path / "file", "kept")
    for folder in (file, file / "x"):
        ran = learn("report", LOG, "--svg", folder)
        assert (ran.exit_code, ran.stderr.startswith(f"cannot write to {folder}: ")) == (Exit.USAGE, True)


def test_the_report_says_whether_there_is_inertia(tmp_path: Path) -> None:
    page, plots = tmp_path / "page.html", tmp_path / "plots"
    ran = learn("report", LOG, "--top", "1", "--html", page, "--svg", plots)
    assert ran.stdout.startswith("there is strong inertia")
    assert "search-events(calendarId)  list-calendars / $.calendars[*].id  27 of 27" in ran.stdout
    assert "update-event(eventId)" not in ran.stdout
    assert page.read_text("utf-8").count('<img alt="') == len(list(plots.glob("*.svg"))) == 3
    assert "27 of 27" in page.read_text("utf-8")
    told = json.loads(learn("report", LOG, "--json").stdout)
    assert told["inertia"] == "strong"
    assert [row["steps"] for row in told["orders"]] == [117, 77, 37]


def test_a_page_shows_names_with_markup_as_text(tmp_path: Path) -> None:
    name = "<script>\x1b[2J"
    path = log(tmp_path / "log.jsonl", Execution("r", name, {}), Execution("r", name, {}))
    ran = learn("report", path, "--html", tmp_path / "page.html")
    assert "\x1b" not in ran.stdout
    assert "<script" not in (tmp_path / "page.html").read_text("utf-8")


def test_converted_lines_hold_no_values_and_teach_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    told = json.loads(learn("convert", LOG, "-o", out, "--json").stdout)
    assert told == {"file": str(out), "runs": 40, "executions": 117, "returned": 116, "failed": 1, "unknown": 0, "requests": 40}
    text = out.read_text("utf-8")
    assert "list-calendars" in text
    assert "calendarId" in text
    for secret in ("dentist", "Dentist", "group.example", "e478", "2026-12", "openai"):
        assert secret not in text
    assert learned(records(out)) == learned(records(LOG))


def test_a_conversion_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    kept, new = log(tmp_path / "kept.jsonl", "kept"), tmp_path / "new.jsonl"
    nothing = log(tmp_path / "nothing.jsonl", "no line")
    before = sorted(tmp_path.iterdir())
    for sources in ([LOG, tmp_path / "none.jsonl"], [nothing]):
        for out in (kept, new):
            assert learn("convert", *sources, "-o", out).exit_code == Exit.INPUT
    assert kept.read_text("utf-8") == "kept\n"
    assert sorted(tmp_path.iterdir()) == before


def test_values_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert learn("convert", LOG, "-o", out, "--with-values").exit_code == Exit.OK
    assert records(out) == records(LOG)
    assert learn("convert", LOG, "--with-values").stdout == out.read_text("utf-8")


def test_digests_can_be_compared_under_one_key_only(tmp_path: Path) -> None:
    key, outs = tmp_path / "key", [tmp_path / name for name in "abcd"]
    key.write_text(KEY, "utf-8")
    for out in outs[:2]:
        learn("convert", LOG, "-o", out, "--key-file", key)
    for out in outs[2:]:
        learn("convert", LOG, "-o", out)
    one, same, *random = (out.read_bytes() for out in outs)
    assert one == same
    assert len({one, *random}) == 3


def test_options_that_contradict_each_other_are_refused(tmp_path: Path, desk: Path) -> None:
    key = tmp_path / "key"
    key.write_text("short", "utf-8")
    path = runs(tmp_path / "log.jsonl", 1)
    before = path.read_bytes()
    assert learn("convert", path, "-o", path).exit_code == Exit.USAGE
    assert path.read_bytes() == before
    assert learn("convert", path, "-o", tmp_path / "o", "--with-values", "--key-file", key).exit_code == Exit.USAGE
    short = learn("convert", path, "-o", tmp_path / "o", "--key-file", key)
    assert (short.exit_code, "can be guessed" in short.stderr) == (Exit.INPUT, True)
    assert learn("convert", path, "-o", tmp_path / "no" / "o").exit_code == Exit.USAGE
    assert learn("convert", path, "--json").exit_code == Exit.USAGE
    assert learn("propose", path, "--domain", "office", "-o", tmp_path / "o").exit_code == Exit.USAGE


def test_a_tool_with_half_a_character_in_its_name_is_in_the_graph(tmp_path: Path) -> None:
    path = log(tmp_path / "log.jsonl", Execution("a", "t\ud800", {}, Returned("x")))
    assert learn("graph", path, "-o", tmp_path / "graph.json").exit_code == Exit.OK
    assert "t\ud800" in from_json((tmp_path / "graph.json").read_bytes()).executions


def test_graphs_of_parts_add_up_to_the_graph_of_all(tmp_path: Path) -> None:
    lines = LOG.read_text("utf-8").splitlines()
    parts = [log(tmp_path / f"{number}.jsonl", *lines[number::2]) for number in range(2)]
    whole, first, both = (tmp_path / f"{name}.json" for name in ("whole", "first", "both"))
    told = json.loads(learn("graph", LOG, "-o", whole, "--json").stdout)
    assert (told["tools"], told["executions"]) == (7, 117)
    learn("graph", parts[0], "-o", first)
    assert learn("graph", parts[1], "-o", both, "--merge", first).exit_code == Exit.OK
    assert both.read_bytes() == whole.read_bytes()
    assert from_json(whole.read_bytes()) == learned(records(LOG))
    assert learn("graph", LOG, "-o", both, "--merge", LOG).exit_code == Exit.INPUT


def test_proposals_are_a_diff_with_evidence(tmp_path: Path, desk: Path) -> None:
    path, out = runs(tmp_path / "log.jsonl"), tmp_path / "new.toolplan"
    ran = learn("propose", path, "--domain", desk, "-o", out)
    assert ran.exit_code == Exit.OK
    assert "tool close_it" in ran.stdout
    assert "+ passes ticket = search_ticket   # 30 of 30 calls have as ticket what search returned at $.tickets[*].id" in ran.stdout
    assert desk.read_text("utf-8") == DOMAIN
    told = json.loads(learn("propose", path, "--domain", desk, "--json").stdout)
    assert "close_it" in [proposal["name"] for proposal in told["proposals"]]
    again = learn("propose", path, "--domain", out)
    assert "passes" not in again.stdout


def test_drift_fails_where_runs_and_contracts_differ(tmp_path: Path, desk: Path) -> None:
    same = runs(tmp_path / "same.jsonl")
    ran = learn("drift", same, "--domain", desk)
    assert ran.exit_code == Exit.OK, ran.output
    stranger = log(tmp_path / "other.jsonl", *[Execution("r", "reopen", {}, Returned(None))] * 30)
    ran = learn("drift", stranger, "--domain", desk)
    assert ran.exit_code == Exit.INPUT
    assert ran.stdout.startswith("drift: reopen: unknown tool")
    told = json.loads(learn("drift", stranger, "--domain", desk, "--json").stdout)
    assert told["drift"] is True
    assert told["findings"][0]["tool"] == "reopen"
    assert learn("drift", stranger, "--domain", desk, "--tolerance", "1").exit_code == Exit.OK


def test_bad_lines_are_told_and_the_rest_counts(tmp_path: Path) -> None:
    good = Execution("r", "t", {}, Failed("no"))
    path = log(tmp_path / "log.jsonl", good, *["{"] * 25, good)
    ran = learn("convert", path, "-o", tmp_path / "out.jsonl")
    assert ran.exit_code == Exit.OK
    assert "2 executions (2 failed, 0 unknown) in 1 runs" in ran.stderr
    assert ran.stderr.count("TP608") == 10
    assert f"{path}:2 is left out: it is no JSON" in ran.stderr
    assert "15 more entries are left out" in ran.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_teach_nothing_are_refused(command: str, tmp_path: Path, desk: Path) -> None:
    more = {"convert": ["-o", tmp_path / "o"], "graph": ["-o", tmp_path / "o"], "propose": ["-d", desk], "drift": ["-d", desk]}
    empty = log(tmp_path / "empty.jsonl")
    talk = log(tmp_path / "talk.jsonl", '{"messages": [{"role": "user", "content": "hi"}]}')
    for path, form, reason in (
        (tmp_path / "nowhere", "traces", "cannot read"),
        (tmp_path, "traces", "cannot read"),
        (empty, "traces", "no tool is executed in"),
        (talk, "openai", "no tool is executed in"),
    ):
        ran = learn(command, path, "--format", form, *more.get(command, []))
        assert ran.exit_code == Exit.INPUT
        assert reason in ran.stderr
    ran = learn(command, talk, "--json", *more.get(command, []))
    assert ran.exit_code == Exit.INPUT
    assert "no known form" in json.loads(ran.stdout)["diagnostics"][0]["message"]


def test_the_form_of_a_file_can_be_named(tmp_path: Path) -> None:
    assert "no tool is executed" in learn("report", LOG, "--format", "anthropic").stderr
    assert learn("report", LOG, "--format", "openai").exit_code == Exit.OK
