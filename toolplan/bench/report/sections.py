"""What the report says of each suite: its tables and its plots, and where the frontier falls short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.bench.gist.comparing import beside_paper, how_read
from toolplan.bench.report import paper
from toolplan.bench.report.by_type import shares
from toolplan.bench.report.plots import dots
from toolplan.bench.report.points import METRICS, points
from toolplan.bench.runs import RunRecord
from toolplan.bench.runs.figures import errors, failed_at, outcome_of, rows
from toolplan.bench.runs.keeping import Runs
from toolplan.bench.tables import Row


@dataclass(frozen=True, slots=True)
class ChooserRow(Row):
    """Who chose, and what else the choices depend on."""

    chooser: str
    runs: int
    depends_on: str


@dataclass(frozen=True, slots=True)
class ShortRow(Row):
    """Runs of a frontier that failed in the same way: at which step, what was due, what was called, and what came of it."""

    chooser: str
    method: str
    step: int
    due: str
    called: str
    outcome: str
    runs: int
    for_example: str


class Section(NamedTuple):
    """A suite in the report: words, the page that describes it, the command that makes its runs, tables and plots by their titles."""

    title: str
    words: str
    page: str
    command: str
    tables: Mapping[str, Sequence[Row]]
    plots: Mapping[str, str]


class _Suite(NamedTuple):
    """What is said of a suite. `start` is what the names of its suites begin with."""

    start: str
    title: str
    words: str
    page: str
    command: str


SUITES = (
    _Suite(
        "cmtf",
        "Which tool: CMTF",
        "102 tasks over 100 tools, of which n were run. Figures of the paper stand beside ours: its models are large ones, ours run on a "
        "processor without a key.",
        "cmtf-benchmark.md",
        "toolplan bench cmtf --model FILE --jobs 2 --out RUNS",
    ),
    _Suite(
        "real",
        "Which tool, in tasks that others wrote",
        "Requests, tools and right calls of public data sets. Goals are read from the request, by the same reader for all methods; arms named "
        "oracle are told them.",
        "real-tasks-benchmark.md",
        "toolplan bench tasks --data DIR --model FILE --jobs 2 --out RUNS",
    ),
    _Suite(
        "gist",
        "Which goal: GIST",
        "Requests whose goal is clear, open, or incomplete, read by a model, and tools chosen by a model. Users are simulated by the gold answers. "
        "Beside each share stands the paper's, of seven large models.",
        "gist-benchmark.md",
        "toolplan bench gist --ranker-model FILE --model FILE --jobs 2 --out RUNS",
    ),
)


def sections(files: Sequence[Runs]) -> Iterator[Section]:
    """A section for each suite that has runs, in the order of the papers."""
    for suite in SUITES:
        of_suite = [runs for runs in files if runs.subject.suite.startswith(suite.start)]
        if of_suite:
            tables = {"Who chose": [_chooser(runs) for runs in of_suite], **_tables(suite.start, of_suite)}
            yield Section(suite.title, suite.words, suite.page, suite.command, tables, dict(_plots(suite.start, of_suite)))


def _chooser(runs: Runs) -> ChooserRow:
    details = "; ".join(f"{name} {value}" for name, value in runs.subject.details.items())
    return ChooserRow(f"{runs.subject.chooser} ({runs.subject.suite})", len(runs.records), details)


def _tables(start: str, files: Sequence[Runs]) -> dict[str, Sequence[Row]]:
    if start == "gist":
        return {
            title: lines
            for runs in files
            for title, lines in (
                (f"Methods, {runs.subject.chooser}", list(beside_paper(runs))),
                (f"How requests were read, {runs.subject.chooser}", list(how_read(runs))),
            )
        }
    by_suite = {runs.subject.suite: [each for each in files if each.subject.suite == runs.subject.suite] for runs in files}
    told: Mapping[str, Callable[[Runs], Iterator[Row]]] = {
        "Methods": rows,
        "Why runs failed": errors,
        "Where a frontier falls short": _short,
    }
    return {
        f"{title}, {suite}": [row for runs in of_suite for row in tell(runs)]
        for suite, of_suite in by_suite.items()
        for title, tell in told.items()
    }


def _short(runs: Runs) -> Iterator[ShortRow]:
    """The failures of each frontier, those of most runs first."""
    found: dict[tuple[str, int, str, str, str], list[RunRecord]] = {}
    for record in runs.records:
        if record.arm.startswith("frontier") and not record.success and record.steps:
            number = failed_at(record)
            step = record.steps[number]
            key = (record.arm, number + 1, " or ".join(step.gold) or "nothing", step.tool or "nothing", outcome_of(step))
            found.setdefault(key, []).append(record)
    for (arm, number, due, called, outcome), records in sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]), item[0])):
        yield ShortRow(runs.subject.chooser, arm, number, due, called, outcome, len(records), records[0].task)


def _plots(start: str, files: Sequence[Runs]) -> Iterator[tuple[str, str]]:
    if start == "gist":
        for number, (title, found) in enumerate(shares(files)):
            yield title, dots(f"gist-{number}", title, found, 100.0)
        return
    for suite in dict.fromkeys(runs.subject.suite for runs in files):
        of_suite = [runs for runs in files if runs.subject.suite == suite]
        for number, metric in enumerate(METRICS):
            printed = paper.printed(metric.name) if suite == "cmtf" else {}
            title = f"{suite}: {metric.name}"
            yield title, dots(f"{suite}-{number}", title, points(of_suite, metric, printed), metric.most)
