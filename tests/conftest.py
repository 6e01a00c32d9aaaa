"""What all tests have in common."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

# Matrices here are small, and a worker has one core: threads of BLAS would spend their time on waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests come first: at the end, one worker would wait for the other."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def closed_loop() -> Iterator[None]:
    """No test leaves an event loop open, as frameworks do that make one for calls outside of any; else a later test is blamed for it."""
    yield
    with suppress(RuntimeError):
        asyncio.get_event_loop_policy().get_event_loop().close()
    asyncio.set_event_loop(None)
