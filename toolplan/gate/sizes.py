"""How much there is to read in what a model or a tool has given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from dataclasses import fields, is_dataclass

MOST_READ = 20_000
"""Letters and parts that take no time worth a thread to read."""


def is_small(value: object) -> bool:
    """Whether there is little to read in `value`, a JSON value or an object of a framework. It is looked at no further than that takes.

    Of what cannot be looked at, such as an array that has no length, nobody knows.
    """
    try:
        return _is_small(value)
    except Exception:
        return False


def _is_small(value: object) -> bool:
    left, parts = MOST_READ, [value]
    while parts and left >= 0:
        part = parts.pop()
        left -= 1
        if isinstance(part, str):
            left -= len(part)
        elif part is not None and not isinstance(part, int | float):
            left -= len(part) if isinstance(part, Sized) else 0
            if left >= 0:
                parts += _inside(part)
    return left >= 0


def _inside(part: object) -> Iterable[object]:
    if isinstance(part, Mapping):
        return [*part, *part.values()]
    if isinstance(part, list | tuple):
        return part
    if hasattr(part, "__dict__"):
        return vars(part).values()
    return [getattr(part, field.name) for field in fields(part)] if is_dataclass(part) else ()
