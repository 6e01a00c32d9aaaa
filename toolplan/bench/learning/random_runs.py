"""Runs that are sensible but not clever, drawn from a seed: mostly steps that bring something new, wrong ones now and then, recorded with noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from toolplan.domain import OBJECT, Domain, Performer
from toolplan.learning.traces import Ended, Execution, Failed, Record, Returned
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem, State, placeholders_of
from toolplan.planning.semantics import applicable, successor

LENGTH = 12
"""Steps of a run."""
ASTRAY = 0.35
"""The chance that a step is any tool, whether it can be called or not."""
GIVEN, FOUND = 0.5, 0.15
"""The chances that a fact is known at the start: one that no tool produces, and any other."""
ENTITIES = 2
"""Entities of each type."""


def runs(domain: Domain, count: int, noise: float, seed: int) -> Iterator[Record]:
    """`count` runs on `domain`; of the executions the share `noise` has a wrong outcome, or a fact too many or too few."""
    random, world = Random(seed), _world(domain)
    for number in range(count):
        yield from _run(world, f"r{number}", noise, random)


@dataclass(frozen=True)
class _World:
    """What there is in every run: the calls, the atoms as a trace has them, those a record may have wrongly, and the chance that each is known
    at the start."""

    problem: Problem
    steps: Sequence[Step]
    told: Mapping[Atom, str]
    mistaken: Sequence[str]
    chances: Mapping[Atom, float]


def _world(domain: Domain) -> _World:
    entities = {f"{name}{number}": name for name in domain.types if name != OBJECT for number in range(ENTITIES)}
    problem = Problem(domain, {**domain.constants, **placeholders_of(domain), **entities}, State(), ())
    called = [tool for tool in domain.tools.values() if tool.performer is Performer.CALL]
    produced = {effect.atom.fact for tool in called for effect in tool.produces}
    names = {tool.name for tool in called}
    steps = [step for step in problem.steps() if step.action in names and problem.placeholders.isdisjoint(step.arguments)]
    told = {atom: str(atom) for atom in _atoms(problem, problem.objects.keys())}
    mistaken = [text for atom, text in told.items() if problem.placeholders.isdisjoint(atom.arguments)]
    given = {atom: FOUND if atom.fact in produced else GIVEN for atom in _atoms(problem, entities.keys())}
    return _World(problem, steps, told, mistaken, given)


def _run(world: _World, trace: str, noise: float, random: Random) -> Iterator[Record]:
    state = State(frozenset(atom for atom, chance in world.chances.items() if random.random() < chance))
    problem = replace(world.problem, state=state)
    for _ in range(LENGTH):
        step = _next(problem, state, world.steps, random)
        after = successor(problem, state, step) if applicable(problem, state, step) else None
        yield _noisy(_recorded(trace, world, step, state, after), world.mistaken, noise, random)
        state = after or state
    yield Ended(trace, success=True)


def _next(problem: Problem, state: State, steps: Sequence[Step], random: Random) -> Step:
    """A step that brings something new, if there is one and the agent is not astray."""
    if random.random() >= ASTRAY:
        tried = random.sample(steps, len(steps))
        useful = (step for step in tried if applicable(problem, state, step) and successor(problem, state, step).known - state.known)
        return next(useful, tried[0])
    return random.choice(steps)


def _recorded(trace: str, world: _World, step: Step, before: State, after: State | None) -> Execution:
    tool = world.problem.domain.tools[step.action]
    arguments = dict(zip((parameter.name for parameter in tool.parameters), step.arguments, strict=True))
    result = Failed("not now") if after is None else Returned(None)
    known, since = (frozenset(world.told[atom] for atom in state.known if atom in world.told) for state in (before, after or before))
    return Execution(trace, step.action, arguments, result, before=known, after=since)


def _noisy(execution: Execution, atoms: Sequence[str], noise: float, random: Random) -> Execution:
    """`execution`, or in the share `noise` of the cases something that did not happen so."""
    if random.random() >= noise:
        return execution
    before, after = execution.before or frozenset(), execution.after or frozenset()
    kind, wrong = random.randrange(3), frozenset({random.choice(atoms)})
    if kind == 0:
        return replace(execution, result=Returned(None) if isinstance(execution.result, Failed) else Failed("an outage"), after=before)
    return replace(execution, before=before ^ wrong) if kind == 1 else replace(execution, after=after ^ wrong)


def _atoms(problem: Problem, entities: Set[str]) -> list[Atom]:
    """All atoms over `entities`, in order of declaration."""
    of_type = {kind: [name for name in problem.objects_of(kind) if name in entities] for kind in {*problem.domain.types, OBJECT}}
    return [
        Atom(name, objects)
        for name, fact in problem.domain.facts.items()
        for objects in product(*(of_type[place.type] for place in fact.parameters))
    ]
