"""Kept runs beside the paper, method beside method, and how requests were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from toolplan.bench.gist.asking import FAULTS, READING
from toolplan.bench.gist.figures import ALL, Share
from toolplan.bench.gist.judging import Verdict
from toolplan.bench.gist.measuring import NO_RANKER, Measured
from toolplan.bench.gist.methods import METHODS, UNREAD
from toolplan.bench.gist.paper import FOUR, printed
from toolplan.bench.gist.requests import AMBIGUOUS, CLARIFICATION, EXPLICIT, MISSING, TYPES, requests
from toolplan.bench.pairs import mcnemar
from toolplan.bench.runs import READ, RunRecord, StepRecord
from toolplan.bench.runs.keeping import Runs
from toolplan.bench.tables import Row

REQUESTS, RANKER = "requests", "ranker"
"""Details of the subject of kept runs: the suite of requests, and who read them."""
PAPERS = (EXPLICIT, AMBIGUOUS, MISSING, CLARIFICATION)
BASE = "top-goal"
"""The method that the others are compared with, request by request."""


@dataclass(frozen=True, slots=True)
class BesidePaper(Row):
    """One method on the requests of one type: each share in percent with its interval, and behind it the paper's, where it has one.

    `asked` are runs with any question; on explicit requests these are the needless ones. `p` compares success, and `p_wrong` wrong goals, with
    those of top-goal on the same requests (McNemar); before it, on how many only this method did well, and on how many only top-goal.
    Of the tokens of a run, `reading` are those that reading took.
    """

    type: str
    method: str
    n: int
    success: str
    paper_success: float | None
    wrong_goal: str
    paper_wrong: float | None
    asked: str
    paper_asked: float | None
    tokens: int
    reading: int
    paper_tokens: int | None
    better: str
    p: float | None
    better_wrong: str
    p_wrong: float | None


@dataclass(frozen=True, slots=True)
class ReadRow(Row):
    """How a model read the requests of one type. `right`: the likeliest goals are those meant, or none where none is meant.

    Then the answers that could not be used, by their gravest fault.
    """

    type: str
    n: int
    right: str
    tokens: int
    no_text: int
    unreadable: int
    no_goals: int
    unknown_goal: int
    confidences: int


def measured_of(runs: Runs) -> list[Measured]:
    """The runs of methods, with the verdicts that were kept."""
    by_id = {request.id: request for request in requests(runs.subject.details[REQUESTS])}
    ranker = runs.subject.details[RANKER]
    return [
        Measured(NO_RANKER if record.arm in UNREAD else ranker, record.arm, by_id[record.task], _verdict(record.judged))
        for record in runs.records
        if record.arm in METHODS
    ]


def chosen(runs: Runs) -> Runs:
    """Only the runs in which somebody chose: no readings."""
    return runs._replace(records=[record for record in runs.records if record.arm in METHODS])


def beside_paper(runs: Runs) -> Iterator[BesidePaper]:
    """The requests of the paper's types, then those of each type that there is; within a type the methods in order."""
    for kind in (FOUR, *TYPES):
        of_kind = [record for record in runs.records if record.judged["type"] in (PAPERS if kind == FOUR else (kind,))]
        base = {record.task: record for record in of_kind if record.arm == BASE}
        for method in METHODS:
            if found := [record for record in of_kind if record.arm == method]:
                yield _beside(kind, method, found, base)


def how_read(runs: Runs) -> Iterator[ReadRow]:
    """All requests of the suite, then those of each type; practice requests do not count. Nothing where no model read."""
    own = {request.id for request in requests(runs.subject.details[REQUESTS])}
    readings = [record for record in runs.records if record.arm == READING and record.task in own]
    for kind in (ALL, *TYPES):
        if found := [record for record in readings if kind in (ALL, record.judged["type"])]:
            faults = Counter(record.steps[0].outcome for record in found)
            right = Share(sum(record.success for record in found), len(found))
            yield ReadRow(kind, len(found), str(right), _tokens(found), *(faults[name] for name in FAULTS))


def _beside(kind: str, method: str, found: Sequence[RunRecord], base: Mapping[str, RunRecord]) -> BesidePaper:
    paper = printed(kind, method)
    pairs = [(record, base[record.task]) for record in found if record.task in base and method != BASE]
    success = mcnemar([one.success for one, _ in pairs], [other.success for _, other in pairs])
    right = mcnemar([not one.judged["wrong_goal"] for one, _ in pairs], [not other.judged["wrong_goal"] for _, other in pairs])
    return BesidePaper(
        type=kind,
        method=method,
        n=len(found),
        success=_share([record.success for record in found]),
        paper_success=paper and 100 * paper.success,
        wrong_goal=_share([bool(record.judged["wrong_goal"]) for record in found]),
        paper_wrong=paper and 100 * paper.wrong_goal,
        asked=_share([bool(record.judged["questions"]) for record in found]),
        paper_asked=paper and 100 * paper.asked,
        tokens=_tokens(found),
        reading=_tokens(found, lambda step: step.outcome == READ),
        paper_tokens=paper and paper.tokens,
        better=f"{success.only_first}:{success.only_second}" if pairs else "-",
        p=success.p if pairs else None,
        better_wrong=f"{right.only_first}:{right.only_second}" if pairs else "-",
        p_wrong=right.p if pairs else None,
    )


def _share(values: Sequence[bool]) -> str:
    return str(Share(sum(values), len(values)))


def _tokens(found: Sequence[RunRecord], counts: Callable[[StepRecord], bool] = lambda _: True) -> int:
    """The mean of the tokens of a run, in and out, over the steps that count."""
    return round(fmean(sum(step.tokens_in + step.tokens_out for step in record.steps if counts(step)) for record in found))


def _verdict(judged: Mapping[str, Any]) -> Verdict:
    values = {name: value for name, value in judged.items() if name != "type"}
    return Verdict(**{**values, "visible": tuple(judged["visible"])})
