"""The tasks of CMTF as a suite: its arms, and a task as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import toolplan
from toolplan.bench.cmtf.doors import Door, Guarded, Straight
from toolplan.bench.cmtf.environment import World
from toolplan.bench.cmtf.menus import ALL_ARGUMENTS, OPEN_ARGUMENTS, menu
from toolplan.bench.cmtf.tasks import Task, tasks
from toolplan.bench.runs.menus import Menu
from toolplan.bench.runs.playing import Playing, Told
from toolplan.domain import Domain

REGISTRY = "workspace"
GUARDED = "guarded"


class Arm(NamedTuple):
    """A method, how its tools are put before the model, and whether a gate stands before them."""

    method: str
    strategy: str = "trim"
    door: str = "straight"

    @property
    def name(self) -> str:
        """The method, with what is not plain about it."""
        return ", ".join([self.method, *([self.strategy] if self.strategy != "trim" else []), *(["gate"] if self.door == GUARDED else [])])


ARMS: Mapping[str, Arm] = {
    arm.name: arm
    for arm in (
        *(Arm(method) for method in ("all", "keyword-5", "keyword-10", "state-aware", "full-path", "frontier")),
        *(Arm("frontier", strategy, GUARDED) for strategy in ("trim", "allow", "dispatch")),
    )
}
"""The six methods of the paper, and the frontier with a gate, in each way to expose it."""


class Cmtf:
    """The suite."""

    name = "cmtf"
    arms = tuple(ARMS)

    def tasks(self, count: int) -> list[str]:
        """The first of every so many, so that each pattern has its share."""
        every = tasks()
        return [task.id for task in every[:: max(1, len(every) // count)][:count]]

    def episode(self, arm: str, task: str) -> Playing:
        """The task at its start."""
        return Playing(Errand(_domain(), next(each for each in tasks() if each.id == task), ARMS[arm]))


@cache
def _domain() -> Domain:
    """Loaded once: what was found out about a domain is kept with it."""
    return toolplan.load(REGISTRY)


class Errand:
    """A task as it stands, behind the door of an arm."""

    def __init__(self, domain: Domain, task: Task, arm: Arm) -> None:
        self.request, self.gold = task.request, task.gold
        self._world = World.of(domain, task)
        self._strategy, self._asked = arm.strategy, OPEN_ARGUMENTS if arm.door == GUARDED else ALL_ARGUMENTS
        self._door: Door = Guarded(self._world) if arm.door == GUARDED else Straight(arm.method)

    @property
    def success(self) -> bool:
        """Whether the goal is reached."""
        return self._world.done

    @property
    def known(self) -> Mapping[str, str]:
        """The values that are known."""
        return self._world.told

    @property
    def due(self) -> tuple[str, ...]:
        """The tools of the gold chain that are due."""
        return self._world.next_gold

    def look(self) -> Menu:
        """The menu of now."""
        return menu(self._world.domain, self._door.visible(self._world), self._strategy, self._asked)

    def note(self, shown: Menu) -> str:
        """What the door tells of it."""
        return self._door.note(shown.callable, shown.lines)

    def risk_of(self, tool: str) -> str:
        """The risk of its contract."""
        return self._world.domain.tools[tool].risk or "" if tool in self._world.domain.tools else ""

    def call(self, tool: str, arguments: Mapping[str, object]) -> Told:
        """The call as it goes through the door."""
        self._world, told = self._door.call(self._world, tool, arguments)
        return told
