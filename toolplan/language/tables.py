"""The grammar as tables: tokens to a node, one declaration or phrase at a time, and what could have stood where a token does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedToken

from toolplan.language import expected
from toolplan.language.builder import Builder, token_span


@cache
def _lark() -> Lark:
    grammar = resources.files("toolplan.grammar").joinpath("toolplan.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["declaration", "statements", "condition", "steps", "atom", "unreadable"],
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


def raw_tokens(text: str) -> list[Token]:
    """The tokens of a text as the grammar has them, white space left out."""
    # Not `Lark.lex`, which builds a new lexer for each text.
    parser: Any = _lark().parse_interactive(text, start="declaration")
    return list(parser.lexer_thread.lex(parser.parser_state))


def _fitting(token: Token, choices: Mapping[str, object]) -> Token:
    """`token`, as a name where it is a keyword that cannot stand here."""
    if token.type in choices or token.type in expected.OPERATORS or token.type not in _keyword_terminals():
        return token
    return Token.new_borrow_pos("NAME", token.value, token)


@cache
def _keyword_terminals() -> frozenset[str]:
    return frozenset(keywords().values())


class MisfitError(Exception):
    """A token that does not fit: its index, the terminal before it, and the terminals that would fit."""

    def __init__(self, at: int, token: Token, before: str, acceptable: frozenset[str]) -> None:
        self.at = at
        self.token = token
        self.before = before
        self.acceptable = acceptable


def feed(tokens: Sequence[Token], start: str) -> Any:
    """The node that the tokens make up. Raises MisfitError."""
    parser: Any = _lark().parse_interactive(start=start)
    end = token_span(tokens[-1]).end if tokens else 0
    for at, token in enumerate([*tokens, Token("$END", "", end, 1, 1, 1, 1, end)]):
        try:
            node = parser.feed_token(_fitting(token, parser.choices()))
        except UnexpectedToken:
            before = tokens[at - 1].type if at else ""
            raise MisfitError(at, token, before, _acceptable(parser.parser_state)) from None
    return node


def feed_quietly(tokens: Sequence[Token]) -> Any:
    """The declaration that the tokens make up, or None."""
    try:
        return feed(tokens, "declaration")
    except MisfitError:
        return None


@cache
def clause_words(kind: str) -> frozenset[str]:
    """The terminals with which a clause of a block starts; `kind` is the terminal of the block."""
    parser = _lark().parse_interactive(start="declaration")
    name = {"POLICY": [], "TEST": [Token("STRING", '""', 0, end_pos=2)]}.get(kind, [Token("NAME", "x", 0, end_pos=1)])
    for token in [Token(kind, kind.lower(), 0, end_pos=1), *name, Token("LBRACE", "{", 0, end_pos=1)]:
        parser.feed_token(token)
    return _acceptable(parser.parser_state) - {"RBRACE"}


@cache
def declaration_words() -> frozenset[str]:
    """The terminals with which a declaration starts."""
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
