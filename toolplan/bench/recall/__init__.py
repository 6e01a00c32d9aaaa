"""Is the tool that is wanted shown? Lists of the best K tools, beside the frontier of the goals that are read in the same words.

- `assistant`: 61 tools with contracts, and 30 requests; `livemcp`: tools of real servers, and tasks with the tools that people say they need.
- `readers`: the ways to compare words; `following`: a request, step by step; `measuring`: both ways on a suite; `figures`: rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolplan.bench.recall import assistant, livemcp
from toolplan.bench.recall.readers import comparisons
from toolplan.bench.tables import Row
from toolplan.retrieval.encoders import remembering, universal_sentence_encoder


def tables(folders: Sequence[Path], note: Callable[[str], None]) -> Iterator[tuple[str, Sequence[Row]]]:
    """The tables of the 61 tools, and of the real ones in every folder of `folders` that holds them. Raises DomainError where a package is missing."""
    ways = list(comparisons(remembering(universal_sentence_encoder())))
    note(assistant.TITLE)
    yield from assistant.tables(ways)
    for folder in folders:
        if (folder / livemcp.DATA).is_dir():
            note(livemcp.TITLE)
            yield from livemcp.tables(folder / livemcp.DATA, ways)
