"""Where sessions are kept: numbered events, appended with optimistic locking, so that two workers on one session lose nothing.

A session is the list of its events, each a line of JSON that no store looks into. `MemoryStore` keeps sessions in this process,
`SQLiteStore` in a file, `RedisStore` and `PostgreSQLStore` on a server that many hosts share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from toolplan.session.stores.memory import MemoryStore
from toolplan.session.stores.postgresql import PostgreSQLStore
from toolplan.session.stores.redis import RedisStore
from toolplan.session.stores.sqlite import SQLiteStore

__all__ = ["AtHand", "MemoryStore", "PostgreSQLStore", "RedisStore", "SQLiteStore", "Store", "store_at"]


class Store(Protocol):
    """Keeps the events of sessions. Safe to use from several threads; what is appended outlives the process, in all but `MemoryStore`.

    The name of a session is any text of 1 to 255 characters without NUL. Names that are none, events that are no text, and a store that
    cannot be read or written raise DomainError. Where `append` raises, `events` tells whether the events were added.
    """

    def events(self, session: str, after: int = 0) -> list[str]:
        """The events of `session` in order, without the first `after`; none where there is no such session."""

    def append(self, session: str, after: int, events: Sequence[str]) -> bool:
        """Add `events`, all or none, if `session` has exactly `after` events now; False where somebody else was faster.

        False as well where the session had more events and was deleted or forgotten: it has none now.
        """

    def delete(self, session: str) -> None:
        """Forget `session`. One of that name may begin again, with no events."""

    def flush(self) -> None:
        """Return when a power failure cannot take back what was appended before, as far as this store can see to that.

        Whoever is about to do what cannot be undone waits for it: what was begun is not to be forgotten.
        """


@runtime_checkable
class AtHand(Protocol):
    """A store that an event loop may use itself, as long as nothing has to be waited for."""

    def at_hand(self) -> Store | None:
        """The same sessions, in a store that raises `TakesLong` instead of waiting, and then has done nothing. None where each append waits."""


def store_at(place: str) -> SQLiteStore | RedisStore | PostgreSQLStore:
    """The store that the processes of a server share: at `redis://...` or `postgresql://...`, or else in the file of SQLite of that name.

    The file is `deferred`. Raises DomainError where it cannot be used, or the package for it is missing.
    """
    if place.startswith(("redis://", "rediss://", "unix://")):
        return RedisStore(place)
    if place.startswith(("postgresql://", "postgres://")):
        return PostgreSQLStore(place)
    return SQLiteStore(place, deferred=True)
