"""Scores by shared words. They need no package."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from toolplan.retrieval.documents import Document

_TOKEN = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W\d_]+|\d+")


def tokens(text: str) -> frozenset[str]:
    """The runs of letters `a` to `z` and digits in `text`, in lower case."""
    return frozenset(_TOKEN.findall(text.lower()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the tokens of both that they have in common (Jaccard), zero of none."""
    return len(one & other) / len(one | other) if one and other else 0.0


def overlap(query: str, documents: Sequence[Document]) -> list[float]:
    """Jaccard over the tokens of the query and of name and description; nothing else of a document counts."""
    wanted = tokens(query)
    return [likeness(tokens(f"{document.name} {document.description}"), wanted) for document in documents]


def rare_words(query: str, documents: Sequence[Document]) -> list[float]:
    """The share of a query's words that a document has, those that few documents have counting for more.

    Words are taken in any alphabet, names apart, and without a plural ending. A word that no document has counts for nothing.
    """
    held = [frozenset(_words(document.text)) for document in documents]
    spread = Counter(word for words in held for word in words)
    weights = {word: math.log(1 + len(documents) / spread[word]) for word in sorted(set(_words(query))) if word in spread}
    total = math.fsum(weights.values())
    return [math.fsum(weight for word, weight in weights.items() if word in words) / total if total else 0.0 for words in held]


def _words(text: str) -> list[str]:
    found = (word.casefold() for word in _WORD.findall(text))
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found]
