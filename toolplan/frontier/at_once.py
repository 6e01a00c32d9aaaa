"""Work that an event loop does itself, as long as it comes to nothing that takes long."""

from __future__ import annotations

from contextvars import ContextVar

_hurried: ContextVar[bool] = ContextVar("hurried", default=False)


class TakesLong(Exception):
    """The work has come to what takes long, and nothing has come of it."""


class AtOnce:
    """A block in which what takes long raises TakesLong instead. Nothing may be waited for in it: it is one piece of work."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = _hurried.set(True)

    def __exit__(self, *raised: object) -> None:
        _hurried.reset(self._before)


def takes_long() -> None:
    """What follows takes long: a search, or a list of all steps that there are. Nothing may have changed by then."""
    if _hurried.get():
        raise TakesLong
