"""Text to syntax tree. With `tables`, `lexer` and `builder`, the only modules that import lark.

Each declaration is parsed on its own: a mistake costs the clause it stands in, never the rest of the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from lark import Token

from toolplan.language import expected, nodes
from toolplan.language.builder import token_span
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, Edit, Label, quoted
from toolplan.language.lexer import MOST_FINDINGS, NO_LINE, Lexing
from toolplan.language.source import Location, Source, Span
from toolplan.language.tables import MisfitError, clause_words, declaration_words, feed, feed_quietly, keywords, raw_tokens

BLOCKS = frozenset(["TOOL", "ASK", "GOAL", "POLICY", "TEST"])
BRACES = {"LBRACE": 1, "RBRACE": -1}
DECLARES = frozenset(["FACT", "TYPE", "CONSTANT", "TOOL", "ASK", "GOAL"])
"""What stands before a name that is declared."""
VALUE_FOLLOWS = frozenset(["RETURNS", "COLON", "COMMA", "LSQB"])
"""What stands before a JSON value."""
DEEPEST = 100
"""Conditions, effects or lists inside each other: more than anybody writes, and less than would overflow the stack of what follows."""
_Nesting = (
    nodes.Clause
    | nodes.Condition
    | nodes.Effect
    | nodes.Passing
    | nodes.Statement
    | nodes.Value
    | nodes.Happening
    | nodes.Object
    | nodes.Array
)
"""What may stand inside something of its kind, and what holds it."""
READ_AHEAD = 50_000
"""Tokens that were read before they are let go."""


def parse(source: Source) -> tuple[nodes.File, list[Diagnostic]]:
    """Read a whole file. What could not be read is missing from the tree and stands in the diagnostics."""
    reading = _reading(source)
    declarations = tuple(reading.declarations())
    unread = frozenset(reading.lexing.unread)
    return nodes.File(source, declarations, tuple(reading.lexing.comments), unread), reading.lexing.findings


def parse_condition(source: Source) -> nodes.Condition:
    """Read a condition, as a caller writes a goal. Raises DomainError."""
    node: nodes.Condition = _parse_phrase(source, "condition")
    return node


def parse_statements(source: Source) -> tuple[nodes.Statement, ...]:
    """Read a state: `date, found(report), event_id?, not private(report)`. Raises DomainError."""
    statements: tuple[nodes.Statement, ...] = _parse_phrase(source, "statements")
    return statements


def parse_steps(source: Source) -> tuple[nodes.Formula, ...]:
    """Read actions with arguments. Raises DomainError."""
    steps: tuple[nodes.Formula, ...] = _parse_phrase(source, "steps")
    return steps


def _parse_phrase(source: Source, start: str) -> Any:
    reading = _reading(source)
    tokens = reading.lexing.tokens
    if not reading.lexing.findings:
        try:
            node = feed(tokens, start)
        except MisfitError as misfit:
            reading.report_misfit(misfit, (), None)
        else:
            if reading.is_flat(node, tokens):
                return node
    raise DomainError(reading.lexing.findings)


def _reading(source: Source) -> _Reading:
    lexing = Lexing(source, keywords())
    if lexing.is_well_formed():
        lexing.read(raw_tokens(source.text))
    return _Reading(lexing, _declared(lexing.tokens), any(token.type == "IMPORT" for token in lexing.tokens))


@dataclass
class _Reading:
    """The tokens of one text being made into declarations; findings are added to those of the lexer.

    `declared` are the names that the text declares; where it `imports` others, a name may be one of theirs.
    """

    lexing: Lexing
    declared: frozenset[str]
    imports: bool

    def report(self, code: Code, message: str, span: Span, hint: str = "", labels: tuple[Label, ...] = (), meant: str = "") -> None:
        if len(self.lexing.findings) < MOST_FINDINGS:
            place = Location(self.lexing.source, span)
            self.lexing.findings.append(Diagnostic(code, message, place, hint, labels, (Edit(place, meant),) if meant else ()))

    def report_misfit(
        self, misfit: MisfitError, before: Sequence[Token], following: Token | None, clauses: frozenset[str] = frozenset()
    ) -> None:
        """Report a token that does not fit `before` it; at the end of a declaration, that is the token `following` it.

        A string that does not end has swallowed the rest of its line, so what does not fit after one has been reported.
        """
        token = misfit.token if misfit.token.type != "$END" else following or misfit.token
        if token.line in self.lexing.spoilt or any(item.start_pos in self.lexing.open for item in before):
            return
        text = expected.message(misfit.acceptable, clauses, token.type, str(token))
        span = token_span(token)
        if token.type == "$END":
            span = Span(max(span.end - 1, 0), span.end)
        hint = expected.hint(misfit.acceptable, misfit.before, token.type, str(token), self.declared)
        # After an item, a name may also be another one whose comma is missing.
        is_sure = token.type == "NAME" and not (self.imports and "COMMA" in misfit.acceptable)
        meant = self.keyword_meant(token, misfit.acceptable) if is_sure else ""
        self.report(Code.UNEXPECTED_TOKEN, text, span, hint, meant=meant)

    def keyword_meant(self, token: Token, terminals: Collection[str]) -> str:
        """The keyword that `token` surely is a slip away from: nothing where it is a name that the text declares."""
        return expected.keyword_meant(str(token), terminals) if token not in self.declared else ""

    def report_comma(self, comma: Token, word: Token) -> None:
        """Report a comma after which another clause starts: its `word` was taken for a name, and what follows did not fit."""
        if comma.line not in self.lexing.spoilt:
            message = f"expected another item after `,`, found the clause {quoted(word)}"
            self.report(Code.UNEXPECTED_TOKEN, message, token_span(comma), "remove the comma")

    def leave_unread(self, tokens: Sequence[Token]) -> None:
        """Note the words of what is left out."""
        self.lexing.unread.update(token.strip("`") for token in tokens if token[0].isalpha() or token[0] in "_`")

    def declarations(self) -> Iterator[nodes.Declaration]:
        """All that can be read; what stands outside any declaration is reported once a stretch."""
        tokens = self.lexing.tokens
        at = 0
        while at < len(tokens):
            if tokens[at].type in declaration_words():
                end, part = self.declaration_end(tokens, at)
                node = self.declaration(part, tokens[end] if end < len(tokens) else None)
                if node is not None:
                    yield node
            else:
                end = _stray_end(tokens, at)
                self.leave_unread(tokens[at:end])
                if tokens[at].line not in self.lexing.spoilt:
                    message = f"expected a declaration, found {expected.describe(tokens[at].type, str(tokens[at]))}"
                    hint, meant = _declaration_hint(tokens[at], self.declared), self.keyword_meant(tokens[at], declaration_words())
                    self.report(Code.UNEXPECTED_TOKEN, message, token_span(tokens[at]), hint, meant=meant)
            at = end
            if at > READ_AHEAD:
                # What was read is let go: a large text has more tokens than nodes.
                del tokens[:at]
                at = 0

    def declaration_end(self, tokens: list[Token], start: int) -> tuple[int, list[Token]]:
        """Where the declaration at `start` ends, and its tokens; a missing brace is reported and added."""
        at = start + 1
        while at < len(tokens) and tokens[at].type not in BRACES and not _starts_another(tokens, start, at):
            at += 1
        if at < len(tokens) and tokens[at].type == "LBRACE":
            closing = next((end for end in range(at + 1, len(tokens)) if tokens[end].type in BRACES), at)
            return (closing + 1, tokens[start : closing + 1]) if tokens[closing].type == "RBRACE" else self.unclosed(tokens, start, at)
        at += at < len(tokens) and tokens[at].type == "RBRACE"
        return at, tokens[start:at]

    def unclosed(self, tokens: list[Token], start: int, brace: int) -> tuple[int, list[Token]]:
        """The same for a block before whose end another brace opens, or the text ends: then indentation tells what belongs to it."""
        depth = 1
        at = brace + 1
        while at < len(tokens) and depth and not (tokens[at].type in declaration_words() and _is_outside(tokens, start, at)):
            depth += BRACES.get(tokens[at].type, 0)
            at += 1
        part = tokens[start:at]
        last = token_span(part[-1])
        # A brace inside a block is a mistake of its own, and so is a string that swallowed one.
        spoilt = any(_opens_no_value(part, inner) for inner in range(brace - start + 1, len(part))) or any(
            token.start_pos in self.lexing.open for token in part
        )
        if depth and not spoilt:
            label = Label(Location(self.lexing.source, token_span(tokens[brace])), "opened here")
            message = f"the block of this `{tokens[start]}` is not closed"
            self.report(Code.UNCLOSED_BLOCK, message, Span(last.end - 1, last.end), "add `}` after this", (label,))
        return at, part + [Token("RBRACE", "}", last.end, NO_LINE, 0, NO_LINE, 0, last.end)] * depth

    def declaration(self, tokens: list[Token], following: Token | None) -> nodes.Declaration | None:
        """Read one declaration. A clause with a mistake is reported and left out; without a readable head there is None."""
        node: nodes.Declaration | None
        try:
            node = feed(tokens, "declaration")
        except MisfitError as misfit:
            brace = next((at for at, token in enumerate(tokens) if token.type == "LBRACE"), None)
            short = [*tokens[: 1 if tokens[0].type == "POLICY" else 2], *tokens[brace : brace + 1]] if brace is not None else []
            if brace is None or feed_quietly([*short, tokens[-1]]) is None:
                self.report_misfit(misfit, tokens[: misfit.at], following)
                self.leave_unread(tokens)
                node = feed_quietly(tokens[: misfit.at])
            elif misfit.at <= brace:
                self.report_misfit(misfit, tokens[: misfit.at], following)
                self.leave_unread(tokens[:brace])
                node = self.block(short, short, tokens[brace + 1 :])
            else:
                node = self.block(tokens[: brace + 1], short, tokens[brace + 1 :])
        return node if node is None or self.is_flat(node, tokens) else None

    def block(self, head: list[Token], short: list[Token], body: list[Token]) -> nodes.Block:
        """Read a block in which there is a mistake; its clauses are read one stretch after the other, each after the `short` head."""
        words = clause_words(head[0].type)
        block: nodes.Block | None = None
        for _ in range(MOST_FINDINGS):
            try:
                return _joined(block, feed([*head, *body], "declaration"))
            except MisfitError as misfit:
                at = misfit.at - len(head)
                first_in_line = _first_in_line([head[-1], *body])[1:]
                starts = expected.clause_starts([token.type for token in body], first_in_line, words)
                start = max(place for place in starts if place <= at)
                if at > 1 and body[at - 1].type in words and body[at - 2].type == "COMMA":
                    at -= 2
                    self.report_comma(body[at], body[at + 1])
                else:
                    self.report_misfit(misfit, body[start:at], None, words)
            begin, read = self.readable(head, body, (start, 0) if body[start].type in expected.WORDS else (at, start, 0))
            # Where clauses stand on lines of their own, a clause word further in is rather a name.
            line = body[at].line if first_in_line[start] else NO_LINE
            end = next((place for place in starts if place > at and body[place].line != line), len(body) - 1)
            self.leave_unread(body[min(start, begin) : end])
            block, head, body = _joined(block, read), short, body[end:]
        self.leave_unread(body)
        assert block is not None
        return block

    def readable(self, head: list[Token], body: list[Token], ends: Sequence[int]) -> tuple[int, nodes.Block]:
        """The first of `ends` up to which the body can be read, and the block that this makes."""
        read = ((end, feed_quietly([*head, *body[:end], body[-1]])) for end in ends)
        return next((end, block) for end, block in read if block is not None)

    def is_flat(self, node: object, tokens: Sequence[Token]) -> bool:
        """Whether nothing in `node` nests too deep; what does is reported."""
        inner = node if isinstance(node, tuple) else _parts(node)
        depth = 0
        while inner and depth < DEEPEST:
            inner = tuple(part for outer in inner for part in _parts(outer))
            depth += 1
        if inner:
            message, hint = f"more than {DEEPEST} levels inside each other", "name a part of it with a fact of its own"
            self.report(Code.NESTED_TOO_DEEP, message, inner[0].span, hint)
            self.leave_unread(tokens)
        return not inner


def _parts(node: object) -> tuple[_Nesting, ...]:
    """What stands directly inside `node` and may hold more."""
    match node:
        case nodes.Block(clauses=inner):
            return inner
        case nodes.Clause(values=values):
            return tuple(value for value in values if isinstance(value, _Nesting))
        case (
            nodes.Conjunction(items=inner)
            | nodes.Disjunction(items=inner)
            | nodes.Sequence(items=inner)
            | nodes.QuantifiedChange(changes=inner)
        ):
            return inner
        case nodes.Object(members=members):
            return tuple(value for _, value in members if isinstance(value, _Nesting))
        case nodes.Array(items=values):
            return tuple(value for value in values if isinstance(value, _Nesting))
        case nodes.Negation(item=item) | nodes.Quantified(item=item):
            return (item,)
        case nodes.Change(condition=value) | nodes.Passing(value=value) | nodes.Statement(value=value) | nodes.Happening(value=value):
            return (value,) if isinstance(value, _Nesting) else ()
    return ()


def _joined(first: nodes.Block | None, second: nodes.Block) -> nodes.Block:
    """Two parts of one block, some clause between which could not be read."""
    block = first or second
    clauses = (*first.clauses, *second.clauses) if first else second.clauses
    return replace(block, clauses=clauses, complete=False, span=Span(block.span.start, second.span.end))


def _opens_no_value(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token at `at` is a brace that opens no JSON object."""
    return tokens[at].type == "LBRACE" and tokens[at - 1].type not in VALUE_FOLLOWS


def _stray_end(tokens: list[Token], start: int) -> int:
    """Where what stands outside any declaration ends: after its braces, or where a line starts as a declaration would."""
    if tokens[start].type == "RBRACE":
        return next((at for at in range(start, len(tokens)) if tokens[at].type != "RBRACE"), len(tokens))
    depth = 0
    for at in range(start + 1, len(tokens)):
        token = tokens[at]
        if token.type == "RBRACE" and depth <= 1:
            return at + 1
        depth += (token.type == "LBRACE") - (token.type == "RBRACE")
        outside = _is_outside(tokens, start, at)
        if outside and (token.type in declaration_words() or (depth == 0 and _declaration_hint(token))):
            return at
    return len(tokens)


def _starts_another(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether the declaration at `start` ends before `at`, outside its braces: there stands a word, and no name can stand there."""
    is_name = at == start + 1 or tokens[at - 1].type in ("COLON", "COMMA", "LPAR")
    outside = _is_outside(tokens, start, at)
    if tokens[at].type not in declaration_words():
        return outside and not is_name and tokens[at].type in ("NAME", "QUOTED")
    if outside and at + 1 < len(tokens) and tokens[at + 1].type in ("NAME", "QUOTED"):
        return True
    is_clause = tokens[start].type in BLOCKS and _starts_line(tokens, at) and not outside
    return not is_name and not is_clause


def _is_outside(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether the token at `at` starts a line, no further in than the declaration at `start`."""
    return _starts_line(tokens, at) and _column(tokens[at]) <= _column(tokens[start])


def _declaration_hint(token: Token, declared: Collection[str] = ()) -> str:
    return expected.keyword_hint(str(token), declaration_words()) if token.type == "NAME" and token not in declared else ""


def _declared(tokens: Sequence[Token]) -> frozenset[str]:
    """The names after the words that declare, and those that a list of constants goes on with."""
    found: set[str] = set()
    is_listing = False
    for before, token in pairwise(tokens):
        is_listing = before.type == "CONSTANT" or (is_listing and "COMMA" in (before.type, token.type))
        if before.type in DECLARES or (is_listing and before.type == "COMMA"):
            found.add(token.strip("`"))
    return frozenset(found)


def _starts_line(tokens: Sequence[Token], at: int) -> bool:
    return at == 0 or tokens[at].line != tokens[at - 1].end_line


def _first_in_line(tokens: Sequence[Token]) -> list[bool]:
    return [_starts_line(tokens, at) for at in range(len(tokens))]


def _column(token: Token) -> int:
    return token.column or 0
