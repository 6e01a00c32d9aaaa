"""Work that an event loop does itself, as long as it comes to nothing that takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_hurried: ContextVar[bool] = ContextVar("hurried", default=False)


class TakesLong(Exception):
    """The work has come to what takes long, and nothing has come of it."""


@contextmanager
def at_once() -> Iterator[None]:
    """Within, what takes long raises TakesLong instead. Nothing may be waited for in the block: it is one piece of work."""
    token = _hurried.set(True)
    try:
        yield
    finally:
        _hurried.reset(token)


def takes_long() -> None:
    """What follows takes long: a search, or a list of all steps that there are. Nothing may have changed by then."""
    if _hurried.get():
        raise TakesLong
