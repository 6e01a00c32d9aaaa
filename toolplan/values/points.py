"""Points in time, of which the words may say the day, the time of day, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo
from typing import NamedTuple

from toolplan.values import reckoning
from toolplan.values.expressions import Expression
from toolplan.values.meanings import DAY, LAST_MOMENT, Clock, Day, DayPart, Duration, Half, Joint, Moment, Part, Span, Unclear, Zone

_EITHER_HALF = "may be in the morning or in the evening"


class Phrase(NamedTuple):
    """Expressions that mean one thing together. A `Clock` among them is never open."""

    start: int
    end: int
    meaning: Day | Clock | Moment | Span | Duration | Unclear


class NoMeaning(Exception):
    """Expressions that contradict each other, or mean more than one thing together."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point in time that may lack its day or its time of day, or have only a part of the day."""

    start: int
    end: int
    day: Day | None
    clock: Clock | None
    part: Part | None
    day_place: tuple[int, int]

    def on(self, day: date, edge: time, zone: tzinfo | None) -> datetime:
        """This point on `day`; `edge` says which end of the day, or of its part, is meant where no time is said."""
        if self.clock:
            return _combined(day, self.clock, zone)
        if self.part:
            span = self.part.of(day, zone)
            return span.last if edge == LAST_MOMENT else span.first
        return datetime.combine(day, edge, zone)

    def alone(self, now: datetime) -> list[Phrase]:
        """What it means where nothing is joined to it. A day stands even where its time has no one meaning."""
        if self.day and self.clock and self.clock.is_open:
            start, end = self.day_place
            rest = (end, self.end) if start == self.start else (self.start, start)
            return sorted((Phrase(start, end, self.day), Phrase(*rest, Unclear(_EITHER_HALF))), key=lambda phrase: phrase.start)
        return [Phrase(self.start, self.end, self._meaning(now))]

    def _meaning(self, now: datetime) -> Day | Clock | Moment | Span:
        if self.day is None:
            assert self.clock is not None
            if self.clock.is_open:
                raise NoMeaning(_EITHER_HALF)
            return self.clock
        if self.clock:
            return Moment(self._coming(self.day, self.clock, now))
        return self._coming_part(self.day, self.part, now) if self.part else self.day

    def _coming(self, day: Day, clock: Clock, now: datetime) -> datetime:
        """The moment; on a weekday that is today and over at that time, that of the next turn."""
        moment = _combined(day.date, clock, now.tzinfo)
        if day.date != now.date() or moment >= now:
            return moment
        return _combined(_turned(day), clock, now.tzinfo)

    def _coming_part(self, day: Day, part: Part, now: datetime) -> Span:
        span = part.of(day.date, now.tzinfo)
        return part.of(_turned(day), now.tzinfo) if day.date == now.date() and span.last < now else span


def _turned(day: Day) -> date:
    """The day after one turn of its cycle, or itself where it has none."""
    return reckoning.next_in_cycle(day.date, day.cycle, day.date + DAY) or day.date


def _combined(day: date, clock: Clock, zone: tzinfo | None) -> datetime:
    if clock.is_midnight:
        raise NoMeaning("may be the start or the end of the day")
    if clock.is_open:
        raise NoMeaning(_EITHER_HALF)
    at = clock.settled()
    return datetime.combine(day, at, at.tzinfo or zone)


def point_of(terms: Sequence[Expression]) -> Point:
    """The point that these expressions say together."""
    said = [each for each in terms if not isinstance(each.meaning, Joint)]
    day: Day | None = None
    clock: Clock | None = None
    part: Part | None = None
    place = said[0].start, said[0].end
    for each in said:
        match each.meaning:
            case Day():
                day, place = each.meaning, (each.start, each.end)
            case Moment(at):
                day, clock = Day(at.date()), Clock(at.hour, at.minute, at.second, zone=at.tzinfo)
            case DayPart(at_day, at_part):
                day, part, place = Day(at_day), at_part, (each.start, each.end)
            case Part():
                part = each.meaning
            case Clock():
                clock = each.meaning
            case Zone(zone) if clock:
                clock = replace(clock, zone=zone)
    if clock and part:
        clock = _in_part(clock, part, day)
    return Point(said[0].start, said[-1].end, day, clock, part, place)


def _in_part(clock: Clock, part: Part, day: Day | None) -> Clock:
    """The time in that part of the day."""
    settled = replace(clock, half=part.half(clock.hour)) if clock.half is Half.OPEN else clock
    is_morning = settled.settled().hour < 12
    if part is not Part.NIGHT and is_morning != (part is Part.MORNING):
        raise NoMeaning("contradicts itself")
    if part is Part.NIGHT and is_morning and day:
        raise NoMeaning("may be the night before or after")
    return settled


def agreeing(first: Clock, last: Clock) -> tuple[Clock, Clock]:
    """Both times in the halves of the day that make the period shortest, where one of them leaves its half open, and in one zone."""
    if first.half is Half.OPEN and last.half is Half.OPEN:
        if first.is_open:
            raise NoMeaning(_EITHER_HALF)
        first = replace(first, half=Half.AM if first.settled().hour < 12 else Half.PM)
    if first.zone is None:
        first = replace(first, zone=last.zone)
    pairs = [(one, other) for one in _halves(first) for other in _halves(last)]
    return min(pairs, key=lambda pair: (_minutes(pair[1]) - _minutes(pair[0]) - 1) % 1440)


def _halves(clock: Clock) -> tuple[Clock, ...]:
    return tuple(replace(clock, half=half) for half in (Half.AM, Half.PM)) if clock.half is Half.OPEN else (clock,)


def _minutes(clock: Clock) -> int:
    at = clock.settled()
    return at.hour * 60 + at.minute
