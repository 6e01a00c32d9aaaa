"""How a request is read, the same way for all methods: its goals by a ranker that has learned from other requests, its values by rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.domain import Domain
from toolplan.goals.rankers import ranker
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.readings import GoalRanker, Goals, Reading, reading_of
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.retrieval.encoders import Encoder
from toolplan.session.readers.rules import Rules
from toolplan.session.turns import Asked, Context, Stated, TurnReading
from toolplan.values import Normal, normal

FOLDS = 5
NOW = datetime(2019, 3, 1, tzinfo=UTC)
"""When all requests are made. The dialogues with dates take place on this day; a time of day that it does not have any more would be none."""
Rank = Callable[[str, Domain], Reading]
"""What a request means in a domain."""


@dataclass(frozen=True, slots=True)
class Labelling:
    """A request with its goals, and what it belongs to, such as its dialogue: one reads it who has learned from other groups."""

    group: str
    text: str
    goals: Goals


class CrossValidated:
    """Rankers that ship, each of which has learned from all groups but those of one fold. Groups are dealt out in turn."""

    def __init__(self, labelled: Sequence[Labelling], encode: Encoder | None = None, *, name: str = "mixed") -> None:
        groups = dict.fromkeys(one.group for one in labelled)
        self._fold = {group: number % FOLDS for number, group in enumerate(groups)}
        self._labelled, self._encode, self._name = labelled, encode, name
        self._rankers: dict[int, GoalRanker] = {}

    def rank_for(self, group: str) -> Rank:
        """Ranks requests of `group`, of which the ranker knows none."""
        fold = self._fold[group]
        if fold not in self._rankers:
            others = [Labelled(one.text, one.goals) for one in self._labelled if self._fold[one.group] != fold]
            self._rankers[fold] = ranker(self._name, others, self._encode)
        found = self._rankers[fold]
        return lambda text, domain: found.rank(text, domain, State())


@dataclass(frozen=True, slots=True)
class Said:
    """A turn of the user, and the question that was open."""

    text: str
    asked: Asked | None = None


def read(rank: Rank, domain: Domain, turns: Sequence[Said], state: State) -> TurnReading:
    """What `turns` say together: goals are those of the first one, which makes the request; values those of all, the later ones first."""
    first = rank(turns[0].text, domain)
    plausible = tuple(candidate.goals for candidate in first.candidates if candidate.p >= domain.policy.plausible)
    stated: dict[Atom, Stated] = {}
    for number, turn in enumerate(turns):
        reader = Rules(_Ranked(first if number == 0 else Reading(turn.text, (), 1.0)))
        context = Context(domain, NOW, state, plausible if number else (), turn.asked)
        found = reader.read(turn.text, context)
        stated.update((one.atom, one) for one in found.stated)
    text = " ".join(turn.text for turn in turns)
    return TurnReading(text, replace(first, request=text), tuple(stated.values()))


def state_of(values: Mapping[str, object]) -> State:
    """That facts without entities are known, with their `values`."""
    return State(known=frozenset(map(Atom, values)), values={Atom(fact): value for fact, value in values.items()})


def oracle(toolbox: Toolbox, text: str, goals: Goals, said: Mapping[str, object]) -> TurnReading:
    """What the annotation says of the request: its goals, and the values `said`, by fact, as far as their facts can hold them."""
    domain = toolbox.domain
    found = ((fact, normal(domain.facts[fact].value, value, NOW)) for fact, value in said.items())
    stated = tuple(Stated(Atom(fact), value.value, str(said[fact])) for fact, value in found if isinstance(value, Normal))
    return TurnReading(text, reading_of(text, [(goals, 1.0)]), stated)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Ranks as it was ranked before, whatever is requested."""

    reading: Reading

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        """The reading of before."""
        return self.reading
