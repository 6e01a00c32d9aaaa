"""All typed values that a turn speaks of, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from toolplan.values import addresses, durations
from toolplan.values.meanings import Clock, Day, Duration, Moment, Span, Unclear
from toolplan.values.numbers import numbers
from toolplan.values.phrases import phrases
from toolplan.values.points import Phrase
from toolplan.values.quoted import quoted
from toolplan.values.vocabulary import plain


class Found(NamedTuple):
    """A value in normal form and the words it was read from: `text[start:end] == words`.

    `kind` is `date`, `time` (`16:00:00`, with an offset where a zone was said), `datetime`, `period` (the datetimes of its first and
    its last moment), `duration`, `integer`, `decimal` (also any amount of money), `boolean`, `email`, `url`, or `quoted` (without its
    marks).
    """

    start: int
    end: int
    words: str
    kind: str
    value: object


_BLANK = "\ufffc"
_BOOLEAN = re.compile(
    r"(?<!\w)(?:(?P<true>true)|(?P<false>false)|(?:(?<![^.!?] )(?:(?P<yes>yes|yeah|yep)|(?P<no>no|nope))"
    r"(?=[ ]{0,3}(?:[,.!?;]|$))))(?!\w)"
)


def found(text: str, now: datetime) -> tuple[Found, ...]:
    """Every value in `text`, in order and without overlaps. What has no one meaning is not among them, and neither is what it contains.

    Nothing inside quotation marks or addresses is read. Days and times are relative to `now` and in its zone. A weekday, a day of a month
    and a day of a year are the next, today included. Hours without `am` or `pm` are those of a working day: 1 to 5 in the afternoon, 9 to
    12 as said; 6 to 8 may be either, so they are no value, and the day they are said with stands alone.
    """
    taken = [_found(text, each.start, each.end, "quoted", each.inside) for each in quoted(text)]
    taken.extend(_addresses(text, _without(text, taken)))
    hidden = _without(text, taken)
    spoken = phrases(hidden, now)
    taken.extend(_of_time(text, spoken, now))
    rest = plain(_without(hidden, spoken))
    taken.extend(_found(text, each.start, each.end, "decimal" if each.is_amount else "integer", each.value) for each in numbers(rest))
    taken.extend(_found(text, *match.span(), "boolean", bool(match["true"] or match["yes"])) for match in _BOOLEAN.finditer(rest))
    return tuple(sorted(taken, key=lambda each: each.start))


def _found(text: str, start: int, end: int, kind: str, value: object) -> Found:
    return Found(start, end, text[start:end], kind, value)


def _addresses(text: str, visible: str) -> Iterator[Found]:
    places = list(addresses.urls(visible))
    yield from (_found(text, start, end, "url", addresses.url(text[start:end])) for start, end in places)
    visible = _hidden(visible, places)
    yield from (_found(text, *match.span(), "email", addresses.email(match[0])) for match in addresses.emails(visible))


def _of_time(text: str, spoken: Iterable[Phrase], now: datetime) -> Iterator[Found]:
    for start, end, meaning in spoken:
        match meaning:
            case Day(day):
                yield _found(text, start, end, "date", day.isoformat())
            case Clock():
                yield _found(text, start, end, "time", _time_of_day(meaning, now))
            case Moment(at):
                yield _found(text, start, end, "datetime", at.isoformat())
            case Span(first, last):
                yield _found(text, start, end, "period", (first.isoformat(), last.isoformat()))
            case Duration():
                yield _found(text, start, end, "duration", durations.written(meaning))
            case Unclear():
                pass


def _time_of_day(clock: Clock, now: datetime) -> str:
    """The time in ISO 8601. A zone whose offset changes has that of today."""
    at = clock.settled()
    return datetime.combine(now.date(), at).isoformat().partition("T")[2]


def _without(text: str, places: Iterable[Found | Phrase]) -> str:
    return _hidden(text, [(each.start, each.end) for each in places])


def _hidden(text: str, places: Iterable[tuple[int, int]]) -> str:
    """`text` with a sign of no meaning for every character in `places`."""
    kept: list[str] = []
    position = 0
    for start, end in sorted(places):
        kept += text[position:start], _BLANK * (end - start)
        position = end
    return "".join(kept) + text[position:]
