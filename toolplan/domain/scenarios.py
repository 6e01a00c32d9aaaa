"""What callers and test blocks want and expect."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from toolplan.domain.conditions import AtomicFormula, Condition, Parameter


@dataclass(frozen=True, slots=True)
class Given:
    """A statement about the state in a test: `status` is `known`, `uncertain` or `denied`."""

    atom: AtomicFormula
    status: str = "known"
    value: object = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a test expects: `kind` is `chain`, `frontier`, `question`, `form`, `about`, `no goal` or `blocked`.

    `about` is the question which of several goals is meant, and `options` are the goals of each answer.
    """

    kind: str
    atoms: tuple[AtomicFormula, ...] = ()
    options: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """What a test lets happen: `kind` is `returns`, `fails` or `in doubt` of a call, `says` or `declines` of the user.

    `call` is None where it is the user; without arguments it is the call that the frontier offers. `value` is a result as JSON would
    hold it, or the words of the user. `observed` are the atoms by which a result chooses one of several outcomes.
    """

    kind: str
    call: AtomicFormula | None = None
    value: object = None
    observed: tuple[AtomicFormula, ...] = ()


@dataclass(frozen=True, slots=True)
class Never:
    """None of `actions` in any plan; with `without`, the one atom never holds unless the other does."""

    atoms: tuple[AtomicFormula, ...]
    without: AtomicFormula | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that a caller wants: the text it was asked in, the condition to reach, and the `Goal` it names, if any.

    `entities` are the arguments of that goal, with the types that its parameters give them.
    """

    label: str
    condition: Condition
    goal: str = ""
    entities: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateGoals:
    """Goals that a request may mean, together, as callers write them, and the probability that it does."""

    goals: tuple[str, ...]
    p: Fraction


@dataclass(frozen=True, slots=True)
class Scenario:
    """A test block. Without `wanted` it has a `request`, or only says what must never be.

    Beside a `request`, `wanted` is what the user means by it, and `candidates` are what it is taken for. `script` is what it expects and what it lets happen in between, in order.
    """

    name: str
    given: tuple[Given, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    request: str | None = None
    candidates: tuple[CandidateGoals, ...] = ()
    script: tuple[Expectation | Happening, ...] = ()
    never: tuple[Never, ...] = ()

    @property
    def expects(self) -> tuple[Expectation, ...]:
        """What the test expects, without what happens in between."""
        return tuple(part for part in self.script if isinstance(part, Expectation))
