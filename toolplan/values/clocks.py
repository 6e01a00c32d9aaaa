"""Expressions of a time of day, and of its parts."""

from __future__ import annotations

import re
from datetime import datetime
from re import Match

from toolplan.values.meanings import MIDNIGHT, Clock, Half, Meaning, Part, Unclear, always, rule
from toolplan.values.vocabulary import END, HOUR, NOTHING_COUNTED, OPTIONAL_SPACE, SMALL, START, S, hour, small

_NAMED = {"noon": 12, "midday": 12, "midnight": MIDNIGHT}
_HALF = r"(?:(?P<half>[ap])(?:m|\.m\.|\.m)(?!\w))"
_MAYBE_HALF = rf"(?:{OPTIONAL_SPACE}{_HALF})?"
_HALVES = {"a": Half.AM, "p": Half.PM}
_PAST = rf"(?:half|(?:a{S})?quarter|{SMALL}(?:{S}min(?:ute)?s?)?)"


def _clock(number: int, minute: int, second: int, half: str | None) -> Clock | None:
    """The time, if there is one. Hours above 12, and 0, need no half of the day."""
    if number > 23:
        return None
    if half:
        return Clock(number, minute, second, _HALVES[half]) if 1 <= number <= 12 else None
    return Clock(number, minute, second, Half.OPEN if 1 <= number <= 12 else Half.FULL)


def _digits(match: Match[str], now: datetime) -> Meaning | None:
    number, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if match["hour"].startswith("0") and not match["half"]:
        return Clock(number, minute, second)
    return _clock(number, minute, second, match["half"])


def _point(match: Match[str], now: datetime) -> Meaning | None:
    return _clock(int(match["hour"]), int(match["minute"]), 0, match["half"])


def _hour(match: Match[str], now: datetime) -> Meaning | None:
    return _clock(hour(match["hour"]), 0, 0, match.groupdict().get("half"))


def _past(match: Match[str], now: datetime) -> Meaning | None:
    words, number = match["minutes"], hour(match["hour"])
    minutes = 30 if words == "half" else 15 if words.endswith("quarter") else small(re.split(" +m", words)[0])
    if minutes != int(minutes) or not 0 < minutes < 60 or not 1 <= number <= 12:
        return None
    if match["way"] in ("to", "before"):
        number, minutes = (number - 2) % 12 + 1, 60 - minutes
    return _clock(number, int(minutes), 0, match["half"])


def _named(match: Match[str], now: datetime) -> Meaning | None:
    return Clock(_NAMED[match["named"]])


def _part(match: Match[str], now: datetime) -> Meaning | None:
    return Part(match["part"])


_PART = r"(?P<part>morning|afternoon|evening|night)"

RULES = (
    rule(
        "C",
        rf"(?<![\w:.,/$€£])(?<![0-9]-[0-9]{{2}}-)(?P<hour>[0-2]?[0-9]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?"
        rf"(?:{OPTIONAL_SPACE}{_HALF})?(?![\w:]|[.,][0-9])",
        _digits,
    ),
    rule("C", rf"(?<![\w:.,/$€£])(?P<hour>[0-2]?[0-9])[.](?P<minute>[0-5][0-9]){OPTIONAL_SPACE}{_HALF}", _point),
    rule("C", rf"(?<=at )(?P<hour>[0-2]?[0-9])h(?P<minute>[0-5][0-9])(?P<second>)(?P<half>){END}", _digits),
    rule("C", rf"(?<=at )(?P<hour>[0-2]?[0-9])[.](?P<minute>[0-5][0-9])(?P<half>){END}{NOTHING_COUNTED}", _point),
    rule("C", rf"(?<![\w:.,/$€£])(?P<hour>{HOUR}){OPTIONAL_SPACE}{_HALF}", _hour),
    rule("C", rf"{START}(?P<hour>{HOUR}){OPTIONAL_SPACE}o[ '\"´`]{{0,2}}clock{END}(?:{S}{_HALF})?", _hour),
    rule(
        "C",
        rf"{START}(?P<minutes>half|(?:a{S})?quarter){S}(?P<way>past|after|to|before){S}(?P<hour>{HOUR}){END}(?:{S}o'?clock{END})?"
        rf"{_MAYBE_HALF}",
        _past,
    ),
    rule(
        "C",
        rf"{START}(?P<minutes>five|ten|twenty|twenty[ -]five|{SMALL}{S}min(?:ute)?s?){S}(?P<way>past){S}(?P<hour>{HOUR}){END}"
        rf"{_MAYBE_HALF}",
        _past,
    ),
    rule(
        "C",
        rf"(?:(?<=at )|(?<=by ))(?P<minutes>five|ten|twenty|twenty[ -]five){S}(?P<way>to){S}(?P<hour>{HOUR}){END}{_MAYBE_HALF}",
        _past,
    ),
    rule("C", rf"{START}(?P<minutes>{SMALL}{S}minutes){S}(?P<way>to){S}(?P<hour>{HOUR}){END}{_MAYBE_HALF}", _past),
    rule(
        "C",
        rf"(?:(?<=at )|(?<=to )|(?<=by )|(?<=from )|(?<=until ))(?P<minutes>half)(?P<way>){S}(?P<hour>{HOUR}){END}{_MAYBE_HALF}",
        _past,
    ),
    rule("C", rf"{START}(?:12{S})?(?P<named>noon|midday|midnight){END}", _named),
    rule(
        "X", rf"{START}{_PAST}{S}(?:past|to|after|before){S}(?:noon|midday|midnight){END}", always(Unclear("is no time that is read here"))
    ),
    rule("N", rf"(?<![\w:.,/$€£#])(?P<hour>{HOUR}){END}{NOTHING_COUNTED}", _hour),
    rule("P", rf"{START}(?:in{S}the|at|during{S}the){S}{_PART}{END}", _part),
    rule("P", rf"{START}(?:the{S})?{_PART}{S}of{END}", _part),
    rule("p", rf"{START}(?<!good ){_PART}{END}", _part),
)
