"""Classical planning tasks over numbered fluents, and what can be told of them without search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplan.planning.plans import Fluent, Step


class Literals(NamedTuple):
    """A conjunction: the fluents that must be true and those that must be false."""

    true: frozenset[int] = frozenset()
    false: frozenset[int] = frozenset()

    def hold(self, state: frozenset[int]) -> bool:
        """Whether they hold in `state`, the set of true fluents."""
        return self.true <= state and not (self.false & state)


class Change(NamedTuple):
    """Fluents that become true and false where `condition` held before."""

    condition: Literals
    adds: frozenset[int]
    deletes: frozenset[int]


@dataclass(frozen=True, slots=True)
class Operator:
    """A step under one disjunct of its requirement. `score` is in units of `Task.unit`."""

    step: Step
    requires: Literals
    adds: frozenset[int]
    deletes: frozenset[int]
    changes: tuple[Change, ...]
    score: int

    def apply(self, state: frozenset[int]) -> frozenset[int]:
        """The state after the operator. Conditions look at `state`; what is both deleted and added is true afterwards."""
        fired = [change for change in self.changes if change.condition.hold(state)]
        deleted = self.deletes.union(*(change.deletes for change in fired))
        return (state - deleted).union(self.adds, *(change.adds for change in fired))


@dataclass(frozen=True, slots=True)
class Task:
    """The grounded problem. One of `goals` must hold at the end; scores are integers, `unit` of them make one of the author's."""

    fluents: tuple[Fluent, ...]
    initial: frozenset[int]
    goals: tuple[Literals, ...]
    operators: tuple[Operator, ...]
    unit: int

    @property
    def only_adds(self) -> bool:
        """Whether no operator deletes anything and nothing need be false."""
        conditions = [*self.goals, *(op.requires for op in self.operators)]
        changes = [change for op in self.operators for change in op.changes]
        deletes = any(op.deletes for op in self.operators) or any(change.deletes for change in changes)
        return not deletes and not any(literals.false for literals in (*conditions, *(change.condition for change in changes)))


def closure(initial: Iterable[int], operators: Sequence[Operator]) -> set[int]:
    """The fluents that become true where nothing is ever deleted and nothing need be false (relaxed reachability)."""
    waiting: dict[int, list[tuple[int, frozenset[int]]]] = {}
    counts: list[int] = []
    queue: list[int] = []
    reached: set[int] = set()

    def reach(fluents: Iterable[int]) -> None:
        for fluent in fluents:
            if fluent not in reached:
                reached.add(fluent)
                queue.append(fluent)

    for operator in operators:
        for needs, adds in _relaxed(operator):
            if not needs:
                reach(adds)
            for fluent in needs:
                waiting.setdefault(fluent, []).append((len(counts), adds))
            counts.append(len(needs))
    reach(initial)
    while queue:
        for number, adds in waiting.get(queue.pop(), ()):
            counts[number] -= 1
            if counts[number] == 0:
                reach(adds)
    return reached


def _relaxed(operator: Operator) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    if operator.adds:
        yield operator.requires.true, operator.adds
    for change in operator.changes:
        if change.adds:
            yield operator.requires.true | change.condition.true, change.adds


def relevant(task: Task) -> Task:
    """`task` without the operators that can help no goal: none of their effects is needed, even indirectly.

    Where an operator has conditional effects, both sides of their conditions count as needed: one may help, the other spare harm.
    """
    makes: dict[tuple[int, bool], list[int]] = {}
    for number, operator in enumerate(task.operators):
        for change in (Change(Literals(), operator.adds, operator.deletes), *operator.changes):
            for fluent in change.adds:
                makes.setdefault((fluent, True), []).append(number)
            for fluent in change.deletes:
                makes.setdefault((fluent, False), []).append(number)

    def settled(fluent: int, *, value: bool) -> bool:
        return (fluent in task.initial) is value and (fluent, not value) not in makes

    needed: set[tuple[int, bool]] = set()
    queue: list[tuple[int, bool]] = []

    def need(literals: Literals) -> None:
        for literal in [*((f, True) for f in literals.true), *((f, False) for f in literals.false)]:
            if literal not in needed and not settled(literal[0], value=literal[1]):
                needed.add(literal)
                queue.append(literal)

    for goal in task.goals:
        need(goal)
    kept: set[int] = set()
    while queue:
        literal = queue.pop()
        for number in makes.get(literal, ()):
            operator = task.operators[number]
            kept.add(number)
            need(operator.requires)
            for change in operator.changes:
                need(change.condition)
                need(Literals(change.condition.false, change.condition.true))
    operators = tuple(op for number, op in enumerate(task.operators) if number in kept)
    return Task(task.fluents, task.initial, task.goals, operators, task.unit)


def reachable(task: Task) -> Task:
    """`task` without the operators that no relaxed plan can apply."""
    reached = closure(task.initial, task.operators)
    return replace(task, operators=tuple(op for op in task.operators if op.requires.true <= reached))


def missing(task: Task) -> tuple[Fluent, ...] | None:
    """A smallest set of fluents (no part of it would do) that would make a goal relaxed reachable; None where one is already.

    Of the sets there are, one far from the goal: what is nearest to the goal is left out first.
    """
    reached = closure(task.initial, task.operators)
    if any(goal.true <= reached for goal in task.goals):
        return None
    candidates, operators = _behind(task, reached)
    chosen = set(candidates)
    step = len(candidates)
    while step:
        for start in range(0, len(candidates), step):
            part = {fluent for fluent in candidates[start : start + step] if fluent in chosen}
            if part and _opens(task, operators, reached | (chosen - part)):
                chosen -= part
        step //= 2
    return tuple(task.fluents[fluent] for fluent in candidates if fluent in chosen)


def _behind(task: Task, reached: set[int]) -> tuple[list[int], list[Operator]]:
    """The unreached fluents that lie behind the goals, nearest first, and the operators between them."""
    makers: dict[int, list[Operator]] = {}
    for operator in task.operators:
        for needs, adds in _relaxed(operator):
            for fluent in adds - needs:
                makers.setdefault(fluent, []).append(operator)
    found = dict.fromkeys(fluent for goal in task.goals for fluent in sorted(goal.true - reached))
    queue = list(found)
    operators: dict[int, Operator] = {}
    while queue:
        for operator in makers.get(queue.pop(0), ()):
            operators[id(operator)] = operator
            for needs, _ in _relaxed(operator):
                fresh = [fluent for fluent in sorted(needs - reached) if fluent not in found]
                found |= dict.fromkeys(fresh)
                queue += fresh
    return list(found), list(operators.values())


def _opens(task: Task, operators: Sequence[Operator], known: set[int]) -> bool:
    reached = closure(known, operators)
    return any(goal.true <= reached for goal in task.goals)
