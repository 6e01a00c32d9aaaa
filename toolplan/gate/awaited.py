"""What some may have to wait for: futures that are made for who waits, since nearly always nobody does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

R = TypeVar("R")


class Awaited(Generic[R]):
    """A result, or an exception, that comes once; what comes later is not heard of. Safe to use from several threads."""

    __slots__ = ("_future", "_lock", "_tell")

    def __init__(self) -> None:
        self._future: Future[R] | None = None
        self._tell: Callable[[Future[R]], None] | None = None
        self._lock = Lock()

    @property
    def has_come(self) -> bool:
        """Whether there is nothing to wait for any more."""
        return self._tell is not None

    @property
    def future(self) -> Future[R]:
        """One and the same for all who wait."""
        with self._lock:
            if self._future is None:
                self._future = Future()
                if self._tell is not None:
                    self._tell(self._future)
            return self._future

    def set_result(self, result: R) -> None:
        """It has come, as `result`."""
        self._come(lambda future: future.set_result(result))

    def set_exception(self, error: BaseException) -> None:
        """It will not come, for the reason `error`."""
        self._come(lambda future: future.set_exception(error))

    def _come(self, tell: Callable[[Future[R]], None]) -> None:
        with self._lock:
            if self._tell is not None:
                return
            self._tell, waiting = tell, self._future
        if waiting is not None:
            tell(waiting)
