"""A problem: a domain, a state, and what is wanted of it. Frozen values; `requests` makes them from what callers write."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from toolplan.domain import Action, AtomicFormula, Condition, Domain, Parameter, Tool, Wanted, in_place_of, superseders
from toolplan.language.requests import conjunction
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Atom, Step


@dataclass(frozen=True, slots=True)
class State:
    """What is known, known to be false, and claimed without being verified. Whatever is in none of them is unknown.

    Atoms of `closed` facts that are absent are false, and never stand in `denied`. `values` are carried along, not planned with.
    """

    known: frozenset[Atom] = frozenset()
    uncertain: frozenset[Atom] = frozenset()
    denied: frozenset[Atom] = frozenset()
    values: Mapping[Atom, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Problem:
    """What to plan: from `state` to all of `wanted`, over `objects` (name to type), without `forbidden` actions and `exhausted` steps.

    An exhausted step without arguments stands for every step of its action.
    """

    domain: Domain
    objects: Mapping[str, str]
    state: State
    wanted: tuple[Wanted, ...]
    forbidden: frozenset[str] = frozenset()
    exhausted: frozenset[Step] = frozenset()

    @cached_property
    def goal(self) -> Condition:
        """The conjunction of all that is wanted."""
        return conjunction(wanted.condition for wanted in self.wanted)

    @cached_property
    def _objects_by_type(self) -> dict[str, tuple[str, ...]]:
        return {}

    def objects_of(self, type_name: str) -> tuple[str, ...]:
        """The objects of `type_name` and of all types below it, in the order of `objects`."""
        found = self._objects_by_type.get(type_name)
        if found is None:
            found = tuple(name for name, kind in self.objects.items() if self.domain.is_subtype(kind, type_name))
            self._objects_by_type[type_name] = found
        return found

    def is_of(self, name: str, type_name: str) -> bool:
        """Whether `name` is an object of `type_name`."""
        return name in self.objects and self.domain.is_subtype(self.objects[name], type_name)

    def bindings(self, parameters: tuple[Parameter, ...]) -> Iterator[dict[str, str]]:
        """Every assignment of objects to `parameters`, the last varying fastest."""
        if not parameters:
            yield {}
            return
        names = [parameter.name for parameter in parameters]
        for objects in product(*(self.objects_of(parameter.type) for parameter in parameters)):
            yield dict(zip(names, objects, strict=True))

    def actions(self) -> Iterator[Action]:
        """The actions that may be planned, in order of declaration, tools first."""
        for actions in (self.domain.tools, self.domain.asks):
            for name, action in actions.items():
                if name not in self.forbidden:
                    yield action

    def steps(self) -> Iterator[Step]:
        """Every action with every assignment of objects to its parameters, but for exhausted ones."""
        for action in self.actions():
            outcomes = range(len(action.outcomes)) if isinstance(action, Tool) and action.outcomes else (-1,)
            for binding in self.bindings(action.parameters):
                arguments = tuple(binding.values())
                if self.exhausted.isdisjoint((Step(action.name), Step(action.name, arguments))):
                    for outcome in outcomes:
                        yield Step(action.name, arguments, outcome)

    def binding(self, step: Step) -> dict[str, str]:
        """The objects that stand for the variables of `step`'s action: its arguments, and placeholders for what it brings."""
        action = self.domain.action(step.action)
        binding = {p.name: argument for p, argument in zip(action.parameters, step.arguments, strict=True)}
        if isinstance(action, Tool) and (action.finds or action.creates):
            binding |= {new.name: action.placeholder(new) for new in (*action.finds, *action.creates)}
        return binding

    @property
    def placeholders(self) -> Set[str]:
        """The objects that stand for what tools find or create: nothing can be done with one before a tool has brought it."""
        return placeholders_of(self.domain).keys()

    @property
    def open_types(self) -> frozenset[str]:
        """Types whose objects tools find, create or enumerate: `forall` over one needs it enumerated."""
        return _open_types(self.domain)


@per_domain
def placeholders_of(domain: Domain) -> Mapping[str, str]:
    """The placeholders of all tools, with their types, in order of declaration."""
    return {tool.placeholder(new): new.type for tool in domain.tools.values() for new in (*tool.finds, *tool.creates)}


@per_domain
def _open_types(domain: Domain) -> frozenset[str]:
    tools = domain.tools.values()
    named = {new.type for tool in tools for new in (*tool.finds, *tool.creates)} | {t for tool in tools for t in tool.enumerates}
    return frozenset(t for t in domain.types if any(domain.is_subtype(t, n) or domain.is_subtype(n, t) for n in named))


def ground(formula: AtomicFormula, binding: Mapping[str, str]) -> Atom:
    """The atom of `formula` under `binding`; constants stand for themselves."""
    if not formula.terms:
        return Atom(formula.fact)
    return Atom(formula.fact, tuple([binding.get(term.name, term.name) for term in formula.terms]))


ENUMERATED = "enumerated "
"""The fact that all objects of a type are known, as `Atom(ENUMERATED, (type,))`. No declared fact has a blank at its end."""
BROUGHT = "brought "
"""The fact that a tool has brought the object that a placeholder stands for, as `Atom(BROUGHT, (placeholder,))`."""


def to_be_brought(problem: Problem, objects: Collection[str]) -> list[Atom]:
    """What must be known before any step or quantifier may speak of `objects`: that each placeholder among them was brought."""
    if not objects:
        return []
    placeholders = problem.placeholders
    return [Atom(BROUGHT, (name,)) for name in objects if name in placeholders]


def with_superseded(domain: Domain, forbidden: frozenset[str]) -> frozenset[str]:
    """`forbidden`, and every tool in whose place another may be planned."""
    newer = _superseders(domain)
    return forbidden.union(old for old in newer if not forbidden.issuperset(in_place_of(old, newer)))


def instead_of(problem: Problem, name: str) -> tuple[str, ...]:
    """The tools that may be planned in the place of the one that they supersede."""
    return tuple(newer for newer in in_place_of(name, _superseders(problem.domain)) if newer not in problem.forbidden)


@per_domain
def _superseders(domain: Domain) -> Mapping[str, tuple[str, ...]]:
    return superseders(domain.tools)
