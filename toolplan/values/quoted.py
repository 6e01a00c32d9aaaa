"""Texts in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Quoted(NamedTuple):
    """A text between quotation marks, which belong to the stretch from `start` to `end` and not to `inside`."""

    start: int
    end: int
    inside: str


_CLOSING = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "”": "”",
    "„": "“”",
    "‘": "’",
    "‚": "‘’",
    "«": "»",
    "»": "«",
    "「": "」",
    "『": "』",
}
_LIKE_APOSTROPHES = "'‘‚"
_OPENING = re.compile(rf"(?<!\w)[{''.join(_CLOSING)}](?=\S)")


def quoted(text: str) -> Iterator[Quoted]:
    """The quoted texts, in order; a quotation inside a quotation belongs to the outer one. Marks that never close are none."""
    position = 0
    unclosed: set[str] = set()
    while opening := _OPENING.search(text, position):
        mark, position = opening[0], opening.end()
        if mark in unclosed:
            continue
        after = r"(?!\w)" if mark in _LIKE_APOSTROPHES else ""
        closing = re.compile(rf"(?<=\S)[{_CLOSING[mark]}]{after}").search(text, opening.end() + 1)
        if closing is None:
            unclosed.add(mark)
            continue
        yield Quoted(opening.start(), closing.end(), text[opening.end() : closing.start()].strip())
        position = closing.end()
