"""Values that receipts do not show: what marks them, and what stands in their place.

A plain hash of "yes", of an amount or of a name is found by trying them all. So a digest is keyed: with the key of the writer, which is
not in the file, or without one by a secret that lives and ends with the process. Equal values of one session have equal digests as
long as the key is the same, those of two sessions have not.
"""

from __future__ import annotations

import hmac
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Redaction = Literal["digests", "none"]
"""What becomes of a private value: a keyed digest of it, or itself."""

DIGITS = 16
"""Hexadecimal digits of a digest: enough to tell values apart, too few to be mistaken for the hash of a receipt."""
DEEPEST = 100
"""How far values are followed into each other. What lies deeper is cut off, so that no argument of a model ends the writer."""
CUT = "..."


@dataclass(frozen=True, slots=True)
class Private:
    """Marks a value that came from a user, a model or a tool, wherever it stands in the content of a receipt."""

    value: object = field(repr=False)


def kept(value: object) -> object:
    """`value` as JSON values, with what was private in it."""
    return _plain(value, kept, DEEPEST)


def digested(content: Mapping[str, object], session: str, secret: bytes) -> object:
    """`content` as JSON values, each private one as `sha256:` and the start of its HMAC under `secret`."""

    def digest(value: object) -> str:
        # A seal is over an object, this is over an array: with one key for both, neither can be taken for the other.
        message = json.dumps([session, kept(value)], sort_keys=True, separators=(",", ":"))
        return "sha256:" + hmac.digest(secret, message.encode(), "sha256").hex()[:DIGITS]

    return _plain(content, digest, DEEPEST)


def _plain(value: object, private: Callable[[object], object], depth: int) -> object:
    """`value` as JSON values, in its own order; what JSON has no form for is written as text."""
    match value:
        case Private(inner):
            return private(inner)
        case None | bool() | str() | int():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case _ if not depth:
            return CUT
        case Mapping():
            return {str(name): _plain(each, private, depth - 1) for name, each in value.items()}
        case list() | tuple():
            return [_plain(each, private, depth - 1) for each in value]
        case _:
            return str(value)
