"""Expressions of a length of time, and of days and moments at such a distance from now."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from re import Match

from toolplan.values import reckoning
from toolplan.values.meanings import DAY, Day, Duration, Meaning, Moment, Unclear, always, rule
from toolplan.values.vocabulary import END, OPTIONAL_SPACE, SMALL, S, small

_MONTHS = {"month": 1, "year": 12}
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400, "week": 604800, "fortnight": 1209600}
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|fortnights?|months?|years?)"
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "three quarters": 0.75}
_FRACTION = r"(?:half|(?:a )?quarter|three quarters)"
_ITEM = (
    rf"(?:(?P<part>{_FRACTION})(?: of)?(?: an?)? (?P<whole>hour|minute|day|year)"
    rf"|(?P<number>an?|{SMALL})(?: and a (?P<more>half|quarter))?[ -]{{0,3}}(?P<unit>{_UNIT})(?: and a (?P<rest>half|quarter))?"
    r"|(?P<hours>[0-9]{1,3})h(?:(?P<minutes>[0-5]?[0-9])(?:m|min)?| (?P<apart>[0-5]?[0-9])(?:m|min))?)"
)
_COUNTED = re.compile(_ITEM)
_UNNAMED = re.sub(r"\?P<[a-z]+>", "?:", _ITEM)
_DURATION = rf"{_UNNAMED}(?:(?: and|, and)?{OPTIONAL_SPACE}{_UNNAMED}){{0,5}}{END}(?![ -](?:format|clock|time){END})"
_START = r"(?<![\w./:,$€£-])"

_LASTING = re.compile(
    r"(?<!\w)(?:for|in|within|takes?|taking|took|lasts?|lasting|about|after|before|by|than|only|just|exactly|and|or|is|to|every"
    r"|another)[ ]{1,3}$"
)
_RATE = re.compile(r"(?:[0-9]|\b(?:dollars?|bucks|euros?|pounds?|times|once|twice|per|miles|km))[ ]{1,3}$")
_SOON = ("a second", "a sec", "a minute", "a min")
_RELATIVE = re.compile(r"[ ]{1,3}(?:from|after|before|later|earlier|long)(?!\w)")
_ISO = re.compile(
    r"(?P<sign>[+-]?)p(?=[0-9t])(?:(?P<y>[0-9]{1,6})y)?(?:(?P<mo>[0-9]{1,6})m)?(?:(?P<w>[0-9]{1,6})w)?(?:(?P<d>[0-9]{1,6})d)?"
    r"(?:t(?=[0-9])(?:(?P<h>[0-9]{1,8})h)?(?:(?P<m>[0-9]{1,8})m)?(?:(?P<s>[0-9]{1,9}(?:\.[0-9]{1,6})?)s)?)?"
)


def summed(words: str) -> Duration:
    """What the parts of `words`, which a duration's pattern has matched, come to. Raises ValueError where a month is to be divided."""
    months, seconds = 0.0, 0.0
    for item in _COUNTED.finditer(words):
        if item["hours"]:
            seconds += int(item["hours"]) * 3600 + int(item["minutes"] or item["apart"] or 0) * 60
            continue
        unit = (item["whole"] or item["unit"]).rstrip("s")
        number = _FRACTIONS[item["part"].removeprefix("a ")] if item["part"] else _number(item)
        if unit in _MONTHS:
            months += number * _MONTHS[unit]
        else:
            seconds += number * _SECONDS[unit]
    if months != int(months):
        raise ValueError("part of a month")
    return Duration(int(months), timedelta(seconds=seconds))


def _number(item: Match[str]) -> float:
    number = 1.0 if item["number"] in ("a", "an") else small(item["number"])
    return number + _FRACTIONS.get(item["more"] or item["rest"], 0)


def iso_duration(words: str) -> Duration | None:
    """The duration that `words`, in small letters, write in ISO 8601; none below zero."""
    match = _ISO.fullmatch(words)
    if match is None or match["sign"] == "-":
        return None
    count = {name: float(value or 0) for name, value in match.groupdict().items() if name != "sign"}
    length = timedelta(weeks=count["w"], days=count["d"], hours=count["h"], minutes=count["m"], seconds=count["s"])
    return Duration(int(count["y"] * 12 + count["mo"]), length)


def written(duration: Duration) -> str:
    """The duration in ISO 8601, each length in one way: 90 minutes are `PT1H30M`, a fortnight `P14D`, 18 months `P1Y6M`."""
    years, months = divmod(duration.months, 12)
    minutes, seconds = divmod(duration.length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{duration.length.microseconds:06d}".rstrip("0").rstrip(".")
    days = _joined((years, "Y"), (months, "M"), (duration.length.days, "D"))
    clock = _joined((hours, "H"), (minutes, "M")) + (f"{seconds}{fraction}S" if seconds or fraction else "")
    return "P" + days + ("T" + clock if clock else "") if days or clock else "PT0S"


def _joined(*counts: tuple[int, str]) -> str:
    return "".join(f"{count}{unit}" for count, unit in counts if count)


def _length(match: Match[str], now: datetime) -> Meaning | None:
    words, before = match[0], match.string[max(0, match.start() - 12) : match.start()]
    if words.startswith(("a ", "an ")):
        is_length = " and " in words or "hour" in words or _LASTING.search(before) or _RELATIVE.match(match.string, match.end())
        if _RATE.search(before) or not is_length:
            return None
    return summed(words)


def _iso(match: Match[str], now: datetime) -> Meaning | None:
    return iso_duration(match[0])


def _ahead(match: Match[str], now: datetime) -> Meaning | None:
    is_other = match["length"] in _SOON or "-" in match["length"]
    return None if is_other else _away(summed(match["length"]), now)


def _ago(match: Match[str], now: datetime) -> Meaning | None:
    return None if match["length"] in _SOON else _away(backwards(summed(match["length"])), now)


def _away(duration: Duration, now: datetime) -> Meaning:
    if duration.length % DAY:
        return Moment(later(now.replace(microsecond=0), duration))
    return Day(reckoning.plus(now.date(), duration))


def backwards(duration: Duration) -> Duration:
    """As long, into the past."""
    return Duration(-duration.months, -duration.length)


def later(start: datetime, duration: Duration) -> datetime:
    """The moment `duration` after `start`. Hours are as long as they are; days and months keep the time on the clock."""
    day = reckoning.plus_months(start.date(), duration.months)
    moved = datetime.combine(day, start.timetz())
    if not duration.length % DAY or start.tzinfo is None:
        return moved + duration.length
    return (moved.astimezone(UTC) + duration.length).astimezone(start.tzinfo)


RULES = (
    rule("U", _START + _DURATION, _length),
    rule("U", r"(?<![\w-])p(?=[0-9]|t[0-9])[0-9ymwdths]{2,40}(?:\.[0-9]{1,6}s)?(?![\w-]|\.[0-9])", _iso),
    rule(
        "X",
        rf"{_START}{SMALL}(?: ?- ?|{S}(?:to|or|and){S}){SMALL}[ -]{{1,3}}{_UNIT}{END}",
        always(Unclear("is more than one length of time")),
    ),
    rule("M", rf"{_START}in{S}(?P<length>{_DURATION})", _ahead),
    rule("M", rf"{_START}(?P<length>{_DURATION}){S}from{S}now{END}", _ahead),
    rule("M", rf"{_START}(?:in{S})?(?P<length>{_DURATION}){S}(?:ago|back){END}", _ago),
)
