"""Expressions of periods that are named as a whole: weeks, weekends, months, years, and parts of today."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from re import Match

from toolplan.values import durations, reckoning
from toolplan.values.meanings import DayPart, Duration, Meaning, Part, Span, Unclear, rule
from toolplan.values.vocabulary import DAY_OF_MONTH, END, MONTH, SMALL, START, YEAR, S, day_of_month, month

_AHEAD = {"this": 0, "the current": 0, "next": 1, "the coming": 1, "the following": 1, "last": -1, "the previous": -1}
_WHOLE = {"week": reckoning.week, "month": reckoning.month, "year": reckoning.year}
_WHICH = r"(?P<which>this|next|last|the (?:current|coming|following|previous))"


def _whole(match: Match[str], now: datetime) -> Meaning | None:
    ahead, today = _AHEAD[match["which"]], now.date()
    steps = {"week": Duration(0, timedelta(days=7)), "month": Duration(1), "year": Duration(12)}
    step = steps[match["unit"]]
    day = reckoning.plus(today, Duration(ahead * step.months, ahead * step.length))
    return _WHOLE[match["unit"]](day, now.tzinfo)


def _weekend(match: Match[str], now: datetime) -> Meaning | None:
    today = now.date()
    saturday = reckoning.monday_of(today) + timedelta(days=5)
    if match["which"] == "next" and today < saturday:
        return Unclear("may be that of this week or of next week")
    saturday += timedelta(days={"next": 7, "last": -7}.get(match["which"], 0))
    return reckoning.whole_days(saturday, saturday + timedelta(days=1), now.tzinfo)


def _month(match: Match[str], now: datetime) -> Meaning | None:
    number, today = month(match["month"]), now.date()
    if match["year"]:
        return reckoning.month(date(int(match["year"]), number, 1), now.tzinfo)
    if match["which"] in ("next", "last"):
        return Unclear("may be of more than one year")
    return reckoning.month(date(today.year + (number < today.month), number, 1), now.tzinfo)


def _units(match: Match[str], now: datetime) -> Meaning | None:
    moment, length = now.replace(microsecond=0), durations.summed(match["length"])
    sign = 1 if match["way"] in ("next", "coming", "following") else -1
    end = datetime.combine(reckoning.plus_months(moment.date(), sign * length.months), moment.timetz()) + sign * length.length
    return Span(moment, end) if sign > 0 else Span(end, moment)


def _days_of_month(match: Match[str], now: datetime) -> Meaning | None:
    number, first, last = month(match["month"]), day_of_month(match["first"]), day_of_month(match["last"])
    start = (
        reckoning.day_in_month(int(match["year"]), number, first)
        if match["year"]
        else reckoning.next_day_in_year(now.date(), number, first)
    )
    end = reckoning.day_in_month(start.year, number, last) if start else None
    return reckoning.whole_days(start, end, now.tzinfo) if start and end and start <= end else Unclear("is no such period")


def _today_part(match: Match[str], now: datetime) -> Meaning | None:
    if match["part"]:
        return DayPart(now.date(), Part(match["part"]))
    return DayPart(now.date() - timedelta(days=match["night"].startswith("last")), Part.NIGHT)


_TO = rf"(?:{S}(?:to|until|till|through){S}(?:the{S})?|[ ]?-[ ]?)"

RULES = (
    rule("S", rf"{START}{_WHICH}{S}(?P<unit>week|month|year){END}", _whole),
    rule("S", rf"{START}(?:(?P<which>this|next|last){S}|(?<=at )the{S}|(?<=on )the{S}|(?<=over )the{S})weekend{END}(?!{S}of)", _weekend),
    rule(
        "S",
        rf"{START}(?:(?:in|during){S}|(?P<which>this|next|last){S})(?P<month>{MONTH})(?:,?{S}(?P<year>{YEAR}))?{END}(?!{S}[0-9])",
        _month,
    ),
    rule("S", rf"{START}(?P<which>)(?P<month>{MONTH}),?{S}(?P<year>{YEAR}){END}", _month),
    rule(
        "S",
        rf"{START}(?:the{S}|these{S})?(?P<way>next|coming|following|past|last|previous){S}"
        rf"(?P<length>{SMALL}{S}(?:hours?|days?|weeks?|months?|years?)){END}",
        _units,
    ),
    rule(
        "S",
        rf"{START}(?P<month>{MONTH}){S}(?:the{S})?(?P<first>{DAY_OF_MONTH}){_TO}(?P<last>{DAY_OF_MONTH})"
        rf"(?:,?{S}(?P<year>{YEAR}))?(?![\w:])",
        _days_of_month,
    ),
    rule(
        "S",
        rf"{START}(?:the{S})?(?P<first>{DAY_OF_MONTH}){_TO}(?P<last>{DAY_OF_MONTH}){S}(?:of{S})?(?P<month>{MONTH})"
        rf"(?:,?{S}(?P<year>{YEAR}))?{END}",
        _days_of_month,
    ),
    rule(
        "Q",
        rf"{START}(?:this{S}(?P<part>morning|afternoon|evening)|(?:later{S})?(?P<night>tonight|last night)){END}",
        _today_part,
    ),
)
