"""Regular expressions by RE2: matching takes time linear in the text, whatever was written to make it slow."""

from __future__ import annotations

import re
from functools import lru_cache

from toolplan.retrieval.packages import required

EXTRA = "sessions"
"""What installs the packages that read results."""
MEMORY = 8 << 20
"""Bytes that a compiled expression may take."""


@lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """`pattern` as RE2 reads it; it has the methods of `re.Pattern`. Raises ValueError where it is none, or too large."""
    re2 = required("re2", EXTRA)
    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False
    try:
        regex: re.Pattern[str] = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)) from None
    return regex


def encodable(text: str) -> str:
    """`text` with `?` for each half of a character, which JSON can hold and UTF-8 cannot. No position changes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
