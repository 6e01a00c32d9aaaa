"""A connection that one thread uses at a time, and that no process uses which merely inherited it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet


class _Closes(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Closes)


class Connection(Generic[C]):
    """What `opening` opens: when it is first used, once more after `close`, and once more in a forked process."""

    def __init__(self, opening: Callable[[], C]) -> None:
        self._opening = opening
        self._opened: C | None = None
        self._lock = Lock()
        _CONNECTIONS.add(self)

    @contextmanager
    def use(self) -> Iterator[C]:
        """The connection, for this thread alone. Raises what `opening` raises."""
        with self._lock:
            if self._opened is None:
                self._opened = self._opening()
            yield self._opened

    def close(self) -> None:
        """Close it, once nobody uses it."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def leave_to_parent(self) -> None:
        """Forget the connection and its lock, which the parent process may hold."""
        if self._opened is not None:
            _OF_PARENTS.append(self._opened)
        self._opened = None
        self._lock = Lock()


_CONNECTIONS: WeakSet[Connection[Any]] = WeakSet()
_OF_PARENTS: list[_Closes] = []
"""Never closed, for closing them here would end them there."""


def _leave_to_parent() -> None:
    for connection in _CONNECTIONS:
        connection.leave_to_parent()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_leave_to_parent)
