"""What the user has to be asked for, whichever way is taken: known before the first question."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from functools import partial

from toolplan.domain import Ask
from toolplan.goals.regret import preference
from toolplan.planning.plans import Atom, Status, Step
from toolplan.planning.preparation import prepare
from toolplan.planning.problem import Problem
from toolplan.planning.task import Operator, Task, closure, reaches_goal


def needed_from_user(problem: Problem) -> tuple[Step, ...]:
    """The questions that every best plan asks, in order of declaration; none where the goal is reached already, or cannot be.

    Those without which the goal is out of reach even if nothing were ever deleted, and no others: landmarks as Hoffmann, Porteous and
    Sebastia test for them, "Ordered Landmarks in Planning", JAIR 22 (2004). A question that only deletions make necessary is missed.
    """
    task = prepare(problem)
    if not isinstance(task, Task):
        return ()
    return tuple(
        question for question in _questions(problem, task) if not _reachable(task, [op for op in task.operators if op.step != question])
    )


def told_by_user(problem: Problem) -> tuple[Atom, ...]:
    """The atoms that every best plan has to know and that nobody but the user can tell: fact landmarks; in order of the questions for them.

    What a tool finds out once the user has told it something else is none of them.
    """
    task = prepare(problem)
    if not isinstance(task, Task):
        return ()
    questions = _questions(problem, task)
    place = {question: number for number, question in enumerate(questions)}
    asking = sorted((operator for operator in task.operators if operator.step in place), key=lambda operator: place[operator.step])
    told = dict.fromkeys(fluent for operator in asking for fluent in sorted(_made(operator)))
    return tuple(dict.fromkeys(task.fluents[fluent].atom for fluent in told if _only_told(task, place.keys(), fluent)))


def _only_told(task: Task, questions: Set[Step], fluent: int) -> bool:
    """Whether nothing but an answer to `questions` makes `fluent` true, and every plan has it true at some time."""
    if task.fluents[fluent].status is Status.DENIED or fluent in task.initial:
        return False
    silent = [op for op in task.operators if op.step not in questions or fluent not in _made(op)]
    return fluent not in closure(task.initial, silent) and is_landmark(task, fluent)


def is_landmark(task: Task, fluent: int) -> bool:
    """Whether `fluent` holds, or the goal is out of reach as long as nothing makes it true, even if nothing were ever deleted."""
    return fluent in task.initial or not _reachable(task, _sparing(task.operators, fluent))


def _sparing(operators: Iterable[Operator], fluent: int) -> list[Operator]:
    """`operators`, as far as they do not make `fluent` true."""
    without = (operator for operator in operators if fluent not in operator.adds)
    return [
        replace(operator, changes=tuple(change for change in operator.changes if fluent not in change.adds))
        if operator.changes
        else operator
        for operator in without
    ]


def _questions(problem: Problem, task: Task) -> list[Step]:
    """The questions among the steps of `task`, in order of declaration."""
    asked = {operator.step for operator in task.operators if isinstance(problem.domain.action(operator.step.action), Ask)}
    return sorted(asked, key=partial(preference, problem))


def _made(operator: Operator) -> frozenset[int]:
    return operator.adds.union(*(change.adds for change in operator.changes))


def _reachable(task: Task, operators: list[Operator]) -> bool:
    return reaches_goal(task, closure(task.initial, operators))
