"""Phrases with slots, laid over a turn: the literal words anchor it, and what lies between them fills the slots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from toolplan.domain import AtomicFormula, Fact, Goal, Slot, Variable
from toolplan.session.readers.tokens import BEFORE_INSTANTS, FILLERS, Token, stem, stems, tokens

ENDS = frozenset("because since so but if when while before then instead please thanks thank asap now too again without unless".split())
"""Words that no description of a thing goes beyond."""
INTRODUCING = frozenset({"that", ":", stem("saying"), stem("know")})
"""Words after which a whole clause is said, to the end of the turn."""
BEFORE_GERUNDS = frozenset("about by mind of without".split())
"""Words after which a participle says what to do: "how about moving it"."""
UNTIL = frozenset("to till until".split())
NEGATIONS = frozenset("don't don’t dont not never without".split())

FITTING = {
    "date": frozenset({"date", "datetime", "period"}),
    "datetime": frozenset({"date", "time", "datetime", "period"}),
    "decimal": frozenset({"decimal", "integer"}),
}
"""The kinds of found values that fill a slot of a type; of any other type only its own kind does."""


class Part(NamedTuple):
    """One step along a phrase: a word by its stem, or a slot."""

    word: str
    slot: Slot | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """A slot and the tokens that fill it, from `start` to before `end`; whether a clause was said there rather than a thing."""

    slot: Slot
    start: int
    end: int
    is_clause: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase of a goal laid over a turn. `words` counts the literal words."""

    filled: tuple[Filled, ...]
    words: int

    @property
    def worth(self) -> tuple[int, int, int]:
        """More slots first, then more words, then the earlier."""
        return len(self.filled), self.words, -self.filled[0].start

    @property
    def part(self) -> range:
        """From the first to the last token of the turn that fills a slot."""
        return range(self.filled[0].start, max(filled.end for filled in self.filled))

    def overlaps(self, other: Match) -> bool:
        """Whether both say something of the same part of the turn."""
        return self.part.start < other.part.stop and other.part.start < self.part.stop


def best_match(goal: Goal, facts: Mapping[AtomicFormula, Fact], turn: Sequence[Token], verbs: frozenset[str]) -> Match | None:
    """The phrase of `goal` that says most of `turn`; the first of equals. `verbs` are words with which a new wish may begin."""
    templates = [parts for template in goal.templates if (parts := _parts(template))]
    stops = _stops(templates)
    matches = [match for parts in templates if (match := _Alignment(parts, facts, turn, stops, verbs).match()) is not None]
    return max(matches, key=lambda match: match.worth, default=None)


def best_continuation(goal: Goal, facts: Mapping[AtomicFormula, Fact], turn: Sequence[Token], verbs: frozenset[str]) -> Match | None:
    """The same for a turn that leaves out how the phrase begins: "and the other one to 5"."""
    tails = [parts[first:] for template in goal.templates if (parts := _parts(template)) for first in [_first_slot(parts)] if first]
    whole = [parts for parts in tails if len(parts) > 1]
    matches = [match for parts in whole if (match := _Alignment(parts, facts, turn, _stops(whole), verbs).match()) is not None]
    return max(matches, key=lambda match: match.worth, default=None)


def _parts(template: Sequence[str | Slot]) -> list[Part]:
    parts: list[Part] = []
    for piece in template:
        if isinstance(piece, str):
            parts += [Part(word) for word in _literals(piece)]
        else:
            parts.append(Part("", piece))
    return parts


def _literals(text: str) -> list[str]:
    """The words of a phrase that a turn must share. "that" is no filler here: it opens a clause."""
    return [token.lower if token.lower == "that" else token.stem for token in tokens(text, ()) if _is_literal(token)]


def _is_literal(token: Token) -> bool:
    return token.lower in INTRODUCING or not (token.is_mark or token.lower in FILLERS)


def _first_slot(parts: Sequence[Part]) -> int:
    return next(number for number, part in enumerate(parts) if part.slot is not None)


def _stops(templates: Sequence[Sequence[Part]]) -> Mapping[Slot, frozenset[str]]:
    """The words that follow each slot in some phrase, so that none of them is taken for what fills it."""
    following: dict[Slot, set[str]] = {}
    for parts in templates:
        for part, after in pairwise(parts):
            if part.slot is not None and after.word:
                following.setdefault(part.slot, set()).add(after.word)
    return {slot: frozenset(words) for slot, words in following.items()}


class _Alignment:
    """Goes along the phrase and keeps every place of the turn where it can stand, with the place where the last step began.

    Of several ways to the same place the shortest step counts, so that a slot takes no more words than it must.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        facts: Mapping[AtomicFormula, Fact],
        turn: Sequence[Token],
        stops: Mapping[Slot, frozenset[str]],
        verbs: frozenset[str],
    ) -> None:
        self.parts = parts
        self.facts = facts
        self.turn = turn
        self.stops = stops
        self.verbs = verbs

    def match(self) -> Match | None:
        reached = dict.fromkeys(self._beginnings(), 0)
        steps: list[dict[int, int]] = []
        for number in range(len(self.parts)):
            reached = self._step(number, reached)
            if not reached:
                return None
            steps.append(reached)
        return self._traced(steps)

    def _traced(self, steps: Sequence[dict[int, int]]) -> Match:
        at = min(steps[-1])
        filled: list[Filled] = []
        for number in reversed(range(len(self.parts))):
            start = steps[number][at]
            slot = self.parts[number].slot
            if slot is not None:
                filled.append(Filled(slot, start, at, self._opens_clause(number)))
            at = start
        return Match(tuple(reversed(filled)), sum(part.slot is None for part in self.parts))

    def _beginnings(self) -> Iterator[int]:
        """Where a wish may begin: anywhere for one that begins with a word, else where a clause begins; never after a negation."""
        for at, token in enumerate(self.turn):
            before = self.turn[at - 1] if at else None
            if before is not None and before.lower in NEGATIONS:
                continue
            if self.parts[0].word and not self._is_command(at):
                continue
            if self.parts[0].word or before is None or before.is_mark or before.lower in ("and", "also", "then"):
                yield at if token.lower not in ("and", "also", "then") else at + 1

    def _is_command(self, at: int) -> bool:
        """Whether the word at `at` can be a verb that says what to do: no participle, as in "the planning meeting"."""
        word = self.turn[at].lower
        return word not in FILLERS and (not word.endswith(("ing", "ed")) or (at > 0 and self.turn[at - 1].lower in BEFORE_GERUNDS))

    def _step(self, number: int, reached: Mapping[int, int]) -> dict[int, int]:
        part = self.parts[number]
        if part.slot is None:
            return self._over_word(part.word, number, reached)
        if not self._takes_words(part.slot):
            return self._over_value(self.facts[part.slot], reached)  # type: ignore[index]
        if number + 1 == len(self.parts):
            return self._to_the_end(number, part.slot, reached)
        return self._over_words(reached)

    def _is_moment(self, number: int) -> bool:
        """Whether the step is a slot for when something is."""
        slot = self.parts[number].slot if number < len(self.parts) else None
        fact = self.facts.get(slot) if isinstance(slot, AtomicFormula) else None
        return fact is not None and fact.value is not None and fact.value.kind in ("date", "datetime")

    def _takes_words(self, slot: Slot) -> bool:
        if isinstance(slot, Variable) or slot not in self.facts:
            return True
        value = self.facts[slot].value
        return value is None or value.kind in ("text", "schema")

    def _over_word(self, word: str, number: int, reached: Mapping[int, int]) -> dict[int, int]:
        """Past `word`. A preposition before a moment may be another one, or left out."""
        onwards: dict[int, int] = {}
        is_loose = word in BEFORE_INSTANTS - {"from"} and self._is_moment(number + 1)
        for at in reached:
            here = at
            while here < len(self.turn) and self.turn[here].lower in FILLERS and self.turn[here].lower != word:
                here += 1
            if here < len(self.turn) and (self.turn[here].stem == word or self.turn[here].lower == word):
                onwards.setdefault(here + 1, at)
            elif is_loose:
                onwards.setdefault(at, at)
        return onwards

    def _over_value(self, fact: Fact, reached: Mapping[int, int]) -> dict[int, int]:
        onwards: dict[int, int] = {}
        for at in reached:
            here = at
            while here < len(self.turn) and (self.turn[here].lower in FILLERS or self.turn[here].lower in BEFORE_INSTANTS):
                here += 1
            end = self._value_end(fact, here)
            if end > here:
                onwards.setdefault(end, here)
        return onwards

    def _value_end(self, fact: Fact, at: int) -> int:
        """After the value of `fact` that stands at `at`: at `at` where there is none. A day and a time of day side by side are one."""
        if at >= len(self.turn) or not fits_slot(fact, self.turn[at]):
            return at
        here = at + 1
        while here < len(self.turn) and (self.turn[here].lower in BEFORE_INSTANTS or self.turn[here].lower in (",", "'s")):
            here += 1
        kinds = {token.value.kind for token in (self.turn[at], *self.turn[here : here + 1]) if token.value is not None}
        return here + 1 if kinds == {"date", "time"} else at + 1

    def _over_words(self, reached: Mapping[int, int]) -> dict[int, int]:
        """To every place after one that was reached, within the sentence."""
        onwards: dict[int, int] = {}
        nearest = -1
        for at in range(len(self.turn) + 1):
            if nearest >= 0:
                if self._ends_sentence(at - 1):
                    nearest = -1
                else:
                    onwards[at] = nearest
            if at in reached:
                nearest = at
        return onwards

    def _to_the_end(self, number: int, slot: Slot, reached: Mapping[int, int]) -> dict[int, int]:
        at = min(reached)
        if self._opens_clause(number):
            return {len(self.turn): at} if at < len(self.turn) else {}
        end = at
        while end < len(self.turn) and not self._ends_thing(end, slot, at):
            end += 1
        return {end: at} if end > at else {}

    def _opens_clause(self, number: int) -> bool:
        return number > 0 and number + 1 == len(self.parts) and self.parts[number - 1].word in INTRODUCING

    def _ends_sentence(self, at: int) -> bool:
        return self.turn[at].is_mark and self.turn[at].lower in ".!?;\n"

    def _ends_thing(self, at: int, slot: Slot, start: int) -> bool:
        token = self.turn[at]
        if token.is_mark and token.lower in ".!?;:,()…—":
            return True
        if token.value is not None:
            return False
        if token.lower == "and":
            return at + 1 < len(self.turn) and self.turn[at + 1].lower in self.verbs
        if token.lower in UNTIL and at + 1 < len(self.turn) and self.turn[at + 1].is_instant:
            return True
        return at > start and (token.lower in ENDS or token.stem in self.stops.get(slot, ()))


def fits_slot(fact: Fact, token: Token) -> bool:
    """Whether the value at `token` may be one of `fact` where only such a one is expected: "5" is a time of day then."""
    is_number = token.value is not None and token.value.kind == "integer"
    return fits(fact, token) or (is_number and fact.value is not None and fact.value.kind == "datetime")


def fits(fact: Fact, token: Token) -> bool:
    """Whether the value at `token` may be one of `fact`."""
    if fact.value is None:
        return False
    if fact.value.kind == "enum":
        return token.stem != "" and any(stems(option) == [token.stem] for option in fact.value.options)
    return token.value is not None and token.value.kind in FITTING.get(fact.value.kind, {fact.value.kind})
