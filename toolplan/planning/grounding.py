"""A problem to a task. What is ground follows the goal: `compile_relevant` never looks at what has no part in reaching it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from toolplan.domain import Domain, Tool
from toolplan.language.diagnostics import DomainError
from toolplan.planning.demand import Binding, conceivable, demanded
from toolplan.planning.joins import MOST_STEPS, reached_steps, too_many
from toolplan.planning.knowledge import asked_false, can_claim
from toolplan.planning.memo import per_domain
from toolplan.planning.operators import Compiler, StateCompiler, Vocabulary
from toolplan.planning.plans import Step
from toolplan.planning.problem import Problem
from toolplan.planning.schemas import schemas_of
from toolplan.planning.semantics import Trust
from toolplan.planning.task import Task

MOST_FLUENTS = 250_000
"""Beyond it a domain's numbers are given anew, so that a server that meets new entities all day does not grow for ever."""
MOST_BLAMED = 50_000
"""Steps looked at to say what an unreachable goal lacks."""


def compile_task(problem: Problem) -> Task:
    """Ground all of `problem`, with every fluent of its state. Raises DomainError where that is too large."""
    compiler = Compiler(problem, Vocabulary())
    initial = compiler.initial()
    return replace(_compiled(compiler, all_steps(problem)), initial=initial)


def all_steps(problem: Problem) -> Iterator[Step]:
    """Every action with every assignment of objects to its parameters. Raises DomainError where these are too many."""
    total = 0
    for action in problem.actions():
        total += prod(len(problem.objects_of(parameter.type)) for parameter in action.parameters)
        if total > MOST_STEPS:
            raise too_many(action, MOST_STEPS)
    return problem.steps()


def compile_relevant(problem: Problem) -> Task:
    """Ground what may have a part in reaching the goal of `problem` from its state. Raises DomainError where that is too large.

    Where arguments are open, only what can ever run is ground.
    """
    demand = demanded(problem)
    if any(None in binding for bindings in demand.values() for binding in bindings):
        steps: Iterable[Step] = reached_steps(problem, demand)
    else:
        steps = _steps(problem, demand)
    return _compiled(StateCompiler(problem, _vocabulary(problem)), steps)


def compile_conceivable(problem: Problem) -> Task:
    """Ground what might have a part in reaching the goal if more were known than the state says; no steps where those are too many."""
    try:
        return _compiled(Compiler(problem, Vocabulary()), _conceivable_steps(problem))
    except DomainError:
        return _compiled(Compiler(problem, Vocabulary()), ())


def _conceivable_steps(problem: Problem) -> Iterator[Step]:
    demand = conceivable(problem)
    total = 0
    for name, bindings in demand.items():
        action = problem.domain.action(name)
        for binding in bindings:
            open_types = [p.type for p, argument in zip(action.parameters, binding, strict=True) if argument is None]
            total += prod(len(problem.objects_of(kind)) for kind in open_types)
        if total > MOST_BLAMED:
            raise too_many(action, MOST_BLAMED)
    return _steps(problem, demand)


def _compiled(compiler: Compiler, steps: Iterable[Step]) -> Task:
    problem = compiler.problem
    goals = tuple(compiler.clauses(problem.goal, {}, Trust.KNOWN))
    operators = tuple([operator for step in steps for operator in compiler.operators(step)])
    spoken_of = {fluent for goal in goals for fluent in (*goal.true, *goal.false)}
    for operator in operators:
        spoken_of.update(operator.requires.true, operator.requires.false, operator.adds, operator.deletes)
        for change in operator.changes:
            spoken_of.update(change.condition.true, change.condition.false, change.adds, change.deletes)
    initial = compiler.holding(spoken_of)
    return Task(compiler.fluents, initial, goals, operators, schemas_of(problem.domain).unit)


def _vocabulary(problem: Problem) -> Vocabulary:
    """The vocabulary that the problems of this domain with these truth values share."""
    vocabularies = _vocabularies(problem.domain)
    key = (can_claim(problem), asked_false(problem))
    found = vocabularies.get(key)
    if found is None or len(found.fluents) > MOST_FLUENTS:
        found = vocabularies[key] = Vocabulary()
    return found


@per_domain
def _vocabularies(_: Domain) -> dict[tuple[bool, frozenset[str]], Vocabulary]:
    return {}


def _steps(problem: Problem, demand: Mapping[str, Sequence[Binding]]) -> Iterator[Step]:
    """The steps of `demand` with every object for what is open, in order of declaration and of objects."""
    order = schemas_of(problem.domain).order
    rank = {name: number for number, name in enumerate(problem.objects)}
    for name in sorted(demand, key=order.__getitem__):
        action = problem.domain.action(name)
        outcomes = range(len(action.outcomes)) if isinstance(action, Tool) and action.outcomes else (-1,)
        types = [parameter.type for parameter in action.parameters]
        found: dict[tuple[str, ...], None] = {}
        for binding in demand[name]:
            choices = [problem.objects_of(kind) if argument is None else (argument,) for kind, argument in zip(types, binding, strict=True)]
            found |= dict.fromkeys(product(*choices))
        for arguments in sorted(found, key=lambda arguments: [rank[name] for name in arguments]) if types else found:
            if not problem.exhausted or problem.exhausted.isdisjoint((Step(name), Step(name, arguments))):
                for outcome in outcomes:
                    yield Step(name, arguments, outcome)
