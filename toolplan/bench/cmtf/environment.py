"""What a call brings about: mocked and deterministic, and it depends on the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplan.bench.cmtf.tasks import Task
from toolplan.domain import AtomicFormula, Derived, Domain, Literal, Performer, Tool, Variable
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem, State, ground
from toolplan.planning.semantics import applicable, goal_reached, successor


class Argument(NamedTuple):
    """An argument that a call should have: its value, or None where any text does that the model makes of what is known."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The call has worked, and `found` is known now."""

    found: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WrongArguments:
    """There is such a tool, and it could be called now, but not with these arguments: nothing was found or done."""

    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotNow:
    """What the tool requires does not hold."""


@dataclass(frozen=True, slots=True)
class NoSuchTool:
    """No tool has this name."""


Answer = Answered | WrongArguments | NotNow | NoSuchTool


@dataclass(frozen=True)
class World:
    """A task in the middle of its run: `values` are those of the facts that are known."""

    domain: Domain
    task: Task
    problem: Problem
    state: State
    values: Mapping[str, str]

    @classmethod
    def of(cls, domain: Domain, task: Task) -> World:
        """The task at its start."""
        problem = build(domain, dict(task.given), task.goal)
        return cls(domain, task, problem, problem.state, dict(task.given))

    @property
    def told(self) -> Mapping[str, str]:
        """The values as a model is told them: there is one entity of a kind, and facts go by their names alone."""
        return {name.split("(")[0]: value for name, value in self.values.items()}

    @property
    def done(self) -> bool:
        """Whether the goal is reached."""
        return goal_reached(self.problem, self.state)

    def step(self, tool: str) -> Step | None:
        """`tool` with the entities of the task; None where it needs an entity of a kind that the task has none of."""
        objects = [self.problem.objects_of(parameter.type) for parameter in self.domain.tools[tool].parameters]
        return Step(tool, tuple(names[0] for names in objects)) if all(objects) else None

    def can(self, tool: str) -> bool:
        """Whether what `tool` requires holds."""
        step = self.step(tool)
        return step is not None and applicable(self.problem, self.state, step)

    @property
    def next_gold(self) -> tuple[str, ...]:
        """The tools of the gold chain that are due: several where their order does not matter."""
        left = [tool for tool in self.task.gold if not self._has_effects(tool)]
        return tuple(tool for tool in left if self.can(tool))

    def arguments(self, tool: str) -> list[Argument]:
        """What `tool` should be given here, as its contract passes it."""
        contract, step = self.domain.tools[tool], self.step(tool)
        binding = {} if step is None else self.problem.binding(step)
        found: list[Argument] = []
        for name, source in contract.interface.passes.items():
            match source:
                case AtomicFormula():
                    found.append(Argument(name, self.values.get(str(ground(source, binding)))))
                case Variable(entity):
                    found.append(Argument(name, binding.get(entity)))
                case Literal(value):
                    found.append(Argument(name, str(value)))
                case Derived() | _:
                    found.append(Argument(name, None))
        return found

    def call(self, tool: str, arguments: Mapping[str, object]) -> tuple[World, Answer]:
        """What comes of a call, and the world after it."""
        if tool not in self.domain.tools or self.domain.tools[tool].performer is not Performer.CALL:
            return self, NoSuchTool()
        step = self.step(tool)
        if step is None or not self.can(tool):
            return self, NotNow()
        wrong = tuple(wanted.name for wanted in self.arguments(tool) if not fits(wanted, arguments.get(wanted.name)))
        if wrong:
            return self, WrongArguments(wrong)
        after = successor(self.problem, self.state, step)
        found = {str(atom): self._value(atom) for atom in sorted(after.known - self.state.known)}
        return replace(self, state=after, values={**self.values, **found}), Answered(found)

    def _value(self, atom: Atom) -> str:
        return self.task.findable.get(str(atom), "done" if self.domain.facts[atom.fact].value is None else f"{atom.fact}-1")

    def _has_effects(self, tool: str) -> bool:
        step = self.step(tool)
        return step is not None and self.state.known.issuperset(self._effects(self.domain.tools[tool], step))

    def _effects(self, contract: Tool, step: Step) -> list[Atom]:
        return [ground(effect.atom, self.problem.binding(step)) for effect in contract.produces]


def fits(wanted: Argument, given: object) -> bool:
    """Whether `given` is what is wanted, but for case, blanks at the ends, and an article before it."""
    if wanted.value is None:
        return isinstance(given, str) and bool(given.strip())
    return isinstance(given, str | int | float) and _plain(str(given)) == _plain(wanted.value)


def _plain(text: str) -> str:
    return " ".join(text.casefold().removeprefix("the ").split()).rstrip(".")
