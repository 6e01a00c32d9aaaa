"""The resolved model of a domain: frozen values that every later stage reads. No text, no places, no planner.

Names are those of planning: a declared `Fact` is a state variable, its ground `Atom` lives in planning; a `Tool` and an `Ask` are
both actions. Mappings keep the order of declaration, which is the last of all tie-breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from weakref import WeakKeyDictionary

from toolplan.domain.actions import Action, Ask, AskKind, Confirmation, Performer, Tool
from toolplan.domain.budget import NO_BUDGET, Budget, HighRisk, Stopping, Widening
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
    IfKnown,
    Interface,
    Items,
    Literal,
    Path,
    Pattern,
)
from toolplan.domain.policy import ASKING, DEFAULT_RISK, Clarify, Policy, RiskLevel, Uncontracted
from toolplan.domain.principals import Principal, enabled, permits
from toolplan.domain.scenarios import CandidateGoals, Expectation, Given, Happening, Never, Scenario, Wanted
from toolplan.domain.sharing import Shared
from toolplan.domain.supersession import in_place_of, names_of, superseders

__all__ = [
    "ASKING",
    "DEFAULT_RISK",
    "NO_BUDGET",
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
    "Budget",
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
    "HighRisk",
    "HostReader",
    "IfKnown",
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
    "Principal",
    "RiskLevel",
    "Scenario",
    "Slot",
    "Stopping",
    "Template",
    "Term",
    "Tool",
    "Type",
    "Uncontracted",
    "ValueType",
    "Variable",
    "Wanted",
    "Widening",
    "enabled",
    "in_place_of",
    "names_of",
    "permits",
    "superseders",
]

VALUE_TYPES = ("text", "integer", "decimal", "boolean", "date", "datetime", "duration", "email", "url", "enum", "schema")
KEPT_RESTRICTIONS = 64
"""Restrictions of a domain that live as long as it does, though nobody holds them, with all that is remembered of them."""

_RESTRICTIONS: WeakKeyDictionary[Domain, Shared[frozenset[str], Domain]] = WeakKeyDictionary()


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

    @property
    def is_boolean(self) -> bool:
        """Whether what it carries is true or false, which then does not say whether it is known."""
        return self.value is not None and self.value.kind == "boolean"


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
    """Everything that one file and its imports declare. Compared by identity; a changed domain is a new value.

    `withheld` are the real tools that a principal may not use: they are not uncontracted, though no contract of this domain calls them.
    """

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
    withheld: tuple[str, ...] = ()

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

    def for_principal(self, principal: Principal, also: Callable[[Tool], bool] | None = None) -> Domain:
        """This domain without the tools that `principal` may not use, as if nobody had declared them; itself where there are none.

        `also` sees each tool that the contracts permit, and may forbid it. The same tools make the same domain, whoever asks. Facts, types
        and goals stay, so that what only a forbidden tool produces cannot be had. Tests go, since they name tools.
        """
        permitted = frozenset(name for name, tool in self.tools.items() if permits(tool, principal) and (also is None or also(tool)))
        if len(permitted) == len(self.tools):
            return self
        restrictions = _RESTRICTIONS.setdefault(self, Shared(KEPT_RESTRICTIONS))
        return restrictions.get(permitted, lambda: self._restricted(permitted))

    def _restricted(self, permitted: Set[str]) -> Domain:
        tools = {name: tool for name, tool in self.tools.items() if name in permitted}
        gone = [tool for name, tool in self.tools.items() if name not in permitted]
        hidden = {name for tool in gone for name in names_of(tool)}
        hidden -= {name for tool in tools.values() for name in names_of(tool)}
        newer = superseders(self.tools)
        placeholders = {tool.placeholder(brought) for tool in gone for brought in (*tool.finds, *tool.creates)}
        asks = {name: ask for name, ask in self.asks.items() if not ask.permits or ask.permits in tools}
        # The fact that a permission question gives is described by the name of its tool.
        facts = {**self.facts, **{name: replace(self.facts[name], description="") for name in self.asks.keys() - asks.keys()}}
        return replace(
            self,
            constants={name: kind for name, kind in self.constants.items() if name not in placeholders},
            facts=facts,
            tools={
                name: _without_mentions(tool, hidden, (old for old in tools.values() if name in in_place_of(old.name, newer)))
                for name, tool in tools.items()
            },
            asks=asks,
            policy=replace(self.policy, always_visible=tuple(name for name in self.policy.always_visible if name in tools)),
            tests=(),
            withheld=tuple(dict.fromkeys((*self.withheld, *_withheld(gone, hidden)))),
        )


def _withheld(gone: Iterable[Tool], hidden: Set[str]) -> Iterator[str]:
    """The real tools of the contracts that are `gone`, and what these stand in the place of: an old version is no way around a new one."""
    for tool in gone:
        yield from (name for name in (tool.call_name, *tool.evidence.supersedes) if name in hidden or name != tool.call_name)


def _without_mentions(tool: Tool, hidden: Set[str], replaced: Iterable[Tool]) -> Tool:
    """`tool` without the names of hidden tools. What these supersede, it now supersedes itself: it stands in the place of all `replaced`."""
    named = tool.evidence.supersedes
    kept = tuple(name for name in named if name not in hidden)
    if kept == named:
        return tool
    others = (old.name for old in replaced if names_of(old).isdisjoint(kept))
    return replace(tool, evidence=replace(tool.evidence, supersedes=(*kept, *others)))
