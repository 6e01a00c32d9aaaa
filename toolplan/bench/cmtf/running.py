"""A task run to its end by a chooser, and all tasks into a file that can be taken up again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import toolplan
from toolplan.bench.choosers import Called, Choice, Chooser, Nothing, Turn, Unreadable
from toolplan.bench.cmtf.doors import Door, Guarded, Straight, Told
from toolplan.bench.cmtf.environment import World
from toolplan.bench.cmtf.menus import ALL_ARGUMENTS, OPEN_ARGUMENTS, Menu, menu
from toolplan.bench.cmtf.tasks import Task, tasks
from toolplan.domain import Domain

MOST_STEPS = 6
REGISTRY = "workspace"
HANDED_OVER = "handed over"
"""The outcome of a call of a tool that is always visible: a person takes over, or the run is given up."""


class Arm(NamedTuple):
    """A method, how its tools are put before the model, and whether a gate stands before them."""

    method: str
    strategy: str = "trim"
    door: str = "straight"

    @property
    def name(self) -> str:
        """The method, with what is not plain about it."""
        return ", ".join([self.method, *([self.strategy] if self.strategy != "trim" else []), *(["gate"] if self.door == GUARDED else [])])


GUARDED = "guarded"
ARMS: Sequence[Arm] = (
    *(Arm(method) for method in ("all", "keyword-5", "keyword-10", "state-aware", "full-path", "frontier")),
    *(Arm("frontier", strategy, GUARDED) for strategy in ("trim", "allow", "dispatch")),
)
"""The six methods of the paper, and the frontier with a gate, in each way to expose it."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step: how many tools were visible, what was called with what, what was due, what came of it, and what it cost."""

    visible: int
    always: int
    tool: str
    arguments: Mapping[str, object]
    gold: tuple[str, ...]
    outcome: str
    detail: str
    risk: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of one task. `seconds` is the time of each step; it is kept in a file of its own, since no two runs have the same."""

    chooser: str
    arm: str
    task: str
    success: bool
    steps: tuple[StepRecord, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What a run is found by in the file of a chooser."""
        return self.arm, self.task


def run(domain: Domain, task: Task, arm: Arm, chooser: Chooser) -> tuple[RunRecord, list[float]]:
    """The run of `task`, and the seconds of each of its steps."""
    world, steps, seconds, last = World.of(domain, task), list[StepRecord](), list[float](), ""
    door = Guarded(world) if arm.door == GUARDED else Straight(arm.method)
    while not world.done and len(steps) < MOST_STEPS:
        shown = menu(domain, door.visible(world), arm.strategy, OPEN_ARGUMENTS if arm.door == GUARDED else ALL_ARGUMENTS)
        begun = time.perf_counter()
        choice = chooser.choose(Turn(task.request, world.told, last, shown.declared, shown.callable, shown.note, shown.dispatched))
        seconds.append(time.perf_counter() - begun)
        after, step = _stepped(world, door, shown, choice)
        steps.append(step)
        if not step.tool:
            break
        last = f"{step.tool}({json.dumps(dict(step.arguments))}): {step.outcome}{', ' + step.detail if step.detail else ''}"
        world = after
    return RunRecord(chooser.name, arm.name, task.id, world.done, tuple(steps)), seconds


def _stepped(world: World, door: Door, shown: Menu, choice: Choice) -> tuple[World, StepRecord]:
    tool, told = "", Told(world, "", "")
    arguments: Mapping[str, object] = {}
    match choice.answer:
        case Called(name) if name in shown.always:
            told = Told(world, HANDED_OVER, name)
        case Called(tool, arguments) if tool not in {each.name for each in shown.callable}:
            told = Told(world, "no such tool", "")
        case Called(tool, arguments):
            told = door.call(world, tool, arguments)
        case Nothing(text):
            told = Told(world, "no call" if text.strip() else "no text", text[:200])
        case Unreadable(text):
            told = Told(world, "unreadable", text[:200])
    risk = world.domain.tools[tool].risk or "" if tool in world.domain.tools else ""
    visible = len(shown.callable) - len(shown.always)
    costs = choice.tokens_in, choice.tokens_out
    return told.world, StepRecord(visible, len(shown.always), tool, arguments, world.next_gold, told.outcome, told.detail, risk, *costs)


def run_all(
    chooser: Chooser, arms: Iterable[Arm], only: Sequence[Task], kept: Path | None, note: Callable[[str], None]
) -> Iterator[RunRecord]:
    """All runs, those that `kept` has without running them again. Each is kept as soon as it has ended, its times beside it.

    A line that was cut off, as the last may be, goes, and is run again.
    """
    domain = toolplan.load(REGISTRY)
    for path in (kept, times_of(kept)) if kept is not None else ():
        _drop_cut_line(path)
    done = {} if kept is None else {record.key: record for record in read(kept) if record.chooser == chooser.name}
    for arm in arms:
        for number, task in enumerate(only, 1):
            record = done.get((arm.name, task.id))
            if record is None:
                note(f"{chooser.name}: {arm.name}, task {number} of {len(only)}")
                record, seconds = run(domain, task, arm, chooser)
                if kept is not None:
                    _keep(kept, _written(record))
                    _keep(times_of(kept), json.dumps([*record.key, [round(each, 3) for each in seconds]]))
            yield record


def read(kept: Path) -> Iterator[RunRecord]:
    """The runs in a file, in its order; none where there is no file yet."""
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    for line in lines:
        try:
            data = json.loads(line)
        except ValueError:
            continue
        steps = tuple(StepRecord(**{**step, "gold": tuple(step["gold"])}) for step in data.pop("steps"))
        yield RunRecord(**data, steps=steps)


def times_of(kept: Path) -> Path:
    """Where the times of the runs in `kept` stand."""
    return kept.with_suffix(".times.jsonl")


def subset(count: int) -> list[Task]:
    """`count` tasks, as many of each pattern as can be, in the order of all."""
    every = tasks()
    return every[:: max(1, len(every) // count)][:count]


def _drop_cut_line(path: Path) -> None:
    if path.exists() and not (data := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(data[: data.rfind(b"\n") + 1])


def _keep(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def _written(record: RunRecord) -> str:
    steps = [{name: getattr(step, name) for name in StepRecord.__slots__} for step in record.steps]
    data = {"chooser": record.chooser, "arm": record.arm, "task": record.task, "success": record.success, "steps": steps}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
