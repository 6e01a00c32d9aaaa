"""Conditions of the language, built without a text: findings have their places in the PDDL file, and these nodes have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolplan.domain import OBJECT, Parameter
from toolplan.importing.tree import NOWHERE, name, typed
from toolplan.language import nodes

TRUE = nodes.Conjunction((), NOWHERE)
FALSE = nodes.Disjunction((), NOWHERE)
"""What the language has no word for. They stand alone: `conjunction` and the others take them out of what holds them."""


def conjunction(items: Iterable[nodes.Condition]) -> nodes.Condition:
    """All of `items`, flat, each once."""
    flat = list(dict.fromkeys(part for item in items for part in conjuncts(item)))
    if FALSE in flat:
        return FALSE
    return flat[0] if len(flat) == 1 else nodes.Conjunction(tuple(flat), NOWHERE)


def conjuncts(item: nodes.Condition) -> tuple[nodes.Condition, ...]:
    """The items of a conjunction; anything else is its own."""
    return item.items if isinstance(item, nodes.Conjunction) else (item,)


def disjunction(items: Iterable[nodes.Condition]) -> nodes.Condition:
    """At least one of `items`."""
    flat = list(dict.fromkeys(part for item in items for part in (item.items if isinstance(item, nodes.Disjunction) else (item,))))
    if TRUE in flat:
        return TRUE
    return flat[0] if len(flat) == 1 else nodes.Disjunction(tuple(flat), NOWHERE)


def negation(item: nodes.Condition) -> nodes.Condition:
    """Not `item`. Every fact is closed, so that what is not true is false, and two negations are none."""
    if item in (TRUE, FALSE):
        return FALSE if item == TRUE else TRUE
    if isinstance(item, nodes.Negation):
        return item.item
    if isinstance(item, nodes.Equality):
        return nodes.Equality(item.left, item.right, not item.negated, NOWHERE)
    return nodes.Negation(item, NOWHERE)


def quantified(quantifier: str, parameters: Sequence[Parameter], item: nodes.Condition) -> nodes.Condition:
    """`forall` or `exists`. Over no variables it is `item`; over some, what is always or never so turns on whether there are objects."""
    if not parameters or (quantifier, item) in (("forall", TRUE), ("exists", FALSE)):
        return item
    if item in (TRUE, FALSE):
        item = _same(parameters[0].name, negated=item == FALSE)
    return nodes.Quantified(quantifier, typed(parameters), item, NOWHERE)


def spelt_out(item: nodes.Condition) -> nodes.Condition:
    """`item`, or where it is TRUE or FALSE, a condition that means the same."""
    if item not in (TRUE, FALSE):
        return item
    thing = Parameter("any object", OBJECT)
    quantifier = "forall" if item == TRUE else "exists"
    return nodes.Quantified(quantifier, typed([thing]), _same(thing.name, negated=item == FALSE), NOWHERE)


def _same(variable: str, *, negated: bool) -> nodes.Equality:
    return nodes.Equality(name(variable), name(variable), negated, NOWHERE)
