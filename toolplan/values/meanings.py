"""What an expression of time means, before expressions are put together."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from re import Match, Pattern
from typing import NamedTuple

DAY = timedelta(days=1)
LAST_MOMENT = time(23, 59, 59)
MIDNIGHT = 24


class Cycle(enum.Enum):
    """After what an expression without more words comes round again: `Monday`, `the 5th`, `March 8`."""

    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    NEVER = "never"


class Half(enum.Enum):
    """Which half of the day an hour belongs to. Open: by the words it may be either."""

    AM = "am"
    PM = "pm"
    FULL = "24 hours"
    OPEN = "open"


class Part(enum.Enum):
    """A part of a day. Evening and night both last from 18:00 until midnight."""

    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"

    def of(self, day: date, zone: tzinfo | None) -> Span:
        """This part of `day`."""
        first, last = _HOURS.get(self, (18, 23))
        return Span(datetime.combine(day, time(first), zone), datetime.combine(day, time(last, 59, 59), zone))

    def half(self, hour: int) -> Half:
        """The half of the day of an `hour` from 1 to 12 in this part."""
        match self:
            case Part.MORNING:
                return Half.AM
            case Part.NIGHT:
                return Half.PM if 6 <= hour <= 11 else Half.AM
            case _:
                return Half.PM


_HOURS = {Part.MORNING: (6, 11), Part.AFTERNOON: (12, 17)}


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar."""

    date: date
    cycle: Cycle = Cycle.NEVER


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as it was said; `zone` where the words name one. The hour of the word `midnight` is `MIDNIGHT`."""

    hour: int
    minute: int = 0
    second: int = 0
    half: Half = Half.FULL
    zone: tzinfo | None = None

    def settled(self) -> time:
        """The time of day. Of hours that may be either, 1 to 5 are in the afternoon and 9 to 12 are as said."""
        match self.half:
            case Half.FULL:
                hour = self.hour % MIDNIGHT
            case Half.AM:
                hour = self.hour % 12
            case Half.PM:
                hour = self.hour % 12 + 12
            case Half.OPEN:
                hour = self.hour + 12 if self.hour < 6 else self.hour
        return time(hour, self.minute, self.second, tzinfo=self.zone)

    @property
    def is_open(self) -> bool:
        """Whether people say it of the morning as well as of the evening: 6 to 8 o'clock."""
        return self.half is Half.OPEN and 6 <= self.hour <= 8

    @property
    def is_midnight(self) -> bool:
        """Whether it is the word `midnight`, which on a day may be its start or its end."""
        return self.hour == MIDNIGHT


@dataclass(frozen=True, slots=True)
class Moment:
    """A day and a time."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Span:
    """A period from its first to its last moment."""

    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class DayPart:
    """`tonight`: a part of a day that is known."""

    date: date
    part: Part


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time; months have no length in days."""

    months: int = 0
    length: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone."""

    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Unclear:
    """An expression of time that has no one meaning. `reason` goes on after the words: "may be 5 June or 6 May"."""

    reason: str


@dataclass(frozen=True, slots=True)
class Joint:
    """A word that joins expressions and means nothing alone."""


Meaning = Day | Clock | Moment | Span | DayPart | Duration | Zone | Unclear | Part | Joint


Read = Callable[[Match[str], datetime], Meaning | None]
"""Gives what the words that matched mean at this moment, or nothing where they speak of something else."""


class Rule(NamedTuple):
    """How one form of expression is read. `sign` is its letter in the shape of a text, by which expressions are put together."""

    sign: str
    pattern: Pattern[str]
    read: Read


def rule(sign: str, pattern: str, read: Read) -> Rule:
    """The rule that reads what `pattern` matches."""
    return Rule(sign, re.compile(pattern), read)


def always(meaning: Meaning) -> Read:
    """Gives `meaning`, whatever the words and the moment."""
    return lambda match, now: meaning
