"""A task without what no plan can notice, and renumbered: what a search has to look at, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from toolplan.planning.plans import Fluent, Step
from toolplan.planning.task import Change, Literals, Operator, Task


def compact(task: Task) -> Task:
    """`task` over the fluents that some condition reads and some operator changes, numbered as they are met.

    Left out: conditions that always hold, operators that can never apply, effects that nothing reads, and the removal of what only the
    step that removes it needs, where no best plan takes that step twice. The plans of least (score, steps) are the same.
    """
    renamed = _renamed(task)
    kept = _without_consumption(renamed)
    return renamed if kept is renamed else _renamed(kept)


def _renamed(task: Task) -> Task:
    renaming = _Renaming(task)
    operators = tuple(found for operator in task.operators if (found := renaming.operator(operator)) is not None)
    goals = tuple(left for goal in task.goals if (left := renaming.literals(goal)) is not None)
    initial = frozenset(number for fluent, number in renaming.numbers.items() if fluent in task.initial)
    fluents = [task.fluents[fluent] for fluent in renaming.numbers]
    return Task(fluents, initial, goals, operators, task.unit)


class _Renaming:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.numbers: dict[int, int] = {}
        self.read = {fluent for literals in _conditions(task) for fluent in (*literals.true, *literals.false)}
        added, deleted = set[int](), set[int]()
        for operator in task.operators:
            added |= operator.adds
            deleted |= operator.deletes
            for change in operator.changes:
                added |= change.adds
                deleted |= change.deletes
        self.always = task.initial - deleted
        self.never = self.read - added - task.initial

    def literals(self, literals: Literals) -> Literals | None:
        """What is left to ask of `literals`; None where they never hold."""
        if literals.false & self.always or literals.true & self.never:
            return None
        return Literals(self._renamed(literals.true - self.always), self._renamed(literals.false - self.never))

    def operator(self, operator: Operator) -> Operator | None:
        """`operator` renamed; None where it can never apply, or changes nothing that is read."""
        requires = self.literals(operator.requires)
        if requires is None:
            return None
        adds, deletes = self._effects(operator.adds), self._effects(operator.deletes - operator.adds)
        changes = tuple(self._changes(operator.changes)) if operator.changes else ()
        if not (adds or deletes or changes):
            return None
        return Operator(operator.step, requires, adds, deletes, changes, operator.score)

    def _changes(self, changes: Iterable[Change]) -> Iterator[Change]:
        for change in changes:
            condition = self.literals(change.condition)
            adds, deletes = self._effects(change.adds), self._effects(change.deletes)
            if condition is not None and (adds or deletes):
                yield Change(condition, adds, deletes)

    def _effects(self, fluents: frozenset[int]) -> frozenset[int]:
        return self._renamed((fluents & self.read) - self.always - self.never)

    def _renamed(self, fluents: frozenset[int]) -> frozenset[int]:
        if not fluents:
            return fluents
        numbers = self.numbers
        # The numbers that come in may depend on what was planned before; those that go out must not.
        ordered = fluents if len(fluents) == 1 else sorted(fluents, key=self._name)
        return frozenset([numbers.setdefault(fluent, len(numbers)) for fluent in ordered])

    def _name(self, fluent: int) -> tuple[str, Fluent]:
        named = self.task.fluents[fluent]
        return named.status.value, named


def _conditions(task: Task) -> Iterator[Literals]:
    yield from task.goals
    for operator in task.operators:
        yield operator.requires
        for change in operator.changes:
            yield change.condition


def _without_consumption(task: Task) -> Task:
    """`task` without the deletion of permissions that their own step consumes, where that makes it a task that only adds.

    Such a fluent is read and deleted by the operators of one step alone, all with the same effects. Where nothing else is ever deleted,
    a plan that takes the step twice is longer than one that takes it once, so what it consumes is never needed again.
    """
    deleted = {fluent for operator in task.operators for fluent in operator.deletes}
    if not deleted or any(operator.changes for operator in task.operators):
        return task
    users: dict[int, set[tuple[Step, frozenset[int]]]] = {fluent: set() for fluent in deleted}
    for operator in task.operators:
        for fluent in deleted & (operator.requires.true | operator.deletes):
            users[fluent].add((operator.step, operator.adds))
    wanted = {fluent for goal in task.goals for fluent in goal.true}
    if any(len(steps) > 1 for steps in users.values()) or deleted & wanted:
        return task
    if any(literals.false for literals in _conditions(task)):
        return task
    operators = tuple(replace(operator, deletes=frozenset()) if operator.deletes else operator for operator in task.operators)
    return replace(task, operators=operators)
