"""Days, times of day and moments, put together and taken apart. All are texts in normal form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from toolplan.domain import ValueType
from toolplan.values import Found, Normal, found, normal

FIRST, LAST = "00:00:00", "23:59:59"
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d))?")


def day_of(value: object) -> str | None:
    """The day of a date or a moment."""
    match = MOMENT.match(value) if isinstance(value, str) else None
    return match[1] if match else None


def time_of(value: object) -> str | None:
    """The time of day of a moment, without its zone."""
    match = MOMENT.match(value) if isinstance(value, str) else None
    return match[2] if match else None


def moment(day: str, time: str, now: datetime) -> str:
    """`time` on `day`, in the zone of `now` where `time` names none."""
    at = datetime.fromisoformat(f"{day}T{time}")
    return (at if at.tzinfo is not None else at.replace(tzinfo=now.tzinfo)).isoformat()


def words_of_day(words: str, day: str | None, now: datetime) -> str:
    """How `words`, which say a moment, begin or end where they say its `day`: "March 8th at noon"; all of them where that is not clear."""
    pieces = words.split()
    parts = [" ".join(part) for cut in range(1, len(pieces)) for part in (pieces[:cut], pieces[cut:])]
    return next((part for part in parts if normal(ValueType("date"), part, now) == Normal(day)), words)


def day_said(values: Iterable[Found]) -> str | None:
    """The one day that `values` speak of; None where it is none, or several."""
    days = {day for value in values if value.kind in ("date", "datetime") and (day := day_of(value.value))}
    return days.pop() if len(days) == 1 else None


def stretch(value: Found, now: datetime) -> tuple[object, object] | None:
    """The first and the last moment of what `value` says; of a moment those of its day, and nothing of a time of day."""
    if value.kind == "period" and isinstance(value.value, tuple | list):
        return value.value[0], value.value[1]
    day = day_of(value.value) if value.kind in ("date", "datetime") else None
    if day is None:
        return None
    return moment(day, FIRST, now), moment(day, LAST, now)


def ends_within_days(value: Found) -> tuple[object, object] | None:
    """The two ends of a stretch that is not made of whole days: "from noon to one"."""
    ends = stretch(value, datetime.min) if value.kind == "period" else None
    return None if ends is None or time_of(ends[0]) == FIRST else ends


def as_moment(values: Iterable[Found], day: str | None, now: datetime) -> object | None:
    """The moment that `values`, said side by side, mean; a time of day is one on `day`. None where they leave the day or the time open."""
    said = [_time_of_day(value, now) if value.kind == "integer" else value for value in values]
    for value in said:
        if value.kind == "datetime":
            return value.value
    time = next((value for value in said if value.kind == "time"), None)
    on = next((day_of(value.value) for value in said if value.kind == "date"), day)
    return moment(on, str(time.value), now) if time is not None and on is not None else None


def _time_of_day(number: Found, now: datetime) -> Found:
    """The time of day that a number means where one is expected; the number itself where it is none."""
    return next(iter(found(f"at {number.words}", now)), number)
