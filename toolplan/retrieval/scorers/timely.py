"""A scorer that may be slow, or away, as one that answers in time or fails."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers.protocol import Scorer


def timely(scorer: Scorer, milliseconds: int) -> Scorer:
    """`scorer`, which raises TimeoutError where it has not answered after `milliseconds`. It goes on in its thread, and nobody hears it."""

    def scored(query: str, documents: Sequence[Document]) -> Sequence[float]:
        answers: SimpleQueue[Sequence[float] | Exception] = SimpleQueue()
        Thread(target=_answer, args=(scorer, query, documents, answers), daemon=True).start()
        try:
            answer = answers.get(timeout=milliseconds / 1000)
        except Empty:
            raise TimeoutError(f"no answer after {milliseconds} ms") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    return scored


def _answer(scorer: Scorer, query: str, documents: Sequence[Document], answers: SimpleQueue[Sequence[float] | Exception]) -> None:
    try:
        answers.put(scorer(query, documents))
    except Exception as error:
        answers.put(error)
