"""What would open a way to a goal that nothing leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolplan.planning.plans import Fluent, Status, Step
from toolplan.planning.problem import ENUMERATED, Problem, instead_of
from toolplan.planning.schemas import Pattern, filled, schemas_of

FORBIDDEN = "which the call forbids"
TRIED = "which was tried already"
NO_OTHERS: Mapping[str, str] = {}


def opening(problem: Problem, missing: Sequence[Fluent], others: Mapping[str, str] = NO_OTHERS) -> str:
    """What would open a way to the unreachable goal of `problem`: a fact to give, or a contract or question to write.

    `others` are tools that are forbidden for another reason than that the call does, each with a relative clause that says why.
    """
    if not missing:
        return "each of the facts can be had, but no order of the tools has them together; look at what they remove"
    shown = ", ".join(f"`{fluent}`" for fluent in missing[:5])
    left_out = [_why_not(problem, name, others) for name in sorted(problem.forbidden) if _makes(problem, name, missing)]
    left_out += [f"`{step}`, {TRIED}" for step in sorted(problem.exhausted) if _would_make(problem, step, missing)]
    if left_out:
        return f"it would take {'; or '.join(left_out)}"
    if denied := [fluent.atom.fact for fluent in missing if fluent.status is Status.DENIED]:
        if all(problem.domain.facts[fact].closed for fact in denied):
            return f"it takes {shown}: add a tool that removes it"
        return f"say that {shown}, declare the fact `closed`, or add a tool that removes it"
    if unlisted := [fluent.atom.arguments[0] for fluent in missing if fluent.atom.fact == ENUMERATED]:
        return f"`forall` over {', '.join(f'`{name}`' for name in unlisted)} needs a tool that `enumerates` it"
    return f"give {shown} with the state, add a tool that produces it, or an `ask` for it"


def _why_not(problem: Problem, name: str, others: Mapping[str, str]) -> str:
    """A tool that is not planned with, and why."""
    newer = instead_of(problem, name)
    return f"`{name}`, in whose place `{newer[0]}` stands" if newer else f"`{name}`, {others.get(name, FORBIDDEN)}"


def _makes(problem: Problem, name: str, missing: Sequence[Fluent]) -> bool:
    """Whether the action called `name` brings about anything of what is `missing`, with whatever arguments."""
    return any(pattern.fact != ENUMERATED or pattern.places == fluent.atom.arguments for pattern, fluent in _made(problem, name, missing))


def _would_make(problem: Problem, step: Step, missing: Sequence[Fluent]) -> bool:
    """Whether `step` brings about anything of what is `missing`, and nothing else keeps it from being planned with."""
    if step.action in problem.forbidden:
        return False
    if not step.arguments:
        return _makes(problem, step.action, missing)
    return any(
        all(
            place in (None, argument) for place, argument in zip(filled(pattern.places, step.arguments), fluent.atom.arguments, strict=True)
        )
        for pattern, fluent in _made(problem, step.action, missing)
    )


def _made(problem: Problem, name: str, missing: Sequence[Fluent]) -> Iterator[tuple[Pattern, Fluent]]:
    """What is `missing` of the facts that the action changes, each with the pattern of that change."""
    schema = schemas_of(problem.domain).schema(problem.domain, name)
    for fluent in missing:
        for pattern in schema.removes if fluent.status is Status.DENIED else schema.adds:
            if pattern.fact == fluent.atom.fact:
                yield pattern, fluent
