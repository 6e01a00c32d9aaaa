"""Why each step of a plan is there: which atom it makes known that a later step, or the goal, needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolplan.domain import And, AtomicFormula, Condition, Exists, ForAll, Not, Or
from toolplan.planning.plans import Atom, Plan
from toolplan.planning.problem import Problem, ground
from toolplan.planning.semantics import successor

GOAL = -1


class Link(NamedTuple):
    """Step number `producer` makes `atom` known, and step number `consumer` needs it; `GOAL` stands for the goal."""

    producer: int
    atom: Atom
    consumer: int


def causal_links(problem: Problem, plan: Plan) -> list[Link]:
    """The links between the steps of `plan`, by consumer, the goal last. Of several producers the latest counts."""
    made: dict[Atom, int] = {}
    links = []
    state = problem.state
    for number, step in enumerate(plan.steps):
        action = problem.domain.action(step.action)
        wanted = positive_atoms(problem, action.requires, problem.binding(step))
        links += [Link(made[atom], atom, number) for atom in dict.fromkeys(wanted) if atom in made]
        after = successor(problem, state, step)
        made |= dict.fromkeys((after.known | after.uncertain) - (state.known | state.uncertain), number)
        made |= dict.fromkeys(after.known - state.known, number)
        state = after
    links += [Link(made[atom], atom, GOAL) for atom in dict.fromkeys(positive_atoms(problem, problem.goal, {})) if atom in made]
    return links


def positive_atoms(problem: Problem, condition: Condition, binding: Mapping[str, str]) -> Iterator[Atom]:
    """The atoms that `condition` asks to be true, over all instances of its quantifiers."""
    if isinstance(condition, AtomicFormula):
        yield ground(condition, binding)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from positive_atoms(problem, part, binding)
    elif isinstance(condition, ForAll | Exists):
        for inner in problem.bindings(condition.parameters):
            yield from positive_atoms(problem, condition.condition, {**binding, **inner})
    elif isinstance(condition, Not) and isinstance(condition.condition, Not):
        yield from positive_atoms(problem, condition.condition.condition, binding)


def reason(problem: Problem, plan: Plan) -> str:
    """Why the first step of `plan` is taken, as a sentence: what it makes known, and which step needs that first.

    Looks no further than that step, so a long plan costs no more than a short one.
    """
    if not plan.steps:
        return "everything that is wanted is known already"
    first, state = plan.steps[0], problem.state
    after = successor(problem, state, first)
    made = (after.known - state.known) | (after.uncertain - state.known - state.uncertain)
    for step in plan.steps[1:]:
        for atom in positive_atoms(problem, problem.domain.action(step.action).requires, problem.binding(step)):
            if atom in made:
                return f"it makes `{atom}` known, which `{step.action}` requires"
    for atom in positive_atoms(problem, problem.goal, {}):
        if atom in made:
            return f"it makes `{atom}` known, which the goal asks for"
    return f"`{first.action}` clears the way for what follows"
