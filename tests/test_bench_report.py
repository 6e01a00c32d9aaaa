"""The report of stored runs: the same runs make the same page, and it says who chose, how each arm did, and where a frontier fell short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import run

from toolplan.bench.choosers import Called, Choice, Turn
from toolplan.bench.choosers.simulated import Simulated
from toolplan.bench.cmtf.suite import Cmtf
from toolplan.bench.report.page import html, in_short, markdown, stored
from toolplan.bench.runs import DONE, RunRecord, StepRecord, Subject
from toolplan.bench.runs.keeping import Kept, Runs, packed, read
from toolplan.bench.runs.running import run_all

ROOT = Path(__file__).parent.parent
ARMS = ("all", "frontier", "frontier, gate")


class Deaf(Simulated):
    """Takes the tool that is there, with no arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "deaf"

    def choose(self, turn: Turn) -> Choice:
        return Choice(Called(turn.callable[0].name, {}), 10, 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of two choosers, stored."""
    folder = tmp_path_factory.mktemp("stored")
    suite = Cmtf()
    for chooser in (Simulated(), Deaf()):
        kept = folder / f"{chooser.name}.jsonl"
        plan = [(arm, task) for arm in ARMS for task in suite.tasks(4)]
        list(run_all(suite, plan, lambda chooser=chooser: chooser, 1, Kept(kept, Subject("cmtf", chooser.name, chooser.details)), print))
        (folder / f"cmtf-{chooser.name}.jsonl.gz").write_bytes(packed(read(kept)))
    return folder


def test_the_page_says_who_chose_and_how_each_arm_did(folder: Path) -> None:
    page = markdown(stored(folder))
    assert page == markdown(stored(folder))
    assert "| simulated (cmtf) | 12 | skill 1.0 |" in page
    rows = re.findall(r"^\| (deaf|simulated) \| (all|frontier|frontier, gate) \| 4 \| (\d+) \((\d+)-(\d+)\) \|", page, re.MULTILINE)
    assert [row[:2] for row in rows] == [(chooser, arm) for chooser in ("deaf", "simulated") for arm in ARMS]
    assert all(int(low) <= int(share) <= int(high) for *_, share, low, high in rows)


def test_the_page_begins_with_what_it_comes_to(folder: Path) -> None:
    short = in_short(stored(folder))
    assert markdown(stored(folder)).index(short[0]) < markdown(stored(folder)).index("### Who chose")
    assert [line.split(" | ")[:4] for line in short[2:]] == [["| cmtf", name, "4", "98"] for name in ("deaf", "simulated")]


def test_the_page_says_at_which_step_a_frontier_fell_short(folder: Path) -> None:
    short = markdown(stored(folder)).split("### Where a frontier falls short, cmtf")[1]
    assert re.search(
        r"^\| deaf \| frontier \| 6 \| search_events \| search_events \| wrong arguments \| \d \| \S+ \|$", short, re.MULTILINE
    )


def test_the_html_has_a_plot_for_each_figure_beside_the_papers(folder: Path) -> None:
    page = html(stored(folder))
    assert page.count("<svg") == 4 and "http" not in page.replace("http://www.w3.org", "")
    assert "all, simulated: " in page and "frontier, the paper, four large models: 99" in page


def test_an_arm_that_needs_no_model_is_reported_too() -> None:
    step = StepRecord(0, 0, "pay", {}, ("pay",), DONE, "", "write", 0, 0)
    record = RunRecord("frontier, ready", "one", "Pay.", ("pay",), True, (step,))
    page = html([Runs(Subject("real-shop", "nobody", {}), [record])])
    assert "frontier, ready, nobody: 0" in page and "frontier, ready, nobody: 100" in page


def test_the_pages_that_are_published_are_those_of_the_stored_runs() -> None:
    docs = ROOT / "docs"
    files = stored(docs / "benchmarks")
    assert files
    assert (docs / "benchmarks.md").read_text("utf-8") == markdown(files)
    assert (docs / "benchmarks.html").read_text("utf-8") == html(files)
    assert "\n".join(in_short(files)) in (ROOT / "README.md").read_text("utf-8")


def test_the_commands_store_runs_and_make_the_page(folder: Path, tmp_path: Path) -> None:
    packed_again = tmp_path / "runs.jsonl.gz"
    assert run("bench", "pack", str(folder / "deaf.jsonl"), str(packed_again)).returncode == 0
    assert packed_again.read_bytes() == (folder / "cmtf-deaf.jsonl.gz").read_bytes()
    made = run("bench", "report", str(folder), "--out", str(tmp_path / "page.md"), "--html", str(tmp_path / "page.html"))
    assert made.returncode == 0
    assert (tmp_path / "page.md").read_text("utf-8") == markdown(stored(folder))
    assert (tmp_path / "page.html").read_text("utf-8") == html(stored(folder))
    assert run("bench", "report", str(tmp_path / "nowhere")).returncode == 2
    assert run("bench", "pack", str(tmp_path / "page.md"), str(packed_again)).returncode == 1
