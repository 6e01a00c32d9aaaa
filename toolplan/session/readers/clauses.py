"""The clauses of a turn, one for each wish: what is said in one says nothing of what is wanted in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from toolplan.session.readers.tokens import COURTESIES, DETERMINERS, Token, tokens

BEFORE_REQUESTS = COURTESIES | frozenset(
    "can could would will you i i'd like want need to have and then no oh oops actually now me let's instead rather the".split()
)
"""Words before the verb that says what to do."""
OPENING = BEFORE_REQUESTS - DETERMINERS
"""Those of them after which the verb is no noun: "and the plan"."""
JOINING = frozenset([".", "!", "?", ";", ":", ",", "—", "–", "and", "then", "but"])
"""Marks and words after which another wish may begin."""
NO_VERBS = frozenset("to till until".split())
"""Words with which wishes begin, and which go on with what was said where they do not begin the turn."""


def clauses(turn: Sequence[Token], verbs: frozenset[str]) -> list[range]:
    """Where the wishes of `turn` stand, side by side from its first token to its last; `verbs` are words with which a wish may begin.

    What comes before the first verb is part of the first.
    """
    return [range(start, end) for start, end in pairwise([0, *[*_beginnings(turn, verbs)][1:], len(turn)])]


def separated(text: str, verbs: frozenset[str]) -> str:
    """`text` with a semicolon for each comma after which another wish begins: a comma tells a ranker nothing."""
    turn = tokens(text, ())
    for before in (turn[clause.start - 1] for clause in clauses(turn, verbs)[1:]):
        if before.lower == ",":
            text = f"{text[: before.start]};{text[before.end :]}"
    return text


def _beginnings(turn: Sequence[Token], verbs: frozenset[str]) -> Iterator[int]:
    at = 0
    while at < len(turn):
        verb = at
        while verb < len(turn) and turn[verb].lower in OPENING:
            verb += 1
        may_begin = at == 0 or turn[at - 1].lower in JOINING
        if may_begin and verb < len(turn) and turn[verb].lower in verbs - NO_VERBS:
            yield at
            at = verb
        at += 1
