"""Grammar rules to nodes: the callbacks that the parser calls as it reduces. It looks at no name and keeps no state."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from lark import Token

from toolplan.language import nodes
from toolplan.language.source import Span

ESCAPE = re.compile(r"\\(u\{[0-9A-Fa-f]{1,6}\}|[\s\S])")
CHARACTER = re.compile(rf"{ESCAPE.pattern}|[\s\S]")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}

Children = list[Any]


def unescape(text: str) -> str:
    """`text` with its escapes resolved; one that does not exist stands for itself."""
    return ESCAPE.sub(lambda found: _escaped(found[1]), text) if "\\" in text else text


def offsets(text: str) -> list[int]:
    """Where each character of `unescape(text)` starts in `text`."""
    return [found.start() for found in CHARACTER.finditer(text)]


def bad_escape(text: str) -> re.Match[str] | None:
    """The first escape in `text` that does not exist."""
    for found in ESCAPE.finditer(text):
        if found[1][0] == "u" and len(found[1]) > 1:
            if not _is_character(int(found[1][2:-1], 16)):
                return found
        elif found[1] not in ESCAPES:
            return found
    return None


def _escaped(escape: str) -> str:
    if escape[0] == "u" and len(escape) > 1:
        point = int(escape[2:-1], 16)
        return chr(point) if _is_character(point) else "\ufffd"
    return ESCAPES.get(escape, escape)


def _is_character(point: int) -> bool:
    return point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def token_span(token: Token) -> Span:
    """The place of a token."""
    return Span(token.start_pos or 0, token.end_pos or 0)


def _over(*parts: Any) -> Span:
    """The span from the first to the last of `parts`, which are tokens, nodes or None."""
    present = [_span_of(part) for part in parts if part is not None]
    return Span(present[0].start, present[-1].end)


def _span_of(part: Any) -> Span:
    span: Span = token_span(part) if isinstance(part, Token) else part.span
    return span


class Builder:
    """One method for each rule of the grammar, by its name or alias."""

    # Names and values

    def name(self, children: Children) -> nodes.Name:
        token = children[0]
        text = token[1:-1] if token.type == "QUOTED" else str(token)
        return nodes.Name(text, _span_of(token))

    def string(self, children: Children) -> nodes.Text:
        token = children[0]
        quotes = 3 if token.type == "LONG_STRING" else 1
        return nodes.Text(unescape(str(token)[quotes:-quotes]), _span_of(token))

    def number(self, children: Children) -> nodes.Number:
        return nodes.Number(str(children[0]), _span_of(children[0]))

    def path(self, children: Children) -> nodes.PathText:
        return nodes.PathText(str(children[0]), _span_of(children[0]))

    def list(self, children: Children) -> nodes.Sequence:
        return nodes.Sequence(_parts(children), _over(children[0], children[-1]))

    def term(self, children: Children) -> Any:
        return children[0]

    argument = value = operand = term

    def arguments(self, children: Children) -> tuple[Any, Span]:
        return _parts(children), _over(children[0], children[-1])

    def atom(self, children: Children) -> nodes.Formula:
        name, arguments = children
        if arguments is None:
            return nodes.Formula(name, None, name.span)
        terms, span = arguments
        return nodes.Formula(name, terms, Span(name.span.start, span.end))

    # Conditions and effects

    def alone(self, children: Children) -> Any:
        return _parts(children)[0]

    def conjunction(self, children: Children) -> nodes.Conjunction:
        return nodes.Conjunction(_parts(children), _over(*children))

    def disjunction(self, children: Children) -> nodes.Disjunction:
        return nodes.Disjunction(_parts(children), _over(*children))

    def negation(self, children: Children) -> nodes.Negation:
        return nodes.Negation(children[1], _over(*children))

    def equal(self, children: Children) -> nodes.Equality:
        return nodes.Equality(children[0], children[-1], negated=False, span=_over(*children))

    def unequal(self, children: Children) -> nodes.Equality:
        return nodes.Equality(children[0], children[-1], negated=True, span=_over(*children))

    def quantified(self, children: Children) -> nodes.Quantified:
        word, typed, _, item, closing = children
        return nodes.Quantified(word.lower(), typed, item, _over(word, closing))

    def effect(self, children: Children) -> nodes.Change:
        atom, when, condition = children
        return nodes.Change(atom, condition, _over(atom, when, condition))

    def quantified_effect(self, children: Children) -> nodes.QuantifiedChange:
        word, typed, _, changes, closing = children
        return nodes.QuantifiedChange(typed, changes, _over(word, closing))

    def change(self, children: Children) -> nodes.Formula | nodes.Negation:
        word, atom = children
        return atom if word is None else nodes.Negation(atom, _over(word, atom))

    def oneof(self, children: Children) -> nodes.OneOf:
        outcomes = tuple(child for child in children if isinstance(child, tuple))
        return nodes.OneOf(outcomes, _over(children[0], children[-1]))

    # Parts of clauses

    def items(self, children: Children) -> tuple[Any, ...]:
        return _parts(children)

    names = strings = atoms = typed = expected = candidates = options = levels = effects = outcome = single_outcome = items
    signals = bounds = restrictions = items
    passings = comparisons = results = signature = parameters = value_type = statements = steps = items

    def level(self, children: Children) -> nodes.Level:
        name, weight, safe, confirm, _, role = children
        confirmation = None if confirm is None else role or nodes.Name("", _span_of(confirm))
        last = next(part for part in (role, confirm, safe, weight) if part is not None)
        return nodes.Level(name, weight, safe is not None, confirmation, _over(name, last))

    def depth(self, children: Children) -> nodes.Depth:
        least, _, most = children
        return nodes.Depth(least, most, _over(least, most))

    def threshold(self, children: Children) -> nodes.Threshold:
        measure, operator, number = children
        return nodes.Threshold(measure, str(operator), number, _over(measure, number))

    def bound(self, children: Children) -> nodes.Bound:
        match children:
            case [nodes.Number(written=written), unit]:
                return nodes.Bound(written, unit, _over(*children))
            case _:
                return nodes.Bound(str(children[0]), None, _over(*children))

    def phrase(self, children: Children) -> nodes.Phrase:
        return nodes.Phrase(" ".join(children).lower(), _over(*children))

    def passing(self, children: Children) -> nodes.Passing:
        return nodes.Passing(children[0], "=", children[-1], _over(*children))

    def optional(self, children: Children) -> nodes.Passing:
        argument, _, atom, *_ = children
        return nodes.Passing(argument, "if known", atom, _over(*children))

    def free(self, children: Children) -> nodes.Passing:
        return nodes.Passing(children[0], "free", None, _over(*children))

    def derived(self, children: Children) -> nodes.Passing:
        argument, _, sources = children
        return nodes.Passing(argument, "from", sources, _over(argument, sources[-1]))

    def comparison(self, children: Children) -> nodes.Comparing:
        left, operator, right = children
        return nodes.Comparing(left, str(operator), right, _over(left, right))

    def equation(self, children: Children) -> nodes.Comparing:
        return nodes.Comparing(children[0], "=", children[-1], _over(*children))

    def inequation(self, children: Children) -> nodes.Comparing:
        return nodes.Comparing(children[0], "!=", children[-1], _over(*children))

    def result(self, children: Children) -> nodes.Returning:
        return nodes.Returning(children[0], children[-1], _over(*children))

    # What happens in tests

    def candidate(self, children: Children) -> nodes.Candidate:
        goals, p = children
        return nodes.Candidate(goals, p, _over(goals, p))

    def happening(self, children: Children) -> nodes.Happening:
        call = children[0] if isinstance(children[0], nodes.Formula) else None
        words = [child for child in children[1:] if isinstance(child, Token)]
        value = None if isinstance(children[-1], Token) else children[-1]
        last = value[-1] if isinstance(value, tuple) else children[-1]
        return nodes.Happening(call, " ".join(words).lower(), value, _over(children[0], last))

    def member(self, children: Children) -> tuple[nodes.Text, Any]:
        return children[0], children[-1]

    def object(self, children: Children) -> nodes.Object:
        return nodes.Object(_parts(children), _over(children[0], children[-1]))

    def array(self, children: Children) -> nodes.Array:
        return nodes.Array(_parts(children), _over(children[0], children[-1]))

    json = word = term

    # Clauses

    def clause(self, children: Children) -> nodes.Clause:
        present = [child for child in children if child is not None]
        leading = list(takewhile(lambda child: isinstance(child, Token), present))
        rest = present[len(leading) :]
        word = " ".join(leading).lower()
        values = rest[0] if rest and isinstance(rest[0], tuple) else tuple(rest)
        if len(rest) > 1 and isinstance(rest[1], Token):
            word = f"{word} {rest[1].lower()}"
            values = (*values, rest[2])
        return nodes.Clause(word, values, _over(leading[0], (values or leading)[-1]), _over(*leading))

    def description(self, children: Children) -> nodes.Clause:
        return nodes.Clause("", (children[0],), children[0].span, children[0].span)

    def tool_clause(self, children: Children) -> nodes.Clause:
        clause: nodes.Clause = children[0]
        return clause

    ask_clause = goal_clause = test_clause = requires = produces = cost = allow = tool_clause

    # Declarations

    def declaration(self, children: Children) -> Any:
        return children[0]

    def header(self, children: Children) -> nodes.Header:
        word, name, description = children
        return nodes.Header(name, description, _over(word, name, description))

    def import_(self, children: Children) -> nodes.Import:
        return nodes.Import(children[1], _over(*children))

    def type_(self, children: Children) -> nodes.TypeDeclaration:
        word, name, _, parent, description = children
        return nodes.TypeDeclaration(name, parent, description, _over(word, name, parent, description))

    def constant(self, children: Children) -> nodes.ConstantDeclaration:
        word, *names, _, type_name, description = [child for child in children if not _is(child, "COMMA")]
        return nodes.ConstantDeclaration(tuple(names), type_name, description, _over(word, type_name, description))

    def place(self, children: Children) -> nodes.Typed:
        name, _, type_name = children
        return nodes.Typed(name, type_name, _over(name, type_name))

    parameter = place

    def trait(self, children: Children) -> nodes.Trait:
        duration = str(children[1]) if children[0].type == "FRESH" else ""
        word = "fresh" if duration else " ".join(children).lower()
        return nodes.Trait(word, duration, _over(*children))

    def fact(self, children: Children) -> nodes.FactDeclaration:
        word, name, parameters, _, value, *traits, description = children
        kind, *options = value or (None,)
        span = _over(word, children[-1] or (traits[-1] if traits else None) or (options or [None])[-1] or kind or name)
        return nodes.FactDeclaration(name, parameters or (), kind, tuple(options), tuple(traits), description, span)

    def calls(self, children: Children) -> nodes.Text:
        text: nodes.Text = children[1]
        return text

    def performer(self, children: Children) -> str:
        return str(children[1])

    def tool(self, children: Children) -> nodes.Block:
        word, name, parameters, calls, performer, _, *clauses, closing = children
        return nodes.Block("tool", name, parameters or (), calls, performer or "", tuple(clauses), _over(word, closing))

    def ask(self, children: Children) -> nodes.Block:
        word, name, parameters, _, *clauses, closing = children
        return nodes.Block(word.lower(), name, parameters or (), None, "", tuple(clauses), _over(word, closing))

    goal = ask

    def policy(self, children: Children) -> nodes.Block:
        word, _, *clauses, closing = children
        return nodes.Block("policy", nodes.Name("", _span_of(word)), (), None, "", tuple(clauses), _over(word, closing))

    def test(self, children: Children) -> nodes.Block:
        word, name, _, *clauses, closing = children
        return nodes.Block("test", name, (), None, "", tuple(clauses), _over(word, closing))

    # What callers write

    def denied(self, children: Children) -> nodes.Statement:
        return nodes.Statement(children[1], "denied", None, _over(*children))

    def statement(self, children: Children) -> nodes.Statement:
        atom, mark, _, value = children
        return nodes.Statement(atom, "known" if mark is None else "uncertain", value, _over(atom, mark, value))


def _parts(children: Children) -> tuple[Any, ...]:
    """The children without punctuation and without what was left out."""
    return tuple(child for child in children if child is not None and not isinstance(child, Token))


def _is(child: Any, kind: str) -> bool:
    return isinstance(child, Token) and child.type == kind
