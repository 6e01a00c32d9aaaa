"""Letters of one alphabet that pass for those of another."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W\d_]+")
LOOKALIKES = frozenset("асԁеһіјорԛѕԝхуАВСЕНІЈКМОРЅТХУ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ")
"""Cyrillic and Greek letters that look like Latin ones."""


def disguised(text: str) -> tuple[str, str] | None:
    """The first word of `text` in which a Cyrillic or Greek letter passes for a Latin one, and that letter; None where there is none."""
    for word in WORD.findall(text):
        odd = LOOKALIKES.intersection(word)
        if odd and any(unicodedata.name(character, "").startswith("LATIN") for character in word):
            return word, sorted(odd, key=word.index)[0]
    return None
