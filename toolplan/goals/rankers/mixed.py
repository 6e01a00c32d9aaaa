"""Several rankers as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.goals.rankers.scoring import RULED_OUT, Scorer

SILENCE = -1.0
"""The log odds of a goal that one ranker rules out, where others have a say: that it shares no word with a request is weak evidence."""


class Voice(NamedTuple):
    """A ranker and how much its log odds count."""

    scorer: Scorer
    weight: float = 1.0


class Mixed(Scorer):
    """The weighted sum of the log odds of several rankers: a product of experts (Hinton 2002)."""

    def __init__(self, *voices: Voice) -> None:
        self._voices = voices

    def odds_of_several(self) -> float:
        """The product of what the rankers say."""
        return math.prod(scorer.odds_of_several() for scorer, _ in self._voices)

    def scores(self, texts: Sequence[str], domain: Domain) -> list[list[float]]:
        """Sums of log odds, goal by goal."""
        mixed = [[0.0] * len(domain.goals) for _ in texts]
        for scorer, weight in self._voices:
            for row, scores in zip(mixed, scorer.scores(texts, domain), strict=True):
                for goal, score in enumerate(scores):
                    row[goal] += weight * (score if score > RULED_OUT else SILENCE)
        return mixed
