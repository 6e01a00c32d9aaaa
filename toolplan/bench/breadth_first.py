"""The search of the CMTF paper (arXiv 2606.06284, algorithm 1), as a baseline: breadth first over sets of facts, every tool at every state."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Facts = frozenset[Hashable]


class Contract(NamedTuple):
    """A tool as the paper has it: what it requires and what it produces."""

    name: str
    requires: Facts
    produces: Facts


@dataclass(frozen=True, slots=True)
class Found:
    """A path with the fewest tools, after `visited` states were seen."""

    path: tuple[str, ...]
    visited: int


@dataclass(frozen=True, slots=True)
class Exhausted:
    """No path: all `visited` states that can be had were seen."""

    visited: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """A cap was reached after `visited` states."""

    visited: int


def breadth_first(
    tools: Sequence[Contract], state: Iterable[Hashable], goal: Iterable[Hashable], *, states: int, seconds: float
) -> Found | Exhausted | Stopped:
    """A path of the fewest tools from `state` to `goal`, unless it takes more than `states` visited states or `seconds`."""
    start, wanted = frozenset(state), frozenset(goal)
    queue: deque[tuple[Facts, tuple[str, ...]]] = deque([(start, ())])
    visited = {start}
    deadline = time.perf_counter() + seconds
    while queue:
        facts, path = queue.popleft()
        if wanted <= facts:
            return Found(path, len(visited))
        if len(visited) > states or time.perf_counter() > deadline:
            return Stopped(len(visited))
        for tool in tools:
            if tool.requires <= facts:
                successor = facts | tool.produces
                if successor not in visited:
                    visited.add(successor)
                    queue.append((successor, (*path, tool.name)))
    return Exhausted(len(visited))
