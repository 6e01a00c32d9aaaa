"""What a scorer is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolplan.retrieval.documents import Document

Scorer = Callable[[str, Sequence[Document]], Sequence[float]]
"""How well each document fits a query: a score each, in order. Zero or less is no match, and one is as good as it gets.

A scorer may raise, or take its time, as one that asks a service elsewhere does: see `timely`, and what `search` makes of it.
"""
