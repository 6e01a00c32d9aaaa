"""Rules about contracts, each by itself and beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from toolplan.domain import OBJECT, TRUE, Action, And, AtomicFormula, Condition, Effect, Equal, Literal, Or, Tool, Variable, superseders
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Label, quoted
from toolplan.language.lint.flow import arguments, effects
from toolplan.language.requests import substitute, substitute_effect
from toolplan.language.resolve import Resolved

MOST_GROUNDINGS = 10_000
"""Groundings of one action over the declared constants that are worth no note."""
MOST_RIVALS = 20
"""Tools that one tool is compared with: those that produce the same."""


def unrated_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools without `risk`: they are not safe, and weigh as much as the highest level."""
    levels = ", ".join(quoted(level.name) for level in resolved.domain.policy.risk)
    for tool in resolved.domain.tools.values():
        if tool.risk is None:
            message = f"tool {quoted(tool.name)} has no risk"
            yield resolved.finding(Code.UNRATED_TOOL, ("action", tool.name), message, f"add `risk` with one of {levels}")


def tools_without_effect(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that change nothing: no plan ever needs them."""
    for tool in resolved.domain.tools.values():
        if not (tool.produces or tool.removes or tool.outcomes or tool.enumerates or tool.verifies):
            message = f"tool {quoted(tool.name)} changes nothing"
            yield resolved.finding(Code.TOOL_WITHOUT_EFFECT, ("action", tool.name), message, "say what it `produces`")


def added_and_removed(resolved: Resolved) -> Iterator[Diagnostic]:
    """Atoms that a tool produces whenever it removes them: they hold afterwards, so the `removes` has no meaning."""
    for tool in resolved.domain.tools.values():
        for atom in dict.fromkeys(effect.atom for effect in tool.removes if _is_undone(effect, tool.produces)):
            message = f"tool {quoted(tool.name)} both removes and produces {quoted(str(atom))}"
            hint = "what is produced wins; drop the `removes`"
            yield resolved.finding(Code.ADDED_AND_REMOVED, ("action", tool.name), message, hint)


def _is_undone(removed: Effect, produced: Sequence[Effect]) -> bool:
    return any(
        added.atom == removed.atom and added.parameters == removed.parameters and added.condition in (TRUE, removed.condition)
        for added in produced
    )


@dataclass(frozen=True)
class Contract:
    """What planning sees of a tool, its parameters numbered: equal for tools that differ in names alone."""

    types: tuple[object, ...]
    requires: frozenset[Condition]
    gives: frozenset[Effect]
    removes: frozenset[Effect]
    others: tuple[object, ...]


def contract_of(tool: Tool) -> Contract:
    """The contract of `tool`."""
    own = (*tool.parameters, *tool.finds, *tool.creates)
    binding = {parameter.name: Variable(str(number)) for number, parameter in enumerate(own)}
    requires = substitute(tool.requires, binding)
    return Contract(
        types=tuple(tuple(parameter.type for parameter in part) for part in (tool.parameters, tool.finds, tool.creates)),
        requires=frozenset(requires.conditions if isinstance(requires, And) else [requires]),
        gives=frozenset(substitute_effect(effect, binding) for effect in tool.produces),
        removes=frozenset(substitute_effect(effect, binding) for effect in tool.removes),
        others=(
            tuple(tuple(substitute(atom, binding) for atom in (*one.produces, None, *one.removes) if atom) for one in tool.outcomes),
            frozenset(substitute(atom, binding) for atom in tool.verifies),
            tool.enumerates,
            tool.performer,
        ),
    )


def duplicate_contracts(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools that planning cannot tell apart and that call the same: only the first is ever planned."""
    first: dict[object, Tool] = {}
    for tool in _current(resolved):
        fixed = frozenset((name, repr(value)) for name, value in tool.interface.passes.items() if isinstance(value, Literal))
        key = (contract_of(tool), tool.cost, tool.risk, tool.confirm, tool.interface.calls, fixed)
        other = first.setdefault(key, tool)
        if other is not tool and any(effects(tool)):
            message = f"tools {quoted(other.name)} and {quoted(tool.name)} have the same contract"
            hint = "no plan ever prefers the second; say in what they differ, or keep one of them"
            labels = (Label(resolved.places["action", other.name], "the same as this"),)
            yield resolved.finding(Code.DUPLICATE_CONTRACT, ("action", tool.name), message, hint, labels)


def dominated_tools(resolved: Resolved) -> Iterator[Diagnostic]:
    """Tools beside which another needs no more, gives no less, and costs and risks no more: no best plan needs them."""
    contracts = {tool.name: contract_of(tool) for tool in _current(resolved)}
    givers: dict[object, list[str]] = {}
    for name, contract in contracts.items():
        for effect in contract.gives:
            givers.setdefault((contract.types, effect), []).append(name)
    for name, contract in contracts.items():
        rarest = min((givers[contract.types, effect] for effect in contract.gives), key=len, default=[])
        for other in rarest[:MOST_RIVALS]:
            if _is_better(resolved, contracts[other], contract, resolved.domain.tools[other], resolved.domain.tools[name]):
                message = f"tool {quoted(name)} is never better than {quoted(other)}"
                hint = f"{quoted(other)} needs no more, gives no less, and costs and risks no more; say what {quoted(name)} alone gives"
                labels = (Label(resolved.places["action", other], "this one"),)
                yield resolved.finding(Code.DOMINATED_TOOL, ("action", name), message, hint, labels)
                break


def _is_better(resolved: Resolved, better: Contract, worse: Contract, one: Tool, other: Tool) -> bool:
    """Whether `one` is as good as `other` in every respect, and better in some."""
    level, others = resolved.domain.risk_of(one), resolved.domain.risk_of(other)
    as_good = (
        better.requires <= worse.requires
        and better.gives >= worse.gives
        and (better.types, better.removes, better.others) == (worse.types, worse.removes, worse.others)
        and one.cost <= other.cost
        and level.weight <= others.weight
        and level.safe >= others.safe
        and bool(one.confirm or level.confirm) <= bool(other.confirm or others.confirm)
    )
    return as_good and (better != worse or one.cost < other.cost or level.weight < others.weight)


def many_groundings(resolved: Resolved) -> Iterator[Diagnostic]:
    """Actions that the declared constants alone give more steps than planning should look through."""
    domain = resolved.domain
    sizes: Counter[str] = Counter()
    for kind, name in resolved.places:
        if kind == "constant":
            at = domain.constants[name]
            while at != OBJECT:
                sizes[at] += 1
                at = domain.types[at].parent
            sizes[OBJECT] += 1
    for action in _actions(resolved):
        count = prod(sizes[parameter.type] for parameter in action.parameters)
        if count > MOST_GROUNDINGS:
            message = f"the constants alone give {quoted(action.name)} {count:,} groundings"
            hint = "narrow the types of its parameters, or split it"
            yield resolved.finding(Code.MANY_GROUNDINGS, ("action", action.name), message, hint)


def unused_parameters(resolved: Resolved) -> Iterator[Diagnostic]:
    """Parameters of actions that nothing in them speaks of: every object would do."""
    for action in _actions(resolved):
        used = set(_variables(action.requires)).union(*(_in_effect(effect) for effect, _ in effects(action)))
        if isinstance(action, Tool):
            used |= {term.name for atom in arguments(action) for term in atom.terms}
            used |= {term.name for atom, _ in action.interface.returns for term in atom.terms}
            values = [*action.interface.passes.values(), *(side for check in action.interface.checks for side in (check.left, check.right))]
            used |= {value.name for value in values if isinstance(value, Variable)}
        else:
            used.add(action.chooses)
        for parameter in action.parameters:
            if parameter.name not in used:
                message = f"{quoted(action.name)} never uses its parameter {quoted(parameter.name)}"
                hint = "every object would do; remove it, or say what must hold for it"
                yield resolved.finding(Code.UNUSED_PARAMETER, ("action", action.name), message, hint)


def _current(resolved: Resolved) -> list[Tool]:
    """The tools that no other supersedes. What they have in common with those that they replace is meant."""
    newer = superseders(resolved.domain.tools)
    return [tool for tool in resolved.domain.tools.values() if tool.name not in newer]


def _actions(resolved: Resolved) -> Iterator[Action]:
    """The actions that were written."""
    yield from resolved.domain.tools.values()
    yield from (ask for ask in resolved.domain.asks.values() if not ask.implied)


def _in_effect(effect: Effect) -> set[str]:
    return {*_variables(effect.atom), *_variables(effect.condition)}


def _variables(condition: Condition) -> Iterator[str]:
    """The names of the terms in `condition`, constants among them."""
    if isinstance(condition, AtomicFormula):
        yield from (term.name for term in condition.terms)
    elif isinstance(condition, Equal):
        yield from (condition.left.name, condition.right.name)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from _variables(part)
    else:
        inner: Condition = condition.condition
        yield from _variables(inner)
