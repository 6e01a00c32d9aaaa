"""One task in the middle of its run by one arm, whatever the suite: a menu goes to the model, a call to the world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from toolplan.bench.choosers import Called, Choice, Nothing, Turn, Unreadable
from toolplan.bench.runs import ASKED, HANDED_OVER, StepRecord
from toolplan.bench.runs.menus import Menu

MOST_STEPS = 6


class Told(NamedTuple):
    """What came of a call: the outcome in a word or two, and what else the model is told."""

    outcome: str
    detail: str


class Asked(NamedTuple):
    """The user was asked, without a model: the question, and what was answered."""

    question: str
    answer: str


class Ready(NamedTuple):
    """A call that is made without a model: all of its arguments are known."""

    tool: str
    arguments: Mapping[str, object]


class Scene(Protocol):
    """A task as it stands, behind the tools of an arm. It changes with each call."""

    request: str
    gold: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether what is meant is reached."""
        ...

    @property
    def known(self) -> Mapping[str, str]:
        """The values that the model is told."""
        ...

    @property
    def due(self) -> tuple[str, ...]:
        """The tools of the gold chain that are due now: several where their order does not matter."""
        ...

    def look(self) -> Menu | Asked | Ready:
        """What is shown now, or what was asked, or can be called, before anything is."""
        ...

    def note(self, shown: Menu) -> str:
        """What the host tells the model beside the request, where `shown` can be called; empty where it tells nothing."""
        ...

    def risk_of(self, tool: str) -> str:
        """The name of its level of risk; empty where it has none."""
        ...

    def call(self, tool: str, arguments: Mapping[str, object]) -> Told:
        """Call `tool`, which was visible."""
        ...


class Playing:
    """A scene as an episode. It ends with what is meant, after six steps, without a call, or where a person is asked to take over."""

    def __init__(self, scene: Scene) -> None:
        self.request, self.gold = scene.request, scene.gold
        self._scene = scene
        self._shown, self._last, self._steps, self._ended = Menu((), (), ()), "", 0, False

    @property
    def success(self) -> bool:
        """Whether what is meant is reached."""
        return self._scene.success

    def turn(self) -> Turn | StepRecord | None:
        """The menu of now, with what is known; or a question that was put to the user, or a call, without a model."""
        if self.success or self._ended or self._steps == MOST_STEPS:
            return None
        due = self._scene.due
        match self._scene.look():
            case Asked(question, answer):
                self._steps += 1
                return StepRecord(0, 0, "", {}, due, ASKED, f"{question} - {answer}", "", 0, 0)
            case Ready(tool, arguments):
                self._steps += 1
                return StepRecord(0, 0, tool, arguments, due, *self._scene.call(tool, arguments), self._scene.risk_of(tool), 0, 0)
            case Menu() as shown:
                self._shown = shown
                note = self._scene.note(shown)
                return Turn(self.request, self._scene.known, self._last, shown.declared, shown.callable, note, shown.dispatched)

    def take(self, choice: Choice) -> StepRecord:
        """The call as it goes through the door of the arm."""
        shown, due = self._shown, self._scene.due
        tool, arguments, told = self._told(choice)
        visible = len(shown.callable) - len(shown.always)
        self._steps += 1
        self._ended = not tool
        self._last = f"{tool}({json.dumps(dict(arguments))}): {told.outcome}{', ' + told.detail if told.detail else ''}"
        costs = choice.tokens_in, choice.tokens_out
        return StepRecord(visible, len(shown.always), tool, arguments, due, *told, self._scene.risk_of(tool), *costs)

    def _told(self, choice: Choice) -> tuple[str, Mapping[str, object], Told]:
        """The tool that was called, if one was, its arguments, and what came of it."""
        match choice.answer:
            case Called(name) if name in self._shown.always:
                return "", {}, Told(HANDED_OVER, name)
            case Called(tool, arguments) if tool not in {each.name for each in self._shown.callable}:
                return tool, arguments, Told("no such tool", "")
            case Called(tool, arguments):
                return tool, arguments, self._scene.call(tool, arguments)
            case Nothing(text):
                return "", {}, Told("no call" if text.strip() else "no text", text[:200])
            case Unreadable(text):
                return "", {}, Told("unreadable", text[:200])
