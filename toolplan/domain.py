"""The resolved model of a domain: frozen values that every later stage reads. No text, no places, no planner.

Names are those of planning: a declared `Fact` is a state variable, its ground `Atom` lives in planning; a `Tool` and an `Ask` are
both actions. Mappings keep the order of declaration, which is the last of all tie-breaks.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

OBJECT = "object"
"""The type above all types."""

VALUE_TYPES = ("text", "integer", "decimal", "boolean", "date", "datetime", "duration", "email", "url", "enum", "schema")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of entity; `parent` is `OBJECT` where none was declared."""

    name: str
    parent: str = OBJECT
    description: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed variable of a fact, an action, a goal or a quantifier. `type` names a `Type`."""

    name: str
    type: str


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
    `trusts_user`: what a user reports of it is known, not uncertain.
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


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter in scope."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Constant:
    """A named object."""

    name: str

    def __str__(self) -> str:
        return self.name


Term = Variable | Constant


@dataclass(frozen=True, slots=True)
class AtomicFormula:
    """A fact applied to terms; ground when all terms are constants."""

    fact: str
    terms: tuple[Term, ...] = ()

    def __str__(self) -> str:
        return f"{self.fact}({', '.join(map(str, self.terms))})" if self.terms else self.fact


@dataclass(frozen=True, slots=True)
class Not:
    """True where `condition` is known to be false (DESIGN: `not f` needs known false)."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class And:
    """All of `conditions`; of none, it is true."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of `conditions`; of none, it is false."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Equal:
    """Both terms name one object."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class ForAll:
    """`condition` for every assignment of objects to `parameters`."""

    parameters: tuple[Parameter, ...]
    condition: Condition


@dataclass(frozen=True, slots=True)
class Exists:
    """`condition` for some assignment of objects to `parameters`."""

    parameters: tuple[Parameter, ...]
    condition: Condition


Condition = AtomicFormula | Not | And | Or | Equal | ForAll | Exists

TRUE = And(())


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action adds or deletes: `atom` for every assignment of `parameters` under which `condition` held before."""

    atom: AtomicFormula
    condition: Condition = TRUE
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a `oneof` may turn out."""

    produces: tuple[AtomicFormula, ...]
    removes: tuple[AtomicFormula, ...] = ()


class Performer(enum.Enum):
    """Who carries an action out: a call of ours, the user by hand, or the host's model without a call."""

    CALL = "call"
    USER = "user"
    MODEL = "model"


class AskKind(enum.Enum):
    """What a question asks for."""

    VALUE = "value"
    ENTITY = "entity"
    PERMISSION = "permission"


@dataclass(frozen=True, slots=True)
class Literal:
    """A JSON value written in the domain."""

    value: object


@dataclass(frozen=True, slots=True)
class Derived:
    """An argument that the model derives from facts."""

    sources: tuple[AtomicFormula, ...]


@dataclass(frozen=True, slots=True)
class Free:
    """An argument that the model chooses."""


ArgumentSource = AtomicFormula | Variable | Literal | Derived | Free


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of values, decided at the gate and never by the planner. `operator` is one of `< <= > >= = !=`."""

    left: AtomicFormula | Variable | Literal
    operator: str
    right: AtomicFormula | Variable | Literal


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value lies in the JSON of a result."""

    text: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression with named groups over the text of a result."""

    text: str


@dataclass(frozen=True, slots=True)
class HostReader:
    """A reader that the host registers under `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Interface:
    """How a contract meets the real tool: its name, its arguments, its results."""

    calls: str = ""
    passes: Mapping[str, ArgumentSource] = field(default_factory=dict)
    checks: tuple[Comparison, ...] = ()
    key: str | None = None
    returns: tuple[tuple[AtomicFormula, Path | Pattern | HostReader], ...] = ()
    fails_when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The metadata of an evidence contract: who offers the tool, who answers for it, when to use it and when not to."""

    capability: tuple[str, ...] = ()
    server: str = ""
    scopes: tuple[str, ...] = ()
    owner: str = ""
    version: str = ""
    supersedes: tuple[str, ...] = ()
    use_when: tuple[str, ...] = ()
    do_not_use_when: tuple[str, ...] = ()
    idempotent: bool = False
    side_effect: str = ""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person must agree before the call; `by` names the role, empty for the user."""

    by: str = ""


NO_INTERFACE = Interface()
NO_EVIDENCE = Evidence()


@dataclass(frozen=True, slots=True)
class Tool:
    """A contract: applicable where `requires` holds, then `removes` is deleted and `produces` added.

    `risk` names a level of the policy; None is unrated. `verifies` are the effects that are known whatever the call read.
    `finds` and `creates` bring new objects: parameters that planning fills with one placeholder each.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    requires: Condition = TRUE
    produces: tuple[Effect, ...] = ()
    removes: tuple[Effect, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    cost: Fraction = Fraction(1)
    risk: str | None = None
    confirm: Confirmation | None = None
    performer: Performer = Performer.CALL
    verifies: tuple[AtomicFormula, ...] = ()
    finds: tuple[Parameter, ...] = ()
    creates: tuple[Parameter, ...] = ()
    enumerates: tuple[str, ...] = ()
    interface: Interface = NO_INTERFACE
    evidence: Evidence = NO_EVIDENCE

    @property
    def call_name(self) -> str:
        """The name of the real tool."""
        return self.interface.calls or self.name


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the user as an action: it produces what the answer makes known.

    `chooses` is the parameter that an entity question fills, `permits` the tool that a permission question opens.
    `implied` marks a question made from a fact's description because the author wrote none.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    kind: AskKind = AskKind.VALUE
    question: str = ""
    requires: Condition = TRUE
    produces: tuple[Effect, ...] = ()
    cost: Fraction = Fraction(1)
    chooses: str = ""
    permits: str = ""
    implied: bool = False


Action = Tool | Ask


@dataclass(frozen=True, slots=True)
class Goal:
    """A named goal: `achieves` and all of `given` must be known at the end. `phrases` are what people say for it."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    achieves: Condition = TRUE
    given: tuple[AtomicFormula, ...] = ()
    phrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RiskLevel:
    """A level of risk: `weight` counts in the score, `safe` means no effect that others see or that cannot be undone."""

    name: str
    weight: Fraction
    safe: bool = False
    confirm: Confirmation | None = None


DEFAULT_RISK = tuple(
    RiskLevel(name, Fraction(weight), safe=name == "read", confirm=Confirmation() if name in {"share", "send", "delete"} else None)
    for name, weight in (("read", "0"), ("draft", "0.5"), ("write", "1"), ("share", "3"), ("send", "3"), ("delete", "5"))
)


class Clarify(enum.Enum):
    """When an ambiguous reading leads to a question: before any step, or when the plans of the candidates part."""

    EARLY = "early"
    LATE = "late"


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of a domain. `question_cost` is the cost of a question that names none."""

    confidence: Fraction = Fraction("0.70")
    margin: Fraction = Fraction("0.15")
    plausible: Fraction = Fraction("0.05")
    risk_factor: Fraction = Fraction(1)
    clarify: Clarify = Clarify.LATE
    risk: tuple[RiskLevel, ...] = DEFAULT_RISK
    always_visible: tuple[str, ...] = ()
    question_cost: Fraction = Fraction(5)

    def level(self, name: str | None) -> RiskLevel:
        """The level called `name`; unrated (None) is not safe and weighs as much as the highest level."""
        for level in self.risk:
            if level.name == name:
                return level
        return RiskLevel("unrated", max((level.weight for level in self.risk), default=Fraction(0)))


@dataclass(frozen=True, slots=True)
class Given:
    """A statement about the state in a test: `status` is `known`, `uncertain` or `denied`."""

    atom: AtomicFormula
    status: str = "known"
    value: object = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a test expects: `kind` is `chain`, `frontier`, `question` or `blocked`."""

    kind: str
    atoms: tuple[AtomicFormula, ...]


@dataclass(frozen=True, slots=True)
class Never:
    """None of `actions` in any plan; with `without`, the one atom never holds unless the other does."""

    atoms: tuple[AtomicFormula, ...]
    without: AtomicFormula | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that a caller wants: the text it was asked in, the condition to reach, and the `Goal` it names, if any."""

    label: str
    condition: Condition
    goal: str = ""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A test block. Without `wanted` it has a `request`, or only says what must never be."""

    name: str
    given: tuple[Given, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    request: str | None = None
    expects: tuple[Expectation, ...] = ()
    never: tuple[Never, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
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

    def risk_of(self, action: Action) -> RiskLevel:
        """The level of risk of `action`; asking is safe and weighs nothing."""
        return self.policy.level(action.risk) if isinstance(action, Tool) else ASKING

    def score_of(self, action: Action) -> Fraction:
        """What one step of `action` adds to the score of a plan: cost + risk factor * weight of its level."""
        return action.cost + self.policy.risk_factor * self.risk_of(action).weight


ASKING = RiskLevel("ask", Fraction(0), safe=True)
