"""What the states before and after calls say that contracts do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from toolplan.domain import And, AtomicFormula, Condition, Domain, Effect, Equal, Or, Tool, Variable
from toolplan.learning.called import contract_of
from toolplan.learning.contracts import (
    NOISE,
    NOT,
    SUPPORT,
    Learned,
    Observed,
    Rule,
    Seen,
    Support,
    formula,
    having,
    support_of_product,
    support_of_removal,
    support_of_requirement,
)
from toolplan.learning.proposals.changes import Change, Sign, text


def from_states(domain: Domain, observed: Observed) -> Iterator[tuple[str, Change]]:
    """The tools, by the names of their contracts, and what to change in them."""
    for one in observed.learned():
        tool = contract_of(domain, one.tool)
        if tool is not None:
            for change in _of_tool(domain, tool, one, observed.tools[one.tool]):
                yield tool.name, change


def mentioned(condition: Condition) -> Iterator[AtomicFormula]:
    """The facts that `condition` speaks of."""
    match condition:
        case AtomicFormula():
            yield condition
        case And(parts) | Or(parts):
            for part in parts:
                yield from mentioned(part)
        case Equal():
            pass
        case _:
            yield from mentioned(condition.condition)


Seens = Mapping[Seen, int]


class _Effects(NamedTuple):
    """Effects of one kind: the clause, what is written, what was learned, and how executions speak for one, in figures and in words."""

    word: str
    written: tuple[Effect, ...]
    learned: tuple[Rule, ...]
    support: Callable[[str, Seens], Support]
    told: str


def _of_tool(domain: Domain, tool: Tool, one: Learned, seen: Seens) -> Iterator[Change]:
    yield from _needed(domain, tool, one)
    yield from _needless(tool, one, seen)
    produces = _Effects("produces", tool.produces, one.produces, support_of_product, "calls that lacked it have it since")
    removes = _Effects("removes", tool.removes, one.removes, support_of_removal, "calls that had it have it no more")
    for effects in (produces, removes):
        yield from _seen_only(domain, tool, effects)
        yield from _written_only(tool, effects, seen)


def _needed(domain: Domain, tool: Tool, one: Learned) -> Iterator[Change]:
    written = set(mentioned(tool.requires))
    for literal, support in one.requires:
        atom, is_denied = formula(literal.removeprefix(NOT)), literal.startswith(NOT)
        if atom not in written and _can_say(domain, tool, atom) and (domain.facts[atom.fact].closed or not is_denied):
            without, having = ("known", "missing") if is_denied else ("missing", "known")
            succeeded = f"all {one.done}" if not support.broken else f"{one.done - support.broken} of {one.done}"
            evidence = f"{without} in {support.held} of {one.failed} calls that failed, {having} before {succeeded} that succeeded"
            yield Change(Sign.ADD, "requires", literal, evidence)


def _needless(tool: Tool, one: Learned, seen: Seens) -> Iterator[Change]:
    parts = tool.requires.conditions if isinstance(tool.requires, And) else (tool.requires,)
    for fact in (text(part) for part in parts if isinstance(part, AtomicFormula)):
        # A call that lacks something else, too, says nothing of this.
        others = [rule.fact for rule in one.requires if rule.fact != fact]
        failed, succeeded = support_of_requirement(fact, having(others, seen))
        if _is_refuted(Support(failed, succeeded)):
            yield Change(Sign.REMOVE, "requires", fact, f"{succeeded} of {failed + succeeded} calls without it succeeded")


def _seen_only(domain: Domain, tool: Tool, effects: _Effects) -> Iterator[Change]:
    outcomes = {atom for outcome in tool.outcomes for atom in (*outcome.produces, *outcome.removes)}
    written = {effect.atom for effect in effects.written} | outcomes
    under_conditions = {effect.atom.fact for effect in effects.written if not effect.always_fires}
    for fact, support in effects.learned:
        atom = formula(fact)
        if atom not in written and atom.fact not in under_conditions and _can_say(domain, tool, atom):
            yield Change(Sign.ADD, effects.word, fact, f"{support.held} of {sum(support)} {effects.told}")


def _written_only(tool: Tool, effects: _Effects, seen: Seens) -> Iterator[Change]:
    for effect in effects.written:
        fact = text(effect.atom)
        if effect.always_fires and _is_own(tool, effect.atom) and _is_refuted(support := effects.support(fact, seen)):
            yield Change(Sign.REMOVE, effects.word, fact, f"{support.held} of {sum(support)} {effects.told}")


def _is_refuted(support: Support) -> bool:
    return sum(support) >= SUPPORT and support.held <= NOISE * sum(support)


def _can_say(domain: Domain, tool: Tool, atom: AtomicFormula) -> bool:
    """Whether it is a fact of the domain over parameters of the tool."""
    return atom.fact in domain.facts and len(domain.facts[atom.fact].parameters) == len(atom.terms) and _is_own(tool, atom)


def _is_own(tool: Tool, atom: AtomicFormula) -> bool:
    return {Variable(parameter.name) for parameter in tool.parameters}.issuperset(atom.terms)
