"""What callers and tests write, resolved against a domain: states, goals, steps. Entities need no declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from toolplan.domain import (
    TRUE,
    And,
    AtomicFormula,
    CandidateGoals,
    Condition,
    Domain,
    Effect,
    Equal,
    Expectation,
    Given,
    Goal,
    Happening,
    Never,
    Not,
    Or,
    Parameter,
    Scenario,
    Term,
    Variable,
    Wanted,
)
from toolplan.language import nodes, notation
from toolplan.language.clauses import Clauses
from toolplan.language.codes import Code
from toolplan.language.diagnostics import quoted
from toolplan.language.interfaces import WORDS_AS_VALUES, json_value
from toolplan.language.layout import flat
from toolplan.language.scope import Scope
from toolplan.language.source import Source


def scope_of(domain: Domain, source: Source) -> Scope:
    """A scope in which the names of `domain` hold and any other term is an entity."""
    return Scope(source, dict(domain.types), dict(domain.constants), domain.facts, names_entities=True)


def resolve_wanted(scope: Scope, domain: Domain, node: nodes.Condition) -> list[Wanted]:
    """The goals that a text asks for: a conjunction is several. A goal wins over a fact of the same name."""
    items = node.items if isinstance(node, nodes.Conjunction) else (node,)
    wanted = []
    for item in items:
        label = scope.source.text[item.span.start : item.span.end]
        goal = domain.goals.get(item.name.text) if isinstance(item, nodes.Formula) else None
        if goal is not None and isinstance(item, nodes.Formula):
            wanted += _goal(scope, goal, item, label)
        elif isinstance(item, nodes.Formula) and item.name.text not in scope.facts:
            names = [*domain.goals, *scope.facts]
            scope.unknown(Code.UNKNOWN_GOAL_NAME, "goal or fact", item.name, names, _known_goals(domain))
        else:
            wanted.append(Wanted(label, scope.condition(item, {})))
    return wanted


def _known_goals(domain: Domain) -> str:
    shown = [f"`{name}`" for name in list(domain.goals)[:5]]
    return f"the goals of this domain are {', '.join(shown)}{', ...' if len(domain.goals) > 5 else ''}" if shown else ""


def _goal(scope: Scope, goal: Goal, node: nodes.Formula, label: str) -> list[Wanted]:
    """`goal` with the arguments of `node`; nothing where their number is wrong."""
    terms = node.terms or ()
    if len(terms) != len(goal.parameters):
        scope.wrong_arity(Code.WRONG_GOAL_ARGUMENTS, f"goal {quoted(goal.name)}", goal.parameters, node)
        return []
    resolved = scope.terms(terms, goal.parameters, {})
    binding = {parameter.name: term for parameter, term in zip(goal.parameters, resolved, strict=True)}
    condition = conjunction([substitute(goal.achieves, binding), *(substitute(atom, binding) for atom in goal.given)])
    entities = tuple(Parameter(binding[parameter.name].name, parameter.type) for parameter in goal.parameters)
    return [Wanted(label, condition, goal.name, entities)]


def conjunction(conditions: Iterable[Condition]) -> Condition:
    """All of `conditions`, flat, each once."""
    flat: list[Condition] = []
    for condition in conditions:
        flat += condition.conditions if isinstance(condition, And) else [condition]
    flat = list(dict.fromkeys(flat))
    return flat[0] if len(flat) == 1 else And(tuple(flat)) if flat else TRUE


def substitute(condition: Condition, binding: Mapping[str, Term]) -> Condition:
    """`condition` with the variables of `binding` replaced; quantified ones shadow them."""
    if isinstance(condition, AtomicFormula):
        return AtomicFormula(condition.fact, tuple(_bound(term, binding) for term in condition.terms))
    if isinstance(condition, Equal):
        return Equal(_bound(condition.left, binding), _bound(condition.right, binding))
    if isinstance(condition, Not):
        return Not(substitute(condition.condition, binding))
    if isinstance(condition, And | Or):
        return type(condition)(tuple(substitute(part, binding) for part in condition.conditions))
    inner = {name: term for name, term in binding.items() if name not in {parameter.name for parameter in condition.parameters}}
    return type(condition)(condition.parameters, substitute(condition.condition, inner))


def substitute_effect(effect: Effect, binding: Mapping[str, Term]) -> Effect:
    """`effect` with the variables of `binding` replaced."""
    inner = {name: term for name, term in binding.items() if name not in {parameter.name for parameter in effect.parameters}}
    atom = substitute(effect.atom, inner)
    assert isinstance(atom, AtomicFormula)
    return Effect(atom, substitute(effect.condition, inner), effect.parameters)


def _bound(term: Term, binding: Mapping[str, Term]) -> Term:
    return binding.get(term.name, term) if isinstance(term, Variable) else term


def resolve_statements(scope: Scope, statements: Iterable[nodes.Statement]) -> list[Given]:
    """What a state says, with the values it gives."""
    result = []
    for statement in statements:
        if (atom := scope.atom(statement.atom, {})) is not None:
            value = None if statement.value is None else json_value(statement.value)
            result.append(Given(atom, statement.status, value))
    return result


def resolve_step(scope: Scope, domain: Domain, node: nodes.Formula) -> AtomicFormula | None:
    """An action applied to entities; without brackets it stands for all of its groundings."""
    name = node.name.text
    if name not in domain.tools and name not in domain.asks:
        scope.unknown(Code.UNKNOWN_ACTION, "tool or question", node.name, [*domain.tools, *domain.asks])
        return None
    action = domain.action(name)
    if node.terms is None:
        return AtomicFormula(name)
    if len(node.terms) != len(action.parameters):
        scope.wrong_arity(Code.WRONG_ARITY, quoted(name), action.parameters, node)
        return None
    return AtomicFormula(name, scope.terms(node.terms, action.parameters, {}))


def resolve_scenario(scope: Scope, domain: Domain, block: nodes.Block) -> Scenario:
    """A test block."""
    clauses = Clauses(scope, block)
    with scope.entities():
        statements = [value for value in clauses.all("given") if isinstance(value, nodes.Statement)]
        goal = clauses.first("goal")
        script = [part for clause in block.clauses if (part := _scripted(scope, domain, clause)) is not None]
        never = [
            Never(atoms, without)
            for clause in block.clauses
            if clause.word in ("never", "never without")
            for atoms, without in [_never(scope, domain, clause)]
        ]
        return Scenario(
            name=block.name.value if isinstance(block.name, nodes.Text) else block.name.text,
            given=tuple(resolve_statements(scope, statements)),
            wanted=tuple(resolve_wanted(scope, domain, goal.values[0])) if goal else (),  # type: ignore[arg-type]
            request=clauses.text("request") or None,
            candidates=_candidates(scope, domain, clauses.all("candidates")),
            script=tuple(script),
            never=tuple(never),
        )


def _candidates(scope: Scope, domain: Domain, values: Iterable[nodes.ClauseValue]) -> tuple[CandidateGoals, ...]:
    """What a request is taken for; the probabilities leave something for none of it, or nothing, but no less."""
    candidates: list[CandidateGoals] = []
    left = Fraction(1)
    for node in values:
        if isinstance(node, nodes.Candidate):
            left -= node.p.value
            if node.p.value <= 0:
                message = "a candidate is more probable than 0"
                scope.report(Code.NUMBER_OUT_OF_RANGE, message, node.p.span, "leave out what the request cannot mean")
            elif left < 0 <= left + node.p.value:
                message = f"the probabilities of the candidates are together more than 1, from {quoted(node.p.written)} on"
                scope.report(Code.NUMBER_OUT_OF_RANGE, message, node.p.span, "what they leave of 1 is for none of them")
            candidates.append(CandidateGoals(_goals(scope, domain, node.goals), node.p.value))
    return tuple(candidates)


def _goals(scope: Scope, domain: Domain, node: nodes.Condition) -> tuple[str, ...]:
    """The goals that `node` names, as callers write them."""
    resolve_wanted(scope, domain, node)
    items = node.items if isinstance(node, nodes.Conjunction) else (node,)
    return tuple(flat(notation.condition(item)) for item in items)


EXPECTATIONS = {
    "expect": "chain",
    "expect frontier": "frontier",
    "expect question": "question",
    "expect question about": "about",
    "expect form": "form",
    "expect no goal": "no goal",
    "expect blocked": "blocked",
    "expect blocked by": "blocked",
}


def _scripted(scope: Scope, domain: Domain, clause: nodes.Clause) -> Expectation | Happening | None:
    if (kind := EXPECTATIONS.get(clause.word)) is not None:
        if kind == "about":
            return Expectation(kind, options=tuple(_goals(scope, domain, node) for node in clause.values))  # type: ignore[arg-type]
        return Expectation(kind, _expected(scope, domain, kind, clause))
    return _happening(scope, domain, clause.values[0]) if isinstance(clause.values[0], nodes.Happening) else None


def _happening(scope: Scope, domain: Domain, node: nodes.Happening) -> Happening | None:
    call = None
    if node.call is not None:
        if node.call.name.text in domain.asks:
            message = f"{quoted(node.call.name.text)} is a question, and only tools are called"
            scope.report(Code.UNKNOWN_ACTION, message, node.call.name.span, 'the user answers it: `when user says "..."`')
            return None
        call = resolve_step(scope, domain, node.call)
        if call is None:
            return None
    if isinstance(node.value, tuple):
        return Happening(node.word, call, observed=tuple(atom for item in node.value if (atom := scope.atom(item, {})) is not None))
    return Happening(node.word, call, None if node.value is None else _json(scope, node.value))


def _json(scope: Scope, node: nodes.Json) -> object:
    """The JSON value that `node` writes; a word that JSON lacks is reported."""
    if isinstance(node, nodes.Object):
        return {key.value: _json(scope, value) for key, value in node.members}
    if isinstance(node, nodes.Array):
        return [_json(scope, item) for item in node.items]
    if not isinstance(node, nodes.Name):
        return json_value(node)
    if node.text not in WORDS_AS_VALUES:
        message = f"expected a JSON value, found {quoted(node.text)}"
        scope.report(Code.UNEXPECTED_TOKEN, message, node.span, "texts stand in quotes; there are also `true`, `false` and `null`")
    return WORDS_AS_VALUES.get(node.text)


def _expected(scope: Scope, domain: Domain, kind: str, clause: nodes.Clause) -> tuple[AtomicFormula, ...]:
    formulas = [value for value in clause.values if isinstance(value, nodes.Formula)]
    if kind == "blocked":
        return tuple(atom for node in formulas if (atom := scope.atom(node, {})) is not None)
    if kind == "question":
        return tuple(item for node in formulas if (item := _action_or_fact(scope, domain, node)) is not None)
    return tuple(step for node in formulas if (step := resolve_step(scope, domain, node)) is not None)


def _never(scope: Scope, domain: Domain, clause: nodes.Clause) -> tuple[tuple[AtomicFormula, ...], AtomicFormula | None]:
    formulas = [value for value in clause.values if isinstance(value, nodes.Formula)]
    without = formulas.pop() if clause.word == "never without" else None
    resolved = tuple(item for node in formulas if (item := _action_or_fact(scope, domain, node)) is not None)
    return resolved, scope.atom(without, {}) if without else None


def _action_or_fact(scope: Scope, domain: Domain, node: nodes.Formula) -> AtomicFormula | None:
    name = node.name.text
    actions = {**domain.tools, **domain.asks}
    if name in actions:
        return resolve_step(scope, domain, node)
    if name in scope.facts:
        return scope.atom(node, {})
    scope.unknown(Code.UNKNOWN_ACTION, "tool, question or fact", node.name, [*actions, *scope.facts])
    return None
