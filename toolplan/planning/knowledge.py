"""Which truth values a problem needs: most need no more than known and not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from toolplan.domain import Action, And, AtomicFormula, Condition, Domain, Effect, Equal, Not, Or, Performer, Tool
from toolplan.planning.memo import per_domain
from toolplan.planning.problem import Problem


def can_claim(problem: Problem) -> bool:
    """Whether anything is, or may become, uncertain."""
    return bool(problem.state.uncertain) or not _claiming(problem.domain) <= problem.forbidden


@per_domain
def _claiming(domain: Domain) -> frozenset[str]:
    """The tools that may leave something uncertain even if all they read is known."""
    return frozenset(tool.name for tool in domain.tools.values() if _claims(domain, tool))


def _claims(domain: Domain, tool: Tool) -> bool:
    if tool.performer is Performer.CALL:
        return False
    changed = {effect.atom.fact for effect in (*tool.produces, *tool.removes)}
    changed |= {atom.fact for outcome in tool.outcomes for atom in (*outcome.produces, *outcome.removes)}
    return tool.performer is Performer.MODEL or not all(domain.facts[fact].trusts_user for fact in changed)


def asked_false(problem: Problem) -> frozenset[str]:
    """The open facts whose being known to be false matters: some condition asks for it, or an outcome is ruled out by it.

    Closed facts are false where they are absent, and need no more.
    """
    wanted = frozenset(fact for fact in _negated(problem.goal, wanted=True) if not problem.domain.facts[fact].closed)
    always = _asked_false(problem.domain)
    return always if wanted <= always else always | wanted


@per_domain
def _asked_false(domain: Domain) -> frozenset[str]:
    """What the actions of `domain` ask to be false, whatever the goal."""
    facts: set[str] = set()
    actions: Iterator[Action] = chain(domain.tools.values(), domain.asks.values())
    for action in actions:
        effects = (*action.produces, *action.removes) if isinstance(action, Tool) else action.produces
        for condition in (action.requires, *(effect.condition for effect in effects)):
            facts.update(_negated(condition, wanted=True))
        if isinstance(action, Tool) and action.outcomes and domain.risk_of(action).safe:
            facts.update(formula.fact for outcome in action.outcomes for formula in outcome.produces)
    return frozenset(fact for fact in facts if not domain.facts[fact].closed)


def serves_unsure(domain: Domain, added: Iterable[Effect], removed: Iterable[Effect]) -> bool:
    """Whether a step with these effects may serve a plan better where what it requires is claimed than where it is known.

    It may where it removes, since what is removed for sure is not even claimed afterwards, and where it adds what is better unknown.
    """
    return any(removed) or any(effect.atom.fact in _better_unknown(domain) for effect in added)


@per_domain
def _better_unknown(domain: Domain) -> frozenset[str]:
    """The facts that a plan may be better off not knowing.

    Known, they rule out the outcome of a safe tool, make sure what serves better unsure, or let an effect happen that hinders.
    """
    found = dict.fromkeys(_hindering(domain))
    waiting = list(found)
    if not waiting:
        return frozenset()
    behind: dict[str, list[Condition]] = {}
    actions: Iterator[Action] = chain(domain.tools.values(), domain.asks.values())
    for action in actions:
        if domain.risk_of(action).safe:
            for effect in _added(action):
                behind.setdefault(effect.atom.fact, []).extend((effect.condition, action.requires))
    while waiting:
        for condition in behind.get(waiting.pop(), ()):
            fresh = [fact for fact in _asserted(condition) if fact not in found]
            found |= dict.fromkeys(fresh)
            waiting += fresh
    return frozenset(found)


def _hindering(domain: Domain) -> Iterator[str]:
    """Those of the facts better unknown that hinder by themselves, and not by what follows from them."""
    for tool in domain.tools.values():
        safe = domain.risk_of(tool).safe
        removed = tuple(_removed(tool))
        # What is not safe does not act on claims: where its condition is not known, it does not even claim what it adds.
        for effect in removed if safe else (*removed, *_added(tool)):
            yield from _asserted(effect.condition)
        if safe and removed:
            yield from _asserted(tool.requires)
            yield from (atom.fact for outcome in tool.outcomes for atom in outcome.removes)


def _added(action: Action) -> Iterator[Effect]:
    yield from action.produces
    if isinstance(action, Tool):
        yield from (Effect(atom) for outcome in action.outcomes for atom in outcome.produces)


def _removed(action: Action) -> Iterator[Effect]:
    if isinstance(action, Tool):
        yield from action.removes
        yield from (Effect(atom) for outcome in action.outcomes for atom in outcome.removes)


def _asserted(condition: Condition) -> Iterator[str]:
    return _negated(Not(condition), wanted=True)


def _negated(condition: Condition, *, wanted: bool) -> Iterator[str]:
    if isinstance(condition, AtomicFormula):
        if not wanted:
            yield condition.fact
    elif isinstance(condition, Not):
        yield from _negated(condition.condition, wanted=not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from _negated(part, wanted=wanted)
    elif not isinstance(condition, Equal):
        yield from _negated(condition.condition, wanted=wanted)
