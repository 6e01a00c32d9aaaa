"""Names as words: split, in the singular, with a few abbreviations of programmers written out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

Words = tuple[str, ...]

PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
UNCHANGED = frozenset(
    {"news", "series", "species", "this", "is", "as", "was", "has", "its", "alias", "canvas", "gas", "always", "gps", "sms", "aws"}
)
IRREGULAR = {"people": "person", "movies": "movie", "cookies": "cookie", "calories": "calorie", "children": "child", "indices": "index"}
WRITTEN_OUT: Mapping[str, Words] = {
    "identifier": ("id",),
    "uuid": ("id",),
    "guid": ("id",),
    "num": ("number",),
    "repo": ("repository",),
    "org": ("organization",),
    "dir": ("directory",),
    "folder": ("directory",),
    "img": ("image",),
    "picture": ("image",),
    "photo": ("image",),
    "doc": ("document",),
    "msg": ("message",),
    "uri": ("url",),
    "username": ("user", "name"),
    "userid": ("user", "id"),
    "filename": ("file", "name"),
}


@lru_cache(maxsize=16_384)
def words(text: str) -> Words:
    """The words of a name or of a sentence. Digits are left out, so that `file1` and `file2` are one name."""
    return tuple(word for piece in pieces(text) for word in _written_out(_singular(piece)))


def pieces(text: str) -> Words:
    """The words of a name as they are written, but in small letters."""
    return tuple(piece.lower() for piece in PIECE.findall(text.replace("IDs", "Ids")))


def _written_out(word: str) -> Words:
    return WRITTEN_OUT.get(word, (word,))


def _singular(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")) or word in UNCHANGED:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes")) else word[:-1]


def ends_with(longer: Words, shorter: Words) -> bool:
    """Whether `shorter` stands at the end of `longer`; no words stand nowhere."""
    return bool(shorter) and longer[-len(shorter) :] == shorter
