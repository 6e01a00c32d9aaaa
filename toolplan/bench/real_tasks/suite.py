"""The tasks of one set as a suite: its arms, and its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from toolplan.bench.real_tasks.methods import METHODS
from toolplan.bench.real_tasks.scenes import Conversing, Guarded, Plain, Unasked
from toolplan.bench.real_tasks.tasks import Task
from toolplan.bench.runs.playing import Playing, Scene

SEED = 0
FRONTIER, GUARDED, READY, ORACLE = "frontier", "gate", "ready", "oracle"

DOORS: Mapping[str, type[Conversing]] = {GUARDED: Guarded, READY: Unasked}
"""A gate, and one behind which what is ready is called without a model."""


class Arm(NamedTuple):
    """A method, how its tools are put before the model, what its calls go through, and whether goals and values are the gold ones."""

    method: str
    strategy: str = "trim"
    door: str = "straight"
    reader: str = "ours"

    @property
    def name(self) -> str:
        """The method, with what is not plain about it."""
        more = [self.strategy] * (self.strategy != "trim") + [self.door] * (self.door in DOORS) + [ORACLE] * (self.reader == ORACLE)
        return ", ".join([self.method, *more])


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        *map(Arm, (*METHODS, FRONTIER)),
        Arm(FRONTIER, "trim", GUARDED),
        Arm(FRONTIER, "trim", READY),
        Arm(FRONTIER, "dispatch", GUARDED),
        Arm("all", reader=ORACLE),
        Arm(FRONTIER, "trim", GUARDED, ORACLE),
    )
}
"""The six methods of the paper, the frontier with a gate, and the ends of the scale again where goals and values are those of the gold."""


@dataclass(frozen=True)
class RealTasks:
    """The suite called `name`, of the tasks `every`."""

    name: str
    every: Sequence[Task] = field(repr=False)
    arms: Sequence[str] = tuple(ARMS)

    def tasks(self, count: int) -> list[str]:
        """Tasks drawn by lot, the same each time, in the order of the set."""
        drawn = Random(SEED).sample(range(len(self.every)), min(count, len(self.every)))
        return [self.every[number].id for number in sorted(drawn)]

    def only(self, ids: Sequence[str]) -> RealTasks:
        """The same with these tasks alone, to be sent to other processes."""
        return RealTasks(self.name, [task for task in self.every if task.id in set(ids)])

    def episode(self, arm: str, task: str) -> Playing:
        """The task at its start."""
        return Playing(_scene(ARMS[arm], next(each for each in self.every if each.id == task)))


def _scene(arm: Arm, task: Task) -> Scene:
    read = task.annotated if arm.reader == ORACLE else task
    if arm.method != FRONTIER:
        return Plain(read, arm.method)
    return DOORS.get(arm.door, Conversing)(read, arm.strategy)
