"""Expressions of time put together: a day and a time are a moment, two days a period.

Each expression has a letter, so those that stand side by side have a shape, such as `D@C` for "tomorrow at 4 PM". Regular expressions over
shapes say what goes together. They repeat nothing, so reading takes time in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time

from toolplan.values import durations, reckoning
from toolplan.values.expressions import Expression, expressions
from toolplan.values.meanings import DAY, LAST_MOMENT, Day, Duration, Moment, Span, Unclear
from toolplan.values.points import NoMeaning, Phrase, Point, agreeing, point_of
from toolplan.values.vocabulary import plain

# Letters as in `expressions`. `N` is a time only where its neighbours make it one.
_TIME = "(?:[Pp]?@?C[Pp]?Z?|[Pp]@?N|@?NPZ?|@NZ?)"
_DAY = "(?:D[Pp]?|Q)"
_MOMENT = f"(?:{_DAY}{_TIME}|{_TIME}{_DAY}|N(?:D[Pp]|Q)|QN|M)"
_END = f"(?:{_MOMENT}|{_DAY}|{_TIME}|N)"
_SHAPES = re.compile(
    rf"(?P<period>(?P<lead>{_DAY})??(?:f?(?P<first>{_END})t(?P<last>ND|{_END})|b(?P<low>{_END})a(?P<high>ND|{_END}))(?P<more>t{_END})?)"
    rf"|(?P<distant>U[fAB](?:{_MOMENT}|D))|(?P<unknown>U[AB]{_TIME}|{_MOMENT}x|{_TIME}x)"
    rf"|(?P<moment>{_MOMENT})|(?P<part>D[Pp]|PD|Q)|(?P<time>{_TIME})|(?P<single>[DSUX])"
)
# What may stand between two expressions that belong together.
_NOTHING_BETWEEN = re.compile(r"(?:'s)?[ ,]{0,3}(?:(?:on|of|the)[ ]{1,3}){0,2}")
_SENTENCE_END = re.compile(r"[.!?](?:[ ]|$)")


def phrases(text: str, now: datetime) -> list[Phrase]:
    """What `text` says of time, in order. What has no one meaning is among it as `Unclear`."""
    small = plain(text)
    found = expressions(small, now)
    shape, places = _shape(small, found)
    read: list[Phrase] = []
    moving, seen = False, 0
    for match in _SHAPES.finditer(shape):
        between = shape[seen : match.start()]
        moving = "V" in between[between.rfind(".") + 1 :] or (moving and "." not in between)
        seen = match.end()
        groups = {name: _behind(found, places, match.span(name)) for name in _SHAPES.groupindex if match[name] is not None}
        read.extend(_Reader(small, now, moving=moving).read(groups))
    return read


def _shape(text: str, found: Sequence[Expression]) -> tuple[str, list[int]]:
    """The signs of `found`, with `|` or `.` where something else stands between; and for each letter which expression it stands for."""
    shape: list[str] = []
    places: list[int] = []
    end = 0
    for number, each in enumerate(found):
        gap = text[end : each.start]
        if not _NOTHING_BETWEEN.fullmatch(gap):
            shape.append("." if _SENTENCE_END.search(gap) else "|")
            places.append(number)
        shape.append(each.sign)
        places.append(number)
        end = each.end
    return "".join(shape), places


def _behind(found: Sequence[Expression], places: Sequence[int], span: tuple[int, int]) -> Sequence[Expression]:
    """The expressions behind a stretch of the shape that has no gap in it."""
    return found[places[span[0]] : places[span[1] - 1] + 1]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads what stands together. `moving`: the sentence is about moving something, so `from A to B` are two values and no period."""

    text: str
    now: datetime
    moving: bool = field(kw_only=True)

    def read(self, groups: Mapping[str, Sequence[Expression]]) -> list[Phrase]:
        """The phrases of one match of a shape, by the name of the group that matched."""
        name, terms = next(iter(groups.items()))
        try:
            match name:
                case "period":
                    return self._period(groups)
                case "distant":
                    return self._distant(*terms)
                case "unknown":
                    return [Phrase(terms[0].start, terms[-1].end, _unclear(terms))]
                case "moment" if len(terms) == 1 and isinstance(terms[0].meaning, Moment):
                    return [Phrase(terms[0].start, terms[0].end, terms[0].meaning)]
                case "moment" | "part" | "time":
                    return point_of(terms).alone(self.now)
                case _:
                    return [_alone(terms[0])]
        except NoMeaning as error:
            return [Phrase(terms[0].start, terms[-1].end, Unclear(str(error)))]
        except (ValueError, OverflowError):
            return [Phrase(terms[0].start, terms[-1].end, Unclear("is no day of the calendar"))]

    def _distant(self, length: Expression, joint: Expression, *rest: Expression) -> list[Phrase]:
        assert isinstance(length.meaning, Duration)
        (there,) = point_of(rest).alone(self.now)[:1]
        if joint.sign == "f" and self.text[: length.start].endswith("for "):
            return [_alone(length), there]
        distance = durations.backwards(length.meaning) if joint.sign == "B" else length.meaning
        match there.meaning:
            case Moment(at):
                return [Phrase(length.start, there.end, Moment(durations.later(at, distance)))]
            case Day(day) if not distance.length % DAY:
                return [Phrase(length.start, there.end, Day(reckoning.plus(day, distance)))]
            case _:
                raise NoMeaning("is no single day")

    def _period(self, groups: Mapping[str, Sequence[Expression]]) -> list[Phrase]:
        if "more" in groups:
            raise NoMeaning("is more than one period")
        lead = point_of(groups["lead"]) if "lead" in groups else None
        ends = [groups[name] for name in ("first", "last", "low", "high") if name in groups]
        first, last = map(point_of, ends)
        are_numbers = [[each.sign for each in end] == ["N"] for end in ends]
        if all(are_numbers) and lead is None:
            return []
        if first.clock and last.clock and not (last.day and (first.day or self.moving)):
            clocks = agreeing(first.clock, last.clock)
            first, last = replace(first, clock=clocks[0]), replace(last, clock=clocks[1])
        if self.moving and "first" in groups:
            is_time = groups["period"][0].sign == "f" or not are_numbers[0]
            return self._each(lead, first if is_time else None, last)
        return self._span(lead, first, last)

    def _span(self, lead: Point | None, first: Point, last: Point) -> list[Phrase]:
        given = lead.day if lead else None
        start = first.day or given or (last.day if first.clock and last.clock else None)
        end = last.day or (start if bool(first.clock) == bool(last.clock) else None)
        if start is None or end is None:
            return self._each(lead, first, last)
        zone = self.now.tzinfo
        since, until = first.on(start.date, time(), zone), last.on(end.date, LAST_MOMENT, zone)
        if until <= since:
            turned = start.date + DAY if last.day is None else reckoning.next_in_cycle(end.date, end.cycle, start.date)
            until = last.on(turned or end.date, LAST_MOMENT, zone)
        if until <= since:
            raise NoMeaning("ends before it begins")
        return [Phrase((lead or first).start, last.end, Span(since, until))]

    def _each(self, *points: Point | None) -> list[Phrase]:
        return [phrase for point in points if point for phrase in point.alone(self.now)]


def _alone(term: Expression) -> Phrase:
    assert isinstance(term.meaning, Day | Span | Duration | Unclear)
    return Phrase(term.start, term.end, term.meaning)


def _unclear(terms: Sequence[Expression]) -> Unclear:
    return next((each.meaning for each in terms if isinstance(each.meaning, Unclear)), Unclear("depends on a time that may be of any day"))
