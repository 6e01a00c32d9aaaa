"""`Register`: the conversations that were begun, for all processes that share a store."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from threading import Lock
from typing import NamedTuple

from toolplan.domain import Domain, Principal
from toolplan.serving.principals import read
from toolplan.session.snapshots import digest_of
from toolplan.session.stores import Store

DAYS = 7
"""For how long a conversation is found here after it was begun."""
_LABEL = b"toolplan/register\0"


class Entry(NamedTuple):
    """The conversation that the store has under the name `session`, and whose it is."""

    session: str
    principal: Principal


class Register:
    """The conversations about `domain` that were begun, kept in `store` itself: a list for each day, under a name that no conversation has.

    Those who share `secret` share the register. Safe to use from several threads.
    """

    def __init__(self, domain: Domain, store: Store, secret: bytes, clock: Callable[[], datetime]) -> None:
        self._store, self._clock = store, clock
        self._prefix = f"begun/{hmac.digest(secret, _LABEL + digest_of(domain).encode(), 'sha256').hex()}"
        self._today, self._count = "", 0
        self._lock = Lock()

    def add(self, session: str, principal: Principal) -> None:
        """Note a conversation that is about to begin."""
        line = _line(Entry(session, principal))
        with self._lock:
            today = self._list(0)
            if today != self._today:
                self._today, self._count = today, 0
            while not self._store.append(today, self._count, [line]):
                # Another process has added some, or the store has forgotten all of them.
                added = len(self._store.events(today, self._count))
                self._count = self._count + added if added else len(self._store.events(today))
            self._count += 1

    def latest(self, most: int) -> list[Entry]:
        """The conversations that were begun last, the latest first, of the last days. That one is listed does not say that it has begun."""
        return list(islice(self._entries(), most))

    def _entries(self) -> Iterator[Entry]:
        for age in range(DAYS):
            yield from map(_entry, reversed(self._store.events(self._list(age))))

    def _list(self, age: int) -> str:
        """The name of the list of the day so many days ago."""
        return f"{self._prefix}/{(self._clock().astimezone(UTC) - timedelta(days=age)).date()}"


def _line(entry: Entry) -> str:
    return json.dumps([entry.session, entry.principal.to_dict()])


def _entry(line: str) -> Entry:
    session, principal = json.loads(line)
    return Entry(session, read(principal))
