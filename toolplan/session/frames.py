"""Requests: which entities a goal is about, and what of a request outlives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise, product

from toolplan.domain import Condition, Domain, Goal, Parameter
from toolplan.domain.conditions import And, AtomicFormula, Equal, Exists, ForAll, Not, Or
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.language.diagnostics import DomainError
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, written
from toolplan.session.turns import Mention

MOST_TOGETHER = 8
"""Entities of one type that one goal is wanted for at once."""


def filled(
    domain: Domain, reading: Reading, mentioned: Sequence[Mention], at_hand: Mapping[str, str], taken: Iterable[str]
) -> tuple[Reading, tuple[Mention, ...]]:
    """`reading` with an entity for each parameter of its goals, and the entities that had to be made up for that.

    An entity is one that the turn mentions, else the latest one `at_hand` of its type, else the only constant, else a new one, of which
    nothing is known yet and whose name is none of those `taken`. No goal gets one of them for two of its parameters. A goal with one parameter
    that several mentioned entities fit is wanted for each of them, and pairs that are mentioned pair by pair stay together. Of several goals each
    gets the one that is mentioned in its turn; where the numbers differ there is no telling, and each gets a new one, to be asked for.
    """
    filling = _Filling(domain, mentioned, at_hand, taken)
    weights = [(filling.goals(candidate.goals), candidate.p) for candidate in reading.candidates]
    return reading_of(reading.request, weights, reading.findings), tuple(filling.made)


class _Filling:
    def __init__(self, domain: Domain, mentioned: Sequence[Mention], at_hand: Mapping[str, str], taken: Iterable[str]) -> None:
        self._domain = domain
        self._mentioned = mentioned
        self._at_hand = at_hand
        self._taken = {*taken, *at_hand, *domain.constants, *(mention.name for mention in mentioned)}
        self.made: list[Mention] = []

    def goals(self, goals: Goals) -> Goals:
        """Each of `goals` that is only a name, with its arguments; any other as it is."""
        return tuple(dict.fromkeys(instance for goal in goals for instance in self._instances(goal, goals)))

    def _instances(self, name: str, together: Goals) -> Iterator[str]:
        goal = self._domain.goals.get(name)
        if goal is None or not goal.parameters:
            yield name
            return
        choices: list[list[str]] = []
        for place in range(len(goal.parameters)):
            choices.append(self._choices(goal, place, {name for names in choices for name in names}, together))
        for arguments in self._pairs(choices) or product(*choices):
            yield written(name, arguments)

    def _pairs(self, choices: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """The arguments that were mentioned together, one group after the other; none where the mentions do not come in such groups."""
        sizes = {len(names) for names in choices if len(names) > 1}
        if len(sizes) != 1 or sum(len(names) > 1 for names in choices) < 2:
            return []
        (size,) = sizes
        order = [mention.name for mention in self._mentioned]
        groups = [[order.index(names[number]) for names in choices if len(names) > 1] for number in range(size)]
        if any(max(one) > min(other) for one, other in pairwise(groups)):
            return []
        return [tuple(names[number] if len(names) > 1 else names[0] for names in choices) for number in range(size)]

    def _choices(self, goal: Goal, place: int, used: Set[str], together: Goals) -> list[str]:
        kind = goal.parameters[place].type
        fitting = [mention.name for mention in self._mentioned if self._domain.is_subtype(mention.type, kind)]
        same = [number for number, parameter in enumerate(goal.parameters) if parameter.type == kind]
        if len(same) > 1:
            fitting = fitting[same.index(place) : same.index(place) + 1]
        takers = [name for name in together if any(parameter.type == kind for parameter in self._parameters(name))]
        if len(takers) > 1 and len(fitting) > 1:
            return [fitting[takers.index(goal.name)]] if len(takers) == len(fitting) else [self._make(kind)]
        return fitting[:MOST_TOGETHER] or [self._unmentioned(kind, used)]

    def _parameters(self, name: str) -> tuple[Parameter, ...]:
        return self._domain.goals[name].parameters if name in self._domain.goals else ()

    def _unmentioned(self, kind: str, used: Set[str]) -> str:
        known = [name for name, of in self._at_hand.items() if name not in used and self._domain.is_subtype(of, kind)]
        if known:
            return known[-1]
        constants = [name for name, of in self._domain.constants.items() if self._domain.is_subtype(of, kind)]
        if len(constants) == 1 and constants[0] not in used:
            return constants[0]
        made = (mention.name for mention in self.made if mention.name not in used and self._domain.is_subtype(mention.type, kind))
        return next(made, None) or self._make(kind)

    def _make(self, kind: str) -> str:
        number = 1
        while f"{kind}_{number}" in self._taken:
            number += 1
        name = f"{kind}_{number}"
        self._taken.add(name)
        self.made.append(Mention(name, kind, ""))
        return name


def achieved_facts(domain: Domain, reading: Reading) -> frozenset[str]:
    """The facts that any candidate of `reading` achieves: what is known of them ends with the request."""
    return frozenset(fact for candidate in reading.candidates for fact in _achieved(domain, candidate.goals))


def goal_names(domain: Domain, goals: Goals) -> Goals:
    """The names of the domain's goals among `goals`, without their arguments."""
    try:
        return tuple(dict.fromkeys(item.goal for item in build(domain, None, list(goals)).wanted if item.goal))
    except DomainError:
        return ()


def _achieved(domain: Domain, goals: Goals) -> Iterator[str]:
    try:
        wanted = build(domain, None, list(goals)).wanted
    except DomainError:  # what the domain cannot mean is a finding of whoever plans for it
        return
    for item in wanted:
        yield from _facts(domain.goals[item.goal].achieves if item.goal else item.condition)


def _facts(condition: Condition) -> Iterator[str]:
    if isinstance(condition, AtomicFormula):
        yield condition.fact
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from _facts(part)
    elif isinstance(condition, Not | ForAll | Exists):
        yield from _facts(condition.condition)
    else:
        assert isinstance(condition, Equal)


def outlives(domain: Domain, reading: Reading, atom: Atom) -> bool:
    """Whether what a call found out about `atom` is kept when the request of `reading` ends.

    That is what is `lasting`, and what is known of an entity, but for what the request was about to achieve.
    """
    fact = domain.facts.get(atom.fact)
    if fact is None:
        return False
    return fact.lasting or (bool(atom.arguments) and atom.fact not in achieved_facts(domain, reading))
