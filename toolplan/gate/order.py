"""The calls of one turn of a model, in the order in which it made them: each waits until those before it are settled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from threading import Lock

MOST = 10_000
"""Calls that are remembered; the earliest go first."""


class Order:
    """Who waits for whom. A call is settled once it is refused, held, observed or given up."""

    def __init__(self) -> None:
        self._before: OrderedDict[str, tuple[Future[None], ...]] = OrderedDict()
        self._settled: OrderedDict[str, Future[None]] = OrderedDict()
        self._lock = Lock()

    def add(self, identities: Sequence[str]) -> None:
        """A turn has made the calls `identities`, in this order. Added again, they keep the places they have."""
        with self._lock:
            earlier: list[Future[None]] = []
            for identity in dict.fromkeys(identities):
                if identity not in self._before:
                    self._before[identity] = tuple(earlier)
                earlier.append(self._settled.setdefault(identity, Future()))
            while len(self._before) > MOST:
                forgotten, _ = self._before.popitem(last=False)
                _set(self._settled.pop(forgotten))

    def before(self, identity: str) -> list[Future[None]]:
        """What the call waits for; nothing where no turn was told of."""
        with self._lock:
            return [future for future in self._before.get(identity, ()) if not future.done()]

    def settle(self, identity: str) -> None:
        """Nothing has to wait for the call any more."""
        with self._lock:
            future = self._settled.get(identity)
        if future is not None:
            _set(future)


def _set(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
