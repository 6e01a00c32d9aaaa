"""Values that a turn says in words of the contract: options by their names, and yes or no by what a fact is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolplan.domain import ValueType
from toolplan.session.negation import DENIALS, NEGATIONS, negates
from toolplan.session.readers.tokens import COURTESIES, Token, stem, stems

VERDICTS = {"yes": True, "yeah": True, "yep": True, "true": True, "no": False} | dict.fromkeys(DENIALS, False)
"""Words after a question or a colon that say how it is."""
UNDECIDED = frozenset("prefer preference matter care either if whether or".split())
"""Words of a clause that leaves open what it names."""
GENERIC = frozenset(
    map(stem, "add has have is be with in on for of to a good offer option include allow serve service available want need".split())
)
"""Words in the names of yes-or-no facts that do not tell what they are of."""
ASKING = frozenset("is are was were does do did".split())
THERE = frozenset("it this that the they these those he she".split())
"""How questions begin that ask how something is, and not for something."""
BOUNDARIES = frozenset("and but so".split())


class Said(NamedTuple):
    """A value and the tokens that say it, from `start` to before `end`."""

    start: int
    end: int
    value: object


def option_said(kind: ValueType, turn: Sequence[Token]) -> Said | None:
    """The one option of `kind` that the turn names, by all its words in their order; None where it names none, or several."""
    by_words = {tuple(stems(option)): option for option in kind.options}
    lengths = sorted({len(words) for words in by_words if words}, reverse=True)
    said: list[Said] = []
    at = 0
    while at < len(turn):
        words = next((words for length in lengths if (words := tuple(token.stem for token in turn[at : at + length])) in by_words), ())
        if words and not (at and turn[at - 1].lower in NEGATIONS):
            said.append(Said(at, at + len(words), by_words[words]))
        at += len(words) or 1
    return said[0] if len({one.value for one in said}) == 1 else None


def flag_said(words: Iterable[str], turn: Sequence[Token]) -> Said | None:
    """Yes or no to the fact with `words` in its name, where one clause of the turn says them all; None where clauses differ.

    Of the clause, what says it goes from the first to the last of these words and of those that negate them, and on to a verdict that stands after
    a question mark or a colon: "unisex? no".
    """
    own = set(words) - GENERIC
    said = [_flag(start, end, turn, own) for start, end in _clauses(turn) if _says(turn[start:end], own)]
    return said[0] if len({one.value for one in said}) == 1 else None


def _flag(start: int, end: int, turn: Sequence[Token], own: set[str]) -> Said:
    clause = turn[start:end]
    telling = [at for at, token in enumerate(clause, start) if negates(token.lower) or not own.isdisjoint(_stems_in(token))]
    if end + 1 < len(turn) and turn[end].lower in "?:" and turn[end + 1].lower in VERDICTS:
        return Said(telling[0], end + 2, VERDICTS[turn[end + 1].lower])
    return Said(telling[0], telling[-1] + 1, not any(negates(token.lower) for token in clause))


def _says(clause: Sequence[Token], own: set[str]) -> bool:
    spoken = {part for token in clause for part in _stems_in(token)}
    asks = bool(clause) and clause[0].lower in ASKING
    return bool(own) and not asks and own <= spoken and UNDECIDED.isdisjoint(token.lower for token in clause)


def _stems_in(token: Token) -> list[str]:
    return [stem(part) for part in token.lower.split("-")]


def _clauses(turn: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = 0
    for at, token in enumerate(turn):
        if token.is_mark or token.lower in BOUNDARIES:
            yield start, at
            start = at + 1
    yield start, len(turn)


def asked_back(turn: Sequence[Token]) -> frozenset[int]:
    """The tokens of sentences that ask of what is there how it is: "is it cheap?" wants nothing cheap."""
    found: list[int] = []
    start = 0
    for at, token in enumerate(turn):
        if (token.is_mark and token.lower in ".!?,") or at == len(turn) - 1:
            words = [each.lower for each in turn[start : at + 1] if not each.is_mark and each.lower not in COURTESIES][:2]
            if len(words) == 2 and words[0] in ASKING and words[1] in THERE and (words[0] != "do" or token.lower == "?"):
                found += range(start, at + 1)
            start = at + 1
    return frozenset(found)
