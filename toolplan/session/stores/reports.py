"""What every store refuses to keep, and how it says that it cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted

LONGEST_NAME = 255
"""Characters of the name of a session. In UTF-8 that is what an index of PostgreSQL takes."""


@lru_cache(maxsize=1_000)
def check_name(session: str) -> None:
    """Raises DomainError where some store could not keep `session`, so that what works with one store works with all."""
    if not session or len(session) > LONGEST_NAME or not _is_storable(session):
        message = f"{quoted(session)} cannot be the name of a session"
        hint = f"a name has 1 to {LONGEST_NAME} characters, without NUL and without halves of characters"
        raise DomainError([Diagnostic(Code.BAD_CALL, message, None, hint)])


def check_events(session: str, events: Sequence[str]) -> None:
    """Raises DomainError where some store could not keep `events` of `session`."""
    check_name(session)
    for event in events:
        if not _is_storable(event):
            message = f"an event of session {quoted(session)} has NUL or half a character in it: {quoted(event)}"
            raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "JSON writes both as escapes")])


def unusable(store: str, reason: Exception | str, hint: str) -> DomainError:
    """That `store` cannot be used now. What libraries say in several lines is put on one."""
    said = " ".join(str(reason).split())
    return DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot keep sessions in {store}: {said}", None, hint)])


def _is_storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
