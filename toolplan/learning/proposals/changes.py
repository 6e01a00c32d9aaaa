"""Proposals as data: lines of a diff, each with its evidence."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from toolplan.domain import AtomicFormula, Parameter
from toolplan.planning.plans import written


class Sign(enum.StrEnum):
    """Whether a line comes in or goes."""

    ADD = "+"
    REMOVE = "-"


@dataclass(frozen=True, slots=True)
class Change:
    """One line: `item` of the clause `word`, both as the language writes them, and in words what speaks for it."""

    sign: Sign
    word: str
    item: str
    evidence: str

    def __str__(self) -> str:
        return f"{self.sign} {self.word} {self.item}   # {self.evidence}"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to change in one declaration. `kind` is `tool`, or `goal` or `fact` for one that is new."""

    kind: str
    name: str
    changes: tuple[Change, ...]
    parameters: tuple[Parameter, ...] = ()

    @property
    def heading(self) -> str:
        """The name as the language writes it, with the parameters of a new goal."""
        parameters = ", ".join(f"{written(each.name, ())}: {written(each.type, ())}" for each in self.parameters)
        return written(self.name, ()) + (f"({parameters})" if parameters else "")

    def __str__(self) -> str:
        return "\n".join((f"{self.kind} {self.heading}", *map(str, self.changes)))

    def to_dict(self) -> dict[str, object]:
        """The proposal as JSON values."""
        changes = [{"sign": str(one.sign), "clause": one.word, "item": one.item, "evidence": one.evidence} for one in self.changes]
        return {"kind": self.kind, "name": self.name, "changes": changes}


def text(atom: AtomicFormula) -> str:
    """`atom` as the language writes it."""
    return written(atom.fact, [term.name for term in atom.terms])
