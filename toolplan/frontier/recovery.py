"""Mode `recovery`: the fewest further steps that help where the next step alone may not.

The extension that CMTF (arXiv 2606.06284, section 8.3) proposes: fallback and diagnostic tools where execution fails, the state is
uncertain, or no path is found. See `docs/decisions/009-recovery.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from toolplan.frontier.first_steps import first_step, is_call
from toolplan.frontier.records import Planned
from toolplan.goals.regret import preference
from toolplan.language.diagnostics import DomainError
from toolplan.planning.causes import positive_atoms
from toolplan.planning.engines import solve
from toolplan.planning.grounding import compile_conceivable, compile_relevant
from toolplan.planning.plans import Atom, Bounded, EngineFailed, EngineMissing, Limit, Optimal, Step, Unreachable
from toolplan.planning.problem import Problem
from toolplan.planning.semantics import Trust, applicable, successor, truth
from toolplan.planning.task import Task


def recovery(planned: Planned, first: Step | None, engine: str, limit: Limit) -> tuple[Step, ...]:
    """`first`, the step of mode `one` if there is one, and after it what may be needed besides.

    After exhausted steps a fallback; for each uncertain atom that the plan builds on, or that may have a part in reaching the goal where
    there is no plan, a safe call that makes it known; and where there is neither a plan nor such an atom, a safe call that makes known
    anything else that may have a part in it. Of several the one of least score, then the preferred. None where an earlier one does.
    """
    problem = planned.problem
    steps = dict.fromkeys([first] if first is not None else [])
    if first is not None and problem.exhausted:
        steps |= dict.fromkeys(_fallback(problem, first, engine, limit))
    if uncertain := _built_on(problem, planned.steps):
        steps |= _verifying(problem, uncertain, list(steps), _looks(problem, compile_relevant(problem)))
    if isinstance(planned.solution, Unreachable):
        task = compile_conceivable(problem)
        steps |= _diagnosing(problem, _needed(task), _looks(problem, task))
    return tuple(steps)


def _fallback(problem: Problem, first: Step, engine: str, limit: Limit) -> Iterator[Step]:
    """The first step of the best plan without the action of `first`."""
    without = replace(problem, forbidden=problem.forbidden | {first.action})
    match solve(without, engine, limit):
        case Optimal(plan) | Bounded(plan):
            yield first_step(without, plan)
        case EngineMissing(diagnostic) | EngineFailed(diagnostic):
            raise DomainError([diagnostic])


def _built_on(problem: Problem, plan: Iterable[Step]) -> list[Atom]:
    """The atoms, uncertain now, that a step of `plan` requires while they are still uncertain, and that it is not sure without."""
    found: dict[Atom, None] = {}
    state = problem.state
    if not state.uncertain:
        return []
    for step in plan:
        requires, binding = problem.domain.action(step.action).requires, problem.binding(step)
        if truth(problem, state, requires, binding, Trust.KNOWN) is not True:
            still = problem.state.uncertain & state.uncertain
            found |= dict.fromkeys(atom for atom in positive_atoms(problem, requires, binding) if atom in still)
        state = successor(problem, state, step)
    return list(found)


def _verifying(problem: Problem, uncertain: Iterable[Atom], chosen: list[Step], looks: list[Step]) -> dict[Step, None]:
    """For each of `uncertain` the first of `looks` that makes it known, unless one of `chosen` does."""
    added: dict[Step, None] = {}
    for atom in uncertain:
        makes_it = (step for step in (*chosen, *added, *looks) if atom in successor(problem, problem.state, step).known)
        if (step := next(makes_it, None)) is not None and step not in chosen:
            added[step] = None
    return added


def _diagnosing(problem: Problem, needed: frozenset[Atom], looks: list[Step]) -> dict[Step, None]:
    """What to look at where nothing leads to the goal: uncertain atoms that it needs, else one thing that is not known."""
    verifying = _verifying(problem, sorted(needed & problem.state.uncertain), [], looks)
    if verifying:
        return verifying
    known = problem.state.known
    telling = (step for step in looks if (successor(problem, problem.state, step).known - known) & needed)
    return dict.fromkeys([step] if (step := next(telling, None)) is not None else [])


def _looks(problem: Problem, task: Task) -> list[Step]:
    """The safe calls of `task` that can run now, those of least score first, then the preferred."""
    domain = problem.domain

    def is_look(step: Step) -> bool:
        safe = is_call(domain, step) and domain.risk_of(domain.action(step.action)).safe
        return safe and applicable(problem, problem.state, step)

    steps = dict.fromkeys(operator.step for operator in task.operators)
    return sorted(filter(is_look, steps), key=lambda step: (domain.score_of(domain.action(step.action)), preference(problem, step)))


def _needed(task: Task) -> frozenset[Atom]:
    """The atoms that the goals of `task` or any of its operators ask to be true."""
    conditions = [*task.goals, *(operator.requires for operator in task.operators)]
    conditions += [change.condition for operator in task.operators for change in operator.changes]
    return frozenset(task.fluents[fluent].atom for fluent in frozenset().union(*(literals.true for literals in conditions)))
