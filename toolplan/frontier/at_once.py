"""Work that an event loop does itself, as long as it comes to nothing that takes long."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

R = TypeVar("R")
_hurried: ContextVar[bool] = ContextVar("hurried", default=False)


class TakesLong(Exception):
    """The work has come to what takes long, and nothing has come of it."""


def at_once(work: Callable[[], R]) -> R:
    """What `work` gives, in which what takes long raises TakesLong instead. Nothing may be waited for in it: it is one piece of work."""
    before = _hurried.set(True)
    try:
        return work()
    finally:
        _hurried.reset(before)


def takes_long() -> None:
    """What follows takes long: a search, or a list of all steps that there are. Nothing may have changed by then."""
    if _hurried.get():
        raise TakesLong
