"""The resolved model of a domain: frozen values that every later stage reads. No text, no places, no planner.

Names are those of planning: a declared `Fact` is a state variable, its ground `Atom` lives in planning; a `Tool` and an `Ask` are
both actions. Mappings keep the order of declaration, which is the last of all tie-breaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain.actions import Action, Ask, AskKind, Confirmation, Performer, Tool
from toolplan.domain.conditions import (
    OBJECT,
    TRUE,
    And,
    AtomicFormula,
    Condition,
    Constant,
    Effect,
    Equal,
    Exists,
    ForAll,
    Not,
    Or,
    Outcome,
    Parameter,
    Term,
    Variable,
)
from toolplan.domain.interfaces import (
    NO_EVIDENCE,
    NO_INTERFACE,
    ArgumentSource,
    Comparison,
    Derived,
    Evidence,
    Free,
    HostReader,
    Interface,
    Items,
    Literal,
    Path,
    Pattern,
)
from toolplan.domain.policy import ASKING, DEFAULT_RISK, Clarify, Policy, RiskLevel
from toolplan.domain.scenarios import CandidateGoals, Expectation, Given, Happening, Never, Scenario, Wanted

__all__ = [
    "ASKING",
    "DEFAULT_RISK",
    "NO_EVIDENCE",
    "NO_INTERFACE",
    "OBJECT",
    "TRUE",
    "VALUE_TYPES",
    "Action",
    "And",
    "ArgumentSource",
    "Ask",
    "AskKind",
    "AtomicFormula",
    "CandidateGoals",
    "Clarify",
    "Comparison",
    "Condition",
    "Confirmation",
    "Constant",
    "Derived",
    "Domain",
    "Effect",
    "Equal",
    "Evidence",
    "Exists",
    "Expectation",
    "Fact",
    "ForAll",
    "Free",
    "Given",
    "Goal",
    "Happening",
    "HostReader",
    "Interface",
    "Items",
    "Literal",
    "Never",
    "Not",
    "Or",
    "Outcome",
    "Parameter",
    "Path",
    "Pattern",
    "Performer",
    "Policy",
    "RiskLevel",
    "Scenario",
    "Slot",
    "Template",
    "Term",
    "Tool",
    "Type",
    "ValueType",
    "Variable",
    "Wanted",
]

VALUE_TYPES = ("text", "integer", "decimal", "boolean", "date", "datetime", "duration", "email", "url", "enum", "schema")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of entity; `parent` is `OBJECT` where none was declared."""

    name: str
    parent: str = OBJECT
    description: str = ""


@dataclass(frozen=True, slots=True)
class ValueType:
    """The type of the value that a fact carries: `kind` is one of `VALUE_TYPES`.

    `options` are the values of an enum, or the one path of a schema.
    """

    kind: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A state variable. `parameters` make it a relation over entities; `value` says what it carries, if anything.

    `closed`: nothing but our tools and the caller changes it, so absent means false. `many`: several values at once.
    `lasting`: it outlives the request it was found in. `fresh`: seconds until an observed value is unknown again.
    `trusts_user`: what a user reports of it is known, not uncertain. `by_others`: third parties can write its value, so that what a
    call observes of it is content: no tool above safe takes it without a confirmation that shows it.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    value: ValueType | None = None
    description: str = ""
    closed: bool = False
    many: bool = False
    lasting: bool = False
    fresh: Fraction | None = None
    trusts_user: bool = False
    by_others: bool = False


Slot = AtomicFormula | Variable
"""A place in a phrase: a fact of which the words there tell, or a parameter of the goal, whose entity they name."""
Template = tuple[str | Slot, ...]
"""A phrase cut into its literal texts and its slots, in order. No text is empty."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A named goal: `achieves` and all of `given` must be known at the end.

    `phrases` are what people say for it, with `...` in place of each slot; `templates` are those of them that have slots.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    achieves: Condition = TRUE
    given: tuple[AtomicFormula, ...] = ()
    phrases: tuple[str, ...] = ()
    templates: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Domain:
    """Everything that one file and its imports declare. Compared by identity; a changed domain is a new value."""

    name: str
    description: str
    types: Mapping[str, Type]
    constants: Mapping[str, str]
    facts: Mapping[str, Fact]
    tools: Mapping[str, Tool]
    asks: Mapping[str, Ask]
    goals: Mapping[str, Goal]
    policy: Policy
    tests: tuple[Scenario, ...] = ()

    def action(self, name: str) -> Action:
        """The tool or question called `name`. Raises KeyError where there is none."""
        return self.tools[name] if name in self.tools else self.asks[name]

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Whether every `name` is an `ancestor`."""
        while name not in (ancestor, OBJECT):
            name = self.types[name].parent
        return ancestor in (name, OBJECT)

    def types_below(self, name: str) -> tuple[str, ...]:
        """`name` and every type below it."""
        return (name, *(kind for kind in self.types if kind != name and self.is_subtype(kind, name)))

    def risk_of(self, action: Action) -> RiskLevel:
        """The level of risk of `action`; asking is safe and weighs nothing."""
        return self.policy.level(action.risk) if isinstance(action, Tool) else ASKING

    def score_of(self, action: Action) -> Fraction:
        """What one step of `action` adds to the score of a plan: cost + risk factor * weight of its level."""
        return action.cost + self.policy.risk_factor * self.risk_of(action).weight
