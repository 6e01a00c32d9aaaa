"""One execution beside a contract: whether it was allowed, and what it should have changed, by the reference meaning of contracts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from toolplan.domain import OBJECT, And, AtomicFormula, Condition, Domain, Parameter, Tool
from toolplan.learning.contracts import atom_of
from toolplan.learning.traces import Execution
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import ENUMERATED, Problem, State, placeholders_of
from toolplan.planning.semantics import Trust, applicable, successor, truth

MOST_BINDINGS = 1_000
"""Entities that are tried for parameters of which a trace does not say whom they stand for."""


class Lacking(NamedTuple):
    """The call was not allowed: what was not so, as the contract has it."""

    requirement: str


class Expected(NamedTuple):
    """The call was allowed, and this is what it should add and take away: facts by their names, of each way in which it may turn out."""

    added: frozenset[str]
    removed: frozenset[str]


def judged(domain: Domain, tool: Tool, execution: Execution, before: frozenset[str]) -> Lacking | tuple[Expected, ...]:
    """What `tool` says of a call in the state `before`, for the entities that allow it; all that is not in it is taken not to be so.

    Where the arguments do not name the parameters of the contract, any entities of the state will do.
    """
    problem = _problem(domain, tool, execution, before)
    bindings = list(islice(_bindings(problem, tool, execution), MOST_BINDINGS))
    steps = [Step(tool.name, tuple(binding.values()), outcome) for binding in bindings for outcome in range(len(tool.outcomes)) or (-1,)]
    allowed = [step for step in steps if applicable(problem, problem.state, step)]
    if allowed:
        return tuple(_expected(problem, step) for step in allowed)
    return Lacking(_missing(problem, tool, bindings[0] if bindings else {}))


def declared(tool: Tool) -> frozenset[str]:
    """The facts that a call may add or take away, by their names: the latter after `not`."""
    added = {effect.atom.fact for effect in tool.produces} | {atom.fact for each in tool.outcomes for atom in each.produces}
    removed = {effect.atom.fact for effect in tool.removes} | {atom.fact for each in tool.outcomes for atom in each.removes}
    return frozenset(added | {atom.fact for atom in tool.verifies} | {f"not {fact}" for fact in removed})


def names(atoms: Iterable[str]) -> frozenset[str]:
    """The facts of `atoms`, by their names."""
    return frozenset(atom_of(atom).fact for atom in atoms)


@per_domain
def _closed(domain: Domain) -> Domain:
    """The same where nothing is unknown."""
    return replace(domain, facts={name: replace(fact, closed=True) for name, fact in domain.facts.items()})


def _problem(domain: Domain, tool: Tool, execution: Execution, before: frozenset[str]) -> Problem:
    known = [atom for atom in map(atom_of, sorted(before)) if _is_declared(domain, atom)]
    objects = {**domain.constants, **placeholders_of(domain)}
    typed = [*((name, place) for atom in known for name, place in zip(atom.arguments, domain.facts[atom.fact].parameters, strict=True))]
    typed += [(str(execution.arguments[each.name]), each) for each in tool.parameters if each.name in execution.arguments]
    for name, place in typed:
        if domain.is_subtype(place.type, objects.get(name, OBJECT)):
            objects[name] = place.type
    # Only what was seen exists, so whatever holds for all of it holds for all.
    everything = (Atom(ENUMERATED, (name,)) for name in domain.types)
    return Problem(_closed(domain), objects, State(frozenset([*known, *everything])), ())


def _is_declared(domain: Domain, atom: Atom) -> bool:
    return atom.fact in domain.facts and len(domain.facts[atom.fact].parameters) == len(atom.arguments)


def _bindings(problem: Problem, tool: Tool, execution: Execution) -> Iterator[Mapping[str, str]]:
    given = {each.name: str(execution.arguments[each.name]) for each in tool.parameters if each.name in execution.arguments}
    free: tuple[Parameter, ...] = tuple(each for each in tool.parameters if each.name not in given)
    for binding in problem.bindings(free):
        both = {**given, **binding}
        yield {each.name: both[each.name] for each in tool.parameters}


def _expected(problem: Problem, step: Step) -> Expected:
    before, after = problem.state.known, successor(problem, problem.state, step).known
    return Expected(_declared_names(after - before), _declared_names(before - after))


def _declared_names(atoms: Iterable[Atom]) -> frozenset[str]:
    return frozenset(atom.fact for atom in atoms if not atom.fact.endswith(" "))


def _missing(problem: Problem, tool: Tool, binding: Mapping[str, str]) -> str:
    """The first part of what is required that does not hold."""
    parts: tuple[Condition, ...] = tool.requires.conditions if isinstance(tool.requires, And) else (tool.requires,)
    if len(binding) < len(tool.parameters):
        return ", ".join(f"{each.name}: {each.type}" for each in tool.parameters)
    for part in parts:
        if truth(problem, problem.state, part, binding, Trust.KNOWN) is not True:
            return str(part) if isinstance(part, AtomicFormula) else "its condition"
    return ""
