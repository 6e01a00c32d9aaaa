"""Texts by the direction of their embedding, beside that of a query."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toolplan.retrieval.documents import Document, words_of
from toolplan.retrieval.encoders import Encoder

Vectors = NDArray[np.float64]

KEPT_REGISTRIES = 16
"""Registries whose embeddings one scorer keeps."""
UNRELATED = 0.05
"""The cosine up to which a query and a tool have nothing to do with each other, by the Universal Sentence Encoder.

Of the development and practice requests of the goal benchmark, nine in ten lie above it with the tool that they need.
"""


class Embeddings:
    """Scores by cosine to a document's name and its words together, half and half. Up to the cosine `unrelated` there is no match.

    `encode` is any function from texts to embeddings, as a provider's client is. What is embedded of documents is kept.
    """

    def __init__(self, encode: Encoder, unrelated: float = UNRELATED) -> None:
        self._encode = encode
        self._unrelated = unrelated
        self._registry = lru_cache(KEPT_REGISTRIES)(self._embedded)

    def __call__(self, query: str, documents: Sequence[Document]) -> list[float]:
        """The scores of `documents`: their cosines, or zero where there is no match."""
        if not documents:
            return []
        registry = self._registry(tuple((words_of(document.name), document.text) for document in documents))
        cosines = registry @ unit_vectors(self._encode, [query])[0]
        scores: list[float] = np.where(cosines > self._unrelated, cosines, 0.0).tolist()
        return scores

    def _embedded(self, texts: tuple[tuple[str, str], ...]) -> Vectors:
        vectors = unit_vectors(self._encode, [text for pair in texts for text in pair])
        return (vectors[0::2] + vectors[1::2]) / 2


def unit_vectors(encode: Encoder, texts: Sequence[str]) -> Vectors:
    """The embeddings of `texts`, a row each, of length one; a text without any direction stays zero."""
    # Half a character is none to any encoder.
    whole = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    vectors = np.asarray(encode(whole), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    return unit
