"""Which truth values a problem needs: most need no more than known and not known."""

from __future__ import annotations

from collections.abc import Iterator

from toolplan.domain import Action, And, AtomicFormula, Condition, Equal, Not, Or, Performer, Tool
from toolplan.planning.problem import Problem


def can_claim(problem: Problem) -> bool:
    """Whether anything is, or may become, uncertain."""
    return bool(problem.state.uncertain) or any(_claims(problem, action) for action in problem.actions())


def _claims(problem: Problem, action: Action) -> bool:
    """Whether `action` may leave something uncertain even if all it reads is known."""
    if not isinstance(action, Tool) or action.performer is Performer.CALL:
        return False
    changed = {effect.atom.fact for effect in (*action.produces, *action.removes)}
    changed |= {atom.fact for outcome in action.outcomes for atom in (*outcome.produces, *outcome.removes)}
    return action.performer is Performer.MODEL or not all(problem.domain.facts[fact].trusts_user for fact in changed)


def asked_false(problem: Problem) -> frozenset[str]:
    """The open facts whose being known to be false matters: some condition asks for it, or an outcome is ruled out by it.

    Closed facts are false where they are absent, and need no more.
    """
    conditions = [problem.goal, *(action.requires for action in problem.actions())]
    for action in problem.actions():
        effects = (*action.produces, *action.removes) if isinstance(action, Tool) else action.produces
        conditions += [effect.condition for effect in effects]
    hoped = {
        formula.fact
        for action in problem.actions()
        if isinstance(action, Tool) and problem.domain.risk_of(action).safe
        for outcome in action.outcomes
        for formula in outcome.produces
    }
    negated = {fact for condition in conditions for fact in _negated(condition, wanted=True)}
    return frozenset(fact for fact in negated | hoped if not problem.domain.facts[fact].closed)


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
