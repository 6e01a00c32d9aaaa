"""Texts by the words that they share with a query: BM25 (Robertson and Zaragoza 2009), by bm25s."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

from toolplan.retrieval.documents import Document
from toolplan.retrieval.packages import required

KEPT_INDEXES = 16
"""Registries of which one scorer remembers what it has counted."""


class Bm25:
    """Scores documents by BM25 over all of their text. One word that no other document has scores about a third.

    English stop words count for nothing. Words are not stemmed: the library leaves that to a package of its own.
    Raises DomainError where bm25s is not installed.
    """

    def __init__(self) -> None:
        library = loaded()
        self._index = lru_cache(KEPT_INDEXES)(lambda texts: Index(library, texts))

    def __call__(self, query: str, documents: Sequence[Document]) -> list[float]:
        """The scores of `documents`, from zero to below one."""
        scores = self._index(tuple(document.text for document in documents)).scores(query)
        return [score / (1.0 + score) for score in scores]


class Index:
    """BM25 over `texts`, from the library that `loaded` gives."""

    def __init__(self, library: ModuleType, texts: Sequence[str]) -> None:
        self._library = library
        self._texts = len(texts)
        self._bm25: Any = library.BM25()
        # A corpus without any word would be an error; no query has the empty word.
        self._bm25.index([words or [""] for words in self._words(texts)] or [[""]], show_progress=False)

    def scores(self, query: str) -> list[float]:
        """The score of each text, over that of one word which only one text has, so that small corpora and large ones agree."""
        known = [word for word in self._words([query])[0] if word in self._bm25.vocab_dict]
        if not known or not self._texts:
            return [0.0] * self._texts
        rare = math.log(1.0 + (self._texts - 0.5) / 1.5)
        scores: list[float] = (self._bm25.get_scores(known) / rare).tolist()
        return scores

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        words: list[list[str]] = self._library.tokenize(list(texts), stopwords="english", return_ids=False, show_progress=False)
        return words


def loaded() -> ModuleType:
    """The library. Raises DomainError where it is not installed."""
    library = required("bm25s", "goals")
    # It sets its own logger to say what it does each time, whatever the host's logging is.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return library
