"""Sessions in the memory of this process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from toolplan.session.stores.reports import check_events, check_name

MOST = 10_000
"""Sessions that are kept, where nothing else is said."""


class MemoryStore:
    """Keeps the `most` sessions that were used last, until the process ends. Those used longer ago are forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._sessions: OrderedDict[str, list[str]] = OrderedDict()
        self._lock = Lock()

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session` in order, without the first `after`; none where there is no such session."""
        check_name(session)
        with self._lock:
            return self._used(session)[after:]

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, all or none, if `session` has exactly `after` events now."""
        check_events(session, events)
        with self._lock:
            kept = self._used(session)
            if len(kept) != after:
                return False
            kept.extend(events)
            if kept:
                self._sessions[session] = kept
            if len(self._sessions) > self._most:
                self._sessions.popitem(last=False)
            return True

    def delete(self, session: str) -> None:
        """Forget `session`."""
        check_name(session)
        with self._lock:
            self._sessions.pop(session, None)

    def flush(self) -> None:
        """Nothing here outlives the process."""

    def at_hand(self) -> MemoryStore:
        """This store: nothing in it is waited for."""
        return self

    def _used(self, session: str) -> list[str]:
        """The events of `session`, which is now the one used last."""
        if session in self._sessions:
            self._sessions.move_to_end(session)
        return self._sessions.get(session, [])
