"""What a domain and a problem declare, and how names are looked up in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplan.domain import OBJECT, Parameter
from toolplan.importing.pddl.expressions import Expression, Group, Word
from toolplan.importing.pddl.findings import Findings
from toolplan.importing.tree import atom
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import chain, quoted
from toolplan.language.source import Location, Span


@dataclass(frozen=True, slots=True)
class Variables:
    """The variables in scope, by what PDDL calls them. `taken` are their names here, and those of variables that they hide."""

    known: Mapping[str, Parameter] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    def within(self, inner: Mapping[str, Parameter]) -> Variables:
        """The variables inside a quantifier over `inner`."""
        return Variables({**self.known, **inner}, self.taken | {parameter.name for parameter in inner.values()})


class Typed(NamedTuple):
    """A name or a variable; `type` is the word for its type, None where none was written."""

    word: Word
    type: Word | None


@dataclass
class Vocabulary:
    """The names that are declared so far.

    `types` maps each type to the one above it, `objects` each object to its type; predicates and functions have their parameters.
    """

    types: dict[str, str] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    predicates: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[Parameter, ...]] = field(default_factory=dict)
    places: dict[tuple[str, str], Location] = field(default_factory=dict)

    # Declarations

    def declare_types(self, findings: Findings, items: Sequence[Expression]) -> None:
        """Read `a b - parent`. A parent is declared, too, before or after."""
        declared = [
            (word, parent)
            for word, parent in typed_list(findings, items, "a name")
            if word.text != OBJECT and findings.is_first("type", word.text, word.span, self.places)
        ]
        self.types |= {word.text: parent.text if parent else OBJECT for word, parent in declared}
        for word, parent in declared:
            if parent and not self.is_type(parent.text):
                hint = f"declare it: {quoted(f'{parent.text} - object')}"
                findings.undeclared("type", parent.text, parent.span, [*self.types], hint)
                self.types[word.text] = OBJECT
        self._break_cycles(findings)

    def _break_cycles(self, findings: Findings) -> None:
        """Report types that are above themselves, and put one of each circle below `object`."""
        settled = {OBJECT}
        for start in self.types:
            above: dict[str, str] = {}
            name = start
            while name not in settled and name not in above:
                above[name] = self.types[name]
                name = above[name]
            if name in above:
                circle = [*above][[*above].index(name) :]
                message = f"types go in a circle: {chain([*circle, name])}"
                findings.report(Code.TYPE_CYCLE, message, self.places["type", name].span, "let one of them stand below `object`")
                self.types[name] = OBJECT
            settled.update(above)

    def declare_objects(self, findings: Findings, items: Sequence[Expression]) -> None:
        """Read `a b - type`."""
        for word, kind in typed_list(findings, items, "a name"):
            if findings.is_first("object", word.text, word.span, self.places):
                self.objects[word.text] = self.type_name(findings, kind)

    def declare_predicate(self, findings: Findings, item: Expression) -> None:
        """Read `(name ?x - type)`."""
        if (name := self._signature(findings, "predicate", item)) is not None:
            self.predicates[name] = self._places_of(findings, item)

    def declare_function(self, findings: Findings, item: Expression) -> None:
        """Read `(name ?x - type)`."""
        if (name := self._signature(findings, "function", item)) is not None:
            self.functions[name] = self._places_of(findings, item)

    def _signature(self, findings: Findings, what: str, item: Expression) -> str | None:
        """The name of a predicate or function that is declared for the first time."""
        first = item.items[0] if isinstance(item, Group) and item.items else None
        if not isinstance(first, Word) or first.kind != "a name":
            findings.unexpected(f"a {what} such as `(name ?x ?y)`", item.shown, item.span)
            return None
        return first.text if findings.is_first(what, first.text, first.span, self.places) else None

    def _places_of(self, findings: Findings, item: Expression) -> tuple[Parameter, ...]:
        assert isinstance(item, Group)
        places = typed_list(findings, item.items[1:], "a variable")
        return tuple(Parameter(word.text[1:], self.type_name(findings, kind)) for word, kind in places)

    # Types

    def type_name(self, findings: Findings, word: Word | None) -> str:
        """The type that `word` names, `object` where nothing was written. One that is not declared is reported."""
        if word is not None and not self.is_type(word.text):
            findings.undeclared("type", word.text, word.span, [*self.types], "declare it in `:types`")
        return word.text if word else OBJECT

    def is_type(self, name: str) -> bool:
        """Whether `name` is `object` or a declared type."""
        return name == OBJECT or name in self.types

    def is_subtype(self, name: str, ancestor: str) -> bool:
        """Whether every `name` is an `ancestor`; where one of them is not declared, its own finding is enough."""
        while name not in (ancestor, OBJECT) and name in self.types:
            name = self.types[name]
        return ancestor in (name, OBJECT) or not self.is_type(name) or not self.is_type(ancestor)

    # Atoms and terms

    def atom(self, findings: Findings, group: Group, variables: Variables) -> nodes.Formula | None:
        """`(predicate term ...)`; None where something is wrong with it."""
        return self._applied(findings, "predicate", self.predicates, group, variables)

    def value(self, findings: Findings, group: Group, variables: Variables) -> nodes.Formula | None:
        """`(function term ...)`; None where something is wrong with it."""
        return self._applied(findings, "function", self.functions, group, variables)

    def _applied(
        self, findings: Findings, what: str, table: Mapping[str, tuple[Parameter, ...]], group: Group, variables: Variables
    ) -> nodes.Formula | None:
        first = group.items[0] if group.items else group
        if not isinstance(first, Word) or first.kind != "a name":
            findings.unexpected(f"a {what} with its arguments", group.shown, first.span)
            return None
        places = table.get(first.text)
        if places is None:
            findings.undeclared(what, first.text, first.span, [*table], f"declare it in `:{what}s`")
            return None
        if len(group.items) - 1 != len(places):
            shape = " ".join([first.text, *(f"?{place.name} - {place.type}" for place in places)])
            message = f"{what} {first.shown} takes {_count(len(places))}, not {len(group.items) - 1}"
            findings.report(Code.WRONG_NUMBER_OF_ARGUMENTS, message, group.span, f"it is declared as {quoted(f'({shape})')}")
            return None
        terms = [self.term(findings, item, place.type, variables) for item, place in zip(group.items[1:], places, strict=True)]
        return atom(first.text, [term for term in terms if term is not None]) if None not in terms else None

    def term(self, findings: Findings, item: Expression, needed: str, variables: Variables) -> str | None:
        """What the variable or the object `item` is called here; None where it is neither, or not of the type that is needed."""
        if isinstance(item, Group) or item.kind == "a word":
            findings.unexpected("a variable or an object", item.shown, item.span)
            return None
        if item.kind == "a variable":
            if item.text not in variables.known:
                hint = "variables stand in `:parameters`, or after `forall` or `exists`"
                findings.undeclared("variable", item.text, item.span, [*variables.known], hint)
                return None
            name, actual = variables.known[item.text].name, variables.known[item.text].type
        elif item.text in self.objects:
            name, actual = item.text, self.objects[item.text]
        else:
            meant = f"?{item.text}"
            hint = f"did you mean the variable {quoted(meant)}?" if meant in variables.known else ""
            findings.undeclared("object", item.text, item.span, [] if hint else [*self.objects], hint)
            return None
        if not self.is_subtype(actual, needed):
            message = f"{item.shown} is of type {quoted(actual)}, and {quoted(needed)} is needed"
            hint = f"what is declared as {quoted(needed)} fits, or as a type below it"
            findings.report(Code.OBJECT_OF_OTHER_TYPE, message, item.span, hint)
            return None
        return name


def typed_list(findings: Findings, items: Sequence[Expression], wanted: str) -> Iterator[Typed]:
    """The words of a list such as `a b - type c`. `wanted` is the kind of word that it lists."""
    waiting: list[Word] = []
    rest = iter(items)
    for item in rest:
        if isinstance(item, Word) and item.text == "-":
            named = next(rest, None)
            kind = _type_word(findings, item.span if named is None else named.span, named)
            yield from (Typed(word, kind) for word in waiting)
            waiting = []
        elif isinstance(item, Word) and item.kind == wanted:
            waiting.append(item)
        else:
            findings.unexpected(wanted, item.shown, item.span)
    yield from (Typed(word, None) for word in waiting)


def _type_word(findings: Findings, span: Span, item: Expression | None) -> Word | None:
    if isinstance(item, Word) and item.kind == "a name":
        return item
    if isinstance(item, Group) and item.head == "either":
        findings.unsupported("either", span)
    else:
        findings.unexpected("a type after `-`", item.shown if item else "nothing", span)
    return None


def _count(number: int) -> str:
    return "no arguments" if number == 0 else "one argument" if number == 1 else f"{number} arguments"
