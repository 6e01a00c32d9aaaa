"""Text to syntax tree. With `lexer` and its callbacks in `builder`, the only module that imports lark.

Each declaration is parsed on its own: a mistake costs the clause it stands in, never the rest of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from toolplan.language import expected, nodes
from toolplan.language.builder import Builder, token_span
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, Label, quoted
from toolplan.language.lexer import MOST_FINDINGS, NO_LINE, Lexing
from toolplan.language.source import Location, Source, Span

BLOCKS = frozenset(["TOOL", "ASK", "GOAL", "POLICY", "TEST"])
DEEPEST = 100
"""Conditions, effects or lists inside each other: more than anybody writes, and less than would overflow the stack of what follows."""


def parse(source: Source) -> tuple[nodes.File, list[Diagnostic]]:
    """Read a whole file. What could not be read is missing from the tree and stands in the diagnostics."""
    reading = _Reading(_lex(source))
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
    reading = _Reading(_lex(source))
    tokens = reading.lexing.tokens
    if not reading.lexing.findings:
        try:
            node = _feed(tokens, start)
        except _MisfitError as misfit:
            reading.report_misfit(misfit, (), None)
        else:
            if reading.is_flat(node, tokens):
                return node
    raise DomainError(reading.lexing.findings)


@cache
def _lark() -> Lark:
    grammar = resources.files("toolplan.grammar").joinpath("toolplan.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["declaration", "statements", "condition", "steps", "unreadable"],
        keep_all_tokens=True,
        maybe_placeholders=True,
        transformer=Builder(),
        lexer_callbacks={"NAME": _keyword},
    )


@cache
def keywords() -> dict[str, str]:
    """The words of the language and their terminals: those that the grammar declares and does not define."""
    lark = _lark()
    defined = {terminal.name for terminal in lark.terminals}
    used = {symbol.name for rule in lark.rules for symbol in rule.expansion if symbol.is_term}
    return {name.lower(): name for name in sorted(used - defined)}


def _keyword(token: Token) -> Token:
    kind = keywords().get(token.value)
    return token if kind is None else token.update(type=kind)


def _lex(source: Source) -> Lexing:
    lexing = Lexing(source, keywords())
    if lexing.is_well_formed():
        # Not `Lark.lex`, which builds a new lexer for each text.
        parser: Any = _lark().parse_interactive(source.text, start="declaration")
        lexing.read(list(parser.lexer_thread.lex(parser.parser_state)))
    return lexing


def _fitting(token: Token, choices: Mapping[str, object]) -> Token:
    """`token`, as a name where it is a keyword that cannot stand here."""
    if token.type in choices or token.type in expected.OPERATORS or token.type not in _keyword_terminals():
        return token
    return Token.new_borrow_pos("NAME", token.value, token)


@cache
def _keyword_terminals() -> frozenset[str]:
    return frozenset(keywords().values())


class _MisfitError(Exception):
    """A token that does not fit: its index, the terminal before it, and the terminals that would fit."""

    def __init__(self, at: int, token: Token, before: str, acceptable: frozenset[str]) -> None:
        self.at = at
        self.token = token
        self.before = before
        self.acceptable = acceptable


def _feed(tokens: Sequence[Token], start: str) -> Any:
    """The node that the tokens make up. Raises _MisfitError."""
    parser: Any = _lark().parse_interactive(start=start)
    end = token_span(tokens[-1]).end if tokens else 0
    for at, token in enumerate([*tokens, Token("$END", "", end, 1, 1, 1, 1, end)]):
        try:
            node = parser.feed_token(_fitting(token, parser.choices()))
        except UnexpectedToken:
            before = tokens[at - 1].type if at else ""
            raise _MisfitError(at, token, before, _acceptable(parser.parser_state)) from None
    return node


def _feed_quietly(tokens: Sequence[Token]) -> Any:
    """The declaration that the tokens make up, or None."""
    try:
        return _feed(tokens, "declaration")
    except _MisfitError:
        return None


@cache
def _clause_words(kind: str) -> frozenset[str]:
    """The terminals with which a clause of a block starts; `kind` is the terminal of the block."""
    parser = _lark().parse_interactive(start="declaration")
    name = {"POLICY": [], "TEST": [Token("STRING", '""', 0, end_pos=2)]}.get(kind, [Token("NAME", "x", 0, end_pos=1)])
    for token in [Token(kind, kind.lower(), 0, end_pos=1), *name, Token("LBRACE", "{", 0, end_pos=1)]:
        parser.feed_token(token)
    return _acceptable(parser.parser_state) - {"RBRACE"}


@cache
def _declaration_words() -> frozenset[str]:
    return _acceptable(_lark().parse_interactive(start="declaration").parser_state)


def _acceptable(state: Any) -> frozenset[str]:
    """The terminals with which the text could go on, by trying each on the states of the parser alone."""
    known = (name for name in state.parse_conf.states[state.position] if name.isupper())
    return frozenset(name for name in known if _takes(state, name))


def _takes(state: Any, terminal: str) -> bool:
    table, states = state.parse_conf.states, list(state.state_stack)
    while terminal in table[states[-1]]:
        action, argument = table[states[-1]][terminal]
        if action.name == "Shift":
            return True
        if size := len(argument.expansion):
            del states[-size:]
        states.append(table[states[-1]][argument.origin.name][1])
    return bool(terminal == "$END" and states[-1] == state.parse_conf.end_state)


@dataclass
class _Reading:
    """The tokens of one text being made into declarations; findings are added to those of the lexer."""

    lexing: Lexing

    def report(self, code: Code, message: str, span: Span, hint: str = "", labels: tuple[Label, ...] = ()) -> None:
        if len(self.lexing.findings) < MOST_FINDINGS:
            self.lexing.findings.append(Diagnostic(code, message, Location(self.lexing.source, span), hint, labels))

    def report_misfit(
        self, misfit: _MisfitError, before: Sequence[Token], following: Token | None, clauses: frozenset[str] = frozenset()
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
        self.report(Code.UNEXPECTED_TOKEN, text, span, expected.hint(misfit.acceptable, misfit.before, token.type, str(token)))

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
            if tokens[at].type in _declaration_words():
                end, part = self.declaration_end(tokens, at)
                node = self.declaration(part, tokens[end] if end < len(tokens) else None)
                if node is not None:
                    yield node
            else:
                end = _stray_end(tokens, at)
                self.leave_unread(tokens[at:end])
                if tokens[at].line not in self.lexing.spoilt:
                    found = expected.describe(tokens[at].type, str(tokens[at]))
                    message = f"expected a declaration, found {found}"
                    self.report(Code.UNEXPECTED_TOKEN, message, token_span(tokens[at]), _declaration_hint(tokens[at]))
            at = end

    def declaration_end(self, tokens: list[Token], start: int) -> tuple[int, list[Token]]:
        """Where the declaration at `start` ends, and its tokens; a missing brace is reported and added."""
        opened: list[Token] = []
        deepest = 0
        at = start + 1
        while at < len(tokens):
            token = tokens[at]
            if token.type in _declaration_words():
                if opened:
                    if _starts_line(tokens, at) and _column(token) <= _column(tokens[start]):
                        break
                elif _declares(tokens, start, at) or _is_loose(tokens, start, at):
                    break
            elif token.type == "LBRACE":
                opened.append(token)
                deepest = max(deepest, len(opened))
            elif token.type == "RBRACE":
                if len(opened) <= 1:
                    return at + 1, tokens[start : at + 1]
                opened.pop()
            at += 1
        part = tokens[start:at]
        if opened:
            last = part[-1]
            span = Span(token_span(last).end - 1, token_span(last).end)
            # A brace inside the block is a mistake of its own, and so is a string that swallowed one.
            if deepest == 1 and not any(token.start_pos in self.lexing.open for token in part):
                message = f"the block of this `{tokens[start]}` is not closed"
                label = Label(Location(self.lexing.source, token_span(opened[-1])), "opened here")
                self.report(Code.UNCLOSED_BLOCK, message, span, "add `}` after this", (label,))
            part += [Token("RBRACE", "}", span.end, NO_LINE, 0, NO_LINE, 0, span.end)] * len(opened)
        return at, part

    def declaration(self, tokens: list[Token], following: Token | None) -> nodes.Declaration | None:
        """Read one declaration. A clause with a mistake is reported and left out; without a readable head there is None."""
        node: nodes.Declaration | None
        try:
            node = _feed(tokens, "declaration")
        except _MisfitError as misfit:
            brace = next((at for at, token in enumerate(tokens) if token.type == "LBRACE"), None)
            short = [*tokens[: 1 if tokens[0].type == "POLICY" else 2], *tokens[brace : brace + 1]] if brace is not None else []
            if brace is None or _feed_quietly([*short, tokens[-1]]) is None:
                self.report_misfit(misfit, tokens[: misfit.at], following)
                self.leave_unread(tokens)
                node = _feed_quietly(tokens[: misfit.at])
            elif misfit.at <= brace:
                self.report_misfit(misfit, tokens[: misfit.at], following)
                self.leave_unread(tokens[:brace])
                node = self.block(short, short, tokens[brace + 1 :])
            else:
                node = self.block(tokens[: brace + 1], short, tokens[brace + 1 :])
        return node if node is None or self.is_flat(node, tokens) else None

    def block(self, head: list[Token], short: list[Token], body: list[Token]) -> nodes.Block:
        """Read a block in which there is a mistake; its clauses are read one stretch after the other, each after the `short` head."""
        words = _clause_words(head[0].type)
        block: nodes.Block | None = None
        for _ in range(MOST_FINDINGS):
            try:
                return _joined(block, _feed([*head, *body], "declaration"))
            except _MisfitError as misfit:
                at = misfit.at - len(head)
                starts = expected.clause_starts([token.type for token in body], [_starts_line(body, i) for i in range(len(body))], words)
                start = max(place for place in starts if place <= at)
                if at > 1 and body[at - 1].type in words and body[at - 2].type == "COMMA":
                    at -= 2
                    self.report_comma(body[at], body[at + 1])
                else:
                    self.report_misfit(misfit, body[start:at], None, words)
            begin, read = self.readable(head, body, (start, 0) if body[start].type in expected.WORDS else (at, start, 0))
            end = next((place for place in starts if place > at), len(body) - 1)
            self.leave_unread(body[min(start, begin) : end])
            block, head, body = _joined(block, read), short, body[end:]
        self.leave_unread(body)
        assert block is not None
        return block

    def readable(self, head: list[Token], body: list[Token], ends: Sequence[int]) -> tuple[int, nodes.Block]:
        """The first of `ends` up to which the body can be read, and the block that this makes."""
        read = ((end, _feed_quietly([*head, *body[:end], body[-1]])) for end in ends)
        return next((end, block) for end, block in read if block is not None)

    def is_flat(self, node: object, tokens: Sequence[Token]) -> bool:
        """Whether nothing in `node` nests too deep; what does is reported."""
        inner = node if isinstance(node, tuple) else nodes.parts(node)
        for _ in range(DEEPEST):
            inner = tuple(part for outer in inner for part in nodes.parts(outer))
        if inner:
            message, hint = f"more than {DEEPEST} levels inside each other", "name a part of it with a fact of its own"
            self.report(Code.NESTED_TOO_DEEP, message, inner[0].span, hint)
            self.leave_unread(tokens)
        return not inner


def _joined(first: nodes.Block | None, second: nodes.Block) -> nodes.Block:
    """Two parts of one block, some clause between which could not be read."""
    block = first or second
    clauses = (*first.clauses, *second.clauses) if first else second.clauses
    return replace(block, clauses=clauses, complete=False, span=Span(block.span.start, second.span.end))


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
        may_declare = token.type in _declaration_words() or (depth == 0 and _declaration_hint(token))
        if may_declare and _starts_line(tokens, at) and _column(token) <= _column(tokens[start]):
            return at
    return len(tokens)


def _declares(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether the declaration word at `at` is surely no name: it starts a line, not further in than `start`, and a name follows."""
    placed = _starts_line(tokens, at) and _column(tokens[at]) <= _column(tokens[start])
    return placed and at + 1 < len(tokens) and tokens[at + 1].type in ("NAME", "QUOTED")


def _is_loose(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether the declaration word at `at` stands where no name can, outside the braces of the declaration at `start`."""
    clause = tokens[start].type in BLOCKS and _starts_line(tokens, at) and _column(tokens[at]) > _column(tokens[start])
    return at > start + 1 and tokens[at - 1].type not in ("COLON", "COMMA", "LPAR") and not clause


def _declaration_hint(token: Token) -> str:
    return expected.keyword_hint(str(token), _declaration_words()) if token.type == "NAME" else ""


def _starts_line(tokens: Sequence[Token], at: int) -> bool:
    return at == 0 or tokens[at].line != tokens[at - 1].end_line


def _column(token: Token) -> int:
    return token.column or 0
