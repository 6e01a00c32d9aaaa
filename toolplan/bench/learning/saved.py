"""Calls that need no model: those that contracts have ready, beside those that inertia predicts, on runs that nobody looked at for either.

The contracts were written by hand, while looking at the other runs of each set. Inertia learns from all runs, in order of time, also from
those that are not measured; it is counted on the same calls as the contracts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from toolplan.bench.learning import ready_airline, ready_bfcl, ready_retail, ready_scienceworld
from toolplan.bench.learning.datasets import DATASETS, Dataset
from toolplan.bench.learning.ready import Conversation, Judged, Verdict, played
from toolplan.bench.learning.replays import Replayer
from toolplan.bench.tables import Row
from toolplan.learning.intervals import wilson
from toolplan.learning.selection import Adaptive, Settings
from toolplan.learning.traces import Execution

PAPER, READY, READY_BESIDES = "inertia, as in the paper", "ready", "ready, besides what the reading names"
RULES = {PAPER: Settings(), "inertia, ours": Settings(rule=Adaptive())}


@dataclass(frozen=True, slots=True)
class Measured:
    """A set that contracts were written for: its conversations, and those of them that are measured.

    Turns are read by patterns, or by an oracle that stands for a model.
    """

    name: str
    reader: Literal["patterns", "oracle"]
    conversations: Callable[[Path], Iterator[Conversation]]
    measured: Callable[[Sequence[Conversation], Path], Sequence[Conversation]]


@dataclass(frozen=True, slots=True)
class WithoutModel(Row):
    """Of `calls`, those `made` without a model: the `next` of the run, one that the run makes `later`, or `wrong`, none of its calls.

    `readings` are the turns that an oracle has read for them; `net` is what is left of the right ones if that costs a call of a model each.
    Besides what a reading names are the calls that lead there: the model that calls what is wanted is then the reader.

    `percent_wrong` has its 95% interval (Wilson), and so has `percent_not_next`, where those of another order count as wrong, too. The last
    three say whether contracts have at least as many right calls as the rule of the paper, and as many calls, at a strictly lower rate of
    wrong ones.
    """

    data: str
    rule: str
    calls: int
    made: int
    next: int
    later: int
    wrong: int
    readings: int
    net: int
    percent_wrong: str
    percent_not_next: str
    as_many_right: bool | None
    as_many_made: bool | None
    fewer_wrong: bool | None


def _every_other(conversations: Sequence[Conversation], _: Path) -> Sequence[Conversation]:
    """Those that were not looked at: the second one, the fourth, and so on."""
    return conversations[1::2]


def _test_part(conversations: Sequence[Conversation], folder: Path) -> Sequence[Conversation]:
    """Those of the part that whoever made the set has kept for tests."""
    names = ready_scienceworld.test_part(folder)
    return [each for each in conversations if each.name in names]


SETS = (
    Measured("scienceworld", "patterns", ready_scienceworld.conversations, _test_part),
    Measured("tau1 airline", "oracle", ready_airline.conversations, _every_other),
    Measured("tau1 retail", "patterns", ready_retail.conversations, _every_other),
    Measured("bfcl", "oracle", ready_bfcl.conversations, _every_other),
)
WITHOUT_CONTRACTS = ("livemcpbench",)
"""Sets that nobody wrote contracts for: their questions ask for reports, which are no facts."""


def saved(folder: Path) -> Iterator[WithoutModel]:
    """The rows of each set that lies in `folder`."""
    for measured in SETS:
        dataset = _dataset(measured.name)
        if (folder / dataset.folder).is_dir():
            yield from _rows(measured, folder / dataset.folder)
    for name in WITHOUT_CONTRACTS:
        dataset = _dataset(name)
        if (folder / dataset.folder).is_dir():
            yield from _rows_of_inertia(name, folder / dataset.folder)


def _rows(measured: Measured, folder: Path) -> Iterator[WithoutModel]:
    conversations = measured.measured(list(measured.conversations(folder)), folder)
    names, calls = frozenset(each.name for each in conversations), sum(each.calls for each in conversations)
    by_inertia = _by_inertia(_dataset(measured.name), folder, names)
    judged = [one for each in conversations for one in played(each)]
    turns = [turn for each in conversations for turn in each.turns if turn.requests]
    readings = len(turns) if measured.reader == "oracle" else 0
    ready = {READY: _counted(judged, readings), READY_BESIDES: _counted([one for one in judged if not one.named], 0)}
    yield from _compared(measured.name, calls, by_inertia, ready)


def _rows_of_inertia(name: str, folder: Path) -> Iterator[WithoutModel]:
    """Those of a set without contracts, from which nothing is ever ready."""
    dataset = _dataset(name)
    runs = {record.trace: None for record in dataset.read(folder)}
    names = frozenset([*runs][1::2])
    calls = sum(isinstance(record, Execution) and record.trace in names for record in dataset.read(folder))
    yield from _compared(name, calls, _by_inertia(dataset, folder, names), {READY: _Counts(0, 0, 0, 0)})


def _by_inertia(dataset: Dataset, folder: Path, names: frozenset[str]) -> dict[str, _Counts]:
    records = list(dataset.read(folder))
    replays = {rule: Replayer(settings, counted=names.__contains__).play(records) for rule, settings in RULES.items()}
    return {rule: _Counts(replay.right_calls, replay.later, replay.wrong) for rule, replay in replays.items()}


def _compared(data: str, calls: int, by_inertia: Mapping[str, _Counts], ready: Mapping[str, _Counts]) -> Iterator[WithoutModel]:
    paper = by_inertia[PAPER]
    for rule, counts in by_inertia.items():
        yield _row(data, rule, calls, counts, None)
    for rule, counts in ready.items():
        yield _row(data, rule, calls, counts, paper)


def _dataset(name: str) -> Dataset:
    return next(dataset for dataset in DATASETS if dataset.name == name)


@dataclass(frozen=True, slots=True)
class _Counts:
    next: int
    later: int
    wrong: int
    readings: int = 0

    @property
    def made(self) -> int:
        return self.next + self.later + self.wrong

    @property
    def right(self) -> int:
        return self.next + self.later


def _counted(judged: list[Judged], readings: int) -> _Counts:
    next_, later, wrong = (sum(one.verdict is verdict for one in judged) for verdict in Verdict)
    return _Counts(next_, later, wrong, readings)


def _row(data: str, rule: str, calls: int, counts: _Counts, paper: _Counts | None) -> WithoutModel:
    return WithoutModel(
        data,
        rule,
        calls,
        counts.made,
        counts.next,
        counts.later,
        counts.wrong,
        counts.readings,
        counts.right - counts.readings,
        _share(counts.wrong, counts.made),
        _share(counts.wrong + counts.later, counts.made),
        None if paper is None else counts.right >= paper.right,
        None if paper is None else counts.made >= paper.made,
        None if paper is None or not counts.made or not paper.made else counts.wrong * paper.made < paper.wrong * counts.made,
    )


def _share(hits: int, cases: int) -> str:
    low, high = wilson(hits, cases)
    return f"{100 * hits / cases:.1f} ({100 * low:.1f}-{100 * high:.1f})" if cases else ""
