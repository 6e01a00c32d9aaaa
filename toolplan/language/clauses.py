"""The clauses of one block, by their word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from toolplan.domain import And, AtomicFormula, Condition, Effect
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label
from toolplan.language.scope import Scope
from toolplan.language.source import Location

SINGLE = {
    "",
    "cost",
    "risk",
    "confirm",
    "key",
    "id",
    "server",
    "owner",
    "version",
    "digest",
    "idempotent",
    "side effect",
    "chooses",
    "permits",
    "goal",
    "request",
}
"""Clauses that stand once in a block. All others hold lists, which go on where the clause stands again."""


class Clauses:
    """The clauses of one block by their word, after a check that what may stand once does."""

    def __init__(self, scope: Scope, block: nodes.Block) -> None:
        self.block = block
        self._scope = scope
        self._first: dict[str, nodes.Clause] = {}
        for before, clause in zip((None, *block.clauses), block.clauses, strict=False):
            word = "confirm" if clause.word == "confirm by" else clause.word
            first = self._first.setdefault(word, clause)
            if not word and before and before.word and scope.source.text[before.span.end - 1] == '"':
                message, hint = "a string follows a string without a comma", "separate strings with commas; the description stands first"
                scope.report(Code.UNEXPECTED_TOKEN, message, clause.span, hint)
            elif first is not clause and word in SINGLE:
                label = Label(Location(scope.source, first.keyword), "first here")
                message = f"`{word}` stands twice" if word else "a second description"
                scope.report(Code.REPEATED_CLAUSE, message, clause.keyword, "keep one of them", (label,))

    def first(self, word: str) -> nodes.Clause | None:
        """The first clause that starts with `word`."""
        return self._first.get(word)

    def all(self, word: str) -> list[nodes.ClauseValue]:
        """The values of all clauses that start with `word`."""
        return [value for clause in self.block.clauses_of(word) for value in clause.values]

    def text(self, word: str) -> str:
        """The one string of a clause, or nothing."""
        clause = self.first(word)
        return clause.values[0].value if clause and isinstance(clause.values[0], nodes.Text) else ""

    def texts(self, word: str) -> tuple[str, ...]:
        """The strings of a clause."""
        return tuple(value.value for value in self.all(word) if isinstance(value, nodes.Text))

    def names(self, word: str) -> list[nodes.Name]:
        """The names of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Name)]

    def typed(self, word: str) -> list[nodes.Typed]:
        """The parameters of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Typed)]

    def formulas(self, word: str) -> list[nodes.Formula]:
        """The atoms of a clause."""
        return [value for value in self.all(word) if isinstance(value, nodes.Formula)]

    def number(self, word: str, default: Fraction) -> Fraction:
        """The number of a clause, which must not be negative."""
        clause = self.first(word)
        if clause is None or not isinstance(number := clause.values[0], nodes.Number):
            return default
        if number.value < 0:
            message = f"`{word}` must not be negative"
            self._scope.report(Code.NUMBER_OUT_OF_RANGE, message, number.span, "a plan would grow cheaper for ever")
        return max(number.value, Fraction(0))

    def condition(self, word: str, variables: Mapping[str, str]) -> Condition:
        """All clauses that start with `word`, joined; flat where they are conjunctions."""
        items: tuple[nodes.Condition, ...] = tuple(self.all(word))  # type: ignore[arg-type]
        condition = self._scope.condition(nodes.Conjunction(items, self.block.span), variables)
        return condition.conditions[0] if isinstance(condition, And) and len(condition.conditions) == 1 else condition

    def effects(self, word: str, variables: Mapping[str, str]) -> tuple[Effect, ...]:
        """The effects of all clauses that start with `word`."""
        return self._effects(self.all(word), variables)

    def certain_effects(self, word: str, variables: Mapping[str, str]) -> tuple[Effect, ...]:
        """The same without `oneof`, which stands beside them."""
        return self._effects((value for value in self.all(word) if not isinstance(value, nodes.OneOf)), variables)

    def _effects(self, values: Iterable[nodes.ClauseValue], variables: Mapping[str, str]) -> tuple[Effect, ...]:
        return tuple(self._scope.effects(values, variables))  # type: ignore[arg-type]

    def atoms(self, word: str, variables: Mapping[str, str]) -> tuple[AtomicFormula, ...]:
        """The atoms of all clauses that start with `word`."""
        return tuple(atom for node in self.formulas(word) if (atom := self._scope.atom(node, variables)) is not None)
