"""Principals as JSON, for handles, links and lists that several processes read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from toolplan.domain import Principal


def written(principal: Principal) -> dict[str, object]:
    """All that is known of `principal`, as JSON values: the same in every process."""
    return {name: sorted(held) if isinstance(held, frozenset) else held for name, held in asdict(principal).items()}


@lru_cache(1_000)
def text_of(principal: Principal) -> str:
    """The same as text: two principals with one text have the same rights, and are the same."""
    return json.dumps(written(principal), separators=(",", ":"))


def read(given: Mapping[str, object]) -> Principal:
    """The principal that was `written`."""
    held: dict[str, Any] = {name: frozenset(value) if isinstance(value, list) else value for name, value in given.items()}
    return Principal(**held)
