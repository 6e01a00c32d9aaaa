"""The weights of evidence, fitted to golds.

Each gold counts alike. A candidate is right where its pair is linked, and where the gold names arguments, by its argument. One whose pair no gold
judges counts as a part of a wrong one. Weights are drawn towards nothing, bounded, and of the sign that their evidence is meant to have: a small
set may teach how much something says, not that it says the opposite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import exp, sqrt
from typing import NamedTuple

from toolplan.bench.links.gold import Gold, Pair
from toolplan.importing.linking.candidates import Candidate, candidates
from toolplan.importing.linking.evidence import RELATIONS, Evidence
from toolplan.importing.linking.weights import GROUP, Model

UNJUDGED = 0.2
"""How much of a wrong one a candidate is of which nothing is known."""
SIZE = 200.0
"""As how many candidates a gold counts."""
BOUND, RIDGE, RATE, ROUNDS = 3.0, 1.0, 0.5, 2000
FOR = frozenset({Evidence.SAME_MATERIAL, Evidence.NAMED, Evidence.SOURCE})
AGAINST = frozenset(Evidence) - FOR - frozenset(RELATIONS)

Pattern = frozenset[Evidence]


class _Seen(NamedTuple):
    """How often candidates with a pattern of evidence were wrong, and right."""

    wrong: float
    right: float


def fit(golds: Iterable[Gold]) -> Model:
    """The likeliest model, by gradient ascent with a fixed number of rounds."""
    patterns = _patterns(golds)
    groups = tuple(group for group in dict.fromkeys(GROUP.values()) if any(group in pattern for pattern, _ in patterns))
    base, weights = 0.0, dict.fromkeys(groups, 0.0)
    travelled = dict.fromkeys(groups, 1e-6)
    base_travelled = 1e-6
    for _ in range(ROUNDS):
        base_slope, slopes = 0.0, {group: -RIDGE * weight for group, weight in weights.items()}
        for pattern, seen in patterns:
            expected = 1 / (1 + exp(-base - sum(weights[group] for group in groups if group in pattern)))
            surprise = seen.right - (seen.wrong + seen.right) * expected
            base_slope += surprise
            for group in groups:
                slopes[group] += surprise if group in pattern else 0.0
        base_travelled += base_slope**2
        base += RATE * base_slope / sqrt(base_travelled)
        for group, slope in slopes.items():
            travelled[group] += slope**2
            weights[group] = _allowed(group, weights[group] + RATE * slope / sqrt(travelled[group]))
    return Model(base, weights)


def _allowed(group: Evidence, weight: float) -> float:
    least, most = 0.0 if group in FOR else -BOUND, 0.0 if group in AGAINST else BOUND
    return min(most, max(least, weight))


def _patterns(golds: Iterable[Gold]) -> Sequence[tuple[Pattern, _Seen]]:
    """In an order that no hash decides, so that sums are the same everywhere."""
    wrong: Counter[Pattern] = Counter()
    right: Counter[Pattern] = Counter()
    for gold in golds:
        found = list(_weighed(gold))
        share = SIZE / (sum(weight for _, _, weight in found) or 1)
        for pattern, is_right, weight in found:
            (right if is_right else wrong)[pattern] += weight * share  # type: ignore[assignment]
    every = sorted(wrong.keys() | right.keys(), key=sorted)
    return [(pattern, _Seen(wrong[pattern], right[pattern])) for pattern in every]


def _weighed(gold: Gold) -> Iterator[tuple[Pattern, bool, float]]:
    for candidate in candidates(gold.tools):
        pattern = frozenset(GROUP[kind] for kind in candidate.evidence)
        yield pattern, is_right(candidate, gold), 1.0 if _pair(candidate) in gold.judged else UNJUDGED


def is_right(candidate: Candidate, gold: Gold) -> bool:
    """Whether the gold has it, by its argument where it names arguments."""
    pair = _pair(candidate)
    named = any(known == pair for known, _ in gold.arguments)
    return (pair, candidate.argument) in gold.arguments if named else pair in gold.linked


def _pair(candidate: Candidate) -> Pair:
    return Pair(candidate.producer, candidate.consumer)
