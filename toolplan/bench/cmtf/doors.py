"""How a call gets to its tool: straight, as in the paper, or through a gate, as with everything that ships here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from toolplan.bench.cmtf.environment import Answer, Answered, NoSuchTool, NotNow, World, WrongArguments
from toolplan.bench.cmtf.menus import shown_by
from toolplan.bench.cmtf.tasks import Task
from toolplan.bench.runs import DONE
from toolplan.bench.runs.playing import Told
from toolplan.domain import Path
from toolplan.exposure.declarations import Declaration
from toolplan.exposure.notes import Telling, known_of
from toolplan.frontier import callable_tools
from toolplan.gate import Allow, Gate, Hold, Refuse, ToolCall
from toolplan.goals.readings import reading_of
from toolplan.session import Session
from toolplan.session.turns import Mention, TurnReading


class Through(NamedTuple):
    """What came of a call: the world after it, and what the model is told."""

    world: World
    told: Told


class Door(Protocol):
    """One run's way to its tools."""

    def visible(self, world: World) -> tuple[str, ...]:
        """The tools that are shown in `world`, without those that always are."""
        ...

    def note(self, shown: Sequence[Declaration], lines: Sequence[str]) -> str:
        """What the model is told about what is visible: the tools that are `shown`, and `lines` that describe those it cannot see otherwise."""
        ...

    def call(self, world: World, tool: str, arguments: Mapping[str, object]) -> Through:
        """Call `tool`, which was visible."""
        ...


class Straight:
    """The method called `method` shows tools, and what is called runs."""

    def __init__(self, method: str) -> None:
        self._method = method

    def visible(self, world: World) -> tuple[str, ...]:
        """What the method shows."""
        return shown_by(self._method, world)

    def note(self, shown: Sequence[Declaration], lines: Sequence[str]) -> str:
        """Nothing: the menu speaks for itself."""
        return ""

    def call(self, world: World, tool: str, arguments: Mapping[str, object]) -> Through:
        """The call as it came."""
        after, answer = world.call(tool, arguments)
        return Through(after, _told(answer))


class Guarded:
    """A session shows its frontier, and its gate decides: it fills in what contracts bind, refuses the rest with a hint, and holds what
    must be confirmed. The user, who has asked for all of it, confirms."""

    def __init__(self, world: World) -> None:
        task = world.task
        self._gate = Gate(Session(world.domain, state=dict(task.given)))
        self._gate.hear(task.request, _reading(task, world))
        self._calls = 0

    def visible(self, world: World) -> tuple[str, ...]:
        """The frontier of now."""
        always = world.domain.policy.always_visible
        return tuple(name for name in callable_tools(self._gate.next()) if name not in always)

    def note(self, shown: Sequence[Declaration], lines: Sequence[str]) -> str:
        """What every host of a session tells its model: what is wanted, what is next, what can be called."""
        frontier = self._gate.next()
        telling = Telling(frontier, tuple(tool.name for tool in shown), known_of(frontier))
        return telling.note_with(lines) if lines else telling.note()

    def call(self, world: World, tool: str, arguments: Mapping[str, object]) -> Through:
        """The call as the gate lets it through."""
        self._calls += 1
        verdict = self._gate.check(ToolCall(f"c{self._calls}", tool, arguments))
        match verdict:
            case Hold():
                self._gate.answer(True)
                return self.call(world, tool, arguments)
            case Refuse(reason, hint):
                return Through(world, Told("refused", f"{reason}; {hint}"))
            case Allow(permit):
                after, answer = world.call(tool, permit.arguments)
                found = answer.found if isinstance(answer, Answered) else {}
                self._gate.observe(permit, _raw(world, tool, found))
                return Through(after, _told(answer))


def _told(answer: Answer) -> Told:
    match answer:
        case Answered(found):
            return Told(DONE, "; ".join(f"{name.split('(')[0]} = {value}" for name, value in found.items()))
        case WrongArguments(wrong):
            return Told("wrong arguments", ", ".join(wrong))
        case NotNow():
            return Told("not now", "what it requires is not known")
        case NoSuchTool():
            return Told("no such tool", "")


def _reading(task: Task, world: World) -> TurnReading:
    """The goal of the task and the entity that it is about: no reader is measured here."""
    entities = {name: kind for name, kind in world.problem.objects.items() if name not in world.problem.placeholders}
    mentions = tuple(Mention(name, kind, name) for name, kind in entities.items() if name in task.goal)
    return TurnReading(task.request, reading_of(task.request, [((task.goal.split("(")[0],), 1.0)]), mentions=mentions)


def _raw(world: World, tool: str, found: Mapping[str, str]) -> object:
    """A result in which the paths of the contract lead to what was found."""
    result: dict[str, object] = {}
    for formula, where in world.domain.tools[tool].interface.returns:
        value = next((value for name, value in found.items() if name.split("(")[0] == formula.fact), None)
        if isinstance(where, Path) and value is not None:
            _put(result, re.findall(r"\.(\w+)|(\[\*\])", where.text), value)
    return result


def _put(result: dict[str, object], steps: list[tuple[str, str]], value: str) -> None:
    """`value` at the end of a path of members and first items."""
    inside: dict[str, object] | list[object] = result
    for (name, _), following in zip(steps, [*steps[1:], None], strict=True):
        new: object = value if following is None else [] if following[1] else {}
        if isinstance(inside, dict):
            new = inside.setdefault(name, new)
        else:
            inside.append(new)
        assert following is None or isinstance(new, dict | list)
        inside = new if isinstance(new, dict | list) else inside
