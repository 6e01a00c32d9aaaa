"""Arithmetic of the calendar. Weeks begin on Monday."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, time, timedelta, tzinfo

from toolplan.values.meanings import DAY, LAST_MOMENT, Cycle, Duration, Span


def plus_months(day: date, months: int) -> date:
    """The same day `months` later, or the last of that month where it has no such day. Raises ValueError outside the calendar."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ValueError("no such year")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def plus(day: date, duration: Duration) -> date:
    """The day `duration` later; hours count only in whole days."""
    return plus_months(day, duration.months) + duration.length


def weekday_from(day: date, weekday: int) -> date:
    """The first such weekday on or after `day`."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def monday_of(day: date) -> date:
    """The first day of the week of `day`."""
    return day - timedelta(days=day.weekday())


def whole_days(first: date, last: date, zone: tzinfo | None) -> Span:
    """From the first moment of `first` to the last of `last`."""
    return Span(datetime.combine(first, time(), zone), datetime.combine(last, LAST_MOMENT, zone))


def week(day: date, zone: tzinfo | None) -> Span:
    """The week of `day`."""
    return whole_days(monday_of(day), monday_of(day) + timedelta(days=6), zone)


def month(day: date, zone: tzinfo | None) -> Span:
    """The month of `day`."""
    first = day.replace(day=1)
    return whole_days(first, plus_months(first, 1) - DAY, zone)


def year(day: date, zone: tzinfo | None) -> Span:
    """The year of `day`."""
    return whole_days(date(day.year, 1, 1), date(day.year, 12, 31), zone)


def day_in_month(year: int, month: int, day: int) -> date | None:
    """That day, if there is one."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def next_day_in_year(today: date, month: int, day: int) -> date | None:
    """The first such day on or after `today`; 29 February may be years ahead."""
    days = (day_in_month(today.year + ahead, month, day) for ahead in range(9))
    return next((found for found in days if found and found >= today), None)


def next_day_in_month(today: date, day: int) -> date | None:
    """The first day with this number on or after `today`, in a month that has it."""
    months = (plus_months(today.replace(day=1), ahead) for ahead in range(3))
    days = (day_in_month(first.year, first.month, day) for first in months)
    return next((found for found in days if found and found >= today), None)


def next_in_cycle(day: date, cycle: Cycle, after: date) -> date | None:
    """The day that comes round like `day` and is not before `after`, one turn of its cycle at most."""
    match cycle:
        case Cycle.WEEK:
            turned = day + timedelta(days=7)
        case Cycle.MONTH:
            turned = plus_months(day, 1)
        case Cycle.YEAR:
            turned = plus_months(day, 12)
        case Cycle.NEVER:
            turned = day
    return next((candidate for candidate in (day, turned) if candidate >= after), None)
