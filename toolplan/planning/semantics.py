"""The reference meaning of conditions, steps and plans. Every plan that any engine returns is replayed through it.

Truth is three-valued: what is neither known nor known to be false is unknown. See DESIGN, section 2.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from toolplan.domain import (
    And,
    Ask,
    AtomicFormula,
    Condition,
    Domain,
    Effect,
    Equal,
    Exists,
    Not,
    Or,
    Performer,
    Term,
    Tool,
    Variable,
)
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Atom, Plan, Step
from toolplan.planning.problem import BROUGHT, ENUMERATED, Problem, State, ground, to_be_brought


class Trust(enum.Enum):
    """Whether an uncertain atom counts: not where only the known does, and for safe actions what is claimed does too."""

    KNOWN = "known"
    CLAIMED = "claimed"


def truth(problem: Problem, state: State, condition: Condition, binding: Mapping[str, str], trust: Trust) -> bool | None:
    """Whether `condition` is true, false or unknown (None) in `state`. Connectives are Kleene's."""
    if isinstance(condition, AtomicFormula):
        return atom_truth(problem, state, ground(condition, binding), trust)
    if isinstance(condition, Not):
        inner = truth(problem, state, condition.condition, binding, trust)
        return None if inner is None else not inner
    if isinstance(condition, Equal):
        return _name(condition.left, binding) == _name(condition.right, binding)
    if isinstance(condition, And | Or):
        parts = (truth(problem, state, part, binding, trust) for part in condition.conditions)
        return _all(parts) if isinstance(condition, And) else _any(parts)
    instances = (
        truth(problem, state, condition.condition, {**binding, **inner}, trust)
        for inner in problem.bindings(condition.parameters)
        if state.known.issuperset(to_be_brought(problem, inner.values()))
    )
    if isinstance(condition, Exists):
        return _any(instances)
    return _all(chain(instances, (_enumerated(state, p.type) for p in condition.parameters if p.type in problem.open_types)))


def atom_truth(problem: Problem, state: State, atom: Atom, trust: Trust) -> bool | None:
    """Whether `atom` is true, false or unknown (None) in `state`."""
    if atom in state.known or (trust is Trust.CLAIMED and atom in state.uncertain):
        return True
    if atom in state.denied or (problem.domain.facts[atom.fact].closed and atom not in state.uncertain):
        return False
    return None


def _enumerated(state: State, type_name: str) -> bool | None:
    return True if Atom(ENUMERATED, (type_name,)) in state.known else None


def _all(parts: Iterable[bool | None]) -> bool | None:
    result: bool | None = True
    for part in parts:
        if part is False:
            return False
        if part is None:
            result = None
    return result


def _any(parts: Iterable[bool | None]) -> bool | None:
    result: bool | None = False
    for part in parts:
        if part is True:
            return True
        if part is None:
            result = None
    return result


def _name(term: Term, binding: Mapping[str, str]) -> str:
    return binding[term.name] if isinstance(term, Variable) else term.name


def trust_of(problem: Problem, step: Step) -> Trust:
    """What `step` may build on: a safe action on claims, any other only on what is known."""
    action = problem.domain.action(step.action)
    return Trust.CLAIMED if problem.domain.risk_of(action).safe else Trust.KNOWN


def applicable(problem: Problem, state: State, step: Step) -> bool:
    """Whether the requirement of `step` holds in `state`, and nothing known rules the chosen outcome out."""
    action = problem.domain.action(step.action)
    if not state.known.issuperset(to_be_brought(problem, step.arguments)):
        return False
    if step.outcome >= 0:
        surprises = ruled_out(problem, step)
        if state.denied & surprises.denied or state.known & surprises.known:
            return False
    return truth(problem, state, action.requires, problem.binding(step), trust_of(problem, step)) is True


class Surprises(NamedTuple):
    """Atoms whose being denied, or known, rules an outcome out."""

    denied: frozenset[Atom] = frozenset()
    known: frozenset[Atom] = frozenset()


def ruled_out(problem: Problem, step: Step) -> Surprises:
    """What rules out the outcome of `step`: a safe tool only looks, so it is not hoped to find what is known to be otherwise."""
    action = problem.domain.action(step.action)
    if not isinstance(action, Tool) or step.outcome < 0 or trust_of(problem, step) is not Trust.CLAIMED:
        return Surprises()
    binding, outcome = problem.binding(step), action.outcomes[step.outcome]
    return Surprises(
        frozenset(ground(formula, binding) for formula in outcome.produces),
        frozenset(ground(formula, binding) for formula in outcome.removes),
    )


def goal_reached(problem: Problem, state: State) -> bool:
    """Whether all that is wanted is known in `state`."""
    return truth(problem, state, problem.goal, {}, Trust.KNOWN) is True


def successor(problem: Problem, state: State, step: Step) -> State:
    """The state after `step` in `state`, in which it must be applicable.

    Deletes come before adds, as in PDDL: what is both is added. An effect is sure if all that the step read was known and it was not
    left to the user's word or to a model; then it is known, or known to be false. An unsure effect makes unknown atoms uncertain, and
    takes the certainty from what it removes. What the action verifies is known in any case.
    """
    action = problem.domain.action(step.action)
    binding = problem.binding(step)
    trust = trust_of(problem, step)
    firm = truth(problem, state, action.requires, binding, Trust.KNOWN) is True
    performer = action.performer if isinstance(action, Tool) else Performer.CALL
    known, uncertain, denied = set(state.known), set(state.uncertain), set(state.denied)

    def fires(effect: Effect) -> Iterable[tuple[Atom, bool]]:
        if effect.always_fires:
            atom = ground(effect.atom, binding)
            yield atom, firm and believed(problem, performer, atom)
            return
        for inner in problem.bindings(effect.parameters):
            if not state.known.issuperset(to_be_brought(problem, inner.values())):
                continue
            scope = {**binding, **inner}
            if truth(problem, state, effect.condition, scope, trust) is True:
                atom = ground(effect.atom, scope)
                heard = firm and truth(problem, state, effect.condition, scope, Trust.KNOWN) is True
                yield atom, heard and believed(problem, performer, atom)

    removed = [found for effect in removes(action, step) for found in fires(effect)]
    added = [found for effect in produces(action, step) for found in fires(effect)]
    for atom, sure in removed:
        if atom in known and not sure:
            uncertain.add(atom)
        known.discard(atom)
        if sure:
            uncertain.discard(atom)
            if not problem.domain.facts[atom.fact].closed:
                denied.add(atom)
    for atom, sure in [*added, *((atom, True) for atom in certain(problem.domain, step, binding))]:
        denied.discard(atom)
        if sure:
            known.add(atom)
            uncertain.discard(atom)
        elif atom not in known:
            uncertain.add(atom)
    return State(frozenset(known), frozenset(uncertain), frozenset(denied))


def believed(problem: Problem, performer: Performer, atom: Atom) -> bool:
    """Whether what `performer` does to `atom` is known afterwards: a model's word never is, the user's where the fact trusts it."""
    if performer is Performer.USER:
        return problem.domain.facts[atom.fact].trusts_user
    return performer is Performer.CALL


def certain(domain: Domain, step: Step, binding: Mapping[str, str]) -> list[Atom]:
    """The atoms that are known after `step` whatever it read: those it verifies, the types it enumerates, and what it brings."""
    action = domain.action(step.action)
    if isinstance(action, Ask) or not (action.verifies or action.enumerates or action.finds or action.creates):
        return []
    return [
        *(ground(formula, binding) for formula in verified(action, step)),
        *(Atom(ENUMERATED, (below,)) for type_name in action.enumerates for below in domain.types_below(type_name)),
        *(Atom(BROUGHT, (binding[new.name],)) for new in (*action.finds, *action.creates)),
    ]


def verified(action: Tool, step: Step) -> tuple[AtomicFormula, ...]:
    """What `step` verifies: of what only some outcomes produce, no more than its own outcome does."""
    own = action.outcomes[step.outcome].produces if step.outcome >= 0 else ()
    elsewhere = {formula for outcome in action.outcomes for formula in outcome.produces} - set(own)
    return tuple(formula for formula in action.verifies if formula not in elsewhere)


def produces(action: Tool | Ask, step: Step) -> tuple[Effect, ...]:
    """What `step` adds, the chosen outcome included."""
    if isinstance(action, Tool) and step.outcome >= 0:
        return (*action.produces, *(Effect(atom) for atom in action.outcomes[step.outcome].produces))
    return action.produces


def removes(action: Tool | Ask, step: Step) -> tuple[Effect, ...]:
    """What `step` deletes, the chosen outcome included."""
    if isinstance(action, Ask):
        return ()
    if step.outcome >= 0:
        return (*action.removes, *(Effect(atom) for atom in action.outcomes[step.outcome].removes))
    return action.removes


def replay(problem: Problem, steps: Iterable[Step]) -> State | None:
    """The state after `steps`, or None where one of them is not applicable when its turn comes."""
    states = states_along(problem, steps)
    return None if states is None else states[-1]


def states_along(problem: Problem, steps: Iterable[Step]) -> list[State] | None:
    """The states before, between and after `steps`, or None where one of them is not applicable when its turn comes."""
    states = [problem.state]
    for step in steps:
        if not applicable(problem, states[-1], step):
            return None
        states.append(successor(problem, states[-1], step))
    return states


def score(problem: Problem, steps: Iterable[Step]) -> Fraction:
    """The sum of the scores of `steps`."""
    domain, scores = problem.domain, _scores(problem.domain)
    total = Fraction(0)
    for step in steps:
        if step.action not in scores:
            scores[step.action] = domain.score_of(domain.action(step.action))
        total += scores[step.action]
    return total


@per_domain
def _scores(_: Domain) -> dict[str, Fraction]:
    """The scores of actions, as far as they were asked for."""
    return {}


def is_valid_plan(problem: Problem, plan: Plan) -> bool:
    """Whether `plan` can be followed, reaches the goal, and has the score it claims."""
    end = replay(problem, plan.steps)
    return end is not None and goal_reached(problem, end) and score(problem, plan.steps) == plan.score
