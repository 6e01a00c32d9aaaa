"""What is drawn of the goal benchmark: each method by the type of the requests, beside the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolplan.bench.gist.comparing import PAPERS
from toolplan.bench.gist.methods import METHODS
from toolplan.bench.gist.paper import FOUR, Printed, printed
from toolplan.bench.report import points
from toolplan.bench.report.points import Point, Points
from toolplan.bench.runs import RunRecord
from toolplan.bench.runs.keeping import Runs

PAPER = "the paper, seven large models"


class _Share(NamedTuple):
    """A share of runs: its name, whether a run counts, and where the paper has it."""

    name: str
    counts: Callable[[RunRecord], bool]
    printed: Callable[[Printed], float]


SHARES = (
    _Share("success, %", lambda record: record.success, lambda line: line.success),
    _Share("wrong goals, %", lambda record: bool(record.judged["wrong_goal"]), lambda line: line.wrong_goal),
    _Share("with a question, %", lambda record: bool(record.judged["questions"]), lambda line: line.asked),
)


def shares(files: Sequence[Runs]) -> Iterator[tuple[str, Points]]:
    """Each share with its name, for the paper's four types together, then for each of them; by method, and by who chose."""
    for kind in (FOUR, *PAPERS):
        for share in SHARES:
            found = {method: made for method in METHODS if (made := dict(_points(files, kind, method, share)))}
            if found:
                yield f"{kind}: {share.name}", found


def _points(files: Sequence[Runs], kind: str, method: str, share: _Share) -> Iterator[tuple[str, Point]]:
    types = PAPERS if kind == FOUR else (kind,)
    for runs in files:
        records = [record for record in runs.records if record.arm == method and record.judged["type"] in types]
        if records:
            yield runs.subject.chooser, points.share(sum(map(share.counts, records)), len(records))
    line = printed(kind, method)
    if line is not None and method in _methods(files):
        value = 100 * share.printed(line)
        yield PAPER, Point(value, value, value)


def _methods(files: Sequence[Runs]) -> Mapping[str, None]:
    return dict.fromkeys(record.arm for runs in files for record in runs.records)
