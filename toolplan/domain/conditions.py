"""Conditions and effects over facts."""

from __future__ import annotations

from dataclasses import dataclass

OBJECT = "object"
"""The type above all types."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed variable of a fact, an action, a goal or a quantifier. `type` names a `Type`."""

    name: str
    type: str


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

    @property
    def always_fires(self) -> bool:
        """Whether it is one atom, under no condition."""
        return not self.parameters and self.condition == TRUE


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a `oneof` may turn out."""

    produces: tuple[AtomicFormula, ...]
    removes: tuple[AtomicFormula, ...] = ()
