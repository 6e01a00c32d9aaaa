"""How well readers read values: what they make of turns whose values others annotated.

A value is right if its normal form is that of one of the annotated wordings. *Precision* is the share of the values read that hold after
the turn, whether or not it says them anew; *recall* the share of the values that the turn states that are read, and rightly. What the
user wants, which question is open, and what was known before, readers get to know from the annotation: here they read values, not goals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from toolplan.bench.real.agreement import Agreement, agreement
from toolplan.domain import Domain, ValueType
from toolplan.goals.rankers.model import Ask
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.session.readers.model import Model
from toolplan.session.readers.rules import Rules
from toolplan.session.turns import Context, Stated, TurnReading
from toolplan.values import Normal, normal


@dataclass(frozen=True, slots=True)
class Annotated:
    """A value of a type in all the wordings that the annotation has for it, the user's own first. There is at least one."""

    type: ValueType
    wordings: tuple[str, ...]
    now: datetime

    @property
    def forms(self) -> list[object]:
        """The normal form of each wording that has one."""
        results = (normal(self.type, wording, self.now) for wording in self.wordings)
        return [result.value for result in results if isinstance(result, Normal)]

    def is_said_by(self, value: object) -> bool:
        """Whether `value` is one of the normal forms, or one of the wordings."""
        return self._comparable(value) in map(self._comparable, (*self.forms, *self.wordings))

    def _comparable(self, value: object) -> object:
        """`value` without what an annotation does not tell: capitals, and of a moment, which is a time of day to it, the day."""
        if not isinstance(value, str):
            return value
        _, moment, time = value.partition("T") if self.type.kind == "datetime" else ("", "", "")
        return time[:8] if moment else value.casefold()


@dataclass(frozen=True, slots=True)
class SlotTurn:
    """A turn with its annotated values by fact: those that it states, and those that hold after it, among them the stated ones.

    `context` has the goals that are pursued after the turn; `wanted` are those of them that the turn itself asks for.
    """

    name: str
    text: str
    context: Context
    wanted: tuple[Goals, ...]
    stated: Mapping[str, Annotated]
    held: Mapping[str, Annotated]


SlotReader = Callable[[SlotTurn], TurnReading]


@dataclass(frozen=True, slots=True)
class Wanting:
    """Ranks by an oracle: whatever is requested, `goals` are wanted."""

    goals: tuple[Goals, ...]

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        """`goals`, all as probable."""
        return reading_of(request, [(goals, 1.0 / len(self.goals)) for goals in self.goals])


def by_annotation(turn: SlotTurn) -> TurnReading:
    """The reading of an oracle: the annotated values. One that has no normal form is as the user said it."""
    stated = [Stated(Atom(fact), (*value.forms, *value.wordings)[0], value.wordings[0]) for fact, value in turn.stated.items()]
    return TurnReading(turn.text, Wanting(turn.wanted).rank(turn.text, turn.context.domain, turn.context.state), tuple(stated))


def by_rules(turn: SlotTurn) -> TurnReading:
    """The reading of the rules, which are told what is wanted."""
    return Rules(Wanting(turn.wanted)).read(turn.text, turn.context)


def by_model(ask: Ask) -> SlotReader:
    """Readings of the model that `ask` asks, which finds out for itself what is wanted."""
    model = Model(ask)
    return lambda turn: model.read(turn.text, turn.context)


READERS: Mapping[str, SlotReader] = {"annotation": by_annotation, "rules": by_rules}
"""Those that need no model."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A value that was read, or one that was to be read. `wrong` says what is wrong with it, and is empty where nothing is.

    It was `asked` for just before; a goal is `given` it, and otherwise it is one that may be left out.
    """

    kind: str
    asked: bool
    given: bool
    wrong: str = ""


def values_read(turn: SlotTurn, reading: TurnReading) -> Iterator[Judged]:
    """The values of `reading`, each beside what holds after `turn`."""
    facts = turn.context.domain.facts
    for fact, value in _by_fact(reading).items():
        if facts[fact].value is not None:
            held = turn.held.get(fact)
            wrong = "no value is annotated" if held is None else "" if held.is_said_by(value) else "another value"
            yield _judged(turn, fact, wrong)


def values_stated(turn: SlotTurn, reading: TurnReading) -> Iterator[Judged]:
    """The values that `turn` states, each beside `reading`."""
    read = _by_fact(reading)
    for fact, stated in turn.stated.items():
        wrong = "not read" if fact not in read else "" if stated.is_said_by(read[fact]) else "another value"
        yield _judged(turn, fact, wrong)


GROUPS: Mapping[str, Callable[[Judged], bool]] = {
    "all": lambda one: True,
    "asked for": lambda one: one.asked,
    "unasked": lambda one: not one.asked,
    "required": lambda one: one.given,
    "optional": lambda one: not one.given,
}


def agreements(data: str, reader: str, turns: Sequence[SlotTurn], readings: Sequence[TurnReading]) -> Iterator[Agreement]:
    """Precision and recall of all values, of those that are asked for and that goals are given, or not, and of each kind."""
    pairs = list(zip(turns, readings, strict=True))
    read = [one for turn, reading in pairs for one in values_read(turn, reading)]
    stated = [one for turn, reading in pairs for one in values_stated(turn, reading)]
    for group, belongs in {**GROUPS, **_kinds(stated)}.items():
        for what, ones in (("precision", read), ("recall", stated)):
            if cases := list(filter(belongs, ones)):
                yield agreement(data, f"{reader}: {what}, {group}", cases, lambda one: not one.wrong, lambda one: one.wrong)


def normalised(data: str, turns: Iterable[SlotTurn]) -> Iterator[Agreement]:
    """How often all wordings of a value that is no text have a normal form, and how often that is one and the same."""
    values = [value for turn in turns for value in turn.stated.values() if value.type.kind != "text"]
    several = [value for value in values if len(value.wordings) > 1]
    yield agreement(data, "wordings with a normal form", values, lambda value: len(value.forms) == len(value.wordings), _kind)
    yield agreement(data, "wordings of one value with one normal form", several, lambda value: len({*map(str, value.forms)}) == 1, _kind)


def _kinds(judged: Iterable[Judged]) -> dict[str, Callable[[Judged], bool]]:
    def of(kind: str) -> Callable[[Judged], bool]:
        return lambda one: one.kind == kind

    return {kind: of(kind) for kind in sorted({one.kind for one in judged})}


def _judged(turn: SlotTurn, fact: str, wrong: str) -> Judged:
    context = turn.context
    value_type = context.domain.facts[fact].value
    given = {formula.fact for goals in context.goals for goal in goals for formula in context.domain.goals[goal].given}
    asked = context.asked is not None and Atom(fact) in context.asked.atoms
    return Judged(value_type.kind if value_type else "", asked, fact in given, wrong)


def _by_fact(reading: TurnReading) -> dict[str, object]:
    return {stated.atom.fact: stated.value for stated in reading.stated}


def _kind(value: Annotated) -> str:
    return value.type.kind
