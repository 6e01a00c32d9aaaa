"""Words that say that something is not so."""

from __future__ import annotations

NEGATIONS = frozenset("no not without never cannot unnecessary non".split())
CONTRACTED = ("n't", "n’t")
DENIALS = frozenset({"false", "nope"})
"""Words that are a whole answer, and negate nothing beside them."""


def negates(word: str) -> bool:
    """Whether `word`, in small letters, or a part of it between hyphens says that something is not so."""
    return any(part in NEGATIONS or part.endswith(CONTRACTED) for part in word.split("-"))


def is_negated(words: str) -> bool:
    """Whether any of `words` says that what they speak of is not so."""
    spoken = (word.strip(".,;:!?\"'()") for word in words.casefold().split())
    return any(negates(word) or word in DENIALS for word in spoken)
