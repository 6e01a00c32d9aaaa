"""What is promised of our method, and the runs that break it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplan.bench.gist.figures import ALL, GistRow, Share
from toolplan.bench.gist.measuring import Measured
from toolplan.bench.gist.methods import OURS, THRESHOLDS
from toolplan.bench.gist.requests import AMBIGUOUS, EXPLICIT
from toolplan.bench.planner.measuring import Promise, at_least, at_most
from toolplan.bench.tables import Row


@dataclass(frozen=True, slots=True)
class Failure(Row):
    """A run of ours that did not go as promised, and in what way."""

    type: str
    request: str
    text: str
    failed: str


def best_ranker(rows: Sequence[GistRow]) -> str:
    """The ranker with which ours succeeds most; the first of equals."""
    ours = [row for row in rows if row.type == ALL and row.method == OURS]
    return max(ours, key=lambda row: _value(row.success)).ranker


def promises(rows: Sequence[GistRow]) -> Iterator[Promise]:
    """What is promised of ours with its best ranker, beside what was measured; and that no variant of GIST-CMTF is better with it."""
    ranker = best_ranker(rows)
    by_method = {(row.method, row.type): row for row in rows if row.ranker == ranker}
    ours, explicit, ambiguous = (by_method[OURS, kind] for kind in (ALL, EXPLICIT, AMBIGUOUS))
    yield at_least("success, in percent", _value(ours.success), 97)
    yield at_most("wrong goals, in percent", _value(ours.wrong_goal), 1)
    yield at_most("needless questions, in percent of explicit requests", _value(explicit.needless), 2)
    yield at_most("missed questions, in percent of ambiguous requests", _value(ambiguous.missed), 2)
    variants = [[by_method[method, kind] for kind in (ALL, EXPLICIT, AMBIGUOUS)] for method in THRESHOLDS]
    yield at_least("success, beside the best variant", _value(ours.success), max(_value(row.success) for row, _, _ in variants))
    yield at_most("wrong goals, beside the best variant", _value(ours.wrong_goal), min(_value(row.wrong_goal) for row, _, _ in variants))
    yield at_most(
        "needless questions, beside the best variant", _value(explicit.needless), min(_value(row.needless) for _, row, _ in variants)
    )
    yield at_most("missed questions, beside the best variant", _value(ambiguous.missed), min(_value(row.missed) for _, _, row in variants))


def failures(measured: Sequence[Measured], ranker: str) -> Iterator[Failure]:
    """The runs of ours with `ranker` that count against a promise, in the order of the suite."""
    for one in measured:
        if one.method == OURS and one.ranker == ranker:
            verdict = one.verdict
            seen = {
                "no success": not verdict.success,
                "wrong goal": verdict.wrong_goal,
                "needless question": verdict.needless,
                "missed question": verdict.missed,
            }
            if failed := ", ".join(name for name, so in seen.items() if so):
                yield Failure(one.request.type, one.request.id, one.request.text, failed)


def _value(share: Share | None) -> float:
    """The share in percent; of nothing, 0."""
    return share.value * 100 if share else 0.0
