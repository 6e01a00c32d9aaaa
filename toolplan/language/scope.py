"""What names mean: facts, types, constants and parameters looked up, with a diagnostic for each that is not there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from toolplan.domain import (
    OBJECT,
    TRUE,
    VALUE_TYPES,
    And,
    AtomicFormula,
    Condition,
    Constant,
    Effect,
    Equal,
    Exists,
    Fact,
    ForAll,
    Not,
    Or,
    Parameter,
    Term,
    Type,
    Variable,
)
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Edit, Label, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester

MOST_FINDINGS = 1_000
"""Findings kept for one domain: beyond that, more of them help nobody."""
ANYTHING = Parameter("", OBJECT)
"""A place that takes every entity."""
MOST_PLACES = 3
"""Further places shown of a name that is unknown in several."""
MOST_EDITS = 1_000
"""Places of it that one fix mends."""
MENDED = frozenset([Code.UNKNOWN_FACT, Code.UNKNOWN_TYPE, Code.UNKNOWN_VALUE_TYPE, Code.UNKNOWN_ACTION])
"""Unknown names that a fix may respell. A wrong level of risk is none of them: that is for the author to say."""
PLAIN = re.compile(r"(?!(?:not|or|forall|exists|when|oneof|frontier|question|blocked)$)[A-Za-z_][A-Za-z0-9_]*")
"""Names that stand everywhere without backquotes."""


@dataclass
class Scope:
    """The names declared so far and the findings so far. `source` is the text that is being resolved."""

    source: Source
    types: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unread: frozenset[str] = frozenset()
    """Words that stand where nothing could be read: they may declare what seems unknown, and their own finding is enough."""
    suggester: Suggester = field(default_factory=Suggester)
    _unknown: dict[tuple[Code, str], int] = field(default_factory=dict)
    names_entities: bool = False
    """Whether a name that is no constant is an entity of the caller (in states, goals and tests) or a mistake."""

    def report(self, code: Code, message: str, span: Span, hint: str = "", labels: tuple[Label, ...] = ()) -> None:
        """Keep a finding at `span` of the current source."""
        if len(self.diagnostics) < MOST_FINDINGS:
            self.diagnostics.append(Diagnostic(code, message, Location(self.source, span), hint, labels))

    def unknown(self, code: Code, kind: str, name: nodes.Name, candidates: Collection[str], otherwise: str = "") -> None:
        """Report that there is no `kind` called `name`, once for all its places."""
        if name.text in self.unread:
            return
        known = self._unknown.setdefault((code, name.text), len(self.diagnostics))
        if known < len(self.diagnostics):
            self._add_place(known, Location(self.source, name.span))
            return
        meant = self.suggester.surely(name.text, candidates) if code in MENDED else ""
        hint = f"did you mean {quoted(meant)}?" if meant else self.suggester.hint(name.text, candidates) or otherwise
        self.report(code, f"unknown {kind} {quoted(name.text)}", name.span, hint)
        if PLAIN.fullmatch(meant) and known < len(self.diagnostics):
            self.diagnostics[known] = replace(self.diagnostics[known], fix=(Edit(Location(self.source, name.span), meant),))

    def _add_place(self, known: int, place: Location) -> None:
        """Note another place of a name that is unknown, and mend it too."""
        first = self.diagnostics[known]
        labels = (*first.labels, Label(place, "and here")) if len(first.labels) < MOST_PLACES else first.labels
        mends = first.fix and len(first.fix) < MOST_EDITS
        fix = (*first.fix, Edit(place, first.fix[0].replacement)) if mends else first.fix
        if labels is not first.labels or fix is not first.fix:
            self.diagnostics[known] = replace(first, labels=labels, fix=fix)

    @contextmanager
    def entities(self) -> Iterator[None]:
        """Within, unknown names are entities of the caller."""
        before, self.names_entities = self.names_entities, True
        yield
        self.names_entities = before

    # Types and parameters

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Whether every `name` is an `ancestor`; where one of them is not known, its own finding is enough."""
        while name not in (ancestor, OBJECT) and self._is_known(name):
            name = self.types[name].parent
        return ancestor in (name, OBJECT) or (name != OBJECT and not self._is_known(name)) or not self._is_known(ancestor)

    def _is_known(self, type_name: str) -> bool:
        return type_name in self.types and type_name not in self.unread

    def type_name(self, name: nodes.Name) -> str:
        """The entity type called `name`."""
        if name.text not in self.types and name.text != OBJECT:
            if name.text in VALUE_TYPES:
                message = f"`{name.text}` is a type of values, and a type of entities is needed here"
                self.report(Code.VALUE_TYPE_AS_PARAMETER, message, name.span, f"let a fact carry it: `fact ...: {name.text}`")
            else:
                self.unknown(Code.UNKNOWN_TYPE, "type", name, self.types, f"declare it: {quoted(f'type {name.text}')}")
        return name.text

    def parameters(self, typed: Sequence[nodes.Typed], outer: Mapping[str, str] | None = None) -> tuple[Parameter, ...]:
        """Resolved parameters; a name that is there already is reported. A place without a name is named after its type."""
        taken = dict(outer or {})
        result = []
        for item in typed:
            type_name = self.type_name(item.type)
            name = item.name.text if item.name else _free_name(type_name, taken)
            if item.name and name in taken:
                message = f"parameter {quoted(name)} is there already"
                self.report(Code.DUPLICATE_PARAMETER, message, item.name.span, "give it another name")
                continue
            taken[name] = type_name
            result.append(Parameter(name, type_name))
        return tuple(result)

    # Atoms and terms

    def atom(self, node: nodes.Formula, variables: Mapping[str, str]) -> AtomicFormula | None:
        """The fact `node` names, applied to its terms; None where the fact is unknown."""
        fact = self.facts.get(node.name.text)
        if fact is None:
            self.unknown(Code.UNKNOWN_FACT, "fact", node.name, self.facts, f"declare it: {quoted(f'fact {node.name.text}')}")
            return None
        terms = node.terms or ()
        if len(terms) != len(fact.parameters):
            self.wrong_arity(Code.WRONG_ARITY, f"fact {quoted(fact.name)}", fact.parameters, node)
            return None
        return AtomicFormula(fact.name, self.terms(terms, fact.parameters, variables))

    def wrong_arity(self, code: Code, what: str, parameters: Sequence[Parameter], node: nodes.Formula) -> None:
        """Report that `node` has another number of terms than `what` has parameters."""
        if node.name.text not in self.unread:
            shape = f"{node.name.text}({', '.join(parameter.type for parameter in parameters)})" if parameters else node.name.text
            hint = f"write {quoted(shape)}" + (" with one of each" if parameters else "")
            self.report(code, f"{what} takes {_count(len(parameters))}, not {len(node.terms or ())}", node.span, hint)

    def terms(
        self, terms: Iterable[nodes.Name | nodes.Text | nodes.Number], places: Sequence[Parameter], variables: Mapping[str, str]
    ) -> tuple[Term, ...]:
        """What the terms name, each checked against its place; swapped ones are one mistake, so the first is reported."""
        known = len(self.diagnostics)
        resolved: list[Term] = []
        for term, place in zip(terms, places, strict=True):
            resolved.append(self.term(term, place if len(self.diagnostics) == known else ANYTHING, variables))
        return tuple(resolved)

    def term(self, node: nodes.Name | nodes.Text | nodes.Number, place: Parameter, variables: Mapping[str, str]) -> Term:
        """The variable, constant or entity that `node` names, checked against the type of its place."""
        text = term_text(node)
        if isinstance(node, nodes.Name) and text in variables:
            if not self.is_subtype(variables[text], place.type):
                self._wrong_type(f"parameter {quoted(text)}", variables[text], place, node.span, variables)
            return Variable(text)
        if text in self.constants:
            if not self.is_subtype(self.constants[text], place.type):
                self._wrong_type(f"constant {quoted(text)}", self.constants[text], place, node.span, self.constants)
        elif not self.names_entities:
            name = nodes.Name(text, node.span)
            otherwise = f"parameters stand in brackets after the name: `(...: {place.type})`"
            self.unknown(Code.UNKNOWN_TERM, "parameter or constant", name, [*variables, *self.constants], otherwise)
        return Constant(text)

    def _wrong_type(self, what: str, actual: str, place: Parameter, span: Span, others: Mapping[str, str]) -> None:
        fitting = [name for name, type_name in others.items() if self.is_subtype(type_name, place.type)]
        hint = f"did you mean {quoted(fitting[0])}?" if len(fitting) == 1 else ""
        self.report(Code.WRONG_TYPE, f"{what} is of type `{actual}`, and `{place.type}` is needed here", span, hint)

    # Conditions and effects

    def condition(self, node: nodes.Condition, variables: Mapping[str, str]) -> Condition:
        """The condition; what could not be resolved counts as true, as its own finding is enough."""
        if isinstance(node, nodes.Formula):
            return self.atom(node, variables) or TRUE
        if isinstance(node, nodes.Negation):
            return Not(self.condition(node.item, variables))
        if isinstance(node, nodes.Conjunction):
            items = list(_conjuncts(node))
            resolved = [self.condition(item, variables) for item in items]
            self._check_consistent(items, resolved)
            return And(tuple(resolved))
        if isinstance(node, nodes.Disjunction):
            return Or(tuple(self.condition(item, variables) for item in node.items))
        if isinstance(node, nodes.Equality):
            equal = Equal(self.term(node.left, ANYTHING, variables), self.term(node.right, ANYTHING, variables))
            return Not(equal) if node.negated else equal
        parameters = self.parameters(node.parameters, variables)
        body = self.condition(node.item, {**variables, **types_of(parameters)})
        return ForAll(parameters, body) if node.quantifier == "forall" else Exists(parameters, body)

    def _check_consistent(self, items: Sequence[nodes.Condition], resolved: Sequence[Condition]) -> None:
        """Report each atom that is both asserted and denied."""
        first: dict[Condition, nodes.Condition] = {}
        for item, condition in zip(items, resolved, strict=True):
            first.setdefault(condition, item)
        for condition, asserted in first.items():
            if isinstance(condition, AtomicFormula) and (denied := first.get(Not(condition))) is not None:
                earlier, later = sorted((asserted, denied), key=lambda item: item.span)
                message = f"{quoted(str(condition))} and {quoted(f'not {condition}')} cannot both hold"
                labels = (Label(Location(self.source, earlier.span), "against this"),)
                self.report(Code.CONTRADICTORY_CONDITION, message, later.span, "drop one of them, or join them by `or`", labels)

    def effects(self, nodes_: Iterable[nodes.Effect], variables: Mapping[str, str]) -> list[Effect]:
        """The effects. `oneof` is no part of them: whoever allows it takes it out first."""
        result: list[Effect] = []
        for node in nodes_:
            if isinstance(node, nodes.Change):
                if (atom := self.atom(node.atom, variables)) is not None:
                    condition = TRUE if node.condition is None else self.condition(node.condition, variables)
                    result.append(Effect(atom, condition))
            elif isinstance(node, nodes.QuantifiedChange):
                parameters = self.parameters(node.parameters, variables)
                for effect in self.effects(node.changes, {**variables, **types_of(parameters)}):
                    result.append(Effect(effect.atom, effect.condition, (*parameters, *effect.parameters)))
            else:
                message = "`oneof` belongs into the `produces` of a tool, outside `forall`"
                self.report(Code.UNEXPECTED_TOKEN, message, Span(node.span.start, node.span.start + len("oneof")))
        return result


def _conjuncts(node: nodes.Condition) -> Iterator[nodes.Condition]:
    """The items of a conjunction, and of those inside it."""
    if isinstance(node, nodes.Conjunction):
        for item in node.items:
            yield from _conjuncts(item)
    else:
        yield node


def types_of(parameters: Iterable[Parameter]) -> dict[str, str]:
    """Parameters as a mapping from name to type."""
    return {parameter.name: parameter.type for parameter in parameters}


def term_text(node: nodes.Name | nodes.Text | nodes.Number) -> str:
    """The name of the object that a term writes."""
    if isinstance(node, nodes.Name):
        return node.text
    return node.value if isinstance(node, nodes.Text) else node.written


def _free_name(type_name: str, taken: Mapping[str, str]) -> str:
    name, number = type_name, 1
    while name in taken:
        number += 1
        name = f"{type_name}_{number}"
    return name


def _count(number: int) -> str:
    return "no arguments" if number == 0 else "one argument" if number == 1 else f"{number} arguments"
