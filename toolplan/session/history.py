"""`History`: what has happened in one session, as its store has it, and the memory that it folds to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import RLock
from typing import TypeVar

from toolplan.domain import Domain
from toolplan.frontier.at_once import TakesLong, at_once
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.session.events import Event, to_line
from toolplan.session.folding import fold
from toolplan.session.memory import Memory
from toolplan.session.snapshots import read_events
from toolplan.session.stores import AtHand, Store

T = TypeVar("T")
Changed = tuple[Sequence[Event], T]
MOST_AT_ONCE = 1_000
"""Beliefs of a session with which anything is done at once: a step takes time for each."""


class History:
    """The events of the session `id` in `store`, which other workers may add to. They are read with the `contracts` that it began with,
    and folded with `domain`, which may be another by now. `lines` are those that were read already. Safe to use from several threads.
    """

    def __init__(self, contracts: Domain, domain: Domain, store: Store, id: str, lines: Sequence[str] = ()) -> None:
        self.domain, self._contracts, self._store, self._id = domain, contracts, store, id
        self._at_hand = store.at_hand() if isinstance(store, AtHand) else None
        self._memory, self._count = Memory(), 0
        self.lock = RLock()
        self._looked: Store | None = None
        if lines:
            self._take(lines)
        else:
            self._refresh()

    @property
    def memory(self) -> Memory:
        """What is known after all that has happened."""
        with self.lock:
            self._refresh()
            return self._memory

    @property
    def at_hand(self) -> Memory:
        """What was known when the store was last looked at here: nobody is waited for."""
        return self._memory

    @property
    def lines(self) -> list[str]:
        """All events, as the store has them."""
        return self._store.events(self._id)

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened yet."""
        return self._count == 0

    def at_once(self, work: Callable[[], T]) -> T:
        """As `frontier.at_once`, with the session to oneself. Raises TakesLong where it is in a store that is waited for, or large, or in use now.

        `work` rests on one look at the store. Once something has happened in it, the store is waited for.
        """
        store = self._at_hand
        if store is None or _size(self._memory) > MOST_AT_ONCE or not self.lock.acquire(blocking=False):
            raise TakesLong
        try:
            self._read(store)
            self._looked = store
            return at_once(work)
        finally:
            self._looked = None
            self.lock.release()

    def commit(self, change: Callable[[Memory], Changed[T]]) -> T:
        """Keep the events that `change` makes of the memory, and give its result. Where another worker was faster, it is made anew."""
        with self.lock:
            self._refresh()
            while True:
                events, result = change(self._memory)
                lines = [to_line(event) for event in events]
                if not lines:
                    return result
                if self._append(lines):
                    return result
                if not self._read(self._store):
                    raise DomainError([Diagnostic(Code.BAD_CALL, "the session is not in its store any more", None, "begin a new one")])

    def _refresh(self) -> None:
        """Take up what other workers have added, where that was not just done."""
        if self._looked is None:
            self._read(self._store)

    def _append(self, lines: Sequence[str]) -> bool:
        """Whether `lines` were added to what was read, which others may have added to."""
        if not (self._looked or self._store).append(self._id, self._count, lines):
            return False
        self._take(lines)
        if self._looked is not None:
            # What has happened has happened: what follows waits, rather than beginning again.
            self._looked = self._store
        return True

    def _read(self, store: Store) -> bool:
        """Take up what other workers have added; whether there was anything."""
        lines = store.events(self._id, self._count)
        if lines:
            self._take(lines)
        return bool(lines)

    def _take(self, lines: Sequence[str]) -> None:
        """Go on from what is written in the store. Only that counts, so that what is written here is read back as well."""
        self._memory = fold(self.domain, read_events(self._contracts, lines, first=self._count), self._memory)
        self._count += len(lines)


def _size(memory: Memory) -> int:
    return len(memory.beliefs) + sum(len(frame.beliefs) for frame in memory.frames)
