"""The syntax tree of the language, built without a text: its nodes stand nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolplan.domain import Parameter
from toolplan.language import nodes
from toolplan.language.formatter import format_file
from toolplan.language.source import Source, Span

NOWHERE = Span(0, 1)
"""The span of every node. In a text of one line end, it makes the formatter spread a block over several lines."""
BLANK = Source("<import>", "\n")
"""The text of what was built and not read."""

Group = tuple[nodes.Declaration, ...]
"""Declarations that stand together."""


def formatted(group: Group) -> str:
    """The declarations of `group` in the one layout."""
    return format_file(nodes.File(BLANK, group, ()))


def name(text: str) -> nodes.Name:
    """A name; the formatter puts it in backquotes where it has to."""
    return nodes.Name(_whole(text), NOWHERE)


def text(value: str) -> nodes.Text:
    """A string."""
    return nodes.Text(_whole(value), NOWHERE)


def _whole(text: str) -> str:
    """`text` with `?` for each half of a character, which JSON can hold and the language cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def number(written: object) -> nodes.Number:
    """A number."""
    return nodes.Number(str(written), NOWHERE)


def atom(predicate: str, terms: Sequence[str] = ()) -> nodes.Formula:
    """A fact with its terms."""
    return nodes.Formula(name(predicate), tuple(map(name, terms)) or None, NOWHERE)


def typed(parameters: Iterable[Parameter]) -> tuple[nodes.Typed, ...]:
    """Parameters with their types."""
    return tuple(nodes.Typed(name(parameter.name), name(parameter.type), NOWHERE) for parameter in parameters)


def clause(word: str, values: Iterable[nodes.ClauseValue]) -> nodes.Clause:
    """A clause of a block."""
    return nodes.Clause(word, tuple(values), NOWHERE, NOWHERE)


def conjunction(atoms: Sequence[nodes.Formula]) -> nodes.Condition:
    """All of `atoms`."""
    return atoms[0] if len(atoms) == 1 else nodes.Conjunction(tuple(atoms), NOWHERE)


def block(kind: str, called: nodes.Name | nodes.Text, clauses: Sequence[nodes.Clause], calls: str = "") -> nodes.Block:
    """A block without parameters. `calls` is the name of the real tool where that is another one."""
    return nodes.Block(kind, called, (), text(calls) if calls else None, "", tuple(clauses), NOWHERE)
