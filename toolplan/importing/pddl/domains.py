"""A PDDL domain: its vocabulary and its actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from toolplan.domain import Parameter
from toolplan.importing.pddl import syntax
from toolplan.importing.pddl.conditions import TOTAL_COST, Conditions, Effects
from toolplan.importing.pddl.expressions import ACTION_PARTS, NUMBER, Expression, Group, Word
from toolplan.importing.pddl.features import REQUIREMENTS
from toolplan.importing.pddl.findings import Findings
from toolplan.importing.pddl.sections import read_definition
from toolplan.importing.pddl.vocabulary import Variables, Vocabulary
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.source import Location

SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
LONGEST_COST = 20
"""Characters of a cost, which is read exactly."""


@dataclass(frozen=True)
class Action:
    """An action. `cost` is what its effect adds to `total-cost`: a number, a function of its arguments, or None where it adds nothing."""

    name: str
    parameters: tuple[Parameter, ...]
    requires: nodes.Condition
    produces: tuple[nodes.Effect, ...]
    removes: tuple[nodes.Effect, ...]
    cost: str | nodes.Formula | None


@dataclass(frozen=True)
class PddlDomain:
    """A domain."""

    name: str
    vocabulary: Vocabulary
    actions: tuple[Action, ...]


def read_domain(findings: Findings) -> PddlDomain:
    """The domain in a source; what is wrong with it is reported."""
    definition = read_definition(findings, "domain", SECTIONS)
    vocabulary = Vocabulary()
    check_requirements(findings, definition.items(":requirements"))
    vocabulary.declare_types(findings, definition.items(":types"))
    vocabulary.declare_objects(findings, definition.items(":constants"))
    for item in definition.items(":predicates"):
        vocabulary.declare_predicate(findings, item)
    _declare_functions(findings, vocabulary, definition.items(":functions"))
    reading = _Actions(Conditions(findings, vocabulary))
    actions = [action for section in definition.all(":action") if (action := reading.action(section)) is not None]
    return PddlDomain(definition.name.text if definition.name else "", vocabulary, tuple(actions))


def check_requirements(findings: Findings, items: tuple[Expression, ...]) -> None:
    """Look through `:requirements`. They bind nobody, as many domains use more than they say, and others less."""
    for item in items:
        if isinstance(item, Group):
            findings.unexpected("a requirement such as `:typing`", item.shown, item.span)
        elif item.text not in REQUIREMENTS:
            findings.unknown_requirement(item.text, item.span, sorted(REQUIREMENTS))


def _declare_functions(findings: Findings, vocabulary: Vocabulary, items: tuple[Expression, ...]) -> None:
    """Read `(distance ?a ?b) - number`. Functions to objects are a feature that the language lacks."""
    rest = iter(items)
    for item in rest:
        if isinstance(item, Word) and item.text == "-":
            kind = next(rest, None)
            if not (isinstance(kind, Word) and kind.text == "number"):
                findings.unsupported("object fluent", kind.span if kind else item.span)
        else:
            vocabulary.declare_function(findings, item)


@dataclass
class _Actions:
    """Reads the actions of a domain."""

    conditions: Conditions
    places: dict[tuple[str, str], Location] = field(default_factory=dict)

    def action(self, section: Group) -> Action | None:
        """One action; None where it has no name of its own."""
        findings = self.conditions.findings
        name = section.items[1] if len(section.items) > 1 else section
        if not isinstance(name, Word) or name.kind != "a name":
            findings.unexpected("the name of an action", name.shown, name.span)
            return None
        if not findings.is_first("action", name.text, name.span, self.places):
            return None
        parts = self._parts(section)
        listed = parts.get(":parameters")
        if isinstance(listed, Word):
            findings.unexpected("parameters in brackets", listed.shown, listed.span)
        parameters = self.conditions.variables(listed.items if isinstance(listed, Group) else (), Variables())
        variables = Variables().within(parameters)
        required = parts.get(":precondition")
        effects = Effects(self.conditions)
        if (effect := parts.get(":effect")) is not None:
            effects.read(effect, variables)
        return Action(
            name.text,
            tuple(parameters.values()),
            syntax.TRUE if required is None else self.conditions.condition(required, variables),
            tuple(effects.produces),
            tuple(effects.removes),
            self._cost(effects.costs[0], variables) if effects.costs else None,
        )

    def _parts(self, section: Group) -> Mapping[str, Expression]:
        """What follows each of `:parameters`, `:precondition` and `:effect`."""
        findings = self.conditions.findings
        first: dict[tuple[str, str], Location] = {}
        parts: dict[str, Expression] = {}
        rest = iter(section.items[2:])
        for item in rest:
            if not isinstance(item, Word) or item.text not in ACTION_PARTS:
                wanted = ", ".join(f"`{word}`" for word in ACTION_PARTS)
                findings.unexpected(f"one of {wanted}", item.shown, item.span)
            elif (value := next(rest, None)) is None:
                findings.unexpected(f"something after {item.shown}", "nothing", item.span)
            elif findings.is_first("part", item.text, item.span, first):
                parts[item.text] = value
        return parts

    def _cost(self, amount: Expression, variables: Variables) -> str | nodes.Formula | None:
        findings = self.conditions.findings
        if isinstance(amount, Word):
            return read_cost(findings, amount)
        if amount.head in ("+", "-", "*", "/", TOTAL_COST):
            findings.unsupported("computed cost", amount.span)
            return None
        return self.conditions.vocabulary.value(findings, amount, variables)


def read_cost(findings: Findings, item: Expression) -> str | None:
    """A cost as the language writes it: a whole number that is not negative; None where `item` is none."""
    if isinstance(item, Group) or not NUMBER.fullmatch(item.text):
        findings.report(Code.BAD_ACTION_COST, f"expected a number, found {item.shown}", item.span)
    elif len(item.text) > LONGEST_COST:
        findings.report(Code.BAD_ACTION_COST, f"the cost {item.shown} is too large", item.span, "planners count up to about a billion")
    elif (cost := Fraction(item.text)) < 0:
        hint = "a plan would grow cheaper for ever; make the cheapest action cost 0"
        findings.report(Code.BAD_ACTION_COST, f"the cost {item.shown} is negative", item.span, hint)
    elif cost.denominator > 1:
        hint = "multiply all costs by one number, so that each is whole"
        findings.report(Code.BAD_ACTION_COST, f"the cost {item.shown} is no whole number", item.span, hint)
    else:
        return str(cost)
    return None
