"""Expressions of time in a text, each read alone.

Every rule runs over the whole text; of the expressions that overlap the first is kept, and of those that start together the longest.
The letters of the rules: `D` a day, `C` a time of day, `N` a number that may be an hour, `P` a part of a day with its preposition, `p`
without, `Q` a part of a known day, `M` a moment, `S` a period, `U` a length of time, `Z` a zone, `x` a zone that is unclear, `X` anything
else that is; and of words that join: `@` at, `t` to, `a` and, `f` from, `b` between, `A` after, `B` before, `V` a verb of moving.
"""

from __future__ import annotations

from datetime import datetime
from re import Match
from typing import NamedTuple

from toolplan.values import clocks, days, durations, spans, zones
from toolplan.values.meanings import Day, Joint, Meaning, Moment, Rule, Unclear, always, rule
from toolplan.values.vocabulary import END, START


class Expression(NamedTuple):
    """One expression. `sign` is its letter in the shape of the text: that of its rule, but `D` for any day, and `X` for what is unclear."""

    start: int
    end: int
    sign: str
    meaning: Meaning


def _iso_moment(match: Match[str], now: datetime) -> Meaning | None:
    moment = datetime.fromisoformat(match[0].replace(" ", "T").replace("t", "T").replace("z", "+00:00"))
    return Moment(moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo))


_JOINTS = {
    "@": "at|@",
    "t": "to|until|till|til|through|thru",
    "a": "and",
    "f": "from",
    "b": "between",
    "A": "after",
    "B": "before",
    "V": "mov(?:e|ed|ing)|reschedul(?:e|ed|ing)|shift(?:ed|ing)?|push(?:ed|ing)?|postpon(?:e|ed|ing)|chang(?:e|ed|ing)|switch(?:ed|ing)?"
    "|delay(?:ed|ing)?|bring|swap(?:ped)?|transfer|updat(?:e|ed|ing)",
}

RULES: tuple[Rule, ...] = (
    rule(
        "M",
        r"(?<![\w-])[12][0-9]{3}-[01][0-9]-[0-3][0-9][t ][0-2][0-9]:[0-5][0-9]"
        r"(?::[0-5][0-9](?:\.[0-9]{1,6})?)?(?:z|[+-][0-2][0-9]:?[0-5][0-9])?(?![\w:])",
        _iso_moment,
    ),
    *days.RULES,
    *clocks.RULES,
    *spans.RULES,
    *durations.RULES,
    *zones.RULES,
    *(rule(sign, f"{START}(?:{words}){END}", always(Joint())) for sign, words in _JOINTS.items()),
    rule("t", r"(?<=[\w. ])-(?=[\w ])", always(Joint())),
)


def expressions(text: str, now: datetime) -> list[Expression]:
    """The expressions in `text`, which is plain, from left to right."""
    kept: list[Expression] = []
    for each in sorted(_all(text, now), key=lambda each: (each.start, -each.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _all(text: str, now: datetime) -> list[Expression]:
    read = ((match, rule.sign, _read(rule, match, now)) for rule in RULES for match in rule.pattern.finditer(text))
    return [Expression(match.start(), match.end(), _sign(sign, meaning), meaning) for match, sign, meaning in read if meaning is not None]


def _read(rule: Rule, match: Match[str], now: datetime) -> Meaning | None:
    try:
        return rule.read(match, now)
    except (ValueError, OverflowError):
        return Unclear("is no day of the calendar")


def _sign(sign: str, meaning: Meaning) -> str:
    if isinstance(meaning, Unclear):
        return "x" if sign in "Zx" else "X"
    return "D" if isinstance(meaning, Day) else sign
