"""A turn cut into tokens: the values found in it, its words, its marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolplan.values import Found

WORD = re.compile(r"[’']s\b|\w+(?:[-.’'&/]\w+)*|[^\w\s]")
POSSESSIVE = re.compile(r"[’'](?:s)?$")
SUFFIX = re.compile(r"(?<=\w{3})(?:ing|ed|es|s)$")

DETERMINERS = frozenset("a an the my our your his her its their this that these those some any".split())
COURTESIES = frozenset("please kindly just also maybe perhaps quickly pls um uh well so ok okay hey hi hello".split())
AUXILIARIES = frozenset("is are was were be do does did can could would will".split())
FILLERS = DETERMINERS | COURTESIES | AUXILIARIES | {"'s", "’s"}
"""Words that a phrase and a turn need not share."""
INSTANTS = frozenset({"date", "time", "datetime", "period"})
"""The kinds of values that say when."""
BEFORE_INSTANTS = frozenset("on at for in by from of this next the around about".split())
"""Words that may stand between a phrase and a moment, and go with the moment when it is cut out."""


class Token(NamedTuple):
    """A word or a mark, in lower case and as its stem, or a value, whose stem is empty."""

    start: int
    end: int
    lower: str
    stem: str
    value: Found | None = None

    @property
    def is_instant(self) -> bool:
        """Whether it says when."""
        return self.value is not None and self.value.kind in INSTANTS

    @property
    def as_word(self) -> Token:
        """The same token, its value being no more than words."""
        return Token(self.start, self.end, self.lower, stem(self.lower))

    @property
    def is_possessive(self) -> bool:
        """Whether it makes whose something is of the word before it."""
        return self.lower in ("'s", "’s")

    @property
    def is_mark(self) -> bool:
        """Whether it is punctuation."""
        return self.value is None and not self.stem[:1].isalnum()


def tokens(text: str, values: Iterable[Found]) -> list[Token]:
    """The tokens of `text`, each of `values` being one."""
    cut: list[Token] = []
    at = 0
    for value in values:
        cut += _words(text, at, value.start)
        cut.append(Token(value.start, value.end, value.words.lower(), "", value))
        at = value.end
    return [*cut, *_words(text, at, len(text))]


def stem(word: str) -> str:
    """`word` without inflection, nearly: enough that `moving` and `move`, `replies` and `reply`, `summarise` and `summarize` agree."""
    if not word[:1].isalnum():
        return word
    short = SUFFIX.sub("", POSSESSIVE.sub("", word.lower()))
    short = short.removesuffix("e")
    if short.endswith("is"):
        short = f"{short[:-2]}iz"
    if short.endswith("y"):
        short = f"{short[:-1]}i"
    return short[:-1] if len(short) > 2 and short[-1] == short[-2] else short


def stems(text: str) -> list[str]:
    """The stems of the words of `text` that mean something, in order."""
    return [token.stem for token in _words(text, 0, len(text)) if token.lower not in FILLERS and not token.is_mark]


def spoken(text: str, part: Sequence[Token]) -> str:
    """What `text` says from the first to the last token of `part`."""
    return text[part[0].start : part[-1].end] if part else ""


def _words(text: str, start: int, end: int) -> Iterator[Token]:
    for match in WORD.finditer(text, start, end):
        word = match.group()
        yield Token(match.start(), match.end(), word.lower(), stem(word))
