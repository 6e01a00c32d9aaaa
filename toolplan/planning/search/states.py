"""States as integers, one bit a fluent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolplan.planning.task import Literals, Operator, Task


class Condition(NamedTuple):
    """Holds in the states whose bits in `mask` are those of `value`."""

    mask: int
    value: int


class Effect(NamedTuple):
    """What becomes false where `condition` holds, and then what becomes true; `kept` has all bits but those of the former."""

    condition: Condition
    kept: int
    added: int


class Move(NamedTuple):
    """An operator of the task, by its number."""

    number: int
    mask: int
    value: int
    kept: int
    added: int
    conditional: tuple[Effect, ...]

    def apply(self, state: int) -> int:
        """The state after the operator."""
        if not self.conditional:
            return state & self.kept | self.added
        kept, added = self.kept, self.added
        for condition, more_kept, more_added in self.conditional:
            if state & condition.mask == condition.value:
                kept &= more_kept
                added |= more_added
        return state & kept | added


class States:
    """The states of a task as integers, and what leads from one to another. Fluents that no operator changes are left out."""

    def __init__(self, task: Task) -> None:
        changing = {fluent for operator in task.operators for fluents in _effects(operator) for fluent in fluents}
        self._bits = {fluent: 1 << place for place, fluent in enumerate(sorted(changing))}
        self._lasting = task.initial.difference(changing)
        self.initial = self._mask(task.initial)
        self._goals = [self._condition(goal) for goal in task.goals if self._possible(goal)]
        self._moves = [self._move(number, operator) for number, operator in enumerate(task.operators) if self._possible(operator.requires)]

    def fluents(self, state: int) -> frozenset[int]:
        """All fluents that are true in `state`."""
        return self._lasting.union([fluent for fluent, bit in self._bits.items() if state & bit])

    def reached_goal(self, state: int) -> bool:
        """Whether a goal holds in `state`."""
        return any(state & mask == value for mask, value in self._goals)

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """The operators that can be applied in `state`, by number, and the states after them. Those that change nothing are left out."""
        for move in self._moves:
            if state & move[1] == move[2]:
                after = move.apply(state)
                if after != state:
                    yield move[0], after

    def _possible(self, literals: Literals) -> bool:
        """Whether some state can meet them, as far as they and the fluents that never change say."""
        able = all(fluent in self._bits or fluent in self._lasting for fluent in literals.true)
        return able and literals.false.isdisjoint(literals.true | self._lasting)

    def _condition(self, literals: Literals) -> Condition:
        value = self._mask(literals.true)
        return Condition(value | self._mask(literals.false), value)

    def _move(self, number: int, operator: Operator) -> Move:
        conditional = tuple(
            Effect(self._condition(change.condition), ~self._mask(change.deletes), self._mask(change.adds))
            for change in operator.changes
            if self._possible(change.condition)
        )
        return Move(number, *self._condition(operator.requires), ~self._mask(operator.deletes), self._mask(operator.adds), conditional)

    def _mask(self, fluents: Iterable[int]) -> int:
        mask = 0
        for fluent in fluents:
            mask |= self._bits.get(fluent, 0)
        return mask


def _effects(operator: Operator) -> Iterator[frozenset[int]]:
    yield operator.adds
    yield operator.deletes
    for change in operator.changes:
        yield change.adds
        yield change.deletes
