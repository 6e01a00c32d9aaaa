"""`History`: what has happened in one session, as its store has it, and the memory that it folds to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import RLock
from typing import TypeVar

from toolplan.domain import Domain
from toolplan.frontier.at_once import AtOnce, TakesLong
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError
from toolplan.session.events import Event, to_line
from toolplan.session.folding import fold
from toolplan.session.memory import Memory
from toolplan.session.snapshots import read_events
from toolplan.session.stores import Store
from toolplan.session.stores.memory import MemoryStore

T = TypeVar("T")
Changed = tuple[Sequence[Event], T]
MOST_AT_ONCE = 1_000
"""Beliefs of a session with which anything is done at once: a step takes time for each."""


class History:
    """The events of the session `id` in `store`, which other workers may add to. They are read with the `contracts` that it began with,
    and folded with `domain`, which may be another by now. Safe to use from several threads.
    """

    def __init__(self, contracts: Domain, domain: Domain, store: Store, id: str) -> None:
        self.domain, self._contracts, self._store, self._id = domain, contracts, store, id
        self._memory, self._count = Memory(), 0
        self.lock = RLock()
        self._refresh()

    @property
    def memory(self) -> Memory:
        """What is known after all that has happened."""
        with self.lock:
            self._refresh()
            return self._memory

    @property
    def lines(self) -> list[str]:
        """All events, as the store has them."""
        return self._store.events(self._id)

    @property
    def is_new(self) -> bool:
        """Whether nothing has happened yet."""
        return self._count == 0

    def at_once(self) -> AbstractContextManager[None]:
        """As `AtOnce`, with the session to oneself. Raises TakesLong where it is in no store of this process, or large, or in use by then."""
        if not isinstance(self._store, MemoryStore) or _size(self._memory) > MOST_AT_ONCE:
            raise TakesLong
        return _Alone(self.lock)

    def commit(self, change: Callable[[Memory], Changed[T]]) -> T:
        """Keep the events that `change` makes of the memory, and give its result. Where another worker was faster, it is made anew."""
        with self.lock:
            self._refresh()
            while True:
                events, result = change(self._memory)
                lines = [to_line(event) for event in events]
                if not lines:
                    return result
                if self._store.append(self._id, self._count, lines):
                    self._take(lines)
                    return result
                if not self._refresh():
                    raise DomainError([Diagnostic(Code.BAD_CALL, "the session is not in its store any more", None, "begin a new one")])

    def _refresh(self) -> bool:
        """Take up what other workers have added; whether there was anything."""
        lines = self._store.events(self._id, self._count)
        if lines:
            self._take(lines)
        return bool(lines)

    def _take(self, lines: Sequence[str]) -> None:
        """Go on from what is written in the store. Only that counts, so that what is written here is read back as well."""
        self._memory = fold(self.domain, read_events(self._contracts, lines, first=self._count), self._memory)
        self._count += len(lines)


class _Alone(AtOnce):
    """As `AtOnce`, with what `lock` guards to oneself. Raises TakesLong where somebody has it."""

    __slots__ = ("_lock",)

    def __init__(self, lock: RLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise TakesLong
        super().__enter__()

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        self._lock.release()


def _size(memory: Memory) -> int:
    return len(memory.beliefs) + sum(len(frame.beliefs) for frame in memory.frames)
