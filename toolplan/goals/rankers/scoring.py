"""From log odds of single goals to a reading: conjunctions of goals, and `none`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import product

from toolplan.domain import Domain
from toolplan.goals.rankers.arguments import Entities
from toolplan.goals.rankers.evidence import odds_of_state
from toolplan.goals.rankers.wording import parts_of
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.planning.problem import State

RULED_OUT = -math.inf
MOST_OF_A_PART = 2
"""Goals that one part of a request may mean."""
NEGLIGIBLE = 1e-4
"""A probability below which a candidate is left out; its share goes to none."""

Weights = dict[str, float]


class Scorer(ABC):
    """A ranker that knows only single goals, by how much a text speaks for each.

    A request that can be taken apart is also read part by part: each part means one goal or nothing, on its own. Where the parts mean
    different goals, all of them are wanted; else the goal is what the request means as a whole. The parameters of goals are filled from
    the state.
    """

    @abstractmethod
    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """For each text the log odds of each goal of `domain`, in order of declaration, against no goal at all."""

    def odds_of_several(self) -> float:
        """How much likelier it is that a request which can be taken apart wants several goals than that it wants one."""
        return 1.0

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        """The reading of `request`, as the texts of the goals and what is known in `state` have it."""
        parts = parts_of(request)
        if not domain.goals or not parts:
            return Reading(request, (), 1.0)
        texts = [request, *parts] if len(parts) > 1 else [request]
        told = odds_of_state(domain, state)
        whole, *apart = [
            _probabilities([a + b for a, b in zip(scores, told, strict=True)], domain) for scores in self.scores(texts, domain)
        ]
        together = list(_conjunctions(apart)) if apart else []
        several = math.fsum(p for _, p in together)
        odds = self.odds_of_several()
        total = (1.0 - several) + odds * several
        singles: list[tuple[Goals, float]] = [((goal,), (1.0 - several) * p) for goal, p in whole.items()]
        shares = [(goals, p / total) for goals, p in (*singles, *((goals, odds * p) for goals, p in together))]
        entities = Entities(domain, state)
        return reading_of(request, [share for goals, p in shares if p >= NEGLIGIBLE for share in _filled(entities, goals, p)])


def _filled(entities: Entities, goals: Goals, p: float) -> Iterator[tuple[Goals, float]]:
    """`goals` with the arguments that the state offers, each way equally probable. Where it offers none, `p` is left to none of the goals."""
    ways = entities.instances(goals)
    for way in ways:
        yield way, p / len(ways)


def _probabilities(scores: Sequence[float], domain: Domain) -> Weights:
    """The softmax of `scores` and of zero, which is the score of no goal."""
    highest = max(0.0, *scores)
    weights = [math.exp(score - highest) for score in scores]
    total = math.exp(-highest) + math.fsum(weights)
    return {goal: weight / total for goal, weight in zip(domain.goals, weights, strict=True)}


def _conjunctions(parts: Sequence[Weights]) -> Iterator[tuple[Goals, float]]:
    """The ways in which `parts` mean at least two goals, each with its probability; the goals in the order in which they are said."""
    for meant in product(*map(_meanings, parts)):
        goals = tuple(dict.fromkeys(goal for goal, _ in meant if goal))
        if len(goals) > 1:
            yield goals, math.prod(p for _, p in meant)


def _meanings(part: Weights) -> list[tuple[str, float]]:
    """The likeliest goals of a part, and the empty name for any other goal or none."""
    likeliest = sorted(part.items(), key=lambda item: -item[1])[:MOST_OF_A_PART]
    return [*likeliest, ("", 1.0 - sum(p for _, p in likeliest))]
