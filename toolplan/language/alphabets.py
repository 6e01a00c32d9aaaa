"""Letters of one alphabet that pass for those of another, and characters that nobody sees."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W\d_]+")
LOOKALIKES = frozenset("асԁеһіјорԛѕԝхуАВСЕНІЈКМОРЅТХУ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ")
"""Cyrillic and Greek letters that look like Latin ones."""
JOINERS = "\u200c\u200d"
"""Invisible, and rightly so between the letters of some scripts and the parts of an emoji."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Letters and marks without a shape."""


def disguised(text: str) -> tuple[str, str] | None:
    """The first word of `text` in which a Cyrillic or Greek letter passes for a Latin one, and that letter; None where there is none."""
    for word in WORD.findall(text):
        odd = LOOKALIKES.intersection(word)
        if odd and any(unicodedata.name(character, "").startswith("LATIN") for character in word):
            return word, sorted(odd, key=word.index)[0]
    return None


def invisible(text: str) -> str | None:
    """The first character of `text` that nobody sees, or that turns the order of the others around; None where there is none."""
    return next((character for at, character in enumerate(text) if _is_invisible(text, at)), None)


def _is_invisible(text: str, at: int) -> bool:
    character = text[at]
    if character in JOINERS:
        return text[at - 1 : at].isascii() or text[at + 1 : at + 2].isascii()
    return character in BLANK or unicodedata.category(character) == "Cf"


def named(character: str) -> str:
    """`character` as a sentence calls it."""
    return f"{unicodedata.name(character, 'a character without a name').lower()} (U+{ord(character):04X})"
