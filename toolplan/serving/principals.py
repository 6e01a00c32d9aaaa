"""Principals as JSON, for handles, links and lists that several processes read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from toolplan.domain import Principal


@lru_cache(1_000)
def text_of(principal: Principal) -> str:
    """All that is known of `principal` as text: two principals with one text have the same rights, and are the same."""
    return json.dumps(principal.to_dict(), separators=(",", ":"))


def read(given: Mapping[str, object]) -> Principal:
    """The principal of which `given` was written."""
    held: dict[str, Any] = {name: frozenset(value) if isinstance(value, list) else value for name, value in given.items()}
    return Principal(**held)
