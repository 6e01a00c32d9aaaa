"""`Attempts`: how often somebody may try, in a memory that does not grow with what is tried."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from array import array
from collections.abc import Callable
from time import monotonic

SLOTS = 1_024


class Attempts:
    """Lets `most` attempts in a row through, and later ones as they wear off: all within `seconds`.

    Who tries is known by a digest under a key of this process. A few share a place, and nobody can choose with whom. It takes as long
    for everybody. Not safe to use from several threads.
    """

    def __init__(self, most: int = 10, seconds: float = 60.0, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._rate, self._clock = most, most / seconds, clock
        self._key = secrets.token_bytes(32)
        self._levels, self._times = array("d", bytes(8 * SLOTS)), array("d", bytes(8 * SLOTS))

    def admits(self, *who: str) -> bool:
        """Whether `who` may try now. An attempt that is not let through does not count."""
        digest = hmac.new(self._key, repr(who).encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        slot, now = int.from_bytes(digest, "big") % SLOTS, self._clock()
        level = max(self._levels[slot] - (now - self._times[slot]) * self._rate, 0.0)
        admitted = level <= self._most - 1
        self._levels[slot], self._times[slot] = level + admitted, now
        return admitted
