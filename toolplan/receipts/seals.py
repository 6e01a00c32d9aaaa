"""The hash of a receipt: for everybody to check, or under a key that only its holders can make."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.receipts.reading import bytes_in

SHORTEST_KEY = 16
"""Bytes of a key. A shorter one could be found by trying."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A seal without a key: it shows damage, and edits by whoever does not chain the file anew."""

    scheme = "sha256"

    def over(self, text: str) -> str:
        """The hash of `text`."""
        return f"{self.scheme}:{hashlib.sha256(text.encode()).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Keyed:
    """A seal by HMAC: whoever has no key cannot chain a file anew. Raises DomainError where the key is too short."""

    key: bytes = field(repr=False)
    scheme = "hmac-sha256"

    def __post_init__(self) -> None:
        if len(self.key) < SHORTEST_KEY:
            message = f"the key of receipts has {len(self.key)} bytes, which can be guessed"
            raise DomainError(
                [Diagnostic(Code.BAD_CALL, message, None, f"make one of {SHORTEST_KEY} bytes at least: `openssl rand -hex 32`")]
            )

    def over(self, text: str) -> str:
        """The hash of `text`."""
        return f"{self.scheme}:{hmac.digest(self.key, text.encode(), 'sha256').hex()}"


Seal = Plain | Keyed


def read_key(path: str | PathLike[str]) -> bytes:
    """The key in a file: its bytes without a line end after them. Raises DomainError where it cannot be read."""
    return bytes_in(Path(path)).rstrip(b"\r\n")
