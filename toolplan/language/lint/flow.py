"""What the actions of a domain make true or false, and what they need: over names of facts, so that every question is linear.

What is impossible here is impossible for every choice of objects; what is possible here need not be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from toolplan.domain import (
    Action,
    And,
    ArgumentSource,
    AtomicFormula,
    Condition,
    Derived,
    Domain,
    Effect,
    Equal,
    Goal,
    IfKnown,
    Items,
    Not,
    Or,
    Tool,
)


class Literal(NamedTuple):
    """Some atom of `fact` being true, or being false."""

    fact: str
    value: bool = True


def literals(condition: Condition, *, wanted: bool = True) -> Iterator[Literal]:
    """What `condition` asks for, over all of its alternatives; `wanted` is whether it should hold."""
    if isinstance(condition, AtomicFormula):
        yield Literal(condition.fact, wanted)
    elif isinstance(condition, Not):
        yield from literals(condition.condition, wanted=not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from literals(part, wanted=wanted)
    elif not isinstance(condition, Equal):
        yield from literals(condition.condition, wanted=wanted)


def possible(condition: Condition, known: Set[str]) -> bool:
    """Whether `condition` may hold where atoms of the facts `known` may be true, and any atom false."""
    if isinstance(condition, AtomicFormula):
        return condition.fact in known
    if isinstance(condition, And):
        return all(possible(part, known) for part in condition.conditions)
    if isinstance(condition, Or):
        return any(possible(part, known) for part in condition.conditions)
    return True


def effects(action: Action) -> Iterator[tuple[Effect, bool]]:
    """All that `action` may change: each effect, and whether it makes its atom true."""
    for effect in action.produces:
        yield effect, True
    if isinstance(action, Tool):
        for effect in action.removes:
            yield effect, False
        for outcome in action.outcomes:
            yield from ((Effect(atom), True) for atom in outcome.produces)
            yield from ((Effect(atom), False) for atom in outcome.removes)
        yield from ((Effect(atom), True) for atom in action.verifies)


def makes(action: Action) -> set[Literal]:
    """What `action` may make so."""
    return {Literal(effect.atom.fact, value) for effect, value in effects(action)}


def needs(action: Action) -> set[Literal]:
    """What helps `action` to be of use: what it requires, what its effects depend on, and what it passes and compares."""
    found = set(literals(action.requires))
    for effect, _ in effects(action):
        found |= {Literal(name, value) for name, _ in literals(effect.condition) for value in (True, False)}
    if isinstance(action, Tool):
        found |= {Literal(atom.fact) for atom in arguments(action)}
    return found


def arguments(tool: Tool) -> Iterator[AtomicFormula]:
    """The atoms whose values `tool` passes or compares."""
    sources: list[ArgumentSource] = list(tool.interface.passes.values())
    for comparison in tool.interface.checks:
        sources += (comparison.left, comparison.right)
    while sources:
        source = sources.pop()
        if isinstance(source, AtomicFormula):
            yield source
        elif isinstance(source, IfKnown):
            yield source.atom
        elif isinstance(source, Derived):
            yield from source.sources
        elif isinstance(source, Items):
            sources += source.items


def wants(goal: Goal) -> set[Literal]:
    """What must hold in the end."""
    return {*literals(goal.achieves), *(Literal(atom.fact) for atom in goal.given)}


@dataclass(frozen=True, slots=True)
class Flow:
    """The actions of one domain by what they make, and what comes from outside of them."""

    actions: tuple[Action, ...]
    makers: dict[Literal, list[Action]]
    bringing: tuple[Action, ...]
    """Those that bring objects: which of them a goal may need is not told by names of facts."""
    given: frozenset[str]
    """Facts that a goal is given, a test states, only the caller can tell, as `closed` ones, or users add on their own: those passed `if known`."""
    tested: frozenset[Literal]
    """What tests want, expect and forbid."""

    def helping(self, wanted: Iterable[Literal]) -> set[str]:
        """The names of the actions that may help towards `wanted`, even indirectly."""
        queue = list(wanted)
        needed: set[Literal] = set()
        names = {action.name for action in self.bringing}
        for action in self.bringing:
            queue += needs(action)
        while queue:
            literal = queue.pop()
            if literal not in needed:
                needed.add(literal)
                fresh = [action for action in self.makers.get(literal, ()) if action.name not in names]
                names.update(action.name for action in fresh)
                queue += (need for action in fresh for need in needs(action))
        return names

    def knowable(self, given: Iterable[str]) -> set[str]:
        """The facts that may become true from the facts `given`."""
        known: set[str] = set()
        queue = list(given)
        waiting: dict[str, list[Action]] = {}
        for action in self.actions:
            for literal in literals(action.requires):
                waiting.setdefault(literal.fact, []).append(action)
            if possible(action.requires, known):
                queue += (fact for fact, value in makes(action) if value)
        while queue:
            fact = queue.pop()
            if fact not in known:
                known.add(fact)
                for action in waiting.get(fact, ()):
                    if possible(action.requires, known):
                        queue += (made for made, value in makes(action) if value and made not in known)
        return known


@lru_cache(maxsize=1)
def flow_of(domain: Domain) -> Flow:
    """The flow of `domain`."""
    actions: list[Action] = [*domain.tools.values(), *domain.asks.values()]
    makers: dict[Literal, list[Action]] = {}
    for action in actions:
        for literal in makes(action):
            makers.setdefault(literal, []).append(action)
    given = {atom.fact for goal in domain.goals.values() for atom in goal.given}
    given |= {item.atom.fact for test in domain.tests for item in test.given}
    given |= {fact.name for fact in domain.facts.values() if fact.closed}
    given |= {atom.fact for tool in domain.tools.values() for atom in tool.interface.optional.values() if not atom.terms}
    tested = {literal for test in domain.tests for wanted in test.wanted for literal in literals(wanted.condition)}
    tested |= {
        Literal(atom.fact, value)
        for test in domain.tests
        for atoms in (*(never.atoms for never in test.never), *(expected.atoms for expected in test.expects))
        for atom in atoms
        for value in (True, False)
        if atom.fact in domain.facts
    }
    bringing = tuple(tool for tool in domain.tools.values() if tool.finds or tool.creates or tool.enumerates)
    return Flow(tuple(actions), makers, bringing, frozenset(given), frozenset(tested))
