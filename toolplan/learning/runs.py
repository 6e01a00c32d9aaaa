"""One run as it goes: the tools that were executed last, and the values that were seen, each with the place where it was seen last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple

from toolplan.learning.members import named_by_data
from toolplan.learning.traces import Execution, Returned

KEPT_VALUES = 2_048
"""Values of a run that can still be found; those seen longest ago are forgotten."""
LEAVES = 512
"""Values that are looked at in one result."""
AT_ONE_PLACE = 64
"""Values of one result that are kept for one place in it: the first ones of a longer list."""
LONGEST_VALUE = 256
"""Letters of a text that can be a value; longer ones are prose."""
DEEPEST = 16
LONGEST_WINDOW = 4
"""Tools before the next one that are looked at."""
_MEMBER = re.compile(r'("[^"\\\x00-\x1f]{1,64}")\s*:\s*("[^"\\\x00-\x1f]{1,256}"|-?[1-9]\d{0,15}(?=[\s,}]))')

Value = str | int | float


class Place(NamedTuple):
    """Where a value was: an argument of `tool` (`argument`), or a place in its result, as a JSONPath (`$.items[*].id`)."""

    tool: str
    at: str


@dataclass
class Run:
    """A run so far. `tools` are the last ones, the latest last; `values` has for each value the place where it was seen last.

    `found` has for each place the values that were there last, in their order: several where a result lists them. What was started together
    has no order: it counts as done once something else begins, and then stands in the order of its tools and arguments.
    """

    tools: tuple[str, ...] = ()
    values: dict[Value, Place] = field(default_factory=dict)
    found: dict[Place, tuple[Value, ...]] = field(default_factory=dict)
    length: int = 0
    _given: dict[tuple[Place, Value], None] = field(default_factory=dict)
    _together: list[Execution] = field(default_factory=list)

    def settle(self, batch: int = 0) -> None:
        """Nothing more is started together with what was started, unless it is of the same `batch`."""
        if self._together and not (batch and self._together[0].batch == batch):
            for execution in sorted(self._together, key=_written):
                self._end(execution)
            self._together.clear()

    def windows(self, longest: int) -> Iterator[tuple[str, ...]]:
        """The last tools: one of them, two, up to `longest`. None where the run is at its start."""
        for size in range(1, min(longest, len(self.tools)) + 1):
            yield self.tools[-size:]

    def sources(self, arguments: Mapping[str, object]) -> Iterator[tuple[str, Place]]:
        """Each argument whose value was seen before, with the place where it was seen last."""
        for name, value in arguments.items():
            key = as_value(value)
            if key is not None and key in self.values:
                yield name, self.values[key]

    def latest(self, place: Place) -> Value | None:
        """The value that was seen last at `place`."""
        values = self.found.get(place)
        return values[-1] if values else None

    def untried(self, place: Place, argument: Place) -> Value | None:
        """The first of several values at `place` that `argument` has not had in this run; a value that stands there alone in any case."""
        values = self.found.get(place, ())
        if len(values) == 1:
            return values[0]
        return next((value for value in values if (argument, value) not in self._given), None)

    def append(self, execution: Execution) -> None:
        """Go on by `execution`, for whose batch the run was settled."""
        self.length += 1
        if execution.batch:
            self._together.append(execution)
        else:
            self._end(execution)

    def _end(self, execution: Execution) -> None:
        self.tools = (*self.tools[1 - LONGEST_WINDOW :], execution.tool)
        seen: dict[Place, list[Value]] = {}
        for name, given in execution.arguments.items():
            value, place = as_value(given), Place(execution.tool, name)
            if value is not None:
                seen[place] = [value]
                self._given[place, value] = None
                _bound(self._given)
        if isinstance(execution.result, Returned):
            for path, leaf in leaves(execution.result.value):
                seen.setdefault(Place(execution.tool, path), []).append(leaf)
        for place, values in seen.items():
            self._see(place, values)

    def _see(self, place: Place, values: Sequence[Value]) -> None:
        self.found.pop(place, None)
        self.found[place] = tuple(dict.fromkeys(values))[:AT_ONE_PLACE]
        _bound(self.found)
        for value in values:
            self.values.pop(value, None)
            self.values[value] = place
            _bound(self.values)


def _written(execution: Execution) -> tuple[str, str]:
    return execution.tool, json.dumps(execution.arguments, sort_keys=True, default=str)


def _bound(kept: dict[Any, Any]) -> None:
    if len(kept) > KEPT_VALUES:
        del kept[next(iter(kept))]


def as_value(value: object) -> Value | None:
    """`value` where it can tell one thing from another: no truth value, no small number, no empty or long text."""
    match value:
        case bool() | None:
            return None
        case str():
            return value if 0 < len(value) <= LONGEST_VALUE else None
        case int() | float():
            return value if isfinite(value) and (abs(value) >= 10 or value != int(value)) else None
        case _:
            return None


def leaves(result: object) -> Iterator[tuple[str, Value]]:
    """The values in a result, with the places where they lie, at most `LEAVES`. Text that is JSON is read as such, even if it was cut off."""
    if isinstance(result, str) and result[:1] in ("{", "["):
        text = result
        try:
            result = json.loads(text)
        except (ValueError, RecursionError):
            return _members(text)
    return islice(_leaves("$", result, 0), LEAVES)


def _leaves(path: str, value: object, depth: int) -> Iterator[tuple[str, Value]]:
    if isinstance(value, Mapping):
        # The names of records are data, which no graph keeps.
        data = named_by_data(value)
        inside = [(f"{path}.{'*' if name in data else name}", item) for name, item in value.items()]
    elif isinstance(value, list | tuple):
        inside = [(f"{path}[*]", item) for item in value]
    else:
        leaf = as_value(value)
        if leaf is not None:
            yield path, leaf
        return
    if depth < DEEPEST:
        for place, item in inside:
            yield from _leaves(place, item, depth + 1)


def _members(text: str) -> Iterator[tuple[str, Value]]:
    """What can be read of JSON that was cut off: members whose values are texts or numbers, wherever they lie."""
    for found in islice(_MEMBER.finditer(text), LEAVES):
        leaf = as_value(json.loads(found[2]))
        if leaf is not None:
            yield f"$..{json.loads(found[1])}", leaf
