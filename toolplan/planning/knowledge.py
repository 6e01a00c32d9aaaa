"""Which truth values a problem needs: most need no more than known and not known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from toolplan.domain import Action, And, AtomicFormula, Condition, Domain, Equal, Not, Or, Performer, Tool
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
