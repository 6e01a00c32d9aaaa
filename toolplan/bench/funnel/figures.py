"""The tables of an evaluation, made of its runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from toolplan.bench.funnel.records import Layer, Measured, Run
from toolplan.bench.funnel.suite import Tag, Task
from toolplan.bench.pairs import mcnemar
from toolplan.bench.tables import Row
from toolplan.learning.intervals import wilson
from toolplan.session import Outcome


@dataclass(frozen=True, slots=True)
class LayerRow(Row):
    """One layer with one menu: in how many of the `cases` that got there it held, in percent, with the 95% interval of Wilson.

    A case is a step of a task, at the model's first look for it, and for acceptance a task. Steps of one task depend on each other, so their
    intervals are rather too narrow. Without a case there is no share.
    """

    menu: str
    layer: str
    cases: int
    held: int
    percent: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class FunnelRow(Row):
    """All layers of one menu: what held of what got there, in percent, with its 95% interval."""

    menu: str
    coverage: str
    recall: str
    selection: str
    arguments: str
    policy: str
    acceptance: str


@dataclass(frozen=True, slots=True)
class TagRow(Row):
    """How many of the tasks with a tag are accepted."""

    menu: str
    tag: str
    tasks: int
    accepted: int


@dataclass(frozen=True, slots=True)
class OperatingRow(Row):
    """What a menu costs.

    On average for a look: `candidates` and the `definition_tokens` of all that was declared. For a task: `rounds` (looks), `calls`, `retries`
    (calls of a tool for a step for which it was called before), `clarifications`, the tokens into and out of the model, and `evidence`: the
    round of the first call that brought something, of those tasks that had one. `call_errors` are calls that were refused or failed, in
    percent of all. `unsafe` are calls in all of what is prohibited, or has effects and was not right. `evidence_seconds` are the seconds until
    that round was over, and `p95` those of a look; None where nobody looked at the clock.
    """

    menu: str
    candidates: float
    definition_tokens: float
    rounds: float
    evidence: float | None
    calls: float
    call_errors: float | None
    retries: float
    clarifications: float
    unsafe: int
    tokens_in: float
    tokens_out: float
    evidence_seconds: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class PairRow(Row):
    """Two menus on the tasks that got to a layer with both: how many held with one only, and the chance of so uneven a split (McNemar).

    A task holds at a layer if each of its steps that got there does.
    """

    layer: str
    first: str
    second: str
    tasks: int
    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True, slots=True)
class RepeatRow(Row):
    """How alike several runs of the same tasks are: `always` and `sometimes` accepted, and decisions that are not the same in all."""

    menu: str
    runs: int
    tasks: int
    always: int
    sometimes: int
    decisions: int
    unsteady: int


def layers(menu: str, runs: Sequence[Run]) -> Iterator[LayerRow]:
    """A row for each layer, in their order."""
    for layer in Layer:
        outcomes = list(_outcomes(layer, runs))
        held = sum(outcomes)
        low, high = (100 * bound for bound in wilson(held, len(outcomes)))
        yield LayerRow(menu, layer.value, len(outcomes), held, 100 * held / len(outcomes) if outcomes else None, low, high)


def funnels(rows: Iterable[LayerRow]) -> Iterator[FunnelRow]:
    """The rows of `layers`, each menu in one."""
    told: dict[str, list[str]] = {}
    for row in rows:
        percent = "-" if row.percent is None else f"{row.percent:.1f} ({row.low:.1f}-{row.high:.1f})"
        told.setdefault(row.menu, []).append(f"{row.held}/{row.cases} {percent}")
    for menu, cells in told.items():
        yield FunnelRow(menu, *cells)


def by_tag(menu: str, runs: Sequence[Run], tasks: Sequence[Task]) -> Iterator[TagRow]:
    """A row for each tag that a task has."""
    for tag in Tag:
        accepted = [run.accepted for run, task in zip(runs, tasks, strict=True) if tag in task.tags]
        if accepted:
            yield TagRow(menu, tag.value, len(accepted), sum(accepted))


def operating(menu: str, measured: Sequence[Measured]) -> OperatingRow:
    """What the runs of one menu have cost."""
    runs = [each.run for each in measured]
    looks = [look for run in runs for look in run.rounds]
    calls = [look for look in looks if look.chosen]
    errors = [look for look in calls if look.outcome.startswith(("refused", "failed", Outcome.IN_DOUBT.value))]
    evidence = [(number, sum(each.seconds[:number])) for each in measured if (number := _first_evidence(each.run))]
    seconds = [second for each in measured for second in each.seconds]
    is_timed = any(seconds)
    return OperatingRow(
        menu,
        _mean(len(look.shown) for look in looks),
        _mean(look.tokens for look in looks),
        len(looks) / len(runs),
        fmean(number for number, _ in evidence) if evidence else None,
        len(calls) / len(runs),
        100 * len(errors) / len(calls) if calls else None,
        sum(map(_retries, runs)) / len(runs),
        fmean(run.clarifications for run in runs),
        sum(look.unsafe for look in looks),
        sum(look.spent[0] for look in looks) / len(runs),
        sum(look.spent[1] for look in looks) / len(runs),
        fmean(until for _, until in evidence) if evidence and is_timed else None,
        p95(seconds) if is_timed else None,
    )


def pairs(runs: Mapping[str, Sequence[Run]]) -> Iterator[PairRow]:
    """Each two menus, by what of the first of their runs was shown, chosen and accepted."""
    for layer in (Layer.RECALL, Layer.SELECTION, Layer.ACCEPTANCE):
        for first, second in combinations(runs, 2):
            held = [(_holds(layer, one), _holds(layer, other)) for one, other in zip(runs[first], runs[second], strict=True)]
            both = [(one, other) for one, other in held if one is not None and other is not None]
            paired = mcnemar([one for one, _ in both], [other for _, other in both])
            yield PairRow(layer.value, first, second, len(both), paired.only_first, paired.only_second, paired.p)


def repeated(menu: str, repeats: Sequence[Sequence[Run]]) -> RepeatRow:
    """How alike the `repeats` are, each of which has one run of every task."""
    tasks = list(zip(*repeats, strict=True))
    decisions: dict[tuple[str, int], set[str]] = {}
    for runs in repeats:
        for run in runs:
            for look in run.first_looks:
                decisions.setdefault((run.task, look.step), set()).add(look.chosen)
    always = sum(all(run.accepted for run in runs) for runs in tasks)
    sometimes = sum(any(run.accepted for run in runs) for runs in tasks)
    unsteady = sum(len(chosen) > 1 for chosen in decisions.values())
    return RepeatRow(menu, len(repeats), len(tasks), always, sometimes, len(decisions), unsteady)


def p95(values: Sequence[float]) -> float:
    """The smallest of `values` that 95% of them do not exceed."""
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def _outcomes(layer: Layer, runs: Iterable[Run]) -> Iterator[bool]:
    for run in runs:
        if layer is Layer.ACCEPTANCE:
            yield run.accepted
            continue
        for look in run.first_looks:
            if layer in look.passed:
                yield look.passed[layer]
        if layer is Layer.POLICY:
            yield from (probe.refused for probe in run.probes)


def _holds(layer: Layer, run: Run) -> bool | None:
    """Whether a task holds at `layer`; None where it never got there."""
    outcomes = list(_outcomes(layer, [run]))
    return all(outcomes) if outcomes else None


def _first_evidence(run: Run) -> int | None:
    """The number of the first look, from one, after which something was known; None where there is none."""
    return next((number for number, look in enumerate(run.rounds, 1) if look.chosen and look.outcome == Outcome.DONE.value), None)


def _retries(run: Run) -> int:
    """The calls beyond the first of a tool for a step."""
    calls = [(look.step, look.chosen) for look in run.rounds if look.chosen]
    return len(calls) - len(set(calls))


def _mean(values: Iterable[int]) -> float:
    counted = list(values)
    return fmean(counted) if counted else 0.0
