"""Which of the 88 intents of 45 services an utterance means, read by each ranker, and what questions would save.

Zero-shot rankers know what the schemas say of the intents. The learned one is cross-validated: it knows the labelled utterances of all
dialogues but those of the fold that it reads. The annotation gives each utterance one intent, so of a reading only single goals count.
Several services offer the same intent, and most utterances do not tell which is meant; hence every figure is given twice, *strict* and
with intents of one *name* as one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from toolplan.bench.real import sgd_contracts
from toolplan.bench.real.agreement import Agreement, Titled, agreement
from toolplan.bench.tables import Row
from toolplan.domain import Domain, Policy
from toolplan.goals.rankers.embeddings import Embeddings
from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.learned import Learned
from toolplan.goals.rankers.lexical import Lexical
from toolplan.goals.rankers.mixed import Mixed, Voice
from toolplan.goals.readings import GoalRanker, Goals
from toolplan.planning.problem import State
from toolplan.retrieval.encoders import Encoder, remembering, universal_sentence_encoder

TITLE = "Schema-Guided Dialogue: which intent an utterance means"
DATA = "sgd"
FOLDS = 5
TAU, DELTA = float(Policy().confidence), float(Policy().margin)
BOUNDS = (10, 5, 2, 1)
"""Percentages of utterances for which the wrong goal may be pursued."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a user said, and the goal that it was annotated with."""

    dialogue: str
    text: str
    goal: str


@dataclass(frozen=True, slots=True)
class Understood:
    """An utterance as a ranker reads it: the single goals, likeliest first, with their shares among themselves.

    `likeliest` is what the reading has first, which may be several goals, or none.
    """

    utterance: Utterance
    likeliest: Goals
    shares: tuple[tuple[str, float], ...]


class Judged(NamedTuple):
    """Whether the likeliest goal is the annotated one, its probability, its lead on the second, and whether it only looks."""

    right: bool
    confidence: float
    margin: float
    safe: bool


@dataclass(frozen=True, slots=True)
class Counting:
    """What each goal counts as: goals of one `key` are one, and their probabilities add up. Keys that are `safe` change nothing."""

    name: str
    key: Mapping[str, str]
    safe: frozenset[str]

    def judge(self, one: Understood) -> Judged:
        """The reading beside the annotation."""
        together: dict[str, float] = {}
        for goal, p in one.shares:
            together[self.key[goal]] = together.get(self.key[goal], 0.0) + p
        ranked = sorted(together.items(), key=lambda item: -item[1])
        (first, confidence), (_, second) = (*ranked, ("", 0.0), ("", 0.0))[:2]
        return Judged(first == self.key[one.utterance.goal], confidence, confidence - second, first in self.safe)

    def right(self, one: Understood) -> bool:
        """Whether the likeliest goal is the annotated one."""
        return self.judge(one).right


@dataclass(frozen=True, slots=True)
class Curve(Row):
    """What asking costs a variant that asks whenever its signal is below a threshold.

    `unasked` is the percentage of utterances for which the wrong goal is pursued if nothing is asked, which is the variant top-goal. For
    each bound on it stands how many percent of the utterances whose likeliest goal is right are asked about, needlessly, at the lowest
    threshold that keeps it.
    """

    ranker: str
    counting: str
    variant: str
    unasked: float
    needless_at_10: float
    needless_at_5: float
    needless_at_2: float
    needless_at_1: float


def _thresholded(one: Judged) -> float:
    return min(one.confidence / TAU, one.margin / DELTA)


def _risk_sensitive(one: Judged) -> float:
    """What changes something wants half the doubt of what only looks, as in `goals.ambiguity.confidence_for`."""
    return _thresholded(one) if one.safe else min(_thresholded(one), (2 * one.confidence - 1) / TAU)


VARIANTS: Mapping[str, Callable[[Judged], float]] = {
    "confidence": lambda one: one.confidence,
    "margin": lambda one: one.margin,
    "thresholded": _thresholded,
    "risk-sensitive": _risk_sensitive,
}
"""Signals. Those with two thresholds move both in the ratio of the default policy."""


def tables(folder: Path, encode: Encoder | None = None) -> Iterator[Titled]:
    """How often each ranker finds the intent, and the curves of wrong goals against needless questions.

    Embeds by `encode`; without it, by the Universal Sentence Encoder. Raises DomainError where a ranker's package is not installed.
    """
    domain = sgd_contracts.domain_of(sgd_contracts.read(folder))
    understood = measure(domain, read(folder), remembering(encode or universal_sentence_encoder()))
    countings = countings_of(domain)
    yield Titled(TITLE, [row for ranker, ones in understood.items() for row in found(ranker, countings, ones)])
    title = "Wrong goals against needless questions, by what a question depends on"
    yield Titled(
        title, [curve for ranker, ones in understood.items() for counting in countings for curve in curves(ranker, counting, ones)]
    )


def read(folder: Path) -> list[Utterance]:
    """The utterances of `selector_queries.json`, in order."""
    records = json.loads((folder / "selector_queries.json").read_text("utf-8"))
    return [Utterance(one["dialogue_id"], one["query"], sgd_contracts.goal_name(*one["gold"][0].split("."))) for one in records]


def countings_of(domain: Domain) -> tuple[Counting, Counting]:
    """Every goal for itself, and those of services that call an intent by one name as one."""
    named = {goal: domain.tools[goal].call_name.partition(".")[2] for goal in domain.goals}
    safe = [goal for goal in domain.goals if domain.risk_of(domain.tools[goal]).safe]
    strict = Counting("strict", {goal: goal for goal in domain.goals}, frozenset(safe))
    return strict, Counting("same name", named, frozenset(named[goal] for goal in safe))


def measure(domain: Domain, utterances: Sequence[Utterance], encode: Encoder) -> dict[str, list[Understood]]:
    """What each ranker understands, by its name."""
    lexical, embedded = Lexical(), Embeddings(encode)
    zero_shot = {"lexical": lexical, "embeddings": embedded, "both": Mixed(Voice(embedded), Voice(lexical))}
    found = {name: [understand(ranker, one, domain) for one in utterances] for name, ranker in zero_shot.items()}
    return found | {"learned": cross_validated(lambda examples: Learned(examples, encode), domain, utterances)}


def cross_validated(
    fit: Callable[[Sequence[Labelled]], GoalRanker], domain: Domain, utterances: Sequence[Utterance], folds: int = FOLDS
) -> list[Understood]:
    """`utterances`, each as read by a ranker that has learned from the dialogues of the other folds. Dialogues are dealt out in turn."""
    dialogues = dict.fromkeys(one.dialogue for one in utterances)
    fold_of = {dialogue: number % folds for number, dialogue in enumerate(dialogues)}
    examples = [[Labelled(one.text, (one.goal,)) for one in utterances if fold_of[one.dialogue] != fold] for fold in range(folds)]
    rankers = [fit(others) for others in examples]
    return [understand(rankers[fold_of[one.dialogue]], one, domain) for one in utterances]


def understand(ranker: GoalRanker, utterance: Utterance, domain: Domain) -> Understood:
    """`utterance` as `ranker` reads it, given that one goal is meant."""
    reading = ranker.rank(utterance.text, domain, State())
    likeliest = reading.candidates[0].goals if reading.candidates else ()
    single = [(candidate.goals[0], candidate.p) for candidate in reading.candidates if len(candidate.goals) == 1]
    total = sum(p for _, p in single)
    return Understood(utterance, likeliest, tuple((goal, p / total) for goal, p in single))


def found(ranker: str, countings: Sequence[Counting], understood: Sequence[Understood]) -> Iterator[Agreement]:
    """How often the likeliest single goal is right, by what counts as one, and how often the reading itself has it first, strictly."""
    for counting in countings:
        yield agreement(DATA, f"{ranker}, {counting.name}", understood, counting.right, _difference)
    whole = f"{ranker}, strict, several goals at once allowed"
    yield agreement(DATA, whole, understood, lambda one: one.likeliest == (one.utterance.goal,), _difference)


def _difference(one: Understood) -> str:
    if len(one.likeliest) > 1:
        return "several goals"
    return "another goal" if one.shares else "nothing"


def curves(ranker: str, counting: Counting, understood: Sequence[Understood]) -> Iterator[Curve]:
    """The curve of each variant."""
    judged = list(map(counting.judge, understood))
    wrong = 100 * sum(not one.right for one in judged) / len(judged)
    for variant, signal in VARIANTS.items():
        yield Curve(ranker, counting.name, variant, wrong, *(needless(judged, signal, bound) for bound in BOUNDS))


def needless(judged: Sequence[Judged], signal: Callable[[Judged], float], bound: float) -> float:
    """The percentage of utterances read rightly that are asked about, at the lowest threshold of `signal` that keeps wrong goals to `bound`.

    Utterances of one signal are asked about together. All are asked about where no threshold keeps it.
    """
    right = sum(one.right for one in judged)
    acted = allowed = wrong = 0
    for _, together in groupby(sorted(judged, key=signal, reverse=True), key=signal):
        verdicts = [one.right for one in together]
        acted += sum(verdicts)
        wrong += len(verdicts) - sum(verdicts)
        if 100 * wrong <= bound * len(judged):
            allowed = acted
    return 100 * (right - allowed) / right if right else 0.0
