"""Blocks to actions and goals: `tool`, `ask` and `goal` with their clauses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from toolplan.domain import (
    Ask,
    AskKind,
    AtomicFormula,
    Confirmation,
    Effect,
    Fact,
    Goal,
    Outcome,
    Performer,
    Policy,
    Tool,
    Variable,
)
from toolplan.language import nodes
from toolplan.language.clauses import Clauses
from toolplan.language.codes import Code
from toolplan.language.diagnostics import quoted
from toolplan.language.interfaces import evidence_of, interface_of
from toolplan.language.phrases import resolve_phrases
from toolplan.language.scope import Scope, types_of


def resolve_tool(scope: Scope, block: nodes.Block, policy: Policy) -> Tool:
    """A `tool` block as an action."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    before = types_of(parameters)
    finds = scope.parameters(clauses.typed("finds"), before)
    creates = scope.parameters(clauses.typed("creates"), {**before, **types_of(finds)})
    variables = {**before, **types_of(finds), **types_of(creates)}
    confirm = clauses.first("confirm")
    role = confirm.values[0] if confirm and confirm.values else None
    return Tool(
        name=_name(block),
        parameters=parameters,
        description=clauses.text(""),
        requires=clauses.condition("requires", before),
        produces=clauses.certain_effects("produces", variables),
        removes=clauses.effects("removes", variables),
        outcomes=_outcomes(scope, clauses, variables),
        cost=clauses.number("cost", Fraction(1)),
        risk=_risk(scope, clauses, policy),
        confirm=Confirmation(role.text if isinstance(role, nodes.Name) else "") if confirm else None,
        performer=Performer(block.performer or "call"),
        verifies=clauses.atoms("verifies", variables),
        finds=finds,
        creates=creates,
        enumerates=tuple(scope.type_name(name) for name in clauses.names("enumerates")),
        interface=interface_of(scope, block, clauses, variables),
        evidence=evidence_of(scope, clauses),
    )


def resolve_ask(scope: Scope, block: nodes.Block, tools: Collection[str], policy: Policy) -> Ask:
    """An `ask` block as an action. Without `chooses` or `permits` it asks for a value."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    variables = types_of(parameters)
    chosen = next(iter(clauses.names("chooses")), None)
    if chosen and chosen.text not in variables:
        scope.unknown(Code.UNKNOWN_TERM, "parameter", chosen, variables, "a question chooses one of its parameters")
    permitted = next(iter(clauses.names("permits")), None)
    if permitted and permitted.text not in tools:
        scope.unknown(Code.UNKNOWN_ACTION, "tool", permitted, tools)
    kind = AskKind.ENTITY if chosen else AskKind.PERMISSION if permitted else AskKind.VALUE
    produces = clauses.effects("produces", variables)
    if kind is AskKind.VALUE and block.complete and not clauses.first("produces"):
        hint = "name the fact that the answer makes known: `produces ...`"
        scope.report(Code.MISSING_CLAUSE, f"question {quoted(_name(block))} produces nothing", block.name.span, hint)
    return Ask(
        name=_name(block),
        parameters=parameters,
        kind=kind,
        question=clauses.text("") or next((_implied_question(scope.facts[effect.atom.fact]) for effect in produces), ""),
        requires=clauses.condition("requires", variables),
        produces=produces,
        cost=clauses.number("cost", policy.question_cost),
        chooses=chosen.text if chosen else "",
        permits=permitted.text if permitted else "",
    )


def resolve_goal(scope: Scope, block: nodes.Block) -> Goal:
    """A `goal` block."""
    clauses = Clauses(scope, block)
    parameters = scope.parameters(block.parameters)
    variables = types_of(parameters)
    if block.complete and not clauses.first("achieves"):
        hint = "say what must be known at the end: `achieves ...`"
        scope.report(Code.MISSING_CLAUSE, f"goal {quoted(_name(block))} achieves nothing", block.name.span, hint)
    written = [phrase for phrase in clauses.all("phrases") if isinstance(phrase, nodes.Text)]
    phrases, templates = resolve_phrases(scope, written, variables)
    return Goal(
        name=_name(block),
        parameters=parameters,
        description=clauses.text(""),
        achieves=clauses.condition("achieves", variables),
        given=clauses.atoms("given", variables),
        phrases=phrases,
        templates=templates,
    )


def implied_asks(goals: Mapping[str, Goal], asks: Mapping[str, Ask], facts: Mapping[str, Fact], policy: Policy) -> dict[str, Ask]:
    """A question for each fact that some goal is given and no `ask` produces, made from the fact's description."""
    asked = {effect.atom.fact for ask in asks.values() for effect in ask.produces}
    implied: dict[str, Ask] = {}
    for goal in goals.values():
        for name in dict.fromkeys(atom.fact for atom in goal.given):
            if name not in asked and name not in implied:
                fact = facts[name]
                atom = AtomicFormula(name, tuple(Variable(parameter.name) for parameter in fact.parameters))
                implied[name] = Ask(
                    name=f"ask_{name}",
                    parameters=fact.parameters,
                    question=_implied_question(fact),
                    produces=(Effect(atom),),
                    cost=policy.question_cost,
                    implied=True,
                )
    return {ask.name: ask for ask in implied.values()}


def _implied_question(fact: Fact) -> str:
    """A question for a fact; one over entities is asked of those that the frontier puts in brackets behind it."""
    words = fact.name.replace("_", " ")
    if fact.parameters:
        return f"Please say: {fact.description or words}"
    return f"What is the {words}{f' ({fact.description})' if fact.description else ''}?"


def _name(block: nodes.Block) -> str:
    return block.name.text if isinstance(block.name, nodes.Name) else block.name.value


def _risk(scope: Scope, clauses: Clauses, policy: Policy) -> str | None:
    names = clauses.names("risk")
    if not names:
        return None
    levels = [level.name for level in policy.risk]
    if names[0].text not in levels:
        otherwise = f"the policy has {', '.join(f'`{level}`' for level in levels)}"
        scope.unknown(Code.UNKNOWN_RISK, "risk level", names[0], levels, otherwise)
        return None
    return names[0].text


def _outcomes(scope: Scope, clauses: Clauses, variables: Mapping[str, str]) -> tuple[Outcome, ...]:
    groups = [value for value in clauses.all("produces") if isinstance(value, nodes.OneOf)]
    for group in groups[1:]:
        scope.report(Code.REPEATED_CLAUSE, "a second `oneof`", group.span, "list all outcomes in one")
    outcomes = []
    for changes in groups[0].outcomes if groups else ():
        added = [scope.atom(change, variables) for change in changes if isinstance(change, nodes.Formula)]
        negated = [change.item for change in changes if isinstance(change, nodes.Negation)]
        removed = [scope.atom(item, variables) for item in negated if isinstance(item, nodes.Formula)]
        outcomes.append(Outcome(tuple(filter(None, added)), tuple(filter(None, removed))))
    return tuple(outcomes)
