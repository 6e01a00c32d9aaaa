"""The syntax tree: what the parser read, with spans, which no comparison looks at: `parse(format(file)) == file`. No names are resolved here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from toolplan.language.source import Source, Span


def _span() -> Span:
    return field(compare=False, repr=False)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Name:
    """A name, without the backquotes it may have been written in."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Text:
    """A string, with its escapes resolved."""

    value: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Number:
    """A decimal number; `written` keeps its digits."""

    written: str
    span: Span = _span()

    @property
    def value(self) -> Fraction:
        """The number, exactly."""
        return Fraction(self.written)


@dataclass(frozen=True, slots=True)
class PathText:
    """A path into a result."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of values."""

    items: tuple[Value, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Typed:
    """`name: type`; `name` is None where only the type was written."""

    name: Name | None
    type: Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Formula:
    """A name, perhaps applied to terms: an atom, a step or an entity; resolving decides. `terms` is None without brackets."""

    name: Name
    terms: tuple[Name | Text | Number, ...] | None
    span: Span = _span()


Value = Formula | Text | Number | Sequence


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object, its members as written."""

    members: tuple[tuple[Text, Json], ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON array."""

    items: tuple[Json, ...]
    span: Span = _span()


Json = Object | Array | Text | Number | Name


@dataclass(frozen=True, slots=True)
class Negation:
    """`not item`."""

    item: Condition
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Items joined by commas."""

    items: tuple[Condition, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Disjunction:
    """Items joined by `or`."""

    items: tuple[Condition, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Equality:
    """`left = right`, or `left != right` where `negated`."""

    left: Name
    right: Name
    negated: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Quantified:
    """`quantifier` is `forall` or `exists`."""

    quantifier: str
    parameters: tuple[Typed, ...]
    item: Condition
    span: Span = _span()


Condition = Formula | Negation | Conjunction | Disjunction | Equality | Quantified


@dataclass(frozen=True, slots=True)
class Change:
    """An effect, with the condition under which it happens."""

    atom: Formula
    condition: Condition | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class QuantifiedChange:
    """`forall parameters (changes)`."""

    parameters: tuple[Typed, ...]
    changes: tuple[Effect, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OneOf:
    """The ways a call may turn out; in each, a `Negation` is removed."""

    outcomes: tuple[tuple[Formula | Negation, ...], ...]
    span: Span = _span()


Effect = Change | QuantifiedChange | OneOf


@dataclass(frozen=True, slots=True)
class Passing:
    """`word` is `=` before a value, `if known` after an atom, `from` before sources (a tuple), or `free` (value None)."""

    parameter: Name | Text
    word: str
    value: Value | tuple[Formula, ...] | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Comparing:
    """`left operator right`, both values."""

    left: Formula | Text | Number
    operator: str
    right: Formula | Text | Number
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Returning:
    """`atom = reader`: a path, a pattern (`Text`) or the name of a reader."""

    atom: Formula
    reader: PathText | Text | Name
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Level:
    """A level of risk. `confirm` is the confirming role, an empty name for the user, None without `confirm`."""

    name: Name
    weight: Number
    safe: bool
    confirm: Name | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Depth:
    """`least to most`; `most` is None where only one number was written."""

    least: Number
    most: Number | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Threshold:
    """`measure operator number`."""

    measure: Name
    operator: str
    number: Number
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Bound:
    """`written unit`, or a duration, which holds its unit (None)."""

    written: str
    unit: Name | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of the language that are one item of a list."""

    words: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Statement:
    """What a state says of an atom: `status` is `known`, `uncertain` or `denied`."""

    atom: Formula
    status: str
    value: Value | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a request may mean, one goal or a conjunction of several, and how probable that is."""

    goals: Formula | Conjunction
    p: Number
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Happening:
    """What a test lets happen: `word` is `returns`, `fails` or `in doubt` of a call, `says` or `declines` of the user (call None).

    `value` is a result (JSON, or its text), what it makes known (a tuple of atoms), or what the user says.
    """

    call: Formula | None
    word: str
    value: Object | Array | Text | tuple[Formula, ...] | None
    span: Span = _span()


InContract = Name | Text | Number | PathText | Condition | Effect | Typed | Passing | Comparing | Returning
InPolicy = Level | Depth | Threshold | Bound | Phrase
ClauseValue = InContract | InPolicy | Statement | Candidate | Happening


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a block. `word` is its keywords with single spaces (`fails when`), empty for the description."""

    word: str
    values: tuple[ClauseValue, ...]
    span: Span = _span()
    keyword: Span = _span()


@dataclass(frozen=True, slots=True)
class Header:
    """`domain name`."""

    name: Name
    description: Text | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Import:
    """`import "path"`."""

    path: Text
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """`type name: parent`."""

    name: Name
    parent: Name | None
    description: Text | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ConstantDeclaration:
    """`constant names: type`."""

    names: tuple[Name, ...]
    type: Name
    description: Text | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Trait:
    """`closed`, `many`, `lasting`, `fresh` with a duration, `trust user` or `by others`."""

    word: str
    duration: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FactDeclaration:
    """`fact name(parameters): value`, with traits. `options` are those of an enum or a schema."""

    name: Name
    parameters: tuple[Typed, ...]
    value: Name | None
    options: tuple[Text, ...]
    traits: tuple[Trait, ...]
    description: Text | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Block:
    """A declaration with clauses: `kind` is `tool`, `ask`, `goal`, `policy` or `test`.

    `name` is a string for a test, and an empty name for a policy. Not `complete` where some clause could not be read.
    """

    kind: str
    name: Name | Text
    parameters: tuple[Typed, ...]
    calls: Text | None
    performer: str
    clauses: tuple[Clause, ...]
    span: Span = _span()
    complete: bool = field(default=True, compare=False)

    def clauses_of(self, word: str) -> Iterator[Clause]:
        """The clauses that start with `word`, in order."""
        return (clause for clause in self.clauses if clause.word == word)


Declaration = Header | Import | TypeDeclaration | ConstantDeclaration | FactDeclaration | Block


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its `#`."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class File:
    """One source, read. What could not be read is missing, and its words are `unread`: they may declare what is used elsewhere."""

    source: Source = field(compare=False, repr=False)
    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...]
    unread: frozenset[str] = field(default=frozenset(), compare=False)
