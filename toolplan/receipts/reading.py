"""Files as bytes: of a file of receipts nothing may be taken for granted, not even its encoding."""

from __future__ import annotations

from pathlib import Path

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted


def bytes_in(path: Path) -> bytes:
    """What is in the file at `path`. Raises DomainError where it cannot be read."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read {quoted(str(path))}: {reason.lower()}")]) from None
