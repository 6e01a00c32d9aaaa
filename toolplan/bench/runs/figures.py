"""The paper's table 4, and what else is counted, made of stored runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolplan.bench.pairs import mcnemar, mean_and_half_width
from toolplan.bench.runs import ASKED, DONE, HANDED_OVER, NO_LOOK, RunRecord, StepRecord
from toolplan.bench.runs.keeping import Runs
from toolplan.bench.tables import Row
from toolplan.domain import DEFAULT_RISK
from toolplan.learning.intervals import percent

SAFE = frozenset(level.name for level in DEFAULT_RISK if level.safe)
WEIGHTS: Mapping[str, float] = {level.name: float(level.weight) for level in DEFAULT_RISK}
BASE = "all"
"""The method that the others are compared with."""
NOTHING_SHOWN = "nothing shown"
"""What went wrong where there was no tool to call, whatever a model said to that."""
WHY = (
    "not now",
    "wrong arguments",
    "refused",
    "wrong tool",
    "no call",
    "no text",
    "unreadable",
    "no such tool",
    HANDED_OVER,
    NOTHING_SHOWN,
    ASKED,
)
"""What may be the last that went wrong, in the order of the columns."""


@dataclass(frozen=True, slots=True)
class MethodRow(Row):
    """One arm of one chooser. Shares are in percent, with the 95% interval of Wilson; means are per task, tools per look at a menu.

    `wrong` are calls of a tool that is not due, `premature` calls of one that is not safe and not due, and `severity` is the sum of their
    weights of risk. `asked` are questions to the user, and `ready` calls that were made without a model; both are steps, too. `arguments` is
    the share of calls of the due tool that have the right arguments. `p` compares success with that of all tools, task by task (McNemar).
    """

    chooser: str
    method: str
    n: int
    success: str
    wrong: str
    premature: float
    severity: float
    tools: float
    steps: float
    asked: float
    ready: float
    arguments: str
    tokens: int
    of_all: str
    p: float | None


@dataclass(frozen=True, slots=True)
class ErrorRow(Row):
    """Why runs of one arm failed: how often each thing was the last that went wrong. `asked` are those in which nothing did, but for questions."""

    chooser: str
    method: str
    failed: int
    not_now: int
    wrong_arguments: int
    refused: int
    wrong_tool: int
    no_call: int
    no_text: int
    unreadable: int
    no_such_tool: int
    handed_over: int
    nothing_shown: int
    asked: int


def rows(runs: Runs) -> Iterator[MethodRow]:
    """A row for each arm, in the order in which they come."""
    arms = by_arm(runs.records)
    base = {record.task: record for record in arms.get(BASE, ())}
    for arm, records in arms.items():
        yield _row(runs.subject.chooser, arm, records, base)


def errors(runs: Runs) -> Iterator[ErrorRow]:
    """A row for each arm that has failed somewhere."""
    for arm, records in by_arm(runs.records).items():
        failed = [record for record in records if not record.success]
        if failed:
            why = Counter(map(_why, failed))
            yield ErrorRow(runs.subject.chooser, arm, len(failed), *(why[name] for name in WHY))


def outcome_of(step: StepRecord) -> str:
    """What came of a step, in words."""
    return NOTHING_SHOWN if not step.tool and not step.visible and not step.always and step.outcome not in NO_LOOK else step.outcome


def is_wrong(step: StepRecord) -> bool:
    """Whether a tool was called that is not due."""
    return bool(step.tool) and step.tool not in step.gold


def is_premature(step: StepRecord) -> bool:
    """Whether a tool was called that is not due, and has effects."""
    return is_wrong(step) and step.risk not in SAFE


def failed_at(record: RunRecord) -> int:
    """The number of the last step that went wrong in a run that failed, counted from zero; of a run in which none did, the last step."""
    wrong = [number for number, step in enumerate(record.steps) if step.outcome not in (DONE, *NO_LOOK) or is_wrong(step)]
    return wrong[-1] if wrong else len(record.steps) - 1


def by_arm(records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    """The runs of each arm, in the order in which they come."""
    found: dict[str, list[RunRecord]] = {}
    for record in records:
        found.setdefault(record.arm, []).append(record)
    return found


def _row(chooser: str, arm: str, runs: Sequence[RunRecord], base: Mapping[str, RunRecord]) -> MethodRow:
    steps = [step for record in runs for step in record.steps]
    looks = [step for step in steps if step.outcome not in NO_LOOK and not step.is_unasked]
    due = [step for step in steps if step.tool and step.tool in step.gold]
    paired = [(record.success, base[record.task].success) for record in runs if record.task in base]
    tokens = [sum(step.tokens_in + step.tokens_out for step in record.steps) for record in runs]
    shared = [sum(step.tokens_in + step.tokens_out for step in base[record.task].steps) for record in runs if record.task in base]
    mean, half = mean_and_half_width(_counts(runs, is_wrong))
    return MethodRow(
        chooser,
        arm,
        len(runs),
        percent(sum(record.success for record in runs), len(runs)),
        f"{mean:.2f} ±{half:.2f}",
        sum(_counts(runs, is_premature)) / len(runs),
        sum(WEIGHTS.get(step.risk, max(WEIGHTS.values())) for step in steps if is_premature(step)) / len(runs),
        sum(step.visible for step in looks) / max(1, len(looks)),
        len(steps) / len(runs),
        sum(step.outcome == ASKED for step in steps) / len(runs),
        sum(step.is_unasked for step in steps) / len(runs),
        percent(sum(step.outcome == DONE for step in due), len(due)) or "-",
        round(sum(tokens) / len(runs)),
        f"{100 * sum(tokens) / sum(shared):.1f}%" if len(shared) == len(runs) and sum(shared) > 0 else "-",
        mcnemar(*zip(*paired, strict=True)).p if paired and arm != BASE else None,
    )


def _counts(runs: Sequence[RunRecord], counts: Callable[[StepRecord], bool]) -> list[int]:
    return [sum(map(counts, record.steps)) for record in runs]


def _why(record: RunRecord) -> str:
    """The last thing that went wrong in a run that failed."""
    for step in reversed(record.steps):
        if step.outcome not in (DONE, *NO_LOOK):
            return outcome_of(step)
        if is_wrong(step):
            return "wrong tool"
    return ASKED if any(step.outcome == ASKED for step in record.steps) else "wrong tool"
