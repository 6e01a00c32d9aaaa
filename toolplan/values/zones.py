"""Time zones as people write them after a time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from re import Match
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toolplan.values.meanings import Meaning, Unclear, Zone, always, rule
from toolplan.values.vocabulary import END, OPTIONAL_SPACE, START, S, alternatives

_HOURS = {
    "utc": 0,
    "gmt": 0,
    "z": 0,
    "wet": 0,
    "west": 1,
    "cet": 1,
    "cest": 2,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "jst": 9,
    "aest": 10,
    "aedt": 11,
    "est": -5,
    "edt": -4,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
    "akst": -9,
    "akdt": -8,
    "hst": -10,
}
_PLACES = {
    "et": "America/New_York",
    "ct": "America/Chicago",
    "mt": "America/Denver",
    "pt": "America/Los_Angeles",
    "eastern": "America/New_York",
    "central": "America/Chicago",
    "mountain": "America/Denver",
    "pacific": "America/Los_Angeles",
}
_UNKNOWN = Unclear("is in no time zone known here")
_SEVERAL = ("cst", "ist", "bst", "ast", "sst", "gst", "pkt", "wst", "amt")


def _abbreviation(match: Match[str], now: datetime) -> Meaning | None:
    return Zone(timezone(timedelta(hours=_HOURS[match[0]])))


def _offset(match: Match[str], now: datetime) -> Meaning | None:
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    if offset > timedelta(hours=14):
        return None
    return Zone(timezone(-offset if match["sign"] == "-" else offset))


def _region(match: Match[str], now: datetime) -> Meaning | None:
    name = match["region"]
    return _place(_PLACES.get(name) or re.sub("[a-z]+", lambda part: part[0] if part[0] in ("of", "es") else part[0].title(), name))


def _place(name: str) -> Meaning:
    try:
        return Zone(ZoneInfo(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _UNKNOWN


def _local(match: Match[str], now: datetime) -> Meaning | None:
    return Zone(now.tzinfo) if now.tzinfo else None


RULES = (
    rule("Z", START + alternatives(_HOURS) + END, _abbreviation),
    rule("x", START + alternatives(_SEVERAL) + END, always(Unclear("names more than one time zone"))),
    rule(
        "Z",
        rf"{START}(?:utc|gmt){OPTIONAL_SPACE}(?P<sign>[+-])(?P<hours>[0-9]{{1,2}})(?::?(?P<minutes>[0-5][0-9]))?{END}",
        _offset,
    ),
    rule("Z", rf"(?P<sign>\+|(?<= )-(?=[0-9]{{4}}))(?P<hours>[0-9]{{2}}):?(?P<minutes>[0-5][0-9]){END}", _offset),
    rule(
        "Z",
        rf"{START}(?P<region>(?:africa|america|antarctica|asia|atlantic|australia|europe|indian|pacific)"
        rf"(?:/[a-z][a-z_-]{{1,30}}){{1,2}}){END}",
        _region,
    ),
    rule("Z", rf"{START}(?P<region>eastern|central|mountain|pacific|et|ct|mt|pt)(?:{S}time)?{END}", _region),
    rule("Z", rf"{START}(?:my|our|local){S}time{END}", _local),
    rule(
        "x",
        rf"(?:(?<=[0-9] )|(?<=[ap]m )|(?<=clock )|(?<=noon ))(?!(?:this|next|last|each|every|any|same|the|some|at|that|long|one|of|in)[ ])"
        rf"[a-z]{{2,20}}(?:'s)?(?:{S}(?:standard|daylight|summer))?{S}time{END}",
        always(_UNKNOWN),
    ),
)
