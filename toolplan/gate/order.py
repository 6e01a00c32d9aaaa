"""The calls of one turn of a model, in the order in which it made them: each waits until those before it are settled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from threading import Lock
from typing import NamedTuple

from toolplan.gate.awaited import Awaited

MOST = 10_000
"""Calls that are remembered; the earliest go first."""


class Place(NamedTuple):
    """Where a call stands: when those before it are settled, and when it is."""

    before: tuple[Awaited[None], ...]
    settled: Awaited[None]


class Order:
    """Who waits for whom. A call is settled once it is refused, held, observed or given up."""

    def __init__(self) -> None:
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._lock = Lock()

    def add(self, identities: Sequence[str]) -> None:
        """A turn has made the calls `identities`, in this order. Added again, they keep the places they have."""
        with self._lock:
            earlier: list[Awaited[None]] = []
            for identity in dict.fromkeys(identities):
                if identity not in self._places:
                    self._places[identity] = Place(tuple(earlier), Awaited())
                earlier.append(self._places[identity].settled)
            while len(self._places) > MOST:
                _, forgotten = self._places.popitem(last=False)
                forgotten.settled.set_result(None)

    def before(self, identity: str) -> list[Future[None]]:
        """What the call waits for; nothing where no turn was told of."""
        place = self._places.get(identity)
        return [] if place is None else [each.future for each in place.before if not each.has_come]

    def settle(self, identity: str) -> None:
        """Nothing has to wait for the call any more."""
        place = self._places.get(identity)
        if place is not None:
            place.settled.set_result(None)
