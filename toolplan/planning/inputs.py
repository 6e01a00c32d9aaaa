"""What callers write to a problem: states, goals, steps and forbids as text, tuples or mappings. Every mistake is collected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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
    Parameter,
    Variable,
    Wanted,
)
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.language.parser import parse_condition, parse_statements, parse_steps
from toolplan.language.requests import resolve_statements, resolve_step, resolve_wanted, scope_of
from toolplan.language.source import Location, Source, Span
from toolplan.planning.plans import Atom, Step, written
from toolplan.planning.problem import Problem, State

Words = str | tuple[str, ...]
"""An atom, a goal or a step: `"found(report)"` or `("found", "report")`."""

StateInput = State | str | Iterable[Words] | Mapping[Words, object] | None
GoalInput = Words | Iterable[Words] | Wanted


def build(
    domain: Domain,
    state: StateInput,
    goal: GoalInput | Iterable[Wanted],
    forbid: Iterable[str] = (),
    exhausted: Iterable[Words | Step] = (),
) -> Problem:
    """The problem that a call describes. Raises DomainError with all that is wrong in it."""
    reading = _Reading(domain)
    start = reading.state(state)
    wanted = reading.goals(goal)
    forbidden = reading.forbidden(forbid)
    tried = reading.exhausted(exhausted)
    if reading.diagnostics:
        raise DomainError(reading.diagnostics)
    objects = dict(domain.constants)
    for tool in domain.tools.values():
        objects |= {tool.placeholder(new): new.type for new in (*tool.finds, *tool.creates)}
    problem = Problem(domain, objects | reading.entities, start, wanted, forbidden, tried)
    if conflicts := conflicting(problem.wanted):
        raise DomainError(conflicts)
    return problem


def build_scenario(domain: Domain, given: Iterable[Given], wanted: Iterable[Wanted]) -> Problem:
    """The problem of a test block, whose texts are resolved already. Raises DomainError."""
    return build(domain, _state_of(domain, given), tuple(wanted))


@dataclass
class _Reading:
    """One call being read: the entities it names, with their types, and what is wrong with it."""

    domain: Domain
    entities: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    # States

    def state(self, state: StateInput) -> State:
        if isinstance(state, State):
            for atom in sorted(state.known | state.uncertain | state.denied):
                self._given([Given(AtomicFormula(atom.fact, tuple(Constant(a) for a in atom.arguments)))], Source("<state>", str(atom)))
            return state
        given: list[Given] = []
        if isinstance(state, str):
            given += self._statements(Source("<state>", state)) if state.strip() else []
        elif isinstance(state, Mapping):
            for key, value in state.items():
                given += self._entry(key, value)
        elif isinstance(state, Iterable):
            for item in state:
                given += self._item(item)
        elif state is not None:
            self._bad("the state is neither a text nor a collection of atoms", state, 'such as {"date", "found(report)"}')
        return _state_of(self.domain, given, self.diagnostics)

    def _item(self, item: object) -> list[Given]:
        text = self._text(item, "an atom")
        if text is None:
            return []
        if text in self.domain.facts and not self.domain.facts[text].parameters:
            return [Given(AtomicFormula(text))]
        return self._statements(Source("<state>", text))

    def _entry(self, key: object, value: object) -> list[Given]:
        """A fact and its value: False is known false, None unknown, True known without a value."""
        if value is None:
            return []
        given = self._item(key)
        if value is False:
            return [Given(item.atom, "denied") for item in given]
        return [item if value is True else Given(item.atom, item.status, value) for item in given]

    def _statements(self, source: Source) -> list[Given]:
        try:
            statements = parse_statements(source)
        except DomainError as error:
            self.diagnostics += error.diagnostics
            return []
        scope = scope_of(self.domain, source)
        given = resolve_statements(scope, statements)
        self.diagnostics += scope.diagnostics
        self._given(given, source)
        return given

    def _given(self, given: Iterable[Given], source: Source) -> None:
        for item in given:
            if item.atom.fact in self.domain.facts:
                self._note(item.atom, source)

    # Goals

    def goals(self, goal: object) -> tuple[Wanted, ...]:
        if isinstance(goal, Wanted):
            wanted: list[Wanted] = [goal]
        elif isinstance(goal, str) or _is_words(goal, {*self.domain.goals, *self.domain.facts}):
            wanted = self._wanted(goal)
        elif isinstance(goal, Iterable):
            wanted = [part for item in goal for part in ([item] if isinstance(item, Wanted) else self._wanted(item))]
        else:
            self._bad("the goal is neither a text nor a collection of goals", goal, 'such as "move_event"')
            return ()
        for item in wanted:
            for entity in item.entities:
                self._note_term(Constant(entity.name), entity, Source("<goal>", item.label))
            self._note_condition(item.condition, Source("<goal>", item.label))
        return tuple(wanted)

    def _wanted(self, item: object) -> list[Wanted]:
        text = self._text(item, "a goal")
        if text is None:
            return []
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

    def forbidden(self, names: Iterable[str]) -> frozenset[str]:
        """The actions that `names` forbid: tools and questions by name, and all tools of a level of risk."""
        result: set[str] = set()
        levels = {level.name for level in self.domain.policy.risk}
        for name in [names] if isinstance(names, str) else names:
            actions = {name} & ({*self.domain.tools} | {*self.domain.asks}) if isinstance(name, str) else set()
            rated = {tool.name for tool in self.domain.tools.values() if tool.risk == name}
            if not actions and name not in levels:
                scope = scope_of(self.domain, Source("<forbid>", str(name)))
                shown = nodes.Name(str(name), Span(0, len(str(name))))
                candidates = [*self.domain.tools, *self.domain.asks, *levels]
                scope.unknown(Code.UNKNOWN_FORBIDDEN, "tool, question or risk level", shown, candidates)
                self.diagnostics += scope.diagnostics
            result |= actions | rated
        return frozenset(result)

    def exhausted(self, steps: Iterable[Words | Step]) -> frozenset[Step]:
        """The steps that are not to be planned; a name without arguments stands for all its steps that the state can name."""
        result: set[Step] = set()
        for item in steps:
            text = str(item) if isinstance(item, Step) else self._text(item, "a step")
            if text is None:
                continue
            source = Source("<exhausted>", text)
            scope = scope_of(self.domain, source)
            try:
                formulas = [resolve_step(scope, self.domain, node) for node in parse_steps(source)]
            except DomainError as error:
                self.diagnostics += error.diagnostics
                continue
            self.diagnostics += scope.diagnostics
            result |= {Step(step.fact, tuple(term.name for term in step.terms)) for step in formulas if step is not None}
        return frozenset(result)

    # Entities and their types

    def _note_condition(self, condition: Condition, source: Source) -> None:
        if isinstance(condition, AtomicFormula):
            self._note(condition, source)
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
                    self._note_term(term, Parameter("", OBJECT), source)

    def _note(self, atom: AtomicFormula, source: Source) -> None:
        for term, place in zip(atom.terms, self.domain.facts[atom.fact].parameters, strict=False):
            if not isinstance(term, Variable):
                self._note_term(term, place, source)

    def _note_term(self, term: Constant, place: Parameter, source: Source) -> None:
        """Note that `term` is of the type of `place`, or of the narrower one that it was seen with before."""
        if term.name in self.domain.constants:
            return
        before = self.entities.get(term.name, OBJECT)
        if self.domain.is_subtype(place.type, before):
            self.entities[term.name] = place.type
        elif not self.domain.is_subtype(before, place.type):
            start = max(source.text.find(term.name), 0)
            location = Location(source, Span(start, start + len(term.name)))
            message = f"entity `{term.name}` is used as `{before}` and as `{place.type}`"
            self.diagnostics.append(Diagnostic(Code.ENTITY_OF_TWO_TYPES, message, location, "give the two entities different names"))

    # Texts

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


def _is_words(value: object, names: set[str]) -> bool:
    """Whether a tuple is one goal with arguments, not several goals: its first item takes arguments, or it is alone."""
    if not isinstance(value, tuple) or not value or not all(isinstance(part, str) for part in value):
        return False
    return value[0] in names and not any(part in names or "(" in part for part in value[1:])


def _state_of(domain: Domain, given: Iterable[Given], diagnostics: list[Diagnostic] | None = None) -> State:
    """The state that `given` describes; an atom that is said to be both known and false is reported."""
    statuses: dict[Atom, str] = {}
    values: dict[Atom, object] = {}
    for item in given:
        atom = Atom(item.atom.fact, tuple(term.name for term in item.atom.terms))
        before = statuses.setdefault(atom, item.status)
        if before != item.status:
            if "denied" in (before, item.status) and diagnostics is not None:
                source = Source("<state>", str(atom))
                message = f"`{atom}` is said to be known, and known to be false"
                location = Location(source, Span(0, len(source.text)))
                diagnostics.append(Diagnostic(Code.CONFLICTING_STATE, message, location, "keep one of them"))
            elif item.status == "known":
                statuses[atom] = "known"
        if item.value is not None:
            values[atom] = item.value
    by_status: dict[str, set[Atom]] = {"known": set(), "uncertain": set(), "denied": set()}
    for atom, status in statuses.items():
        if not (status == "denied" and domain.facts[atom.fact].closed):
            by_status[status].add(atom)
    known, uncertain, denied = (frozenset(by_status[status]) for status in ("known", "uncertain", "denied"))
    return State(known, uncertain, denied, values)


def conflicting(wanted: Iterable[Wanted]) -> list[Diagnostic]:
    """A finding for each atom that one goal wants and another (or the same) wants to be false."""
    positive: dict[AtomicFormula, Wanted] = {}
    negative: dict[AtomicFormula, Wanted] = {}
    findings = []
    for item in wanted:
        parts = item.condition.conditions if isinstance(item.condition, And) else (item.condition,)
        for part in parts:
            if isinstance(part, AtomicFormula):
                positive.setdefault(part, item)
            elif isinstance(part, Not) and isinstance(part.condition, AtomicFormula):
                negative.setdefault(part.condition, item)
    for atom in positive:
        if atom in negative:
            one, other = positive[atom], negative[atom]
            names = (
                f"goal `{one.label}` contradicts itself" if one is other else f"goals `{one.label}` and `{other.label}` exclude each other"
            )
            message = f"{names}: `{atom}` cannot be known and be false"
            findings.append(Diagnostic(Code.CONFLICTING_GOALS, message, None, "ask for one after the other"))
    return findings
