"""What all tests have in common."""

from __future__ import annotations

import os

import pytest

# Matrices here are small, and a worker has one core: threads of BLAS would spend their time on waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests come first: at the end, one worker would wait for the other."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
