"""How many of the tools that were found are shown: decisions of a `Budget`, from data alone.

One round of retrieval is one look of the model at a shortlist. Whoever calls counts what the rounds of a request have spent.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain.budget import Budget
from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.protocol import Scorer
from toolplan.retrieval.searching import Match


class Widens(enum.Enum):
    """Why a shortlist is longer than the initial one."""

    TOP_SCORE = "the best match is weak"
    MARGIN = "the best two matches are close"
    COLLISION = "two of the matches are hard to tell apart"
    CAPABILITY = "no match offers a capability that is needed"
    EMPTY_CHOICE = "the model chose none of the tools"
    FAILED_ATTEMPTS = "calls for this request have failed"


class Stops(enum.Enum):
    """Which bound a request has reached."""

    ROUNDS = "retrieval rounds"
    TOKENS = "context tokens"
    LATENCY = "latency"


class Lacks(enum.Enum):
    """Why the user is to be asked rather than shown more tools to the model."""

    MATCHES = "no tool fits"
    MORE = "all tools that may be shown were shown"
    CAPABILITY = "no tool offers exactly what is needed"


@dataclass(frozen=True, slots=True)
class Spent:
    """What the rounds of a request have cost so far: their number, the tokens of the definitions shown, milliseconds."""

    rounds: int = 0
    tokens: int = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Situation:
    """What a budget looks at: the `matches`, the best first, and the request that they are for.

    `needed` are the capabilities that the step takes, none where that is not known. `likeness` is that of the two matches which are most alike
    (see `likeness_of`). `failed_attempts` are calls for this request that failed. `chose_none`: of what was `shown` before, the model wanted
    nothing. `high_risk`: what is asked for is not safe.
    """

    matches: tuple[Match, ...] = ()
    needed: frozenset[str] = frozenset()
    likeness: float = 0.0
    failed_attempts: int = 0
    chose_none: bool = False
    high_risk: bool = False
    shown: frozenset[str] = frozenset()
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Shown:
    """Show `names`, the best first: the initial shortlist. `confirm`: a person agrees to each call of one."""

    names: tuple[str, ...]
    confirm: bool = False


@dataclass(frozen=True, slots=True)
class Widened:
    """Show `names`, the best first: more than at first, for `reasons`. `confirm` as in `Shown`."""

    names: tuple[str, ...]
    reasons: tuple[Widens, ...]
    confirm: bool = False


@dataclass(frozen=True, slots=True)
class Unclear:
    """More tools would help nobody: ask the user what is meant."""

    lacks: Lacks


@dataclass(frozen=True, slots=True)
class Stopped:
    """The request has had its share: show nothing more."""

    reached: Stops


Depth = Shown | Widened | Unclear | Stopped


def depth(budget: Budget, situation: Situation) -> Depth:
    """What of the matches to show under `budget`.

    A bound that is reached stops first. High risk leaves only tools with a capability that is needed, where the budget says so, and fewer of
    them. Where something is doubtful, the shortlist grows: to the maximum for what the model did or a capability that is missing, else in
    proportion to how far the score or the margin falls short. It never holds more definitions than the tokens that are left.
    """
    reached = _reached(budget, situation.spent)
    if reached is not None:
        return Stopped(reached)
    matches = _eligible(budget, situation)
    if not matches:
        return Unclear(Lacks.CAPABILITY if situation.matches else Lacks.MATCHES)
    doubts = dict(_doubts(budget, situation, matches))
    names = tuple(match.name for match in _fitting(budget, situation.spent, matches[: _most(budget, situation, doubts.values())]))
    if not names:
        return Stopped(Stops.TOKENS)
    if situation.chose_none and situation.shown.issuperset(names):
        return Unclear(Lacks.MORE)
    confirm = situation.high_risk and budget.high_risk.confirm
    return Widened(names, tuple(doubts), confirm) if doubts and len(names) > budget.initial else Shown(names, confirm)


def likeness_of(documents: Sequence[Document], scorer: Scorer) -> float:
    """How much alike the two of `documents` are that are most alike, by what `scorer` makes of the text of one as a query for the others."""
    pairs = ((document, [*documents[:place], *documents[place + 1 :]]) for place, document in enumerate(documents))
    return max((score for document, others in pairs for score in scorer(document.text, others)), default=0.0)


def _reached(budget: Budget, spent: Spent) -> Stops | None:
    stop = budget.stop
    bounds = (
        (Stops.ROUNDS, spent.rounds, stop.rounds),
        (Stops.TOKENS, spent.tokens, stop.context_tokens),
        (Stops.LATENCY, spent.milliseconds, stop.latency),
    )
    return next((reached for reached, used, bound in bounds if bound is not None and used >= bound), None)


def _eligible(budget: Budget, situation: Situation) -> tuple[Match, ...]:
    if not (situation.high_risk and budget.high_risk.exact_capability):
        return situation.matches
    return tuple(match for match in situation.matches if not situation.needed.isdisjoint(match.document.capabilities))


def _doubts(budget: Budget, situation: Situation, matches: Sequence[Match]) -> Iterator[tuple[Widens, float]]:
    """What is doubtful, and how much, above zero and up to one."""
    widen = budget.widen
    offered = {capability for match in matches[: budget.initial] for capability in match.document.capabilities}
    yield from _short(Widens.TOP_SCORE, matches[0].score, widen.top_score)
    if len(matches) > 1:
        yield from _short(Widens.MARGIN, matches[0].score - matches[1].score, widen.margin)
    if widen.collision is not None and situation.likeness > float(widen.collision):
        yield Widens.COLLISION, 1.0
    if widen.missing_capability and not offered.issuperset(situation.needed):
        yield Widens.CAPABILITY, 1.0
    if widen.empty_choice and situation.chose_none:
        yield Widens.EMPTY_CHOICE, 1.0
    if widen.failed_attempts is not None and situation.failed_attempts > widen.failed_attempts:
        yield Widens.FAILED_ATTEMPTS, 1.0


def _short(reason: Widens, measured: float, bound: Fraction | None) -> Iterator[tuple[Widens, float]]:
    if bound is not None and measured < float(bound):
        yield reason, 1.0 - max(measured, 0.0) / float(bound)


def _most(budget: Budget, situation: Situation, doubts: Iterable[float]) -> int:
    """How many tools may be shown."""
    most = budget.maximum
    if situation.high_risk and budget.high_risk.maximum is not None:
        most = min(most, budget.high_risk.maximum)
    return min(most, budget.initial + math.ceil(max(doubts, default=0.0) * (budget.maximum - budget.initial)))


def _fitting(budget: Budget, spent: Spent, matches: Sequence[Match]) -> Iterator[Match]:
    """Of `matches`, as many of the best as the tokens that are left have room for."""
    left = math.inf if budget.stop.context_tokens is None else budget.stop.context_tokens - spent.tokens
    for match in matches:
        left -= match.document.tokens
        if left < 0:
            return
        yield match
