"""E-mail addresses and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import Match
from urllib.parse import urlsplit, urlunsplit

from toolplan.values.vocabulary import plain

_LOCAL = r"[\w!#$%&*+/=?^{|}~-]{1,64}(?:\.[\w!#$%&*+/=?^{|}~-]{1,64}){0,8}"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_EMAIL = re.compile(rf"(?<![\w.!#$%&*+/=?^{{|}}~@-]){_LOCAL}@(?:{_LABEL}\.){{1,8}}(?!\d+(?!\w)){_LABEL}(?![\w@-])")
_URL = re.compile(r"(?<!\w)(?:https?|ftp)://[^\s<>\"“”«»`]{1,2000}", re.IGNORECASE)
_WRAPPED = re.compile(r"(?:[^<>]{0,200}<)?(?:mailto:)?([^<>]{1,300}?)>?", re.IGNORECASE)
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def emails(text: str) -> Iterator[Match[str]]:
    """The e-mail addresses in `text`."""
    return _EMAIL.finditer(text)


def urls(text: str) -> Iterator[tuple[int, int]]:
    """Where the web addresses in `text` are, without the punctuation of the sentence around them."""
    for match in _URL.finditer(text):
        address = _trimmed(match[0])
        if url(address) is not None:
            yield match.start(), match.start() + len(address)


def email(text: str) -> str | None:
    """The address in normal form: the domain in small letters, without `mailto:` or a name before it."""
    wrapped = _WRAPPED.fullmatch(text.strip())
    if wrapped is None or _EMAIL.fullmatch(wrapped[1].strip()) is None:
        return None
    local, _, domain = wrapped[1].strip().rpartition("@")
    return f"{local}@{plain(domain)}"


def url(text: str) -> str | None:
    """The address in normal form: scheme and host in small letters."""
    try:
        parts = urlsplit(text.strip())
        host = parts.hostname
    except ValueError:
        return None
    if not parts.scheme or not host or re.search(r"\s", text.strip()):
        return None
    user, at, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(scheme=parts.scheme.lower(), netloc=user + at + plain(place)))


def _trimmed(address: str) -> str:
    while address and (
        address[-1] in ".,;:!?'’*_" or (address[-1] in _BRACKETS and address.count(address[-1]) > address.count(_BRACKETS[address[-1]]))
    ):
        address = address[:-1]
    return address
