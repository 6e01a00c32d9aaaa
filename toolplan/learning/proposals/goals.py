"""What runs that ended in success were for, as goals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from toolplan.domain import AtomicFormula, Domain, Fact, Parameter, Tool
from toolplan.learning.called import contracts_of
from toolplan.learning.proposals.changes import Change, Proposal, Sign
from toolplan.learning.proposals.reached import Aim, Reached
from toolplan.learning.proposals.states import mentioned
from toolplan.planning.plans import written

PHRASES = 3
"""Requests that are proposed as phrases of one goal."""
SLOTS = frozenset('{}\n\\"')
"""What has a meaning of its own in a phrase, or no place on its line."""


def new_goals(domain: Domain, reached: Reached, made: Collection[str]) -> Iterator[Proposal]:
    """A goal for each fact that tools make, those `made` as it is proposed included, and no goal achieves, that runs mostly left unused; by name."""
    produced = {atom.fact for tool in domain.tools.values() for atom in _products(tool)}.union(made)
    achieved = {atom.fact for goal in domain.goals.values() for atom in mentioned(goal.achieves)}

    def uses(tool: str, fact: str) -> bool:
        return any(atom.fact == fact for contract in contracts_of(domain, tool) for atom in mentioned(contract.requires))

    for aim in reached.aims(uses):
        if aim.fact in domain.facts and aim.fact in produced and aim.fact not in achieved:
            parameters = _parameters(domain.facts[aim.fact])
            yield Proposal("goal", _name(domain, aim.fact), tuple(_clauses(aim, parameters)), parameters)


def _products(tool: Tool) -> Iterator[AtomicFormula]:
    yield from (effect.atom for effect in tool.produces)
    yield from (atom for outcome in tool.outcomes for atom in outcome.produces)


def _name(domain: Domain, fact: str) -> str:
    return f"reach_{fact}" if fact in domain.goals else fact


def _parameters(fact: Fact) -> tuple[Parameter, ...]:
    """Those of the fact, numbered where several have one name."""
    names = [parameter.name for parameter in fact.parameters]
    return tuple(
        Parameter(f"{each.name}{number}" if names.count(each.name) > 1 else each.name, each.type)
        for number, each in enumerate(fact.parameters, 1)
    )


def _clauses(aim: Aim, parameters: Sequence[Parameter]) -> Iterator[Change]:
    evidence = f"{aim.left} of {aim.reached} runs that reached it and ended in success did nothing with it"
    yield Change(Sign.ADD, "achieves", written(aim.fact, [parameter.name for parameter in parameters]), evidence)
    for request in _phrases(aim.requests):
        yield Change(Sign.ADD, "phrases", f'"{request}"', "a user has said so")


def _phrases(requests: Sequence[str]) -> Sequence[str]:
    return [text for text in requests if SLOTS.isdisjoint(text)][:PHRASES]
