"""Values that are made once for each key, so that what is remembered of one by its identity serves all who ask for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Shared(Generic[K, V]):
    """Values by key: the same object for the same key, as long as anybody holds it. The last `kept` that were made are held here."""

    def __init__(self, kept: int) -> None:
        self._values: WeakValueDictionary[K, V] = WeakValueDictionary()
        self._last: deque[V] = deque(maxlen=kept)
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of `key`, which `make` makes where there is none."""
        with self._lock:
            value = self._values.get(key)
            if value is None:
                value = self._values[key] = make()
                self._last.append(value)
            return value
