"""The entities that a turn speaks of, and the facts that it states about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from functools import cached_property
from itertools import chain, pairwise

from toolplan.domain import AtomicFormula, Fact, Variable
from toolplan.goals.readings import Goals
from toolplan.language import nodes
from toolplan.language.diagnostics import DomainError
from toolplan.language.parser import parse_condition
from toolplan.language.source import Source
from toolplan.planning.plans import Atom
from toolplan.planning.problem import ground
from toolplan.session.readers.assigning import Assigning, Value, day_in_state
from toolplan.session.readers.clauses import clauses
from toolplan.session.readers.moments import day_said
from toolplan.session.readers.naming import Name, assigned, is_number, names
from toolplan.session.readers.openings import Openings, openings_of
from toolplan.session.readers.options import asked_back
from toolplan.session.readers.phrases import Filled, Match
from toolplan.session.readers.things import Thing, Vocabulary, referred, thing, verbatim, vocabulary
from toolplan.session.readers.tokens import Token, spoken
from toolplan.session.turns import Context, Mention, Stated
from toolplan.values import Found, found

NAMING = frozenset("with to for invite add from let tell".split())
"""Words after which people are named."""


def instance(context: Context, written: str) -> tuple[str, dict[str, str]] | None:
    """The goal, and the entities that stand for its parameters, of a goal as it is written; None for any other condition."""
    if written in context.domain.goals:
        return written, {}
    try:
        node = parse_condition(Source("<goal>", written))
    except DomainError:
        return None
    if not isinstance(node, nodes.Formula) or node.name.text not in context.domain.goals:
        return None
    terms = [term.text if isinstance(term, nodes.Name) else str(term.value) for term in node.terms or ()]
    variables = [parameter.name for parameter in context.domain.goals[node.name.text].parameters]
    return node.name.text, dict(zip(variables, terms, strict=False))


class Interpretation:
    """What has been understood of one turn so far. Each value of the turn is used once."""

    def __init__(self, context: Context, text: str, turn: Sequence[Token]) -> None:
        self.context = context
        self.text = text
        self.turn = turn
        self.vocabulary: Vocabulary = vocabulary(context.domain)
        self.mentions: dict[str, Mention] = {}
        self.stated: dict[Atom, Stated] = {}
        self.used: set[int] = set(asked_back(turn)) if context.goals else set()
        self.finished: frozenset[str] = frozenset()

    @property
    def now(self) -> datetime:
        """When the turn is said."""
        return self.context.now

    @property
    def left(self) -> list[Token]:
        """The values that nothing has been made of, and that are no part of a name. Yes and no are replies, and values only to who asks for them."""
        gone = self.used | self._in_names
        return [token for at, token in enumerate(self.turn) if token.value is not None and token.value.kind != "boolean" and at not in gone]

    @property
    def unused(self) -> list[Token]:
        """The tokens that nothing has been made of."""
        return [token for at, token in enumerate(self.turn) if at not in self.used]

    @cached_property
    def _in_names(self) -> frozenset[int]:
        """The numbers that are part of a name: "140 Homer Avenue"."""
        longer = [name for name in names(self.turn, self.text, ()) if name.end - name.start > 1]
        named = chain.from_iterable(range(name.start, name.end) for name in longer)
        return frozenset(at for at in named if is_number(self.turn[at]))

    def names(self) -> list[Name]:
        """The names that nothing has been made of."""
        return names(self.turn, self.text, self.used)

    def state_name(self, atom: Atom, name: Name) -> None:
        """A name is the value of `atom`, and of nothing else."""
        words = spoken(self.text, self.turn[name.start : name.end])
        self.state(atom, Value(words, words))
        self.used.update(range(name.start, name.end))

    @property
    def said(self) -> list[Found]:
        """All values of the turn."""
        return [token.value for token in self.turn if token.value is not None]

    @cached_property
    def day_before(self) -> str | None:
        """The one day that the earlier turns of the open request speak of."""
        return day_said(value for text in self.context.said for value in found(text, self.now))

    @cached_property
    def open_goals(self) -> list[tuple[str, dict[str, str]]]:
        """The goals that are open, with their entities."""
        return self._instances(self.context.goals)

    @cached_property
    def goals_before(self) -> list[tuple[str, dict[str, str]]]:
        """What a turn without a goal of its own speaks of: the goals that are open, else those of the request that was done last."""
        return self.open_goals or self._instances(self.context.done)

    def _instances(self, readings: Sequence[Goals]) -> list[tuple[str, dict[str, str]]]:
        written = dict.fromkeys(goal for goals in readings for goal in goals)
        return [read for goal in written if (read := instance(self.context, goal)) is not None]

    @property
    def takes_moments(self) -> bool:
        """Whether a goal that is open has a place for when something is."""
        return any(openings_of(self.context.domain, goal).of_kind("date", "datetime") for goal, _ in self.open_goals)

    def wish(self, goal: str, match: Match | None, binding: Mapping[str, str], like: Mapping[str, str] | None = None) -> None:
        """A goal, with its phrase where one was found; `binding` are the entities that it is about already.

        A phrase takes nothing from clauses that it has no part in. Days that nobody says are those of the entities in `like`.
        """
        done = self._instances(self.context.done)
        self.finished = frozenset(chain.from_iterable(of.values() for other, of in done if other == goal))
        elsewhere = self._elsewhere(match) - self.used if match is not None else set()
        self.used |= elsewhere
        reading = _Wish(self, openings_of(self.context.domain, goal), dict(binding), like or {})
        if match is not None:
            reading.fill(match)
        reading.rest()
        self.used -= elsewhere

    def _elsewhere(self, match: Match) -> set[int]:
        """The clauses of the turn that `match` has no part in."""
        others = [clause for clause in self._clauses if clause.stop <= match.part.start or match.part.stop <= clause.start]
        return set(chain.from_iterable(others))

    @cached_property
    def _clauses(self) -> list[range]:
        return clauses(self.turn, self.vocabulary.verbs)

    def once_more(self, binding: Mapping[str, str], variables: Iterable[str]) -> None:
        """What is wanted is wanted again, and it is about the entities of `binding` that stand for `variables`."""
        for name in (binding[variable] for variable in variables if variable in binding):
            if name in self.context.words:
                self.mentions[name] = Mention(name, self.context.entities[name], "")

    def also(self, goal: str, binding: Mapping[str, str], called: Thing) -> bool:
        """A goal for one more person or thing: "and Bob", "and the invoice". Whether it is clear in whose place."""
        openings = openings_of(self.context.domain, goal)
        variable = self._named(openings, binding, called)
        if variable is None:
            return False
        name = self.entity(openings.types[variable], called)
        self.once_more(binding, openings.types.keys() - {variable})
        return self._renamed(openings.description(variable), {**binding, variable: name}, called)

    def about(self, goal: str, called: Thing) -> None:
        """A goal for what `called` names, where there is one place for it."""
        openings = openings_of(self.context.domain, goal)
        described = [variable for variable in openings.types if openings.description(variable)]
        if len(described) == 1 and not self.vocabulary.is_vague(called):
            self._renamed(openings.description(described[0]), {described[0]: self.entity(openings.types[described[0]], called)}, called)

    def alternative(self, goal: str, match: Match) -> None:
        """What the turn says if it means `goal` instead: the values may be used once more."""
        used, self.used = self.used, set()
        self.wish(goal, match, {})
        self.used |= used

    def take(self, starts: Set[int]) -> None:
        """Use up the values that start at these places of the text."""
        self.used.update(at for at, token in enumerate(self.turn) if token.start in starts)

    def day_of(self, atom: Atom) -> str | None:
        """The day that `atom`, a moment of something that is open, is on as far as the state tells."""
        for goal, binding in self.open_goals:
            wish = _Wish(self, openings_of(self.context.domain, goal), binding, {})
            for formula in wish.openings.facts:
                if ground(formula, binding) == atom:
                    return wish.day(formula)
        return None

    def naming(self, goal: str, binding: Mapping[str, str], called: Thing) -> bool:
        """Another name for one of the things that an open goal is about: "I meant Bob". Whether it is clear for which."""
        openings = openings_of(self.context.domain, goal)
        if not openings.types:
            texts = [formula for formula in openings.of_kind("text")]
            return len(texts) == 1 and self._renamed(texts[0], {}, called)
        variable = self._named(openings, binding, called)
        return variable is not None and self._renamed(openings.description(variable), binding, called)

    def _named(self, openings: Openings, binding: Mapping[str, str], called: Thing) -> str | None:
        """The one variable, of those that the user has spoken of, whose thing or person `called` may name; None where it is not clear."""
        described = {variable for variable, name in binding.items() if name in self.context.words and openings.description(variable)}
        people = {variable for variable in described if openings.types[variable] in self.vocabulary.people}
        is_name = all(word[:1].isupper() for word in called.value.split())
        named = people if is_name and people else described - people
        return next(iter(named)) if len(named) == 1 else None

    def _renamed(self, formula: AtomicFormula | None, binding: Mapping[str, str], called: Thing) -> bool:
        if formula is None or any(isinstance(term, Variable) and term.name not in binding for term in formula.terms):
            return False
        self.state(ground(formula, binding), _value(called, self.context.domain.facts[formula.fact]))
        return True

    def state(self, atom: Atom, value: Value) -> None:
        """A fact that the turn states; the first value stands."""
        self.stated.setdefault(atom, Stated(atom, value.value, value.words))

    def entity(self, type_name: str, called: Thing) -> str:
        """The entity that is called so: one that is known, or a new one. It counts as mentioned."""
        name = self.referred(type_name, called)
        if name is None:
            name = next(new for new in self.context.new_names(type_name) if new not in self.mentions)
        self.mentions.setdefault(name, Mention(name, self.context.entities.get(name, type_name), called.words))
        return name

    def referred(self, type_name: str, called: Thing) -> str | None:
        """The entity that is meant, of those that the session knows and those that the turn has mentioned; None for a new one."""
        words = {**self.context.words, **{mention.name: mention.words for mention in self.mentions.values()}}
        current = {*self.mentions, *chain.from_iterable(binding.values() for _, binding in self.open_goals)}
        return referred(called, self._of_type(type_name), words, current, self.finished)

    def _of_type(self, type_name: str) -> list[str]:
        """The entities of a type, those of the session before those of the turn."""
        types = {**self.context.entities, **{mention.name: mention.type for mention in self.mentions.values()}}
        return [
            name for name, kind in types.items() if kind in self.context.domain.types and self.context.domain.is_subtype(kind, type_name)
        ]


class _Wish:
    """One goal of a turn: its variables, and what is said of them."""

    def __init__(self, turn: Interpretation, openings: Openings, binding: dict[str, str], like: Mapping[str, str]) -> None:
        self.turn = turn
        self.openings = openings
        self.binding = binding
        self.like = like
        said = [token.value for token in turn.left if token.value is not None]
        self.assigning = Assigning(turn.text, openings, self.known, self.day, said, turn.now, openings.of_kind("date"))
        self.inside: list[tuple[tuple[object, ...], Token]] = []

    def fill(self, match: Match) -> None:
        """What stands in the slots of a phrase."""
        for filled in sorted(match.filled, key=self._is_no_description):
            part = self.turn.turn[filled.start : filled.end]
            if isinstance(filled.slot, AtomicFormula) and not self.openings.takes_words(filled.slot):
                self.assigning.slot(filled.slot, part)
                if filled.slot in self.assigning.told:
                    self._use(filled)
            else:
                self._fill_words(filled, part)

    def rest(self) -> None:
        """Values outside the slots, and people who are named; then all that was told is stated."""
        for terms, token in self.inside:
            if self.assigning.described(terms, [token]):
                self.turn.used.discard(self.turn.turn.index(token))
        self.assigning.rest(self.turn.left, self.turn.turn)
        self.assigning.in_words(self.turn.unused)
        self.turn.take(self.assigning.taken)
        for formula, value in self.assigning.told.items():
            self._state(formula, value)
        self._name_people()
        self._name_texts()

    def _is_no_description(self, filled: Filled) -> bool:
        """Slots that say what an entity is called come first, so that it is known by that."""
        if isinstance(filled.slot, Variable):
            return False
        return filled.slot not in [self.openings.description(variable) for variable in _variables(filled.slot)]

    def _use(self, filled: Filled) -> None:
        self.turn.used.update(at for at in range(filled.start, filled.end) if self.turn.turn[at].value is not None)

    def _fill_words(self, filled: Filled, part: Sequence[Token]) -> None:
        if len(part) == 1 and part[0].value is not None and part[0].value.kind in ("email", "url"):
            return
        if not self.openings.of_kind("date", "datetime"):
            part = [token.as_word if token.is_instant else token for token in part]
        formula = filled.slot if isinstance(filled.slot, AtomicFormula) else self.openings.description(filled.slot.name)
        variables = [filled.slot.name] if isinstance(filled.slot, Variable) else _variables(filled.slot)
        is_person = len(variables) == 1 and self.openings.types[variables[0]] in self.turn.vocabulary.people
        for number, named in enumerate(_listed(part) if is_person else [part]):
            called = self._called(filled, named)
            if called is not None:
                self._use(filled)
                self.inside += [(formula.terms if formula is not None else (), token) for token in called.moments]
                if number:
                    self.binding.pop(variables[0], None)
                self._tell(formula, variables, called)

    def _called(self, filled: Filled, part: Sequence[Token]) -> Thing | None:
        if not filled.is_clause:
            return thing(self.turn.text, part)
        # Where the clause ends and another wish begins is not clear then.
        joined = any(token.lower == "and" and after.lower in self.turn.vocabulary.verbs for token, after in pairwise(part))
        return None if joined else verbatim(self.turn.text, part)

    def _tell(self, formula: AtomicFormula | None, variables: Sequence[str], called: Thing) -> None:
        """What words say: which entity a variable stands for, and what that is called unless it is known already."""
        variable = variables[0] if len(variables) == 1 and variables[0] not in self.binding else None
        describes = variable is not None and (called.points or formula == self.openings.description(variable))
        if variable is not None and describes and not self._brings(variable, called):
            return
        if formula is not None and formula in self.openings.facts and not called.points:
            self._state(formula, _value(called, self.openings.facts[formula]))

    def _brings(self, variable: str, called: Thing) -> bool:
        """Whether `called` is a new entity, in words that tell which. `variable` stands for it then, or for the known one that is meant."""
        type_name = self.openings.types[variable]
        known = self.turn.referred(type_name, called)
        if known is None and called.points:
            return False
        self.binding[variable] = self.turn.entity(type_name, called)
        return known is None and not self.turn.vocabulary.is_vague(called)

    def _state(self, formula: AtomicFormula, value: Value) -> None:
        for variable in _variables(formula):
            if variable not in self.binding:
                self._bind(variable, value)
        self.turn.state(ground(formula, self.binding), value)

    def _bind(self, variable: str, value: Value) -> None:
        """An entity that only a value was said of is the one that the session knows, or a new one that is called by these words."""
        type_name = self.openings.types[variable]
        self.binding[variable] = self.turn.entity(type_name, Thing("", value.words))

    def _name_people(self) -> None:
        """A name after "with", "to" or the like, for the one person that the goal is about and that nothing was said of."""
        people = [variable for variable, kind in self.openings.types.items() if kind in self.turn.vocabulary.people]
        if len(people) != 1 or people[0] in self.binding:
            return
        description = self.openings.description(people[0])
        names = list(_names(self.turn.turn, self.turn.text, self.turn.used))
        if description is not None and len(names) == 1:
            self._tell(description, people, names[0])

    def _name_texts(self) -> None:
        """Names that are clearly of texts without entities."""
        texts = {formula: self.openings.words[formula] for formula in self.openings.of_kind("text") if not formula.terms}
        unstated = {formula: words for formula, words in texts.items() if ground(formula, {}) not in self.turn.stated}
        for formula, name in assigned(self.turn.names(), unstated, self.openings.nouns).items():
            self.turn.state_name(ground(formula, {}), name)

    def day(self, formula: AtomicFormula) -> str | None:
        """The day of the thing whose moment `formula` is, as far as the state tells, or else what was said of a thing that has no other day."""
        day = day_in_state(formula, self.openings, self.known) or day_in_state(formula, self.openings, self._known_alike)
        return day or (None if self.openings.days_of(formula) else self.turn.day_before)

    def _known_alike(self, formula: AtomicFormula) -> object:
        return self.turn.context.state.values.get(ground(formula, self.like))

    def known(self, formula: AtomicFormula) -> object:
        """The value of `formula` before the turn."""
        return self.turn.context.state.values.get(ground(formula, self.binding))


def _value(called: Thing, fact: Fact) -> Value:
    return Value(called.value if fact.value is not None else True, called.words)


def _variables(formula: AtomicFormula) -> list[str]:
    return [term.name for term in formula.terms if isinstance(term, Variable)]


def _listed(part: Sequence[Token]) -> list[Sequence[Token]]:
    """The parts of an enumeration: "Anna, Bob and Carol"."""
    ends = [at for at, token in enumerate(part) if token.lower in ("and", ",", "&")]
    return [piece for start, end in pairwise([-1, *ends, len(part)]) if (piece := part[start + 1 : end])]


def _names(turn: Sequence[Token], text: str, used: set[int]) -> Iterator[Thing]:
    """Capitalised words after one that names people come after."""
    at = 1
    while at < len(turn):
        end = at
        while end < len(turn) and turn[end].value is None and text[turn[end].start].isupper() and end not in used:
            end += 1
        if end > at and turn[at - 1].lower in NAMING and turn[at].lower != "i":
            words = spoken(text, turn[at:end])
            yield Thing(words, words)
        at = max(end, at + 1)
