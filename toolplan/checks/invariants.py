"""What must never be, proved over every state that can be reached: by what no relaxed plan can do, else by exhaustive search."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from toolplan.checks.worlds import matches
from toolplan.domain import AtomicFormula
from toolplan.planning.grounding import compile_task
from toolplan.planning.operators import MOST_CLAUSES
from toolplan.planning.plans import Atom, Fluent, Limit, Status, Step
from toolplan.planning.problem import Problem
from toolplan.planning.task import Literals, Operator, Task, missing, reachable, relevant


@dataclass(frozen=True, slots=True)
class Holds:
    """Proved: no state that can be reached is a counterexample."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A counterexample: as few `steps` as can be, after which it does not hold; `call` is then the step that can run, if one must not."""

    steps: tuple[Step, ...]
    call: Step | None


@dataclass(frozen=True, slots=True)
class Open:
    """The limit was reached first; `limit` says which."""

    limit: str


Proof = Holds | Broken | Open


def prove_never(problem: Problem, atom: AtomicFormula, without: AtomicFormula | None, limit: Limit) -> Proof:
    """Whether no reachable state has `atom`, or none has it unless `without` is known.

    An `atom` that names a fact is there when it is known or uncertain; one that names an action when it can run.
    """
    task = compile_task(replace(_speaking_of(problem, [atom, *([without] if without else [])]), wanted=()))
    numbers = {fluent: number for number, fluent in enumerate(task.fluents)}
    spared = numbers.get(Fluent(Status.KNOWN, _ground(without))) if without else None
    if spared is not None:
        task = replace(task, operators=tuple(_strict(task)))
    if spared is not None and not _can_end(task, spared):
        if spared in task.initial:
            return Holds()
        # It stays once it is there, so a counterexample has nothing on its way that makes it known.
        task = replace(task, operators=tuple(op for op in task.operators if spared not in op.adds or matches(atom, op.step)))
    unless = frozenset() if spared is None else frozenset([spared])
    bad = {Literals(true, false | unless): call for (true, false), call in _bad(task, numbers, atom, problem) if not true & unless}
    task = replace(task, goals=tuple(bad))
    if missing(task) is not None:
        return Holds()
    return _search(relevant(reachable(task)), bad, limit)


def _strict(task: Task) -> Iterator[Operator]:
    """The operators of `task`, where what a step does on claims alone is no choice: it does more as soon as all it reads is known.

    Plans lose nothing by that choice, so a task leaves it open; for what must not be known it makes the difference.
    """
    firm: dict[Step, list[Literals]] = {}
    for operator in task.operators:
        if not _on_claims(task, operator):
            firm.setdefault(operator.step, []).append(operator.requires)
    for operator in task.operators:
        others = firm.get(operator.step, []) if _on_claims(task, operator) else []
        for requires in _unless(operator.requires, others):
            yield replace(operator, requires=requires)


def _on_claims(task: Task, operator: Operator) -> bool:
    return any(task.fluents[fluent].status is Status.CLAIMED for fluent in operator.requires.true)


def _unless(requires: Literals, others: Iterable[Literals]) -> list[Literals]:
    """`requires` and none of `others`, as a disjunction; where that has too many parts, `requires` alone, of which it is a part."""
    found = {requires}
    for other in others:
        parts = {Literals(true | {fluent}, false) for true, false in found for fluent in other.false}
        parts |= {Literals(true, false | {fluent}) for true, false in found for fluent in other.true}
        found = {part for part in parts if not part.true & part.false}
        if len(found) > MOST_CLAUSES:
            return [requires]
    return sorted(found, key=lambda part: (sorted(part.true), sorted(part.false)))


def _bad(task: Task, numbers: dict[Fluent, int], atom: AtomicFormula, problem: Problem) -> list[tuple[Literals, Step | None]]:
    """The conditions under which `atom` is there, each with the step that it lets run."""
    if _names_action(problem, atom):
        return [(operator.requires, operator.step) for operator in task.operators if matches(atom, operator.step)]
    there = [numbers[fluent] for status in (Status.CLAIMED, Status.KNOWN) if (fluent := Fluent(status, _ground(atom))) in numbers]
    return [(Literals(frozenset(there[:1])), None)] if there else []


def _names_action(problem: Problem, atom: AtomicFormula) -> bool:
    return atom.fact in problem.domain.tools or atom.fact in problem.domain.asks


def _ground(atom: AtomicFormula) -> Atom:
    return Atom(atom.fact, tuple(term.name for term in atom.terms))


def _speaking_of(problem: Problem, atoms: Iterable[AtomicFormula]) -> Problem:
    """`problem` with the entities that only `atoms` name."""
    named = dict(problem.objects)
    for atom in atoms:
        declared = problem.domain.action(atom.fact) if _names_action(problem, atom) else problem.domain.facts[atom.fact]
        for term, place in zip(atom.terms, declared.parameters, strict=False):
            named.setdefault(term.name, place.type)
    return replace(problem, objects=named)


def _can_end(task: Task, fluent: int) -> bool:
    return any(fluent in op.deletes or any(fluent in change.deletes for change in op.changes) for op in task.operators)


def _search(task: Task, bad: Mapping[Literals, Step | None], limit: Limit) -> Proof:
    """Breadth first through all states, told apart only by the fluents that something reads."""
    read = _read(task)
    start = task.initial & read
    came: dict[frozenset[int], tuple[frozenset[int], Step] | None] = {start: None}
    queue = deque([start])
    deadline = time.monotonic() + limit.seconds
    expanded = 0
    while queue:
        state = queue.popleft()
        if (reached := next((goal for goal in task.goals if goal.hold(state)), None)) is not None:
            return Broken(_steps_to(state, came), bad[reached])
        if expanded >= limit.expansions:
            return Open(f"{limit.expansions:,} states")
        if time.monotonic() > deadline:
            return Open(f"{limit.seconds:g} s")
        expanded += 1
        for operator in task.operators:
            if operator.requires.hold(state):
                after = _after(operator, state) & read
                if after not in came:
                    came[after] = (state, operator.step)
                    queue.append(after)
    return Holds()


def _read(task: Task) -> frozenset[int]:
    conditions = [
        *task.goals,
        *(op.requires for op in task.operators),
        *(change.condition for op in task.operators for change in op.changes),
    ]
    return frozenset().union(*(literals.true | literals.false for literals in conditions))


def _after(operator: Operator, state: frozenset[int]) -> frozenset[int]:
    """Deletes come before adds, as in PDDL."""
    fired = [change for change in operator.changes if change.condition.hold(state)]
    deletes = operator.deletes.union(*(change.deletes for change in fired))
    return (state - deletes) | operator.adds.union(*(change.adds for change in fired))


def _steps_to(state: frozenset[int], came: dict[frozenset[int], tuple[frozenset[int], Step] | None]) -> tuple[Step, ...]:
    steps = []
    while (origin := came[state]) is not None:
        state, step = origin
        steps.append(step)
    return tuple(reversed(steps))
