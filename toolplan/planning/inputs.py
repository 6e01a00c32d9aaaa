"""What callers write to a problem: states, goals, steps and forbids as text, tuples or mappings. Every mistake is collected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from toolplan.domain import (
    OBJECT,
    And,
    AtomicFormula,
    Condition,
    Constant,
    Domain,
    Equal,
    Exists,
    ForAll,
    Given,
    Not,
    Or,
    Tool,
    Wanted,
)
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.parser import parse_condition, parse_statements, parse_steps
from toolplan.language.requests import resolve_statements, resolve_step, resolve_wanted, scope_of
from toolplan.language.source import Location, Source, Span
from toolplan.planning.conflicts import conflicting
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import PLAIN, Atom, Step, written
from toolplan.planning.problem import Problem, State, placeholders_of, with_superseded

Words = str | tuple[str, ...]
"""An atom, a goal or a step: `"found(report)"` or `("found", "report")`."""

PLAIN_ATOM = re.compile(rf"({PLAIN.pattern})(?:\(({PLAIN.pattern}(?:, *{PLAIN.pattern})*)\))?(\?)?")
FORBIDDEN_HINT = 'such as ["send_mail", "delete"]'
MOST_REMEMBERED = 10_000
"""Texts of one kind whose meaning a domain remembers."""
T = TypeVar("T")

StateInput = State | str | Iterable[Words] | Mapping[Words, object] | None
GoalInput = Words | Iterable[Words] | Wanted
Forbidden = str | Tool
"""The name of a tool, a question or a level of risk, of whatever has it; or a contract alone."""


def build(
    domain: Domain,
    state: StateInput,
    goal: GoalInput | Iterable[Wanted],
    forbid: Iterable[Forbidden] = (),
    exhausted: Iterable[Words | Step] = (),
) -> Problem:
    """The problem that a call describes. Raises DomainError with all that is wrong in it."""
    reading = _Reading(domain)
    start = reading.state(state)
    wanted = reading.goals(goal)
    forbidden = with_superseded(domain, reading.forbidden(forbid))
    tried = reading.exhausted(exhausted)
    if reading.diagnostics:
        raise DomainError(reading.diagnostics)
    # In an order of their own: a state is a set, however it is written, and among equal plans the first object is chosen.
    objects = {**domain.constants, **placeholders_of(domain), **dict(sorted(reading.entities.items()))}
    problem = Problem(domain, objects, start, wanted, forbidden, tried)
    if conflicts := conflicting(problem.wanted):
        raise DomainError(conflicts)
    return problem


def build_scenario(domain: Domain, given: Iterable[Given], wanted: Iterable[Wanted]) -> Problem:
    """The problem of a test block, whose texts are resolved already. Raises DomainError."""
    return build(domain, _state_of(domain, map(_said, given)), tuple(wanted))


@dataclass
class _Reading:
    """One call being read: the entities it names, with their types, and what is wrong with it."""

    domain: Domain
    entities: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    # States

    def state(self, state: StateInput) -> State:
        if isinstance(state, State):
            for atoms in (state.known, state.uncertain, state.denied):
                for atom in atoms:
                    self._note_atom(atom, "<state>")
            return state
        given: list[_Said] = []
        if isinstance(state, str):
            source = Source("<state>", state)
            given += self._statements(source) if state.strip() else []
            self._given(given, source)
        elif isinstance(state, set | frozenset):
            for item in sorted(state, key=str):
                given += self._item(item)
        elif isinstance(state, Mapping):
            for key, value in state.items():
                given += self._entry(key, value)
        elif isinstance(state, Iterable):
            for item in state:
                given += self._item(item)
        elif state is not None:
            self._bad("the state is neither a text nor a collection of atoms", state, 'such as {"date", "found(report)"}')
        return _state_of(self.domain, given, self.diagnostics)

    def _item(self, item: object) -> Sequence[_Said]:
        if not isinstance(item, str) or item not in (known := _statements_of(self.domain)):
            return self._unseen(item)
        given = known[item]
        self._given(given, item)
        return given

    def _unseen(self, item: object) -> Sequence[_Said]:
        text = self._text(item, "an atom")
        if text is None:
            return []
        findings = len(self.diagnostics)
        given = self._plain(text) or tuple(self._statements(Source("<state>", text)))
        self._given(given, text)
        if findings == len(self.diagnostics):
            remember(_statements_of(self.domain), text, given)
        return given

    def _plain(self, text: str) -> tuple[_Said, ...] | None:
        """The statement of an atom over plain words, which need no parser; None where it takes more to read it."""
        found = PLAIN_ATOM.fullmatch(text)
        if found is None and text not in self.domain.facts:
            return None
        name, inside, mark = found.groups() if found else (text, None, "")
        fact = self.domain.facts.get(name)
        arguments = [argument.strip() for argument in inside.split(",")] if inside else []
        if fact is None or len(arguments) != len(fact.parameters) or not self.domain.constants.keys().isdisjoint(arguments):
            return None
        return (_Said(Atom(name, tuple(arguments)), "uncertain" if mark else "known"),)

    def _entry(self, key: object, value: object) -> Sequence[_Said]:
        """A fact and its value: None is unknown; False is known false, True known without a value, and of a boolean both are its value."""
        return [] if value is None else [self._valued(item, value) for item in self._item(key)]

    def _valued(self, item: _Said, value: object) -> _Said:
        if item.status == "denied" and value is not True:
            hint = f"give the value to `{item.atom}` itself: False where it is known false"
            self._bad(f"`not {item.atom}` takes no value but True", value, hint)
        fact = self.domain.facts.get(item.atom.fact)
        carried = fact is not None and fact.is_boolean and item.status != "denied"
        if isinstance(value, bool) and not carried:
            return item if value else _Said(item.atom, "denied")
        return _Said(item.atom, item.status, value)

    def _statements(self, source: Source) -> list[_Said]:
        try:
            statements = parse_statements(source)
        except DomainError as error:
            self.diagnostics += error.diagnostics
            return []
        scope = scope_of(self.domain, source)
        given = resolve_statements(scope, statements)
        self.diagnostics += scope.diagnostics
        return [_said(item) for item in given]

    def _given(self, given: Iterable[_Said], source: Source | str) -> None:
        for item in given:
            self._note_atom(item.atom, source)

    # Goals

    def goals(self, goal: object) -> tuple[Wanted, ...]:
        if isinstance(goal, Wanted):
            wanted: Sequence[Wanted] = [goal]
        elif isinstance(goal, str) or _is_words(goal, self.domain):
            wanted = self._wanted(goal)
        elif isinstance(goal, Iterable):
            wanted = [part for item in goal for part in ([item] if isinstance(item, Wanted) else self._wanted(item))]
        else:
            self._bad("the goal is neither a text nor a collection of goals", goal, 'such as "move_event"')
            return ()
        for item in wanted:
            for entity in item.entities:
                self._note_name(entity.name, entity.type, Source("<goal>", item.label))
            self._note_condition(item.condition, Source("<goal>", item.label))
        return tuple(wanted)

    def _wanted(self, item: object) -> Sequence[Wanted]:
        text = self._text(item, "a goal")
        if text is None:
            return []
        known = _wanted_of(self.domain)
        if text not in known:
            findings = len(self.diagnostics)
            read = tuple(self._read_wanted(text))
            if findings != len(self.diagnostics):
                return read
            remember(known, text, read)
        return known[text]

    def _read_wanted(self, text: str) -> list[Wanted]:
        if not text.strip():
            return [Wanted("", And(()))]
        source = Source("<goal>", text)
        try:
            node: nodes.Condition = parse_condition(source)
        except DomainError as error:
            self.diagnostics += error.diagnostics
            return []
        scope = scope_of(self.domain, source)
        wanted = resolve_wanted(scope, self.domain, node)
        self.diagnostics += scope.diagnostics
        return wanted

    # Forbidden and exhausted

    def forbidden(self, names: Iterable[Forbidden]) -> frozenset[str]:
        """The actions that `names` forbid: tools and questions by name, and all tools of a level of risk. A contract stands for itself alone."""
        result: set[str] = set()
        tools, levels = self.domain.tools, {level.name for level in self.domain.policy.risk}
        for item in self._items(names, "what is forbidden", FORBIDDEN_HINT):
            name = item.name if isinstance(item, Tool) else item
            if not isinstance(name, str):
                self._bad("what is forbidden is a text or a tool", name, FORBIDDEN_HINT)
                continue
            actions = {name} & {*tools, *self.domain.asks}
            rated = {tool.name for tool in tools.values() if tool.risk == item}
            if not actions and name not in levels:
                scope = scope_of(self.domain, Source("<forbid>", name))
                shown = nodes.Name(name, Span(0, len(name)))
                scope.unknown(Code.UNKNOWN_FORBIDDEN, "tool, question or risk level", shown, [*tools, *self.domain.asks, *levels])
                self.diagnostics += scope.diagnostics
            result |= actions | rated
        return frozenset(result)

    def exhausted(self, steps: Iterable[Words | Step]) -> frozenset[Step]:
        """The steps that are not to be planned; a name without arguments stands for all its steps that the state can name."""
        result: set[Step] = set()
        for item in self._items(steps, "the exhausted steps", 'such as ["look_up(anna)"]'):
            text = self._text((item.action, *item.arguments) if isinstance(item, Step) else item, "a step")
            if text is None:
                continue
            known = _steps_of(self.domain)
            if text not in known:
                findings = len(self.diagnostics)
                read = self._read_steps(text)
                if findings != len(self.diagnostics):
                    continue
                remember(known, text, read)
            result.update(known[text])
        return frozenset(result)

    def _read_steps(self, text: str) -> tuple[Step, ...]:
        source = Source("<exhausted>", text)
        scope = scope_of(self.domain, source)
        try:
            formulas = [resolve_step(scope, self.domain, node) for node in parse_steps(source)]
        except DomainError as error:
            self.diagnostics += error.diagnostics
            return ()
        self.diagnostics += scope.diagnostics
        return tuple(Step(step.fact, tuple(term.name for term in step.terms)) for step in formulas if step is not None)

    # Entities and their types

    def _note_condition(self, condition: Condition, source: Source) -> None:
        if isinstance(condition, AtomicFormula):
            parameters = self.domain.facts[condition.fact].parameters
            for term, place in zip(condition.terms, parameters, strict=True):
                if isinstance(term, Constant):
                    self._note_name(term.name, place.type, source)
        elif isinstance(condition, Not):
            self._note_condition(condition.condition, source)
        elif isinstance(condition, And | Or):
            for part in condition.conditions:
                self._note_condition(part, source)
        elif isinstance(condition, ForAll | Exists):
            self._note_condition(condition.condition, source)
        elif isinstance(condition, Equal):
            for term in (condition.left, condition.right):
                if isinstance(term, Constant):
                    self._note_name(term.name, OBJECT, source)

    def _note_atom(self, atom: Atom, source: Source | str) -> None:
        if atom.arguments and atom.fact in self.domain.facts:
            for name, place in zip(atom.arguments, self.domain.facts[atom.fact].parameters, strict=False):
                if self.entities.get(name) != place.type:
                    self._note_name(name, place.type, source)

    def _note_name(self, name: str, kind: str, source: Source | str) -> None:
        """Note that `name` is of type `kind`, or of the narrower one that it was seen with before."""
        if name in self.domain.constants:
            return
        before = self.entities.get(name)
        if before is None or self.domain.is_subtype(kind, before):
            self.entities[name] = kind
        elif not self.domain.is_subtype(before, kind):
            text = Source(source, name) if isinstance(source, str) else source
            start = max(text.text.find(name), 0)
            message = f"entity `{name}` is used as `{before}` and as `{kind}`"
            location = Location(text, Span(start, start + len(name)))
            self.diagnostics.append(Diagnostic(Code.ENTITY_OF_TWO_TYPES, message, location, "give the two entities different names"))

    # Collections and texts

    def _items(self, given: object, what: str, hint: str) -> Iterable[object]:
        """The items of a collection. A text, a tool or a step stands for a collection of it alone."""
        if isinstance(given, str | Tool | Step):
            return [given]
        if isinstance(given, Iterable):
            return given
        self._bad(f"{what} must be a collection", given, hint)
        return []

    def _text(self, item: object, what: str) -> str | None:
        if isinstance(item, str):
            return item
        if isinstance(item, tuple) and item and all(isinstance(part, str) for part in item):
            return written(item[0], item[1:])
        self._bad(f"{what} is a text or a tuple of texts", item, 'such as "found(report)" or ("found", "report")')
        return None

    def _bad(self, message: str, value: object, hint: str) -> None:
        shown = repr(value)
        source = Source("<call>", shown if len(shown) <= 100 else shown[:97] + "...")
        self.diagnostics.append(Diagnostic(Code.BAD_CALL, message, Location(source, Span(0, len(source.text))), hint))


@per_domain
def _statements_of(_: Domain) -> dict[str, tuple[_Said, ...]]:
    """What the atoms of states say, as far as they were read before."""
    return {}


@per_domain
def _wanted_of(_: Domain) -> dict[str, tuple[Wanted, ...]]:
    """What the texts of goals want, as far as they were read before."""
    return {}


@per_domain
def _steps_of(_: Domain) -> dict[str, tuple[Step, ...]]:
    """The steps that texts name, as far as they were read before."""
    return {}


def remember(memory: dict[str, T], text: str, meaning: T) -> None:
    """Keep the `meaning` of `text`, and start anew where too much is kept: callers may make up texts for ever."""
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[text] = meaning


def _is_words(value: object, domain: Domain) -> bool:
    """Whether a tuple is one goal with arguments, not several goals: its first item takes arguments, or it is alone."""
    if not isinstance(value, tuple) or not value or not all(isinstance(part, str) for part in value):
        return False
    named = [part in domain.goals or part in domain.facts for part in value]
    return named[0] and not any(known or "(" in part for known, part in zip(named[1:], value[1:], strict=True))


class _Said(NamedTuple):
    """What a state says of one atom."""

    atom: Atom
    status: str
    value: object = None


def _said(given: Given) -> _Said:
    return _Said(Atom(given.atom.fact, tuple(term.name for term in given.atom.terms)), given.status, given.value)


def _state_of(domain: Domain, given: Iterable[_Said], diagnostics: list[Diagnostic] | None = None) -> State:
    """The state that `given` describes; an atom that is said to be both known and false is reported."""
    statuses: dict[Atom, str] = {}
    values: dict[Atom, object] = {}
    for atom, status, value in given:
        before = statuses.setdefault(atom, status)
        if before != status:
            if "denied" in (before, status) and diagnostics is not None:
                source = Source("<state>", str(atom))
                message = f"`{atom}` is said to be known, and known to be false"
                location = Location(source, Span(0, len(source.text)))
                diagnostics.append(Diagnostic(Code.CONFLICTING_STATE, message, location, "keep one of them"))
            elif status == "known":
                statuses[atom] = "known"
        if value is not None:
            values[atom] = value
    known, uncertain, denied = (frozenset(atom for atom in statuses if statuses[atom] == name) for name in ("known", "uncertain", "denied"))
    return State(known, uncertain, frozenset(atom for atom in denied if not domain.facts[atom.fact].closed), values)
