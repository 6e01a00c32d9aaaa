"""Goals that no state can meet together."""

from __future__ import annotations

from collections.abc import Iterable

from toolplan.domain import And, AtomicFormula, Not, Wanted
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic


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
