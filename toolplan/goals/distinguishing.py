"""Goals that nothing tells apart: neither what is done for them nor the answer to a question."""

from __future__ import annotations

from collections.abc import Mapping

from toolplan.domain import And, Condition, Goal, Variable
from toolplan.goals.landmarks import is_landmark
from toolplan.language.requests import conjunction, substitute
from toolplan.planning.plans import Atom, Fluent
from toolplan.planning.task import Task, closure, reaches_goal


def want_the_same(one: Goal, other: Goal) -> bool:
    """Whether two goals want the same, in whatever order they say it; their parameters correspond by place, and must be of one type."""
    types, others = ([parameter.type for parameter in goal.parameters] for goal in (one, other))
    return types == others and _wanted(one) == _wanted(other)


def _wanted(goal: Goal) -> frozenset[Condition]:
    binding = {parameter.name: Variable(f"{place}") for place, parameter in enumerate(goal.parameters)}
    whole = conjunction([substitute(goal.achieves, binding), *(substitute(atom, binding) for atom in goal.given)])
    return frozenset(whole.conditions if isinstance(whole, And) else [whole])


def come_together(one: Task, other: Task, names: Mapping[str, str]) -> bool:
    """Whether every plan of `one` reaches the goal of `other` as well, and the other way round; `names` are what `other` calls `one`'s objects.

    Told by landmarks of the delete relaxation, so that goals which only deletions keep together are missed. Where a step deletes what is
    wanted, where a goal cannot be reached, or where it has alternatives or wants an atom to be false, they are taken to be told apart.
    """
    return _reaches(one, other, {theirs: own for own, theirs in names.items()}) and _reaches(other, one, names)


def _reaches(task: Task, other: Task, names: Mapping[str, str]) -> bool:
    """Whether every plan of `task` ends where the goal of `other`, whose objects have other `names` here, holds."""
    if len(other.goals) != 1 or other.goals[0].false or not reaches_goal(task, closure(task.initial, task.operators)):
        return False
    numbers = {fluent: number for number, fluent in enumerate(task.fluents)}
    wanted = {numbers.get(_renamed(other.fluents[fluent], names)) for fluent in other.goals[0].true}
    deleted = set[int]().union(*(deletes for op in task.operators for deletes in (op.deletes, *(change.deletes for change in op.changes))))
    return all(fluent is not None and fluent not in deleted and is_landmark(task, fluent) for fluent in wanted)


def _renamed(fluent: Fluent, names: Mapping[str, str]) -> Fluent:
    return Fluent(fluent.status, Atom(fluent.atom.fact, tuple(names.get(name, name) for name in fluent.atom.arguments)))
