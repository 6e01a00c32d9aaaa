"""Classical planning tasks over numbered fluents, and what can be told of them without search."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplan.planning.plans import Fluent, Status, Step


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

    fluents: Sequence[Fluent]
    initial: frozenset[int]
    goals: tuple[Literals, ...]
    operators: tuple[Operator, ...]
    unit: int

    @property
    def only_adds(self) -> bool:
        """Whether each operator adds the same in every state, deletes nothing, and nothing need be false: then none is of use twice.

        What has conditional effects may be: it adds more where more holds.
        """
        if any(op.changes or op.deletes for op in self.operators):
            return False
        return not any(literals.false for literals in (*self.goals, *(op.requires for op in self.operators)))


Rule = tuple[frozenset[int], frozenset[int]]
"""What an effect needs, and what it makes so, if nothing that was so ever ceased to be."""


class Rules:
    """Rules, indexed by what they need: what can become so is asked of them for one beginning after another."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._waiting: dict[int, list[tuple[int, frozenset[int]]]] = {}
        self._counts: list[int] = []
        self._free: list[frozenset[int]] = []
        for needs, makes in rules:
            if not needs:
                self._free.append(makes)
            for literal in needs:
                self._waiting.setdefault(literal, []).append((len(self._counts), makes))
            self._counts.append(len(needs))

    def closure(self, *beginning: Iterable[int]) -> set[int]:
        """All that the rules make of `beginning`, with that."""
        counts = self._counts.copy()
        reached = set[int]().union(*beginning, *self._free)
        queue = list(reached)
        while queue:
            for number, makes in self._waiting.get(queue.pop(), ()):
                counts[number] -= 1
                if counts[number] == 0:
                    queue += makes - reached
                    reached |= makes
        return reached


def closure(initial: Set[int], operators: Sequence[Operator], supposed: Iterable[int] = ()) -> set[int]:
    """What can become so from `initial` if nothing that was so ever ceased to be (relaxed reachability); `supposed` is added to it.

    A fluent in the result can be true; its complement `~fluent` stands for one that is true initially, and can be false.
    """
    return Rules(rule for operator in operators for rule in _relaxed(operator, initial)).closure(initial, supposed)


def unmet(literals: Literals, initial: Set[int]) -> frozenset[int]:
    """What must come about for `literals` to hold: their true fluents, and the complements of those false ones that are true in `initial`."""
    if not literals.false:
        return literals.true
    return literals.true.union(~fluent for fluent in literals.false if fluent in initial)


def _relaxed(operator: Operator, initial: Set[int]) -> Iterator[Rule]:
    """What each effect of `operator` needs, and what it makes so."""
    needs = unmet(operator.requires, initial)
    for change in (Change(Literals(), operator.adds, operator.deletes), *operator.changes):
        makes = change.adds
        if change.deletes:
            makes = makes.union(~fluent for fluent in change.deletes if fluent in initial)
        if makes:
            yield needs | unmet(change.condition, initial), makes


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
    return within(task, closure(task.initial, task.operators))


def within(task: Task, reached: set[int]) -> Task:
    """`task` without the operators that need more than what is `reached`."""
    operators = tuple(op for op in task.operators if unmet(op.requires, task.initial) <= reached)
    return task if len(operators) == len(task.operators) else replace(task, operators=operators)


def reaches_goal(task: Task, reached: set[int]) -> bool:
    """Whether all that one of the goals asks for is `reached`."""
    return any(unmet(goal, task.initial) <= reached for goal in task.goals)


def missing(task: Task, supposed: Iterable[int] = ()) -> tuple[Fluent, ...] | None:
    """A smallest set of fluents (no part of it would do) that would make a goal relaxed reachable; None where one is already.

    What is `supposed` can be had besides what the operators make so. Of the sets there are, one far from the goal: what is nearest to the goal is left out first. An atom that would have to be false is
    told as denied.
    """
    reached = closure(task.initial, task.operators, supposed)
    if reaches_goal(task, reached):
        return None
    left = _left(task, reached)
    candidates = _behind(task, reached, left)
    rules = Rules(rule for operator in left for rule in operator)
    chosen = set(candidates)
    step = len(candidates)
    while step:
        for start in range(0, len(candidates), step):
            part = {literal for literal in candidates[start : start + step] if literal in chosen}
            if part and reaches_goal(task, rules.closure(reached, chosen - part)):
                chosen -= part
        step //= 2
    return tuple(dict.fromkeys(_named(task, literal) for literal in candidates if literal in chosen))


def _left(task: Task, reached: set[int]) -> list[tuple[Rule, ...]]:
    """What the effects of each operator need and make besides what is `reached`. Operators that are alike in that are one."""
    rules = (tuple((needs - reached, makes - reached) for needs, makes in _relaxed(op, task.initial)) for op in task.operators)
    return list(dict.fromkeys(rules))


def _behind(task: Task, reached: set[int], operators: Iterable[tuple[Rule, ...]]) -> list[int]:
    """What lies unreached behind the goals and can be said by name, nearest first."""
    makers: dict[int, list[tuple[Rule, ...]]] = {}
    for operator in operators:
        for needs, makes in operator:
            for literal in makes - needs:
                makers.setdefault(literal, []).append(operator)
    found = dict.fromkeys(literal for goal in task.goals for literal in sorted(unmet(goal, task.initial) - reached))
    queue = deque(found)
    while queue:
        for operator in makers.get(queue.popleft(), ()):
            for needs, _ in operator:
                fresh = [literal for literal in sorted(needs) if literal not in found]
                found |= dict.fromkeys(fresh)
                queue += fresh
    return [literal for literal in found if literal >= 0 or task.fluents[~literal].status is not Status.DENIED]


def _named(task: Task, literal: int) -> Fluent:
    return task.fluents[literal] if literal >= 0 else Fluent(Status.DENIED, task.fluents[~literal].atom)
