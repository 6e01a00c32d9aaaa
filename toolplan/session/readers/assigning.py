"""Typed values to the facts that they can be of. What could be of several facts is left out: a wrong value is worse than none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from toolplan.domain import AtomicFormula, Fact, ValueType
from toolplan.session.readers.moments import as_moment, day_of, day_said, ends_within_days, moment, stretch, time_of, words_of_day
from toolplan.session.readers.openings import Openings
from toolplan.session.readers.options import Said, flag_said, option_said
from toolplan.session.readers.phrases import UNTIL, fits, fits_slot
from toolplan.session.readers.tokens import Token, spoken, stem, stems
from toolplan.values import Found, Misfit, Normal, normal

BEGINNING = frozenset(map(stem, "from start starting begin go leave leaving depart departure departing pick pickup check checkin".split()))
ENDING = frozenset(map(stem, "until till through end ending return returning back out drop dropoff checkout".split()))
"""Words for the two ends of a stay or a journey."""
BETWEEN = frozenset("to until till through and - –".split())
"""Words between two days that are said as one stretch."""
DAYS = frozenset({"date", "period"})
WHEN = frozenset(map(stem, "date day time datetime".split()))
"""Words in the names of days and moments that do not tell of what they are."""


class Value(NamedTuple):
    """A value in normal form and the words it was read from."""

    value: object
    words: str


@dataclass
class Assigning:
    """Gives the values of one turn to the facts of one goal. `known` is the state before the turn.

    A time of day takes its day from `said`, all values of the turn, before it takes the `day` that the state has for a fact. Where what is
    wanted has no `dates`, it is on the day on which it is said, if it is still to come. `told` is what was given so far, `taken` where the
    tokens start whose values it came from.
    """

    text: str
    openings: Openings
    known: Callable[[AtomicFormula], object]
    day: Callable[[AtomicFormula], str | None]
    said: Sequence[Found]
    now: datetime
    dates: Sequence[AtomicFormula]
    told: dict[AtomicFormula, Value] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)

    def slot(self, formula: AtomicFormula, part: Iterable[Token]) -> None:
        """A value that was said where `formula` has its place."""
        tokens = [token for token in part if fits_slot(self.openings.facts[formula], token)]
        if tokens:
            self._tell(formula, self._as(formula, tokens), tokens)
            self._tell_day_of(formula, tokens)

    def described(self, terms: tuple[object, ...], tokens: Iterable[Token]) -> list[Token]:
        """Moments that were said within the words for a thing: they tell which one it is. Those that say nothing of it are given back."""
        left = []
        for token in tokens:
            stretches = [pair for pair in self.openings.stretches if pair[0].terms == terms]
            days = [formula for formula in self.openings.of_kind("date") if formula.terms == terms]
            if len(stretches) + len(days) != 1:
                left.append(token)
            elif stretches:
                self._tell_stretch(stretches[0], token)
            else:
                self.slot(days[0], [token])
        return left

    def rest(self, tokens: Sequence[Token], turn: Sequence[Token]) -> None:
        """Values that no phrase has a place for, by their types."""
        for kind in dict.fromkeys(token.value.kind for token in tokens if token.value is not None and not token.is_instant):
            self._by_kind([token for token in tokens if token.value is not None and token.value.kind == kind], turn)
        self._by_length([token for token in tokens if token.value is not None and token.value.kind == "duration"])
        self._by_time([token for token in tokens if token.is_instant], turn)

    # By type

    def _by_kind(self, tokens: Sequence[Token], turn: Sequence[Token]) -> None:
        if tokens[0].value is None or tokens[0].value.kind == "quoted":
            return
        fitting = [formula for formula, fact in self._untold() if all(fits(fact, token) for token in tokens)]
        if len(fitting) == len(tokens) == 1:
            self.slot(fitting[0], tokens)
            return
        for token in tokens:
            named = self._named(fitting, token, turn)
            if len(named) == 1:
                self.slot(named[0], [token])

    def in_words(self, turn: Sequence[Token]) -> None:
        """Options that are named, and what is said to be wanted or not, each by the one fact that it can be of."""
        for formula, fact in list(self._untold()):
            if fact.value is not None and (said := self._in_words(formula, fact.value, turn)) is not None:
                words = turn[said.start : said.end]
                rivals = [other for other, of in self._untold() if of.value is not None and any(fits(of, token) for token in words)]
                if rivals in ([], [formula]):
                    self._tell(formula, said.value, words)

    def _in_words(self, formula: AtomicFormula, kind: ValueType, turn: Sequence[Token]) -> Said | None:
        if kind.kind == "boolean":
            return flag_said(self.openings.words.get(formula, ()), turn)
        return option_said(kind, turn) if kind.kind == "enum" else None

    def _by_length(self, tokens: Sequence[Token]) -> None:
        """Lengths of time to the numbers that count their unit: "two days" where the number of days is wanted."""
        for token in tokens:
            count, _, unit = token.lower.rpartition(" ")
            read = normal(ValueType("integer"), count, self.now)
            counting = [f for f in self.openings.of_kind("integer") if f not in self.told and stem(unit) in self._words(f)]
            if isinstance(read, Normal) and len(counting) == 1:
                self._tell(counting[0], read.value, [token], self.text[token.start : token.start + len(count)])

    def _by_time(self, tokens: Sequence[Token], turn: Sequence[Token]) -> None:
        days = [token for token in tokens if token.value is not None and token.value.kind in DAYS]
        if len(days) > 1:
            denied = {after.start for token, after in pairwise(turn) if token.lower == "not"}
            days = [token for token in days if token.start not in denied]
        moments = [token for token in tokens if token not in days]
        untold = [formula for formula in self.openings.moments if formula not in self.told]
        if len(days) == len(moments) == len(untold) == 1 and not self._places_of_days():
            self.slot(untold[0], tokens)
        elif len(days) == 1 and len(untold) == 2 and not moments and (ends := _ends(days[0])) is not None:
            for formula, value in zip(untold, ends, strict=True):
                self._tell(formula, value, days)
        elif len(moments) == len(untold):
            for formula, token in zip(untold, moments, strict=True):
                self.slot(formula, [token])
        elif not self.openings.moments:
            days = [*tokens]
        elif moments:
            self._by_kind(moments, turn)
        if len(days) == 1 and not (_has_two_ends(days[0]) and self._beginning_and_end()):
            self._tell_day(days[0], turn)
        else:
            self._tell_days(days)

    def _tell_days(self, tokens: Sequence[Token]) -> None:
        """Of two days, the earlier is that on which something begins, the later that on which it ends."""
        ends = [stretch(token.value, self.now) for token in tokens if token.value is not None]
        days = sorted({day for pair in ends for end in pair or () if (day := day_of(end)) is not None})
        for formula, day in zip(self._beginning_and_end(), days if len(days) == 2 else (), strict=False):
            self._tell(formula, day, tokens)

    def _beginning_and_end(self) -> tuple[AtomicFormula, ...]:
        """The two facts that say on which day something begins and on which it ends; nothing where it is not clear which are."""
        days = self.openings.of_kind("date")
        ends = [formula for formula in days if not ENDING.isdisjoint(self.openings.words.get(formula, ()))]
        return (*(formula for formula in days if formula not in ends), *ends) if len(days) == 2 and len(ends) == 1 else ()

    def _said_of_day(self, token: Token, turn: Sequence[Token]) -> AtomicFormula | None:
        """Which of beginning and end the day at `token` is, by the nearest word before it that tells, within its clause."""
        for word in reversed(turn[: turn.index(token)]):
            if word.is_mark or word.value is not None or word.lower in ("and", "but"):
                return None
            for formula, words in zip(self._beginning_and_end(), (BEGINNING, ENDING), strict=False):
                if word.stem in words:
                    return formula
        return None

    def _tell_day(self, token: Token, turn: Sequence[Token]) -> None:
        """A day without a time of day: the day that the thing is on, or another one for moments that are known."""
        places = self._places_of_days()
        known = [formula for formula in self.openings.moments if time_of(self.known(formula)) and formula not in self.told]
        days = {day_of(self.known(formula)) for formula in known}
        at = turn.index(token)
        is_target = at > 0 and turn[at - 1].lower in UNTIL
        if known and (is_target or not places):
            self._move(known if len(days) == 1 else (), token)
        elif len(places) == 1:
            before = day_of(self.known(places[0][0]))
            if before is None or days <= {before}:
                self._tell_place(places[0], token)
        elif (formula := self._said_of_day(token, turn)) is not None and formula not in self.told:
            self.slot(formula, [token])

    def _tell_day_of(self, formula: AtomicFormula, tokens: Sequence[Token]) -> None:
        """The day of a moment that was said with its day, for the fact that says the day alone."""
        days = [token for token in tokens if token.value is not None and token.value.kind in ("date", "datetime")]
        date = _date_of(formula, self.openings) if days and formula in self.told else None
        if date is not None:
            day = day_of(self.told[formula].value)
            self._tell(date, day, days[:1], words_of_day(spoken(self.text, days[:1]), day, self.now))

    def _move(self, formulas: Iterable[AtomicFormula], token: Token) -> None:
        """Moments that keep their time of day and come on another day."""
        day = day_of(token.value.value) if token.value is not None and token.value.kind == "date" else None
        for formula in formulas:
            time = time_of(self.known(formula))
            if day is not None and time is not None:
                self._tell(formula, moment(day, time, self.now), [token])

    # What is open

    def _untold(self) -> list[tuple[AtomicFormula, Fact]]:
        return [(formula, fact) for formula, fact in self.openings.facts.items() if formula not in self.told]

    def _places_of_days(self) -> list[tuple[AtomicFormula, ...]]:
        """The facts, alone or in pairs, that a day without a time of day can be of."""
        days: list[tuple[AtomicFormula, ...]] = [(formula,) for formula in self.openings.of_kind("date")]
        return [place for place in (*self.openings.stretches, *days) if place[0] not in self.told]

    def _named(self, formulas: Sequence[AtomicFormula], token: Token, turn: Sequence[Token]) -> list[AtomicFormula]:
        """Those of `formulas` that have a word beside `token` in their names or descriptions; the nearest such word decides."""
        at = turn.index(token)
        for place in (at + 1, at - 1, at - 2):
            word = turn[place].stem if 0 <= place < len(turn) else ""
            if named := [formula for formula in formulas if word and word in self._words(formula)]:
                return named
        return []

    def _words(self, formula: AtomicFormula) -> list[str]:
        fact = self.openings.facts[formula]
        return stems(f"{fact.name.replace('_', ' ')} {fact.description}")

    # Telling

    def _tell_place(self, place: tuple[AtomicFormula, ...], token: Token) -> None:
        if len(place) == 2:
            self._tell_stretch((place[0], place[1]), token)
        else:
            self.slot(place[0], [token])

    def _tell_stretch(self, pair: tuple[AtomicFormula, AtomicFormula], token: Token) -> None:
        ends = stretch(token.value, self.now) if token.value is not None else None
        for formula, value in zip(pair, ends or (), strict=False):
            self._tell(formula, value, [token])

    def _tell(self, formula: AtomicFormula, value: object, tokens: Sequence[Token], words: str = "") -> None:
        """That `formula` has `value`, by `words`, or all that the `tokens` say."""
        if value is not None and formula not in self.told:
            self.told[formula] = Value(value, words or spoken(self.text, tokens))
            self.taken.update(token.start for token in tokens)

    def _as(self, formula: AtomicFormula, tokens: Sequence[Token]) -> object:
        kind = self.openings.facts[formula].value
        values = [token.value for token in tokens if token.value is not None]
        if kind is not None and kind.kind == "datetime":
            return self._moment(formula, values)
        return converted(kind, tokens[0], self.now)

    def _moment(self, formula: AtomicFormula, values: Sequence[Found]) -> object:
        day = day_said(self.said) or self.day(formula)
        if day is None and not formula.terms and not self.dates and values[0].kind == "time":
            read = normal(ValueType("datetime"), values[0].words, self.now)
            return read.value if isinstance(read, Normal) else None
        return as_moment(values, day, self.now)


def day_in_state(formula: AtomicFormula, openings: Openings, known: Callable[[AtomicFormula], object]) -> str | None:
    """The day of the thing whose moment `formula` is: the one it is at now, else the one that was meant for it."""
    if (current := day_of(known(formula))) is not None:
        return current
    alike = [moment for moment in openings.moments if moment.terms == formula.terms]
    places = _of_the_same_end(formula, openings) or [(moment,) for moment in alike]
    days = {day_of(known(place[0])) for place in places if day_of(known(place[0])) == day_of(known(place[-1]))} - {None}
    return days.pop() if len(days) == 1 else None


def _of_the_same_end(moment: AtomicFormula, openings: Openings) -> list[tuple[AtomicFormula, ...]]:
    """The facts that say on which day `moment` is: of the days on which something begins and ends the one that its name tells of."""
    places = openings.days_of(moment)
    words = set(openings.words.get(moment, ()))
    if len(places) == 1 or not words & (BEGINNING | ENDING):
        return places
    is_end = not ENDING.isdisjoint(words)
    return [place for place in places if is_end is not ENDING.isdisjoint(openings.words.get(place[0], ()))]


def _date_of(moment: AtomicFormula, openings: Openings) -> AtomicFormula | None:
    """The fact that says the day of `moment`, by their names: `show_date` of `show_time`; None where it is not clear which."""
    if moment not in openings.moments or moment not in openings.words:
        return None
    about = set(openings.words[moment]) - WHEN
    ends = [place[0] for place in _of_the_same_end(moment, openings) if about & (BEGINNING | ENDING) and len(place) == 1]
    named = [date for date in openings.of_kind("date") if date in openings.words and set(openings.words[date]) - WHEN == about]
    dates = named or ends
    return dates[0] if len(dates) == 1 else None


def converted(kind: ValueType | None, token: Token, now: datetime) -> object:
    """The value at `token` as a `kind`, None where it is none."""
    if token.value is None:
        options = kind.options if kind is not None else ()
        return next((option for option in options if stems(option) == [token.stem]), None)
    raw = token.value.value
    if kind is not None and kind.kind == "date":
        return day_of(raw) if token.value.kind in ("date", "datetime") else None
    read = normal(kind, raw, now)
    return None if isinstance(read, Misfit) else read.value


def _has_two_ends(token: Token) -> bool:
    """Whether it says from when until when, and not only in which week or month."""
    return token.value is not None and token.value.kind == "period" and not BETWEEN.isdisjoint(token.lower.split())


def _ends(token: Token) -> tuple[object, object] | None:
    return ends_within_days(token.value) if token.value is not None else None
