"""Whether the order of two steps may matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import Problem, to_be_brought
from toolplan.planning.schemas import Anything, Pattern, Place, schemas_of


class Footprint(NamedTuple):
    """The atoms on which a step depends, those it may add or delete, and those of them that it may change in the present state.

    All outcomes of a call count, and all its conditional effects, whether they fire or not.
    """

    reads: frozenset[Atom]
    adds: frozenset[Atom]
    deletes: frozenset[Atom]
    changes: frozenset[Atom]


def interfere(one: Footprint, other: Footprint) -> bool:
    """Whether one step may change what the other reads, or delete what the other adds.

    The static mutual exclusion of Blum and Furst, "Fast Planning Through Planning Graph Analysis", Artificial Intelligence 90 (1997), over
    atoms with all their truth values. Steps of which no two interfere fire the same effects in every order, and lead to the same state.
    """
    disturbed = one.changes & other.reads or other.changes & one.reads
    return bool(disturbed or one.adds & other.deletes or other.adds & one.deletes)


def footprint(problem: Problem, step: Step) -> Footprint:
    """What `step` reads and writes."""
    schema = schemas_of(problem.domain).schema(problem.domain, step.action)
    # A quantifier also depends on which objects have been brought.
    objects = (*step.arguments, *problem.placeholders) if schema.ranged else step.arguments
    reads = frozenset([*_atoms(problem, (need.pattern for need in schema.needs), step), *to_be_brought(problem, objects)])
    adds, deletes = frozenset(_atoms(problem, schema.adds, step)), frozenset(_atoms(problem, schema.removes, step))
    return Footprint(reads, adds, deletes, (adds - problem.state.known) | deletes)


def _atoms(problem: Problem, patterns: Iterable[Pattern], step: Step) -> Iterator[Atom]:
    """The atoms that fit `patterns` with the arguments of `step`."""

    def fitting(place: Place) -> tuple[str, ...]:
        if isinstance(place, Anything):
            return problem.objects_of(place.type)
        return (step.arguments[place] if isinstance(place, int) else place,)

    for fact, places in patterns:
        for arguments in product(*map(fitting, places)):
            yield Atom(fact, arguments)
