"""Contracts for a domain and a problem of PDDL, as declarations of the language.

Names stay what they are in PDDL; one that is none here stands in backquotes. A fact is closed, an action a tool with one level of risk
that weighs nothing, so that the score of a plan is its cost. An action that costs a function of its arguments is a tool for each value
of the function: `drive:5` requires the fact `distance:5` of its arguments, costs 5, and calls `drive`. No name of PDDL has a colon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from toolplan.domain import OBJECT, Parameter
from toolplan.importing import tree
from toolplan.importing.pddl import syntax
from toolplan.importing.pddl.domains import Action, PddlDomain
from toolplan.importing.pddl.problems import PddlProblem
from toolplan.importing.tree import NOWHERE, Group
from toolplan.language import nodes

GOAL = "solved"
"""The name of the goal."""
RISK = "action"
"""The one level of risk."""


def contracts(domain: PddlDomain, problem: PddlProblem) -> tuple[Group, ...]:
    """The declarations, in groups with a blank line between them: header, types, constants, facts, policy, tools, goal and test."""
    values = _values(domain, problem)
    groups: list[Group] = [
        (nodes.Header(tree.name(domain.name), None, NOWHERE),),
        tuple(_types(domain)),
        tuple(_constants(domain)),
        (*_facts(domain), *_value_facts(domain, values)),
        (_policy(),),
        tuple(_tools(domain, problem, values)),
        (_goal(problem),),
        (_test(problem, values),),
    ]
    return tuple(group for group in groups if group)


Values = dict[str, dict[str, list[nodes.Formula]]]
"""Of each function by which actions cost: its values in ascending order, each with the terms that have it."""


def _values(domain: PddlDomain, problem: PddlProblem) -> Values:
    values: Values = {action.cost.name.text: {} for action in domain.actions if isinstance(action.cost, nodes.Formula)}
    for function, value in sorted(problem.values.items(), key=lambda item: int(item[1])):
        values[function.name.text].setdefault(value, []).append(_valued(function, value))
    return values


def _valued(function: nodes.Formula, value: str) -> nodes.Formula:
    """The atom that says that `function` has `value`."""
    return nodes.Formula(tree.name(f"{function.name.text}:{value}"), function.terms, NOWHERE)


def _types(domain: PddlDomain) -> Iterator[nodes.TypeDeclaration]:
    for name, parent in domain.vocabulary.types.items():
        yield nodes.TypeDeclaration(tree.name(name), None if parent == OBJECT else tree.name(parent), None, NOWHERE)


def _constants(domain: PddlDomain) -> Iterator[nodes.ConstantDeclaration]:
    for kind, names in groupby(domain.vocabulary.objects.items(), key=lambda item: item[1]):
        yield nodes.ConstantDeclaration(tuple(tree.name(name) for name, _ in names), tree.name(kind), None, NOWHERE)


def _facts(domain: PddlDomain) -> Iterator[nodes.FactDeclaration]:
    for name, parameters in domain.vocabulary.predicates.items():
        yield _fact(name, parameters)


def _value_facts(domain: PddlDomain, values: Values) -> Iterator[nodes.FactDeclaration]:
    for function, by_value in values.items():
        for value in by_value:
            yield _fact(f"{function}:{value}", domain.vocabulary.functions[function])


def _fact(name: str, parameters: Sequence[Parameter]) -> nodes.FactDeclaration:
    """A closed fact. PDDL lets two places of a predicate have one name; then they have none here."""
    places = tree.typed(parameters)
    if len({parameter.name for parameter in parameters}) < len(parameters):
        places = tuple(nodes.Typed(None, place.type, NOWHERE) for place in places)
    return nodes.FactDeclaration(tree.name(name), places, None, (), (nodes.Trait("closed", "", NOWHERE),), None, NOWHERE)


def _policy() -> nodes.Block:
    level = nodes.Level(tree.name(RISK), tree.number(0), False, None, NOWHERE)
    return tree.block("policy", tree.name(""), [tree.clause("risk", [level])])


def _tools(domain: PddlDomain, problem: PddlProblem, values: Values) -> Iterator[nodes.Block]:
    priced = problem.minimizes_cost or any(action.cost for action in domain.actions)
    for action in domain.actions:
        if isinstance(action.cost, nodes.Formula):
            for value in values[action.cost.name.text]:
                charged = syntax.conjunction([_valued(action.cost, value), action.requires])
                yield _tool(action, f"{action.name}:{value}", charged, value)
        else:
            yield _tool(action, action.name, action.requires, action.cost or ("0" if priced else "1"))


def _tool(action: Action, name: str, requires: nodes.Condition, cost: str) -> nodes.Block:
    clauses = [tree.clause("requires", [syntax.spelt_out(requires)])] if requires != syntax.TRUE else []
    clauses += [tree.clause("produces", action.produces)] if action.produces else []
    clauses += [tree.clause("removes", action.removes)] if action.removes else []
    clauses += [tree.clause("cost", [tree.number(cost)])] if cost != "1" else []
    clauses += [tree.clause("risk", [tree.name(RISK)])]
    calls = tree.text(action.name) if name != action.name else None
    return nodes.Block("tool", tree.name(name), tree.typed(action.parameters), calls, "", tuple(clauses), NOWHERE)


def _goal(problem: PddlProblem) -> nodes.Block:
    return tree.block("goal", tree.name(GOAL), [tree.clause("achieves", [syntax.spelt_out(problem.goal)])])


def _test(problem: PddlProblem, values: Values) -> nodes.Block:
    costs = (atom for by_value in values.values() for atoms in by_value.values() for atom in atoms)
    given = [nodes.Statement(atom, "known", None, NOWHERE) for atom in (*problem.initial, *costs)]
    clauses = [tree.clause("given", given)] if given else []
    return tree.block("test", tree.text(problem.name), [*clauses, tree.clause("goal", [tree.atom(GOAL)])])
