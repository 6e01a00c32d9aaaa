"""One value of a type in its normal form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time

from toolplan.domain import ValueType
from toolplan.values import addresses, durations
from toolplan.values.meanings import Clock, Day, Duration, Moment, Span, Unclear
from toolplan.values.numbers import exact, number, ordinal
from toolplan.values.phrases import phrases
from toolplan.values.vocabulary import plain


@dataclass(frozen=True, slots=True)
class Normal:
    """A value in normal form."""

    value: object


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that is none of its type, or of which there are several readings; `reason` says it to people."""

    reason: str


def normal(kind: ValueType | None, raw: object, now: datetime) -> Normal | Misfit:
    """`raw`, a JSON value or what a user said, as a value of `kind`; any JSON value where there is none. The normal form of it is itself.

    Days and times in words are relative to `now` and in its zone. An ISO datetime keeps the offset it has, or has none. A date with a time
    of day is a date only at midnight, a time alone is today's while that is ahead, and a day alone is no datetime. A whole JSON number of
    10 digits is a datetime in seconds since 1970, one of 13 digits in milliseconds; written as text it is none.
    """
    if kind is None:
        return _any(raw, now)
    if kind.kind == "enum":
        return _option(kind.options, raw)
    return _READERS[kind.kind](raw.strip() if isinstance(raw, str) else raw, now)


def _option(options: tuple[str, ...], raw: object) -> Normal | Misfit:
    if isinstance(raw, str):
        exactly = [option for option in options if option == raw.strip()]
        likely = exactly or [option for option in options if _folded(option) == _folded(raw)]
        if len(likely) == 1:
            return Normal(likely[0])
    return Misfit(f"{_shown(raw)} is none of {', '.join(options)}")


def _folded(option: str) -> str:
    return re.sub(r"[\s_-]+", " ", option.strip()).casefold()


def _any(raw: object, now: datetime) -> Normal | Misfit:
    return Normal(raw.strip() if isinstance(raw, str) else raw) if _is_json(raw) else Misfit(f"{_shown(raw)} is no JSON value")


def _is_json(raw: object) -> bool:
    """Whether `raw` is JSON throughout; looked through without recursion."""
    left = [raw]
    while left:
        match left.pop():
            case Mapping() as members:
                if not all(isinstance(name, str) for name in members):
                    return False
                left.extend(members.values())
            case list() | tuple() as items:
                left.extend(items)
            case int() | float() as number if not isinstance(number, bool) and exact(number) is None:
                return False
            case None | bool() | int() | float() | str():
                pass
            case _:
                return False
    return True


def _text(raw: object, now: datetime) -> Normal | Misfit:
    return Normal(raw) if isinstance(raw, str) else Misfit(f"{_shown(raw)} is no text")


def _boolean(raw: object, now: datetime) -> Normal | Misfit:
    if isinstance(raw, bool):
        return Normal(raw)
    words = raw.lower() if isinstance(raw, str) else ""
    if words in _TRUE | _FALSE:
        return Normal(words in _TRUE)
    return Misfit(f"{_shown(raw)} is neither true nor false")


_TRUE, _FALSE = frozenset({"true", "yes", "y", "on"}), frozenset({"false", "no", "n", "off"})


def _number(raw: object) -> int | float | None:
    if isinstance(raw, str):
        return number(plain(raw))
    return exact(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else None


def _integer(raw: object, now: datetime) -> Normal | Misfit:
    read = _number(raw)
    if read is None and isinstance(raw, str):
        read = ordinal(plain(raw))
    return Normal(read) if isinstance(read, int) else Misfit(f"{_shown(raw)} is no whole number")


def _decimal(raw: object, now: datetime) -> Normal | Misfit:
    read = _number(raw)
    return Misfit(f"{_shown(raw)} is no number") if read is None else Normal(read)


def _email(raw: object, now: datetime) -> Normal | Misfit:
    read = addresses.email(raw) if isinstance(raw, str) else None
    return Misfit(f"{_shown(raw)} is no e-mail address") if read is None else Normal(read)


def _url(raw: object, now: datetime) -> Normal | Misfit:
    read = addresses.url(raw) if isinstance(raw, str) else None
    return Misfit(f"{_shown(raw)} is no web address") if read is None else Normal(read)


def _date(raw: object, now: datetime) -> Normal | Misfit:
    stamp = _iso(raw) or _iso_day(raw)
    match Moment(stamp) if stamp else _meaning(raw, now):
        case Day(day):
            return Normal(day.isoformat())
        case Moment(at) if at.timetz().replace(tzinfo=None) == time():
            return Normal(at.date().isoformat())
        case Moment():
            return Misfit(f"{_shown(raw)} has a time of day, so it is more than a date")
        case Clock():
            return Misfit(f"{_shown(raw)} names no day")
        case Span():
            return Misfit(f"{_shown(raw)} is more than one day")
        case Unclear(reason):
            return Misfit(f"{_shown(raw)} {reason}")
        case _:
            return Misfit(f"{_shown(raw)} is no date")


def _datetime(raw: object, now: datetime) -> Normal | Misfit:
    stamp = _iso(raw) or _since_1970(raw)
    match Moment(stamp) if stamp else _meaning(raw, now):
        case Moment(at):
            return Normal(at.isoformat())
        case Clock() as clock:
            return _today(raw, clock, now)
        case Day():
            return Misfit(f"{_shown(raw)} has no time of day")
        case Span():
            return Misfit(f"{_shown(raw)} is more than one moment")
        case Unclear(reason):
            return Misfit(f"{_shown(raw)} {reason}")
        case _:
            return Misfit(f"{_shown(raw)} is no date with a time")


def _today(raw: object, clock: Clock, now: datetime) -> Normal | Misfit:
    at = clock.settled()
    moment = datetime.combine(now.date(), at, at.tzinfo or now.tzinfo)
    if clock.is_midnight or moment < now:
        return Misfit(f"{_shown(raw)} names no day, and that of today is over")
    return Normal(moment.isoformat())


def _duration(raw: object, now: datetime) -> Normal | Misfit:
    written = durations.iso_duration(raw.lower()) if isinstance(raw, str) else None
    meaning = written or _meaning(raw, now, before="for ")
    if isinstance(meaning, Duration):
        return Normal(durations.written(meaning))
    if isinstance(meaning, Unclear):
        return Misfit(f"{_shown(raw)} {meaning.reason}")
    if _number(raw) is not None:
        return Misfit(f"{_shown(raw)} has no unit of time")
    return Misfit(f"{_shown(raw)} is no length of time")


_READERS: dict[str, Callable[[object, datetime], Normal | Misfit]] = {
    "text": _text,
    "integer": _integer,
    "decimal": _decimal,
    "boolean": _boolean,
    "date": _date,
    "datetime": _datetime,
    "duration": _duration,
    "email": _email,
    "url": _url,
    "schema": _any,
}

_STAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2}){0,2})?"
)
_LONGEST = 200
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECONDS = range(10**9, 5 * 10**9)
_LEADING = re.compile(r"(?:(?:on|at|for|by|from|in|the)\s+)?", re.IGNORECASE)
_ENDING = re.compile(r"(?:['’]s)?[.!?,;]?\Z")


def _iso(raw: object) -> datetime | None:
    """The moment that `raw` writes in ISO 8601, in its own zone or in none."""
    if not isinstance(raw, str) or not _STAMP.fullmatch(raw):
        return None
    try:
        return datetime.fromisoformat(raw.upper().replace(" ", "T"))
    except ValueError:
        return None


def _iso_day(raw: object) -> datetime | None:
    return _iso(f"{raw}T00:00") if isinstance(raw, str) and _DAY.fullmatch(raw) else None


def _since_1970(raw: object) -> datetime | None:
    """The moment of a Unix timestamp of this century, in seconds or milliseconds."""
    if not isinstance(raw, int) or isinstance(raw, bool):
        return None
    return next((datetime.fromtimestamp(raw / unit, UTC) for unit in (1, 1000) if raw // unit in _SECONDS), None)


def _meaning(raw: object, now: datetime, before: str = "on ") -> Day | Clock | Moment | Span | Duration | Unclear | None:
    """What `raw` as a whole says of time, as if it stood after `before`, which gives "the 5th" and "a day" their sense."""
    if not isinstance(raw, str) or len(raw) > _LONGEST:
        return None
    words = before + _ENDING.sub("", raw)
    read = phrases(words, now)
    if len(read) == 1 and _LEADING.fullmatch(words, len(before), max(read[0].start, len(before))) and read[0].end == len(words):
        return read[0].meaning
    return next((each.meaning for each in read if isinstance(each.meaning, Unclear)), None)


def _shown(raw: object) -> str:
    match raw:
        case None | bool():
            return f"`{str(raw).lower() if raw is not None else 'null'}`"
        case int() if abs(raw) > 10**40:
            return "so large a number"
        case str() | int() | float():
            text = str(raw)
            return f"`{text if len(text) <= 40 else text[:39] + '…'}`"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"a {type(raw).__name__}"
