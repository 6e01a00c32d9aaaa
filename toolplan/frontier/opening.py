"""What would open a way to a goal that nothing leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolplan.domain import Domain
from toolplan.planning.plans import Fluent, Status
from toolplan.planning.problem import ENUMERATED, Problem, instead_of

FORBIDDEN = "which the call forbids"
NO_OTHERS: Mapping[str, str] = {}


def opening(problem: Problem, missing: Sequence[Fluent], others: Mapping[str, str] = NO_OTHERS) -> str:
    """What would open a way to the unreachable goal of `problem`: a fact to give, or a contract or question to write.

    `others` are tools that are forbidden for another reason than that the call does, each with a relative clause that says why.
    """
    if not missing:
        return "each of the facts can be had, but no order of the tools has them together; look at what they remove"
    shown = ", ".join(f"`{fluent}`" for fluent in missing[:5])
    if denied := [fluent.atom.fact for fluent in missing if fluent.status is Status.DENIED]:
        if all(problem.domain.facts[fact].closed for fact in denied):
            return f"it takes {shown}: add a tool that removes it"
        return f"say that {shown}, declare the fact `closed`, or add a tool that removes it"
    if unlisted := [fluent.atom.arguments[0] for fluent in missing if fluent.atom.fact == ENUMERATED]:
        return f"`forall` over {', '.join(f'`{name}`' for name in unlisted)} needs a tool that `enumerates` it"
    left_out = [name for name in sorted(problem.forbidden) if _makes(problem.domain, name, missing)]
    if left_out:
        return f"it would take {'; or '.join(_why_not(problem, name, others) for name in left_out)}"
    return f"give {shown} with the state, add a tool that produces it, or an `ask` for it"


def _why_not(problem: Problem, name: str, others: Mapping[str, str]) -> str:
    """A tool that is not planned with, and why."""
    newer = instead_of(problem, name)
    return f"`{name}`, in whose place `{newer[0]}` stands" if newer else f"`{name}`, {others.get(name, FORBIDDEN)}"


def _makes(domain: Domain, name: str, missing: Sequence[Fluent]) -> bool:
    facts = {fluent.atom.fact for fluent in missing}
    return any(effect.atom.fact in facts for effect in domain.action(name).produces)
