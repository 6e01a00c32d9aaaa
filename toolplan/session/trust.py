"""What of a turn can be believed: values whose words the user said, and that these words mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime, time

from toolplan.domain import Domain, ValueType
from toolplan.frontier.calls import Source
from toolplan.planning.plans import Status
from toolplan.session.beliefs import Belief
from toolplan.session.events import MODEL, Observed
from toolplan.session.negation import is_negated
from toolplan.session.spelling import spelling
from toolplan.session.turns import Stated, TurnReading
from toolplan.values import Found, Normal, found, normal


def beliefs_of(domain: Domain, turn: TurnReading, now: datetime) -> tuple[Belief, ...]:
    """What `turn` states of the facts of `domain`: known where the user said it, else uncertain, since whoever read it may have made it up."""
    return tuple(_belief(domain, item, turn.text, now) for item in turn.stated if item.atom.fact in domain.facts)


def told_by(by: str, beliefs: Iterable[Belief]) -> tuple[Belief, ...]:
    """`beliefs` as `by` tells them: what a model passes on is the model's."""
    return tuple(replace(belief, source=Source.MODEL) if by == MODEL else belief for belief in beliefs)


def reported_by(by: str, seen: Observed) -> Observed:
    """`seen` as `by` tells it: what a model says that a call has brought is uncertain, and what it says is not so is unknown."""
    if by != MODEL:
        return seen
    claimed = (belief for belief in seen.learned if belief.status is not Status.DENIED)
    denied = (belief.atom for belief in seen.learned if belief.status is Status.DENIED)
    learned = tuple(replace(belief, status=Status.CLAIMED, source=Source.MODEL) for belief in claimed)
    return replace(seen, learned=learned, lost=(*seen.lost, *denied))


def _belief(domain: Domain, item: Stated, text: str, now: datetime) -> Belief:
    value = None if item.value is True and not domain.facts[item.atom.fact].is_boolean else item.value
    if spelling(item.words, text) and (value is None or _means(domain.facts[item.atom.fact].value, item.words, value, now)):
        return Belief(item.atom, Status.KNOWN, value, Source.USER, now.timestamp(), item.words)
    return Belief(item.atom, Status.CLAIMED, value, Source.MODEL, now.timestamp(), item.words)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _means(kind: ValueType | None, words: str, value: object, now: datetime) -> bool:
    """Whether `words` mean `value`. A day or a time of day is all that one of them need say of a moment: the other may be said elsewhere."""
    if isinstance(value, list):
        return bool(value) and all(_means(kind, words, item, now) or _speaks_of(words, item, now) for item in value)
    if isinstance(value, str) and (kind is None or kind.kind == "text"):
        return _plain(value) in _plain(words)
    if normal(kind, words, now) == Normal(value):
        return True
    if isinstance(value, bool):
        return is_negated(words) is not value
    if kind is not None and kind.kind in ("date", "datetime") and isinstance(value, str):
        # "to 5" says at what time, where that is what is spoken of.
        said = (*found(words, now), *found(f"at {words}", now))
        return any(_fits(item, datetime.fromisoformat(value)) for item in said)
    return False


def _speaks_of(words: str, value: object, now: datetime) -> bool:
    """Whether `words`, which say several values, say `value` among others."""
    return any(item.value == value for item in found(words, now))


def _fits(item: Found, moment: datetime) -> bool:
    match item.kind, item.value:
        case "date", str(day):
            return moment.date() == date.fromisoformat(day)
        case "time", str(of_day):
            return moment.time() == time.fromisoformat(of_day)
        case "datetime", str(other):
            return moment.replace(tzinfo=None) == datetime.fromisoformat(other).replace(tzinfo=None)
        case "period", (str(first), str(last)):
            naive = moment.replace(tzinfo=None)
            return datetime.fromisoformat(first).replace(tzinfo=None) <= naive <= datetime.fromisoformat(last).replace(tzinfo=None)
        case _:
            return False
