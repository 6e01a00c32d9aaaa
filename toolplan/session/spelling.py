"""Whether a turn says certain words, and how it spells them."""

from __future__ import annotations

import re

JOINED = re.compile(r"\d[.,:/-]\d")
"""Where a number, a date or a time goes on across a mark."""


def spelling(words: str, text: str) -> str:
    """`words` as `text` spells them; empty where it does not say them.

    Case and white space do not count. What is only a part of a word or of a number is not said: neither `4` in `14:00` nor `art` in
    `party`. Scripts without case often put no blanks between words, so that any part of such a word is taken.
    """
    parts = words.split()
    if not parts or sum(map(len, parts)) > len(text):
        return ""
    pattern = re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE)
    place = pattern.search(text)
    while place:
        if not _divides(text, place.start()) and not _divides(text, place.end()):
            return place.group()
        place = pattern.search(text, place.start() + 1)
    return ""


def _divides(text: str, place: int) -> bool:
    """Whether a cut before the character at `place` would divide a word or a number."""
    if not 0 < place < len(text):
        return False
    if _is_of_a_word(text[place - 1]) and _is_of_a_word(text[place]):
        return True
    return any(JOINED.match(text, start) for start in (place - 2, place - 1) if start >= 0)


def _is_of_a_word(character: str) -> bool:
    return character.isdigit() or character.lower() != character.upper()
