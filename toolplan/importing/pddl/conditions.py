"""Conditions and effects of PDDL in the language's own syntax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolplan.domain import OBJECT, Parameter
from toolplan.importing import tree
from toolplan.importing.pddl import features, syntax
from toolplan.importing.pddl.expressions import NUMBER, Expression, Group, Word
from toolplan.importing.pddl.findings import Findings
from toolplan.importing.pddl.vocabulary import Variables, Vocabulary, typed_list
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label
from toolplan.language.source import Location

TOTAL_COST = "total-cost"


@dataclass(frozen=True)
class Conditions:
    """Reads conditions of one source over the names of a vocabulary. What is wrong with one is reported, and it counts as true."""

    findings: Findings
    vocabulary: Vocabulary

    def variables(self, items: Sequence[Expression], outer: Variables) -> dict[str, Parameter]:
        """The variables of a list such as `?x ?y - place`. None is called here like another in scope, or like an object."""
        taken = {*outer.taken, *self.vocabulary.objects}
        first: dict[tuple[str, str], Location] = {}
        result: dict[str, Parameter] = {}
        for word, kind in typed_list(self.findings, items, "a variable"):
            if self.findings.is_first("variable", word.text, word.span, first):
                name = word.text[1:]
                while name in taken:
                    name += "_"
                taken.add(name)
                result[word.text] = Parameter(name, self.vocabulary.type_name(self.findings, kind))
        return result

    def condition(self, item: Expression, variables: Variables) -> nodes.Condition:
        """A condition; TRUE and FALSE are those of `syntax`."""
        if isinstance(item, Word):
            self.findings.unexpected("a condition in brackets", item.shown, item.span)
            return syntax.TRUE
        head, parts = item.head, item.items[1:]
        if not item.items:
            return syntax.TRUE
        if head == "and":
            return self.conjunction([(part, self.condition(part, variables)) for part in parts])
        if head == "or":
            return syntax.disjunction(self.condition(part, variables) for part in parts)
        if head in ("not", "imply", "forall", "exists"):
            return self._connective(item, variables)
        if head == "=":
            return self._equality(item, variables)
        if (feature := self.feature(item, features.CONDITIONS)) is not None:
            self.findings.unsupported(feature, item.span)
            return syntax.TRUE
        return self.vocabulary.atom(self.findings, item, variables) or syntax.TRUE

    def conjunction(self, parts: Sequence[tuple[Expression, nodes.Condition]]) -> nodes.Condition:
        """All of `parts`. What is asserted in one and denied in another is reported."""
        first: dict[nodes.Condition, Expression] = {}
        for place, condition in parts:
            for part in syntax.conjuncts(condition):
                against = first.get(syntax.negation(part))
                if against is not None and isinstance(part, nodes.Formula | nodes.Negation):
                    label = Label(self.findings.at(against.span), "against this")
                    message = f"{place.shown} and {against.shown} cannot both hold"
                    self.findings.report(
                        Code.CONTRADICTORY_CONDITION, message, place.span, "drop one of them, or join them by `or`", (label,)
                    )
                first.setdefault(part, place)
        return syntax.conjunction(condition for _, condition in parts)

    def _connective(self, item: Group, variables: Variables) -> nodes.Condition:
        wanted = {"not": "`(not CONDITION)`", "imply": "`(imply CONDITION CONDITION)`"}.get(
            item.head, f"`({item.head} (?x ...) CONDITION)`"
        )
        parts = item.items[1:]
        if len(parts) != (1 if item.head == "not" else 2):
            self.findings.unexpected(wanted, f"{len(parts)} parts", item.span)
            return syntax.TRUE
        if item.head == "not":
            return syntax.negation(self.condition(parts[0], variables))
        if item.head == "imply":
            premise, conclusion = (self.condition(part, variables) for part in parts)
            return syntax.disjunction([syntax.negation(premise), conclusion])
        if not isinstance(parts[0], Group):
            self.findings.unexpected("a list of variables in brackets", parts[0].shown, parts[0].span)
            return syntax.TRUE
        inner = self.variables(parts[0].items, variables)
        body = self.condition(parts[1], variables.within(inner))
        return syntax.quantified(item.head, [*inner.values()], body)

    def _equality(self, item: Group, variables: Variables) -> nodes.Condition:
        sides = item.items[1:]
        if any(self._is_numeric(side) for side in sides):
            self.findings.unsupported("numeric condition", item.span)
            return syntax.TRUE
        if len(sides) != 2:
            self.findings.unexpected("`(= TERM TERM)`", f"{len(sides)} terms", item.span)
            return syntax.TRUE
        left, right = (self.vocabulary.term(self.findings, side, OBJECT, variables) for side in sides)
        if left is None or right is None:
            return syntax.TRUE
        return nodes.Equality(tree.name(left), tree.name(right), False, tree.NOWHERE)

    def _is_numeric(self, side: Expression) -> bool:
        return isinstance(side, Group) or (NUMBER.fullmatch(side.text) is not None and side.text not in self.vocabulary.objects)

    def feature(self, item: Group, words: dict[str, str]) -> str | None:
        """The feature that the language cannot say and `item` starts with; a declared predicate is none."""
        moment = item.items[1] if len(item.items) == 3 else None
        if (
            item.head in ("at", "over")
            and isinstance(moment, Word)
            and moment.text in features.MOMENTS
            and isinstance(item.items[2], Group)
        ):
            return "timed condition"
        return None if item.head in self.vocabulary.predicates else words.get(item.head)


@dataclass
class Effects:
    """The effects of one action, one after the other; `costs` are the amounts by which `total-cost` grows."""

    conditions: Conditions
    produces: list[nodes.Effect] = field(default_factory=list)
    removes: list[nodes.Effect] = field(default_factory=list)
    costs: list[Expression] = field(default_factory=list)

    def read(self, item: Expression, variables: Variables, over: Sequence[Parameter] = (), when: nodes.Condition = syntax.TRUE) -> None:
        """Add what `item` does for all `over`, where `when` holds."""
        findings = self.conditions.findings
        if isinstance(item, Word):
            findings.unexpected("an effect in brackets", item.shown, item.span)
            return
        parts = item.items[1:]
        if not item.items:
            return
        if item.head == "and":
            for part in parts:
                self.read(part, variables, over, when)
        elif item.head == "forall" and len(parts) == 2 and isinstance(parts[0], Group):
            inner = self.conditions.variables(parts[0].items, variables)
            self.read(parts[1], variables.within(inner), [*over, *inner.values()], when)
        elif item.head == "when" and len(parts) == 2:
            condition = self.conditions.condition(parts[0], variables)
            self.read(parts[1], variables, over, self.conditions.conjunction([(item, when), (parts[0], condition)]))
        elif item.head in ("forall", "when"):
            wanted = "`(forall (?x ...) EFFECT)`" if item.head == "forall" else "`(when CONDITION EFFECT)`"
            findings.unexpected(wanted, item.shown, item.span)
        elif item.head == "increase":
            self._increase(item, is_plain=not over and when == syntax.TRUE)
        elif (feature := self.conditions.feature(item, features.EFFECTS)) is not None:
            findings.unsupported(feature, item.span)
        elif item.head == "not" and len(parts) == 1 and isinstance(parts[0], Group):
            self._change(self.removes, parts[0], variables, over, when)
        elif item.head == "not":
            findings.unexpected("`(not (PREDICATE ...))`", item.shown, item.span)
        else:
            self._change(self.produces, item, variables, over, when)

    def _change(
        self, changes: list[nodes.Effect], item: Group, variables: Variables, over: Sequence[Parameter], when: nodes.Condition
    ) -> None:
        atom = self.conditions.vocabulary.atom(self.conditions.findings, item, variables)
        if atom is None or when == syntax.FALSE:
            return
        change = nodes.Change(atom, None if when == syntax.TRUE else when, tree.NOWHERE)
        parameters = tree.typed(over)
        before = changes[-1] if changes else None
        if not parameters:
            changes.append(change)
        elif isinstance(before, nodes.QuantifiedChange) and before.parameters == parameters:
            changes[-1] = nodes.QuantifiedChange(parameters, (*before.changes, change), tree.NOWHERE)
        else:
            changes.append(nodes.QuantifiedChange(parameters, (change,), tree.NOWHERE))

    def _increase(self, item: Group, *, is_plain: bool) -> None:
        findings = self.conditions.findings
        if len(item.items) != 3:
            findings.unexpected("`(increase (total-cost) AMOUNT)`", item.shown, item.span)
        elif not is_total_cost(item.items[1]):
            findings.unsupported("numeric fluent", item.span)
        elif not is_plain:
            findings.unsupported("conditional cost", item.span)
        elif self.costs:
            findings.unsupported("computed cost", item.span)
        else:
            self.costs.append(item.items[2])


def is_total_cost(item: Expression) -> bool:
    """Whether `item` is `(total-cost)`; some leave the brackets out."""
    name = item.items[0] if isinstance(item, Group) and len(item.items) == 1 else item
    return isinstance(name, Word) and name.text == TOTAL_COST
