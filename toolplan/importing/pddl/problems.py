"""A PDDL problem: objects, the initial state and the goal, over the vocabulary of its domain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolplan.importing.pddl import syntax
from toolplan.importing.pddl.conditions import TOTAL_COST, Conditions, is_total_cost
from toolplan.importing.pddl.domains import PddlDomain, check_requirements, read_cost
from toolplan.importing.pddl.expressions import NUMBER, Expression, Group, Word
from toolplan.importing.pddl.findings import Findings
from toolplan.importing.pddl.sections import Definition, read_definition
from toolplan.importing.pddl.vocabulary import Variables, Vocabulary
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label, quoted
from toolplan.language.source import Span

SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length")


@dataclass(frozen=True)
class PddlProblem:
    """A problem. `values` are those of functions by which actions cost; `minimizes_cost` where its metric is `total-cost`."""

    name: str
    initial: tuple[nodes.Formula, ...]
    values: Mapping[nodes.Formula, str]
    goal: nodes.Condition
    minimizes_cost: bool


def read_problem(findings: Findings, domain: PddlDomain) -> PddlProblem:
    """The problem in a source; its objects join the vocabulary of `domain`. What is wrong with it is reported."""
    definition = read_definition(findings, "problem", SECTIONS)
    _check_domain(findings, definition, domain)
    check_requirements(findings, definition.items(":requirements"))
    domain.vocabulary.declare_objects(findings, definition.items(":objects"))
    charged = frozenset(action.cost.name.text for action in domain.actions if isinstance(action.cost, nodes.Formula))
    initial = _Initial(findings, domain.vocabulary, charged)
    for item in definition.items(":init"):
        initial.read(item)
    return PddlProblem(
        definition.name.text if definition.name else "",
        tuple(initial.atoms),
        initial.values,
        _goal(Conditions(findings, domain.vocabulary), definition),
        _minimizes_cost(findings, definition),
    )


def _check_domain(findings: Findings, definition: Definition, domain: PddlDomain) -> None:
    for item in definition.items(":domain"):
        if domain.name and not (isinstance(item, Word) and item.text == domain.name):
            message = f"the problem is one of the domain {item.shown}, and this is {quoted(domain.name)}"
            findings.report(Code.FOREIGN_PROBLEM, message, item.span, "is it the right pair of files?")


def _goal(conditions: Conditions, definition: Definition) -> nodes.Condition:
    items = definition.items(":goal")
    if len(items) != 1 and definition.name:
        section = definition.first(":goal")
        found = "none" if section is None else f"{len(items)} conditions"
        span = section.span if section else Span(definition.span.end - 1, definition.span.end)
        conditions.findings.unexpected("`(:goal CONDITION)`", found, span)
    return conditions.condition(items[0], Variables()) if len(items) == 1 else syntax.TRUE


def _minimizes_cost(findings: Findings, definition: Definition) -> bool:
    section = definition.first(":metric")
    if section is None:
        return False
    words = section.items[1:]
    if not (len(words) == 2 and isinstance(words[0], Word) and words[0].text == "minimize" and is_total_cost(words[1])):
        findings.unsupported("metric", section.span)
    return True


@dataclass
class _Initial:
    """Reads `:init`, item by item. `charged` are the functions whose values are costs."""

    findings: Findings
    vocabulary: Vocabulary
    charged: frozenset[str]
    atoms: dict[nodes.Formula, Span] = field(default_factory=dict)
    denied: dict[nodes.Formula, Span] = field(default_factory=dict)
    values: dict[nodes.Formula, str] = field(default_factory=dict)

    def read(self, item: Expression) -> None:
        """Add what `item` says."""
        if isinstance(item, Word):
            self.findings.unexpected("an atom in brackets", item.shown, item.span)
        elif item.head == "=":
            self._value(item)
        elif item.head == "at" and len(item.items) == 3 and _is_number(item.items[1]) and isinstance(item.items[2], Group):
            self.findings.unsupported("timed initial literal", item.span)
        elif item.head == "not" and len(item.items) == 2 and isinstance(item.items[1], Group):
            self._state(item.items[1], item.span, self.denied, self.atoms)
        else:
            self._state(item, item.span, self.atoms, self.denied)

    def _state(self, item: Group, span: Span, these: dict[nodes.Formula, Span], others: Mapping[nodes.Formula, Span]) -> None:
        atom = self.vocabulary.atom(self.findings, item, Variables())
        if atom is None:
            return
        these.setdefault(atom, span)
        if atom in others:
            label = Label(self.findings.at(others[atom]), "against this")
            message = f"{item.shown} is said to hold, and not to hold"
            self.findings.report(Code.CONFLICTING_STATE, message, span, "keep one of them", (label,))

    def _value(self, item: Group) -> None:
        left, right = item.items[1:] if len(item.items) == 3 else (item, item)
        if is_total_cost(left):
            if not (isinstance(right, Word) and not right.text.strip("0.")):
                self.findings.report(Code.BAD_ACTION_COST, f"`{TOTAL_COST}` does not start at 0", item.span, "the score of a plan does")
        elif not isinstance(left, Group) or left is right:
            self.findings.unexpected("a value such as `(= (distance a b) 3)`", item.shown, item.span)
        elif not _is_number(right):
            self.findings.unsupported("object fluent", item.span)
        elif (function := self.vocabulary.value(self.findings, left, Variables())) is not None and function.name.text in self.charged:
            cost = read_cost(self.findings, right)
            if cost is not None and self.values.setdefault(function, cost) != cost:
                message = f"{left.shown} has two values"
                self.findings.report(Code.DECLARED_TWICE, message, item.span, "keep one of them")


def _is_number(item: Expression) -> bool:
    return isinstance(item, Word) and NUMBER.fullmatch(item.text) is not None
