"""Expressions of single days.

A day without a year, a month or a week is the next such day, today included, as in `dateutil`. `next Friday` is Friday of next week, and
has no one meaning where that is not the coming Friday too. Numbers alone are read where only one order of day and month is possible.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from re import Match

from toolplan.values import reckoning
from toolplan.values.meanings import DAY, Cycle, Day, Meaning, Unclear, always, rule
from toolplan.values.vocabulary import (
    DAY_OF_MONTH,
    END,
    MONTH,
    NOTHING_COUNTED,
    OPTIONAL_SPACE,
    ORDINAL_DAY,
    START,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    S,
    day_of_month,
    month,
)

_VAGUE = Unclear("is no single day")
_NEAR = {"today": 0, "tomorrow": 1, "tmrw": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2}
_DAY_TO_COME = re.compile(r"(?<!\w)(?:on|by|until|till?|for|from|before|after|since|to|through|of|around|starting|and|or|between)[ ]{1,3}$")
_LISTED = re.compile(rf"{START}{MONTH}{S}[0-9][0-9a-z, ]{{0,24}}(?:and|or){S}$")
_SHARED_MONTH = re.compile(rf"(?:{S}(?:and|or|to){S}|,{S})(?:the{S})?{DAY_OF_MONTH}{S}(?:of{S})?(?P<month>{MONTH}){END}")
_RELATIVE = re.compile(r"[ ]{1,3}(?:after|before)[ ]{1,3}(?:that|next|last|this)(?!\w)")
_REPEATED = re.compile(r"(?<!\w)(?:every|each|any|most|all)[ ]{1,3}$")


def _iso(match: Match[str], now: datetime) -> Meaning | None:
    found = reckoning.day_in_month(*(int(part) for part in match.groups()))
    return Day(found) if found else None


def _numbers(match: Match[str], now: datetime) -> Meaning | None:
    first, second = int(match["first"]), int(match["second"])
    orders = [(second, first)] if match["mark"] == "." else [(first, second), (second, first)]
    if match["year"]:
        year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
        days = [reckoning.day_in_month(year, *order) for order in orders]
    else:
        days = [_in_year(now.date(), *order) for order in orders]
    found = sorted({day for day in days if day})
    match found:
        case []:
            return None
        case [day]:
            return Day(day, Cycle.NEVER if match["year"] else Cycle.YEAR)
        case _:
            return Unclear("may be " + " or ".join(spelled(day) for day in found))


def _in_year(today: date, month: int, day: int) -> date | None:
    return reckoning.next_day_in_year(today, month, day) if 1 <= month <= 12 else None


def spelled(day: date) -> str:
    """`day` for people, the same in every locale."""
    months = "January February March April May June July August September October November December".split()
    return f"{day.day} {months[day.month - 1]} {day.year}"


def _dated(match: Match[str], now: datetime) -> Meaning | None:
    day, number = day_of_month(match["day"]), month(match["month"])
    if match["year"]:
        found, cycle = reckoning.day_in_month(int(match["year"]), number, day), Cycle.NEVER
    else:
        found, cycle = reckoning.next_day_in_year(now.date(), number, day), Cycle.YEAR
    if found is None:
        return Unclear("is no day of the calendar")
    if match["weekday"] and found.weekday() != WEEKDAYS[match["weekday"]]:
        return Unclear("is not that day of the week")
    return Day(found, cycle)


def _of_month(match: Match[str], now: datetime) -> Meaning | None:
    ahead = {"this": 0, "next": 1, "last": -1}[match["which"]]
    first = reckoning.plus_months(now.date().replace(day=1), ahead)
    found = reckoning.day_in_month(first.year, first.month, day_of_month(match["day"]))
    return Day(found) if found else Unclear("is no day of the calendar")


def _bare(match: Match[str], now: datetime) -> Meaning | None:
    is_all = match.start() == 0 and len(match.string) - match.end() <= 1
    if not is_all and not _DAY_TO_COME.search(match.string, max(0, match.start() - 12), match.start()):
        return None
    if shared := _SHARED_MONTH.match(match.string, match.end()):
        found = reckoning.next_day_in_year(now.date(), month(shared["month"]), day_of_month(match["day"]))
        return Day(found, Cycle.YEAR) if found else None
    if _LISTED.search(match.string, max(0, match.start() - 40), match.start()):
        return Unclear("belongs to a month that was named before")
    found = reckoning.next_day_in_month(now.date(), day_of_month(match["day"]))
    return Day(found, Cycle.MONTH) if found else None


def _weekday_dated(match: Match[str], now: datetime) -> Meaning | None:
    weekday, number = WEEKDAYS[match["weekday"]], day_of_month(match["day"])
    day = now.date()
    for _ in range(12):
        found = reckoning.next_day_in_month(day, number)
        if found is None:
            break
        if found.weekday() == weekday:
            return Day(found)
        day = found + DAY
    return Unclear("is no day of the coming year")


def _near(match: Match[str], now: datetime) -> Meaning | None:
    return Day(now.date() + timedelta(days=_NEAR[re.sub(" +", " ", match["near"])]))


def _weekday(match: Match[str], now: datetime) -> Meaning | None:
    today, weekday = now.date(), WEEKDAYS[match["weekday"]]
    if _RELATIVE.match(match.string, match.end()):
        return Unclear("depends on another day")
    if match["week"]:
        return Day(reckoning.monday_of(today) + timedelta(days=weekday + 7 * {"this": 0, "next": 1, "last": -1}[match["week"]]))
    match match["which"]:
        case "next":
            return _either(reckoning.weekday_from(today + DAY, weekday), reckoning.monday_of(today) + timedelta(days=weekday + 7))
        case "last":
            coming = reckoning.weekday_from(today, weekday)
            return _either(coming - timedelta(days=7), reckoning.monday_of(today) + timedelta(days=weekday - 7))
        case "coming" | "upcoming" | "this coming":
            return Day(reckoning.weekday_from(today + DAY, weekday))
        case _ if _REPEATED.search(match.string, max(0, match.start() - 8), match.start()):
            return Unclear("comes again and again")
        case _:
            return Day(reckoning.weekday_from(today, weekday), Cycle.WEEK)


def _either(one: date, other: date) -> Meaning:
    """`one`, which must be `other` too. Whoever says it in the week itself may mean the next but one."""
    return Day(one) if one == other else Unclear(f"may be {spelled(min(one, other))} or {spelled(max(one, other))}")


def _weekday_after(match: Match[str], now: datetime) -> Meaning | None:
    return Day(reckoning.weekday_from(now.date(), WEEKDAYS[match["weekday"]]) + timedelta(days=7))


_FULL_WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|thu(?:rs?)?|fri)"
_LEADING = rf"(?:(?P<weekday>{WEEKDAY})\.?,?[ ]{{1,3}})?"
_YEAR = rf"(?:,?{S}(?:of{S})?(?P<year>{YEAR}))?"
_UNCOUNTED = rf"(?!{S}(?:people|persons|guests|of|times|items|more){END})"
_UNIT = rf"(?:week|month|year|weekend|day|{MONTH})"


RULES = (
    rule("D", r"(?<![\w-])([12][0-9]{3})-([01][0-9])-([0-3][0-9])(?![\w-])", _iso),
    rule("D", r"(?<![\w/])([12][0-9]{3})/([01]?[0-9])/([0-3]?[0-9])(?![\w/])", _iso),
    rule(
        "D",
        r"(?<![\w/.-])(?!24/7(?![\w/]))(?P<first>[0-3]?[0-9])(?P<mark>[/.-])(?P<second>[0-3]?[0-9])"
        r"(?:(?P=mark)(?P<year>[12][0-9]{3}|[0-9]{2})|(?<=/[0-9])|(?<=/[0-9]{2}))(?![\w/%-]|[.][0-9])",
        _numbers,
    ),
    rule(
        "D", rf"{START}{_LEADING}(?:the{S})?(?P<day>{DAY_OF_MONTH})[ -]{{1,3}}(?:(?:day{S})?of{S})?(?P<month>{MONTH}){_YEAR}{END}", _dated
    ),
    rule("D", rf"{START}{_LEADING}(?P<month>{MONTH}){S}(?:the{S})?(?P<day>{DAY_OF_MONTH}){_YEAR}(?![\w:]|[.][0-9]){_UNCOUNTED}", _dated),
    rule("D", rf"{START}(?:the{S})?(?P<day>{ORDINAL_DAY}){S}(?:day{S})?of{S}(?P<which>this|next|last){S}month{END}", _of_month),
    rule("D", rf"{START}(?:the{S})?(?P<day>{ORDINAL_DAY}),?{S}(?P<which>this|next|last){S}month{END}", _of_month),
    rule(
        "D", rf"{START}(?P<which>this|next|last){S}month,?{S}(?:on{S})?(?:the{S})?(?P<day>{ORDINAL_DAY}){END}{NOTHING_COUNTED}", _of_month
    ),
    rule("D", rf"{START}(?:the{S})?(?P<day>{ORDINAL_DAY}){END}{NOTHING_COUNTED}", _bare),
    rule("D", rf"{START}(?P<weekday>{WEEKDAY}),?{S}(?:the{S})?(?P<day>{ORDINAL_DAY}){END}", _weekday_dated),
    rule(
        "D",
        rf"{START}(?:later{S})?(?:the{S}(?=day))?"
        rf"(?P<near>today|tomorrow|tmrw|yesterday|day{S}after{S}tomorrow|day{S}before{S}yesterday){END}",
        _near,
    ),
    rule(
        "D",
        rf"{START}(?:(?P<which>this{S}coming|this|next|last|coming|upcoming){S})?(?P<weekday>{_FULL_WEEKDAY}){END}"
        rf"(?:,?{S}(?:of{S})?(?P<week>this|next|last){S}week{END})?",
        _weekday,
    ),
    rule("D", rf"{START}(?P<which>this{S}coming|this|next|last|coming|upcoming){S}(?P<weekday>wed|weds|sat|sun){END}(?P<week>)", _weekday),
    rule(
        "D",
        rf"{START}(?P<which>)(?P<weekday>wed|weds|sat|sun)(?P<week>)"
        rf"(?=,?{S}(?:at{S})?[0-9]{{1,2}}(?::|{OPTIONAL_SPACE}(?:[ap]\.?m|o'?clock)))",
        _weekday,
    ),
    rule("D", rf"{START}(?P<week>this|next|last){S}week(?:'s)?,?{S}(?:on{S})?(?P<weekday>{WEEKDAY}){END}", _weekday),
    rule("D", rf"{START}(?P<weekday>{_FULL_WEEKDAY}){S}week{END}", _weekday_after),
    rule("D", rf"{START}(?<!for )a{S}week{S}(?:on{S})?(?P<weekday>{_FULL_WEEKDAY}){END}", _weekday_after),
    rule("X", rf"{START}(?:a|two|three){S}(?:weeks?|fortnight){S}(?:today|tomorrow){END}", always(_VAGUE)),
    rule("X", rf"{START}(?:this|same){S}time{S}(?:tomorrow|(?:next|last){S}(?:week|month|year|{WEEKDAY})){END}", always(_VAGUE)),
    rule("X", rf"{START}(?:{MONTH}{S}{DAY_OF_MONTH}){S}weekend{END}", always(_VAGUE)),
    rule(
        "X",
        rf"{START}(?:the{S})?(?:very{S})?(?:(?:end|beginning|start|middle|rest|mid|early|earlier|late|later)(?:-|{S}(?:of{S}|in{S})?)"
        rf"|(?:{ORDINAL_DAY}|last|one|some|half){S}(?:half{S}|part{S}|weeks?{S}|weekends?{S}|days?{S}|{WEEKDAY}{S})?(?:of|in){S})"
        rf"(?:(?:the|this|next|last|a){S})?{_UNIT}{END}",
        always(_VAGUE),
    ),
    rule("X", rf"{START}(?:every|each|most|any){S}(?:other{S})?(?:{WEEKDAY}|day|week|month|morning|evening|night){END}", always(_VAGUE)),
)
