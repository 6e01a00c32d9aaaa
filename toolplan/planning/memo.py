"""What is worked out once for a domain and lives as long as it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import finalize

from toolplan.domain import Domain

T = TypeVar("T")


def per_domain(make: Callable[[Domain], T]) -> Callable[[Domain], T]:
    """`make`, called once for each domain. What it makes must not hold the domain, or neither would ever be freed.

    Two threads that ask first at the same time may both make it; all get the same one.
    """
    made: dict[int, T] = {}

    def remembered(domain: Domain) -> T:
        # By identity, since a weak dictionary would cost a microsecond each time; the entry goes before the number can be used again.
        found = made.get(id(domain))
        if found is None:
            fresh = make(domain)
            finalize(domain, made.pop, id(domain), None).atexit = False
            found = made.setdefault(id(domain), fresh)
        return found

    return remembered
