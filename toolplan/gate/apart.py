"""What a thread does for a task of an event loop that may be cancelled meanwhile: once, or as anyio does it, at every await.

The work is a future of the event loop and no task, which whoever cancels all tasks would take out of the queue of threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import copy_context
from threading import Event
from typing import TypeVar

R = TypeVar("R")


async def to_its_end(work: Callable[[], R]) -> R:
    """What `work` gives. It is done even if whoever waits for it is cancelled, also before a thread is free."""
    return await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, copy_context().run, work))


async def or_undone(work: Callable[[], R], undo: Callable[[R], None], lock: AbstractContextManager[object]) -> R:
    """As `to_its_end`, in `lock`. What comes of it for nobody `undo` takes back, before others get the lock; it may be asked to twice."""
    is_gone, given = Event(), list[R]()

    def give() -> R:
        with lock:
            given.append(work())
            if is_gone.is_set():
                undo(given[0])
            return given[0]

    def take_back() -> None:
        with lock:
            for each in given:
                undo(each)

    try:
        return await to_its_end(give)
    except asyncio.CancelledError:
        is_gone.set()
        await to_its_end(take_back)
        raise
