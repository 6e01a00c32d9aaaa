"""How likely a link is, from the evidence for it and against it: a logistic model with a weight for each group of evidence.

The weights are log-odds, fitted by `toolplan.bench.links.fitting` to the sets of its benchmark, each counted alike, and rounded. A pair of tools
that a set says nothing of counted as a fifth of a wrong one, so that probabilities are too low rather than too high.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp

from toolplan.importing.linking.evidence import Evidence

GROUPS: tuple[tuple[Evidence, ...], ...] = (
    (Evidence.SAME_NAME, Evidence.SAME_THING),
    (Evidence.ENDS_ALIKE, Evidence.ALTERNATIVE, Evidence.DESCRIBED, Evidence.HOLDS_THING),
    (Evidence.LAST_WORD, Evidence.MONEY, Evidence.TEXT, Evidence.NUMBER),
    (Evidence.OPTIONAL, Evidence.SETTING),
)
"""Evidence of one strength, which has one weight, so that there is little to fit. What is in none is a group of its own."""
GROUP: Mapping[Evidence, Evidence] = {kind: kind for kind in Evidence} | {kind: group[0] for group in GROUPS for kind in group}
"""The first of its group."""


@dataclass(frozen=True, slots=True)
class Model:
    """`weights` by group; what has none weighs nothing."""

    base: float
    weights: Mapping[Evidence, float]

    def probability(self, evidence: Iterable[Evidence]) -> float:
        """From 0 to 1. Evidence of one group counts once."""
        groups = dict.fromkeys(GROUP[kind] for kind in evidence)
        return 1 / (1 + exp(-self.base - sum(self.weights.get(group, 0.0) for group in groups)))


FITTED = Model(
    1.0,
    {
        Evidence.SAME_NAME: -0.6,
        Evidence.ENDS_ALIKE: -1.0,
        Evidence.LAST_WORD: -1.6,
        Evidence.SAME_MATERIAL: 3.0,
        Evidence.NAMED: 1.6,
        Evidence.ANOTHER_NAMED: -0.6,
        Evidence.SOURCE: 0.2,
        Evidence.ECHO: -2.2,
        Evidence.PLAIN: -0.8,
        Evidence.WRITTEN: -0.9,
        Evidence.OPTIONAL: -0.9,
        Evidence.OTHER_TYPE: -1.4,
        Evidence.OTHER_SERVER: -1.2,
    },
)
