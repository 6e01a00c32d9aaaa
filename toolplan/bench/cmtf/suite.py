"""The tasks of CMTF as a suite: its arms, and one task in the middle of its run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import toolplan
from toolplan.bench.choosers import Called, Choice, Nothing, Turn, Unreadable
from toolplan.bench.cmtf.doors import Door, Guarded, Straight, Told
from toolplan.bench.cmtf.environment import World
from toolplan.bench.cmtf.menus import ALL_ARGUMENTS, OPEN_ARGUMENTS, Menu, menu
from toolplan.bench.cmtf.tasks import Task, tasks
from toolplan.bench.runs import HANDED_OVER, StepRecord
from toolplan.domain import Domain

MOST_STEPS = 6
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
        return Playing(toolplan.load(REGISTRY), next(each for each in tasks() if each.id == task), ARMS[arm])


class Playing:
    """One task in the middle of its run by one arm. It ends with the goal, after six steps, without a call, or where a person is asked to take over."""

    def __init__(self, domain: Domain, task: Task, arm: Arm) -> None:
        self.request, self.gold = task.request, task.gold
        self._world = World.of(domain, task)
        self._strategy, self._asked = arm.strategy, OPEN_ARGUMENTS if arm.door == GUARDED else ALL_ARGUMENTS
        self._door: Door = Guarded(self._world) if arm.door == GUARDED else Straight(arm.method)
        self._shown, self._last, self._steps, self._ended = Menu((), (), ()), "", 0, False

    @property
    def success(self) -> bool:
        """Whether the goal is reached."""
        return self._world.done

    def turn(self) -> Turn | None:
        """The menu of now, with what is known."""
        if self.success or self._ended or self._steps == MOST_STEPS:
            return None
        shown = menu(self._world.domain, self._door.visible(self._world), self._strategy, self._asked)
        self._shown = shown
        return Turn(self.request, self._world.told, self._last, shown.declared, shown.callable, shown.note, shown.dispatched)

    def take(self, choice: Choice) -> StepRecord:
        """The call as it goes through the door of the arm."""
        shown, due = self._shown, self._world.next_gold
        tool, arguments, told = self._told(choice)
        visible = len(shown.callable) - len(shown.always)
        risk = self._world.domain.tools[tool].risk or "" if tool in self._world.domain.tools else ""
        self._steps += 1
        self._ended = not tool
        self._last = f"{tool}({json.dumps(dict(arguments))}): {told.outcome}{', ' + told.detail if told.detail else ''}"
        self._world = told.world
        costs = choice.tokens_in, choice.tokens_out
        return StepRecord(visible, len(shown.always), tool, arguments, due, told.outcome, told.detail, risk, *costs)

    def _told(self, choice: Choice) -> tuple[str, Mapping[str, object], Told]:
        """The tool that was called, if one was, its arguments, and what came of it."""
        match choice.answer:
            case Called(name) if name in self._shown.always:
                return "", {}, Told(self._world, HANDED_OVER, name)
            case Called(tool, arguments) if tool not in {each.name for each in self._shown.callable}:
                return tool, arguments, Told(self._world, "no such tool", "")
            case Called(tool, arguments):
                return tool, arguments, self._door.call(self._world, tool, arguments)
            case Nothing(text):
                return "", {}, Told(self._world, "no call" if text.strip() else "no text", text[:200])
            case Unreadable(text):
                return "", {}, Told(self._world, "unreadable", text[:200])
