"""Which tools stand in the place of which."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from toolplan.domain.actions import Tool


def names_of(tool: Tool) -> frozenset[str]:
    """What other contracts may call `tool`: by its name, the name of its real tool, or its id."""
    return frozenset({tool.name, tool.call_name, tool.evidence.id} - {""})


def superseders(tools: Mapping[str, Tool]) -> dict[str, tuple[str, ...]]:
    """The tools that others supersede, with these others. None supersedes itself; what is named and is not among `tools` is left out."""
    named: dict[str, list[str]] = {}
    for tool in tools.values():
        for name in names_of(tool):
            named.setdefault(name, []).append(tool.name)
    newer: dict[str, dict[str, None]] = {}
    for tool in tools.values():
        for old in (old for name in tool.evidence.supersedes for old in named.get(name, ())):
            if old != tool.name:
                newer.setdefault(old, {})[tool.name] = None
    return {old: tuple(names) for old, names in newer.items()}


def in_place_of(name: str, newer: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The tools that supersede `name`, and those that supersede these in turn: each once, the nearest first."""
    seen: set[str] = set()
    waiting = deque(newer.get(name, ()))
    while waiting:
        found = waiting.popleft()
        if found not in seen:
            seen.add(found)
            waiting.extend(newer.get(found, ()))
            yield found
