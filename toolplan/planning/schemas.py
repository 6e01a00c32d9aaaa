"""The actions of a domain, lifted, as grounding looks them up: what they need, add and remove, by fact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import NamedTuple

from toolplan.domain import (
    Action,
    And,
    AtomicFormula,
    Condition,
    Domain,
    Effect,
    Equal,
    ForAll,
    Not,
    Or,
    Tool,
)
from toolplan.planning.knowledge import serves_unsure
from toolplan.planning.memo import per_domain
from toolplan.planning.problem import BROUGHT, ENUMERATED


class Anything(NamedTuple):
    """A place that any object of `type` fills: that of a quantified variable."""

    type: str


Place = int | str | Anything
"""What stands at a place of a pattern: the number of a parameter, an object, or anything of a type."""


class Pattern(NamedTuple):
    """A fact applied to places."""

    fact: str
    places: tuple[Place, ...] = ()


class Need(NamedTuple):
    """That what fits `pattern` be true, or that it be false."""

    pattern: Pattern
    true: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """One action. `order` counts declarations, tools first.

    `needs` are all literals that may have a part in what it requires, or in whether an effect fires: with those achieved, nothing else
    matters to it. `joins` are those that must be true in any case. `ranged` are the types that its quantifiers range over.
    """

    action: Action
    order: int
    types: tuple[str, ...]
    needs: tuple[Need, ...]
    joins: tuple[Pattern, ...]
    adds: tuple[Pattern, ...]
    removes: tuple[Pattern, ...]
    ranged: tuple[str, ...]


class Schemas:
    """The schemas of one domain, made when they are first asked for, and which actions change which fact.

    `unit` is the least number that makes every score of the domain an integer.
    """

    def __init__(self, domain: Domain) -> None:
        self._made: dict[str, Schema] = {}
        self._adders: dict[str, list[str]] = {}
        self._removers: dict[str, list[str]] = {}
        self.order: dict[str, int] = {}
        scores: dict[tuple[Fraction, str | None] | Fraction, Fraction] = {}
        actions: Iterator[Action] = chain(domain.tools.values(), domain.asks.values())
        for action in actions:
            self.order[action.name] = len(self.order)
            for fact in dict.fromkeys(_added_facts(action)):
                self._adders.setdefault(fact, []).append(action.name)
            if isinstance(action, Tool):
                for fact in dict.fromkeys(_removed_facts(action)):
                    self._removers.setdefault(fact, []).append(action.name)
            rate = (action.cost, action.risk) if isinstance(action, Tool) else action.cost
            if rate not in scores:
                scores[rate] = domain.score_of(action)
        self.unit = lcm(*(score.denominator for score in scores.values()))

    def adders(self, fact: str) -> Sequence[str]:
        """The actions that may make `fact` true, in order of declaration."""
        return self._adders.get(fact, ())

    def removers(self, fact: str) -> Sequence[str]:
        """The actions that may make `fact` false, in order of declaration."""
        return self._removers.get(fact, ())

    def schema(self, domain: Domain, name: str) -> Schema:
        """The schema of the action called `name` in `domain`, which must be the one that these are made for."""
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = _schema(domain, domain.action(name), self.order[name])
        return made


schemas_of = per_domain(Schemas)


def _added_facts(action: Action) -> Iterator[str]:
    for effect in action.produces:
        yield effect.atom.fact
    if isinstance(action, Tool):
        for outcome in action.outcomes:
            for atom in outcome.produces:
                yield atom.fact
        for atom in action.verifies:
            yield atom.fact
        if action.enumerates:
            yield ENUMERATED
        if action.finds or action.creates:
            yield BROUGHT


def _removed_facts(action: Tool) -> Iterator[str]:
    for effect in action.removes:
        yield effect.atom.fact
    for outcome in action.outcomes:
        for atom in outcome.removes:
            yield atom.fact


def _schema(domain: Domain, action: Action, order: int) -> Schema:
    places: dict[str, Place] = {parameter.name: number for number, parameter in enumerate(action.parameters)}
    removed: tuple[Effect, ...] = ()
    added = list(action.produces)
    sure: list[Pattern] = []
    if isinstance(action, Tool):
        places |= {new.name: action.placeholder(new) for new in (*action.finds, *action.creates)}
    needs = list(needs_of(action.requires, places))
    if isinstance(action, Tool):
        added += [Effect(atom) for outcome in action.outcomes for atom in outcome.produces]
        added += [Effect(atom) for atom in action.verifies]
        removed = (*action.removes, *(Effect(atom) for outcome in action.outcomes for atom in outcome.removes))
        sure += [Pattern(ENUMERATED, (below,)) for type_name in action.enumerates for below in domain.types_below(type_name)]
        sure += [Pattern(BROUGHT, (action.placeholder(new),)) for new in (*action.finds, *action.creates)]
        if action.outcomes and domain.risk_of(action).safe:
            # Such an outcome is not hoped for while the opposite is known.
            needs += [Need(_pattern(atom, places), True) for outcome in action.outcomes for atom in outcome.produces]
            needs += [Need(_pattern(atom, places), False) for outcome in action.outcomes for atom in outcome.removes]
        if domain.risk_of(action).safe and serves_unsure(domain, added, removed):
            # A safe tool also acts on claims alone, and that may be what helps.
            needs += [Need(need.pattern, not need.true) for need in needs_of(action.requires, places)]
    for effect in (*action.produces, *removed):
        inner = places | {parameter.name: Anything(parameter.type) for parameter in effect.parameters}
        for need in needs_of(effect.condition, inner):
            needs += [need, Need(need.pattern, not need.true)]
    ranged = {p.type for effect in (*added, *removed) for p in effect.parameters}
    ranged.update(*(ranged_types(condition) for condition in (action.requires, *(effect.condition for effect in (*added, *removed)))))
    return Schema(
        action,
        order,
        tuple(parameter.type for parameter in action.parameters),
        tuple(dict.fromkeys(needs)),
        tuple(dict.fromkeys(_pattern(atom, places) for atom in _conjuncts(action.requires))),
        tuple(dict.fromkeys([*_patterns(added, places), *sure])),
        tuple(dict.fromkeys(_patterns(removed, places))),
        tuple(sorted(ranged)),
    )


def _patterns(effects: Iterable[Effect], places: Mapping[str, Place]) -> Iterator[Pattern]:
    for effect in effects:
        yield _pattern(effect.atom, {**places, **{parameter.name: Anything(parameter.type) for parameter in effect.parameters}})


def _pattern(formula: AtomicFormula, places: Mapping[str, Place]) -> Pattern:
    return Pattern(formula.fact, tuple(places.get(term.name, term.name) for term in formula.terms))


def _conjuncts(condition: Condition) -> Iterator[AtomicFormula]:
    """The atoms that must be true for `condition` to hold, as far as that is plain to see."""
    if isinstance(condition, AtomicFormula):
        yield condition
    elif isinstance(condition, And):
        for part in condition.conditions:
            yield from _conjuncts(part)


def needs_of(condition: Condition, places: Mapping[str, Place]) -> Iterator[Need]:
    """The literals that may have a part in `condition`, and for `forall` that all objects are known."""
    waiting: list[tuple[Condition, Mapping[str, Place], bool]] = [(condition, places, True)]
    while waiting:
        part, scope, wanted = waiting.pop()
        if isinstance(part, AtomicFormula):
            yield Need(_pattern(part, scope), wanted)
        elif isinstance(part, Not):
            waiting.append((part.condition, scope, not wanted))
        elif isinstance(part, And | Or):
            waiting += [(inner, scope, wanted) for inner in reversed(part.conditions)]
        elif not isinstance(part, Equal):
            waiting.append((part.condition, {**scope, **{p.name: Anything(p.type) for p in part.parameters}}, wanted))
            if isinstance(part, ForAll):
                yield from (Need(Pattern(ENUMERATED, (parameter.type,)), True) for parameter in part.parameters)


def ranged_types(condition: Condition) -> set[str]:
    """The types that the quantifiers of `condition` range over."""
    types: set[str] = set()
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Not):
            waiting.append(part.condition)
        elif isinstance(part, And | Or):
            waiting += part.conditions
        elif not isinstance(part, AtomicFormula | Equal):
            types |= {parameter.type for parameter in part.parameters}
            waiting.append(part.condition)
    return types


def filled(places: Sequence[Place], binding: Sequence[str | None]) -> tuple[str | None, ...]:
    """`places` with the objects of `binding` for parameters; None where any object will do."""
    return tuple(binding[place] if isinstance(place, int) else place if isinstance(place, str) else None for place in places)
