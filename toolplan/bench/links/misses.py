"""What proposed links miss, and what they have that the gold has not, by kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from toolplan.bench.links.gold import Gold, Pair
from toolplan.bench.tables import Row
from toolplan.importing.linking import POSSIBLE
from toolplan.importing.linking.candidates import Candidate, candidates
from toolplan.importing.linking.weights import FITTED


@dataclass(frozen=True, slots=True)
class Missed(Row):
    """Pairs of a gold that were missed, or proposed wrongly, for one reason."""

    gold: str
    what: str
    why: str
    pairs: int
    examples: tuple[str, ...]


def missed(gold: Gold) -> Iterator[Missed]:
    """The missed ones, then the wrong ones, each kind that occurs most often first."""
    best = _best(gold)
    proposed = {pair for pair, candidate in best.items() if FITTED.probability(candidate.evidence) >= POSSIBLE}
    groups: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in sorted(gold.linked - proposed):
        groups["missed", _why_missed(pair, gold, best)].append(pair)
    for pair in sorted(gold.judged & proposed - gold.linked):
        groups["wrong", best[pair].evidence[0].value].append(pair)
    for (what, why), pairs in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
        yield Missed(gold.name, what, why, len(pairs), tuple(f"{pair.producer} -> {pair.consumer}" for pair in pairs))


def _best(gold: Gold) -> dict[Pair, Candidate]:
    """The likeliest candidate for each pair, of several the first."""
    best: dict[Pair, Candidate] = {}
    for candidate in candidates(gold.tools):
        pair = Pair(candidate.producer, candidate.consumer)
        if pair not in best or FITTED.probability(candidate.evidence) > FITTED.probability(best[pair].evidence):
            best[pair] = candidate
    return best


def _why_missed(pair: Pair, gold: Gold, best: dict[Pair, Candidate]) -> str:
    consumer = next(tool for tool in gold.tools if tool.name == pair.consumer)
    if not consumer.properties:
        return "the tool takes nothing"
    if pair in best:
        return "too little speaks for it"
    orders = bool(gold.arguments) and all(known != pair for known, _ in gold.arguments)
    return "order only: no value is passed" if orders else "names have nothing in common"
