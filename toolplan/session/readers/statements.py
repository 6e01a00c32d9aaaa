"""What a turn states, by the words that a model found in it.

A model tells which words say what. What they mean is found out as for the rules: a moment is put together of a day and a time of day, a day
within the words for a thing is the day of that thing, and words name an entity that is known, or a new one. Of a goal for which the model
finds no words at all, the phrases of the goal tell what was said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from toolplan.domain import AtomicFormula, Fact, Goal
from toolplan.goals.readings import Goals, Reading
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.planning.plans import Atom
from toolplan.planning.problem import ground
from toolplan.session.readers.assigning import Value, converted
from toolplan.session.readers.completing import complete
from toolplan.session.readers.interpreting import Interpretation
from toolplan.session.readers.openings import Openings, openings_of
from toolplan.session.readers.phrases import INTRODUCING, Filled, Match, best_match, fits
from toolplan.session.readers.prompts import brought_about
from toolplan.session.readers.things import vocabulary
from toolplan.session.readers.tokens import spoken, tokens
from toolplan.session.readers.wordings import Wording, Wordings
from toolplan.session.turns import Context, Mention, Stated
from toolplan.values import Normal, normal

Group = Sequence[Wording]
Binding = Mapping[str, str]


class Statements:
    """The entities that the turn `text` speaks of and the facts that it states, by its `wordings`; `goals` are those that it wants.

    Without any, it speaks of the goals that are open, or else of those that were done last. Where a thing is named once more, what is said
    from there on is about another one.
    """

    def __init__(self, text: str, context: Context, goals: Reading, wordings: Wordings) -> None:
        self.faults: list[Diagnostic] = []
        self.left_out: list[Diagnostic] = []
        self._context = context
        self._wordings = wordings
        self._turn = Interpretation(context, text, wordings.turn)
        self._placed: dict[Wording, None] = {}
        before = tuple(goal for goal, _ in self._turn.goals_before)
        self._wanted: Sequence[Goals] = [candidate.goals for candidate in goals.candidates] or ([before] if before else [])
        self._read(goals)

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """The entities, in the order in which they are named."""
        return tuple(self._turn.mentions.values())

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The facts, each once."""
        return tuple(self._turn.stated.values())

    def _read(self, goals: Reading) -> None:
        if goals.candidates:
            open_goals = dict(self._turn.open_goals)
            for goal in self._wanted[0]:
                self._wish(goal, self._undescribed(goal, open_goals.get(goal, {})))
        else:
            for goal, binding in self._turn.goals_before:
                self._wish(goal, binding)
        plausible = self._context.domain.policy.plausible
        others = chain.from_iterable(c.goals for c in goals.candidates[1:] if c.p >= plausible)
        for goal in dict.fromkeys(goal for goal in others if goal not in self._wanted[0]):
            self._alternative(goal)
        for fact, wordings in self._unplaced():
            self._state(fact, wordings)
        complete(self._turn)
        for wording in self._placed:
            self._check(wording)

    # What goals have a place for

    def _wish(self, goal: str, binding: Binding) -> None:
        """What the wordings say of `goal`, and what else the turn says of it by types; `binding` are the entities that it is about already."""
        places = _places(openings_of(self._context.domain, goal))
        groups = list(self._groups(places)) or [[]]
        for number, group in enumerate(groups):
            others = {at for other in groups if other is not group for wording in other for at in range(wording.start, wording.end)}
            named = {places[wording.fact.name][1] for wording in group if number}
            before, self._turn.used = self._turn.used, self._turn.used | others
            match = self._match(goal, places, group) if group else self._by_phrase(goal)
            self._turn.wish(goal, match, {v: name for v, name in binding.items() if v not in named})
            self._turn.used = self._turn.used - others | before

    def _alternative(self, goal: str) -> None:
        places = _places(openings_of(self._context.domain, goal))
        group = next(self._groups(places), None)
        match = self._match(goal, places, group) if group is not None else self._by_phrase(goal)
        if match is not None:
            self._turn.alternative(goal, match)

    def _groups(self, places: Places) -> Iterator[Group]:
        """The wordings that there are `places` for, as the turn has them, cut where a thing is named that was named already."""
        group: list[Wording] = []
        named: set[str] = set()
        for wording in sorted(self._wordings.all, key=lambda one: one.start):
            if wording.option is None and wording.fact.name in places:
                thing = places[wording.fact.name][1]
                if thing and thing in named:
                    yield group
                    group, named = [], set()
                group.append(wording)
                named.add(thing)
        if group:
            yield group

    def _match(self, goal: str, places: Places, group: Group) -> Match:
        """`group` as what fills the slots of a phrase."""
        clauses = set(_clauses(self._context.domain.goals[goal]))
        self._placed.update(dict.fromkeys(group))
        filled = [(places[wording.fact.name][0], *wording.without(group)) for wording in group]
        return Match(tuple(Filled(slot, start, end, slot in clauses) for slot, start, end in filled), 0)

    def _by_phrase(self, goal: str) -> Match | None:
        """The phrase of `goal` that says most of the turn, of which the model found no words."""
        domain = self._context.domain
        return best_match(domain.goals[goal], openings_of(domain, goal).facts, self._turn.turn, vocabulary(domain).verbs)

    def _undescribed(self, goal: str, binding: Binding) -> Binding:
        """`binding` without the entities that the turn names anew, though it is known already what they are."""
        places = _places(openings_of(self._context.domain, goal))
        said = {wording.fact.name for wording in self._wordings.all}
        described = [(formula, thing) for fact, (formula, thing) in places.items() if fact in said and thing in binding]
        anew = {thing for formula, thing in described if ground(formula, binding) in self._context.state.known}
        return {variable: name for variable, name in binding.items() if variable not in anew}

    # What no goal has a place for

    def _unplaced(self) -> list[tuple[Fact, list[Wording]]]:
        by_fact: dict[str, list[Wording]] = {}
        for wording in self._wordings.all:
            if wording not in self._placed:
                by_fact.setdefault(wording.fact.name, []).append(wording)
        return [(wordings[0].fact, wordings) for wordings in by_fact.values()]

    def _state(self, fact: Fact, wordings: Sequence[Wording]) -> None:
        """A fact that is told by `wordings` alone."""
        atom = self._atom(fact)
        if atom is None:
            message = f"nothing is read of {quoted(fact.name)}: the turn speaks of nothing that it can be about"
            self.left_out.append(Diagnostic(Code.ENGINE_NOT_BELIEVED, message))
            return
        read = [(wording, value) for wording in wordings for value in self._value(wording)]
        for wording in wordings:
            if wording not in [told for told, _ in read]:
                self._misfit(wording)
        values = [value for place, (_, value) in enumerate(read) if value not in [before for _, before in read[:place]]]
        if fact.many and values:
            self._turn.state(atom, Value(values, self._stretch([wording for wording, _ in read])))
        elif len(values) > 1:
            self.faults.append(Diagnostic(Code.CONFLICTING_STATE, f"the answer states {len(values)} values of {quoted(str(atom))}"))
        elif values:
            # That something is so has no words of its own to prove it: it may be asked for once more.
            is_proved = fact.value is not None or (self._context.asked is not None and atom in self._context.asked.atoms)
            self._turn.state(atom, Value(values[0], read[0][0].words if is_proved else ""))

    def _atom(self, fact: Fact) -> Atom | None:
        """`fact` about the entities that the turn speaks of; None where there is none for one of its parameters."""
        mentioned = {name: mention.type for name, mention in self._turn.mentions.items()}
        before = [name for _, binding in self._turn.goals_before for name in binding.values()]
        kinds = {**{name: self._context.entities[name] for name in before if name in self._context.entities}, **mentioned}
        arguments: list[str] = []
        for parameter in fact.parameters:
            fitting = [name for name, kind in kinds.items() if self._context.domain.is_subtype(kind, parameter.type)]
            arguments += [name for name in fitting if name not in arguments][-1:]
        return Atom(fact.name, tuple(arguments)) if len(arguments) == len(fact.parameters) else None

    def _value(self, wording: Wording) -> Iterator[object]:
        """The value that `wording` says, if it says one."""
        kind, now = wording.fact.value, self._context.now
        if kind is None:
            yield True
        elif wording.option is not None:
            yield wording.option == "true" if kind.kind == "boolean" else wording.option
        elif isinstance(meant := normal(kind, wording.words, now), Normal):
            yield _in_zone(meant.value, now) if kind.kind == "datetime" else meant.value
        else:
            said = [token for token in self._wordings.tokens_of(wording) if fits(wording.fact, token)]
            if len(said) == 1 and (value := converted(kind, said[0], now)) is not None:
                yield value

    def _stretch(self, wordings: Sequence[Wording]) -> str:
        start, end = min(one.start for one in wordings), max(one.end for one in wordings)
        return wordings[0].words if len(wordings) == 1 else spoken(self._turn.text, self._wordings.turn[start:end])

    # What cannot be used

    def _check(self, wording: Wording) -> None:
        """Whether something was made of `wording`, and of no other one in its place."""
        if _takes_words(wording.fact):
            rivals = [other for other in self._placed if other.fact is wording.fact and not other.overlaps(wording)]
            if rivals and not wording.fact.parameters and wording.start < rivals[0].start:
                self.faults.append(Diagnostic(Code.CONFLICTING_STATE, f"the answer states two values of {quoted(wording.fact.name)}"))
        elif not self._values_are_read(wording):
            self._misfit(wording)

    def _misfit(self, wording: Wording) -> None:
        """Words that are no value of their fact: a fault, unless they say something else, or the value is said otherwise or asked for."""
        name = wording.fact.name
        is_said = any(atom.fact == name for atom in self._turn.stated)
        is_harmless = is_said or self._is_read_otherwise(wording) or self._is_asked_anyway(name)
        finding = Diagnostic(Code.WRONG_TYPE, f"{quoted(wording.words)} cannot be used as a value of {quoted(name)}")
        (self.left_out if is_harmless else self.faults).append(finding)

    def _is_read_otherwise(self, wording: Wording) -> bool:
        others = [other for other in self._placed if other.fact is not wording.fact and _takes_words(other.fact)]
        named = {at for other in others for at in range(other.start, other.end)}
        return named.issuperset(range(wording.start, wording.end)) or self._values_are_read(wording)

    def _values_are_read(self, wording: Wording) -> bool:
        """Whether there are values in `wording`, and something was made of each."""
        values = [at for at in range(wording.start, wording.end) if self._turn.turn[at].value is not None]
        return bool(values) and self._turn.used.issuperset(values)

    def _is_asked_anyway(self, fact: str) -> bool:
        """Whether nothing is known of `fact`, and the user has to say it before anything is done that the turn may mean."""
        state, domain = self._context.state, self._context.domain
        if any(atom.fact == fact for atom in chain(state.known, state.uncertain, state.denied)):
            return False
        if self._context.asked is not None and any(atom.fact == fact for atom in self._context.asked.atoms):
            return True
        given = [{formula.fact for goal in goals for formula in domain.goals[goal].given} for goals in self._wanted]
        return bool(given) and fact in set.intersection(*given) - brought_about(domain)


Places = Mapping[str, tuple[AtomicFormula, str]]
"""By fact, where what is said of it belongs, and the variable whose thing it names; "" where it names none."""


def _places(openings: Openings) -> Places:
    """The places for words in a goal. The two ends of a stretch of time have none: they are told by what the turn says when."""
    paired = set(chain.from_iterable(openings.stretches))
    names = {openings.description(variable): variable for variable in openings.types}
    places: dict[str, tuple[AtomicFormula, str]] = {}
    for formula, fact in openings.facts.items():
        is_told = fact.value is not None and fact.value.kind not in ("enum", "boolean")
        if formula not in paired and not fact.many and (is_told or formula in names):
            places.setdefault(fact.name, (formula, names.get(formula, "")))
    return places


def _clauses(goal: Goal) -> Iterator[AtomicFormula]:
    """What phrases of `goal` have a whole clause for: "let them know that ..."."""
    for template in goal.templates:
        if len(template) > 1 and isinstance(template[-2], str) and isinstance(template[-1], AtomicFormula):
            before = tokens(template[-2], ())
            if before and not INTRODUCING.isdisjoint((before[-1].lower, before[-1].stem)):
                yield template[-1]


def _takes_words(fact: Fact) -> bool:
    return fact.value is None or fact.value.kind == "text"


def _in_zone(value: object, now: datetime) -> str:
    """A moment; one in the user's zone unless it names another."""
    moment = datetime.fromisoformat(str(value))
    return (moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)).isoformat()
