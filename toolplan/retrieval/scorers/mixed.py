"""Several scorers as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.protocol import Scorer


class Voice(NamedTuple):
    """A scorer and how much its scores count."""

    scorer: Scorer
    weight: float = 1.0


class Mixed:
    """The weighted mean of several scorers. A document that one of them does not match may be found by another."""

    def __init__(self, *voices: Voice) -> None:
        self._voices = voices

    def __call__(self, query: str, documents: Sequence[Document]) -> list[float]:
        """The mean scores of `documents`."""
        total = math.fsum(weight for _, weight in self._voices)
        said = [[weight * max(score, 0.0) / total for score in scorer(query, documents)] for scorer, weight in self._voices]
        return [math.fsum(scores) for scores in zip(*said, strict=True)]
