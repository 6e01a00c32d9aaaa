"""Calls that need no model: those that contracts have ready, beside those that inertia predicts, on runs that nobody looked at for either.

The contracts were written by hand, while looking at the other runs of each set. Inertia learns from all runs, in order of time, also from
those that are not measured; it is counted on the same calls as the contracts.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolplan.bench.learning import ready_airline, ready_bfcl, ready_livemcpbench, ready_retail, ready_scienceworld
from toolplan.bench.learning.datasets import DATASETS, Dataset
from toolplan.bench.learning.ready import Conversation, Judged, Verdict, played, played_apart
from toolplan.bench.learning.replays import Replayer
from toolplan.bench.tables import Row
from toolplan.learning.intervals import percent
from toolplan.learning.selection import Adaptive, Settings

PAPER, READY, READY_BESIDES = "inertia, as in the paper", "ready", "ready, besides what the reading names"
RULES = {PAPER: Settings(), "inertia, ours": Settings(rule=Adaptive())}


@dataclass(frozen=True, slots=True)
class WithoutModel(Row):
    """Of `calls`, those `made` without a model: the `next` of the run, one that the run makes `later`, or `wrong`, none of its calls.

    `read_by` says who has read the turns: rules, or an oracle. `readings` are the turns that the oracle has read, which stands for a model;
    `net` is what is left of the right ones if that costs a call of a model each. Besides what a reading names are the calls that lead there:
    the model that calls what is wanted is then the reader.

    `percent_wrong` has its 95% interval (Wilson), and so has `percent_not_next`, where those of another order count as wrong, too. The last
    three say whether contracts save at least as many calls as the rule of the paper, readings counted, make at least as many, and have a
    strictly lower rate of wrong ones.
    """

    data: str
    rule: str
    read_by: str
    calls: int
    made: int
    next: int
    later: int
    wrong: int
    readings: int
    net: int
    percent_wrong: str
    percent_not_next: str
    as_many_saved: bool | None
    as_many_made: bool | None
    fewer_wrong: bool | None


def _every_other(conversations: Sequence[Conversation], _: Path) -> Sequence[Conversation]:
    """Those that were not looked at: the second one, the fourth, and so on."""
    return conversations[1::2]


def _test_part(conversations: Sequence[Conversation], folder: Path) -> Sequence[Conversation]:
    """Those of the part that whoever made the set has kept for tests."""
    names = ready_scienceworld.test_part(folder)
    return [each for each in conversations if each.name in names]


class ReadBy(enum.StrEnum):
    """Who reads what users say: rules and patterns, which need no model, or an oracle that stands for one."""

    RULES = "rules"
    ORACLE = "oracle"


Conversations = Callable[[Path], Iterator[Conversation]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The contracts for the set `data`: its conversations, by whoever reads them, and those that are measured."""

    data: str
    read: Mapping[ReadBy, Conversations]
    measured: Callable[[Sequence[Conversation], Path], Sequence[Conversation]] = _every_other
    play: Callable[[Conversation], Iterator[Judged]] = played


SETS = (
    Measured("scienceworld", {ReadBy.RULES: ready_scienceworld.conversations}, _test_part),
    Measured("tau1 airline", {ReadBy.ORACLE: ready_airline.conversations}),
    Measured("tau1 retail", {ReadBy.RULES: ready_retail.conversations}),
    Measured("bfcl", {ReadBy.RULES: ready_bfcl.conversations, ReadBy.ORACLE: ready_bfcl.by_oracle}),
    Measured("livemcpbench", {ReadBy.RULES: ready_livemcpbench.conversations}, play=played_apart),
)


def saved(folder: Path) -> Iterator[WithoutModel]:
    """The rows of each set that lies in `folder`."""
    for measured in SETS:
        dataset = next(dataset for dataset in DATASETS if dataset.name == measured.data)
        if (folder / dataset.folder).is_dir():
            yield from _rows(measured, dataset, folder / dataset.folder)


def _rows(measured: Measured, dataset: Dataset, folder: Path) -> Iterator[WithoutModel]:
    read = {reader: measured.measured(list(read(folder)), folder) for reader, read in measured.read.items()}
    runs = next(iter(read.values()))
    calls = sum(each.calls for each in runs)
    by_inertia = _by_inertia(dataset, folder, frozenset(each.name for each in runs))
    for rule, counts in by_inertia.items():
        yield _row((measured.data, rule, ""), calls, counts, None)
    for reader, conversations in read.items():
        for rule, counts in _by_contracts(reader, conversations, measured.play).items():
            yield _row((measured.data, rule, reader), calls, counts, by_inertia[PAPER])


def _by_contracts(
    reader: ReadBy, conversations: Sequence[Conversation], play: Callable[[Conversation], Iterator[Judged]]
) -> Mapping[str, _Counts]:
    judged = [one for each in conversations for one in play(each)]
    turns = [turn for each in conversations for turn in each.turns if turn.requests]
    ready = {READY: _counted(judged, len(turns) if reader is ReadBy.ORACLE else 0)}
    names = any(request.named for turn in turns for request in turn.requests)
    return ready | {READY_BESIDES: _counted([one for one in judged if not one.named], 0)} if names else ready


def _by_inertia(dataset: Dataset, folder: Path, names: frozenset[str]) -> dict[str, _Counts]:
    records = list(dataset.read(folder))
    replays = {rule: Replayer(settings, counted=names.__contains__).play(records) for rule, settings in RULES.items()}
    return {rule: _Counts(replay.right_calls, replay.later, replay.wrong) for rule, replay in replays.items()}


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
    def saved(self) -> int:
        return self.next + self.later - self.readings


def _counted(judged: list[Judged], readings: int) -> _Counts:
    next_, later, wrong = (sum(one.verdict is verdict for one in judged) for verdict in Verdict)
    return _Counts(next_, later, wrong, readings)


def _row(names: tuple[str, str, str], calls: int, counts: _Counts, paper: _Counts | None) -> WithoutModel:
    return WithoutModel(
        *names,
        calls,
        counts.made,
        counts.next,
        counts.later,
        counts.wrong,
        counts.readings,
        counts.saved,
        percent(counts.wrong, counts.made, places=1),
        percent(counts.wrong + counts.later, counts.made, places=1),
        None if paper is None else counts.saved >= paper.saved,
        None if paper is None else counts.made >= paper.made,
        None if paper is None or not counts.made or not paper.made else counts.wrong * paper.made < paper.wrong * counts.made,
    )
