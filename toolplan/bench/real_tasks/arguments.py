"""Arguments of calls: which are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from toolplan.bench.real.slots import Annotated
from toolplan.catalog import RealTool

LEFT_OUT: tuple[object, ...] = ("", None, [], {})
"""What an argument that is not passed may as well be."""


class Wanted(Protocol):
    """The value that an argument should have."""

    @property
    def value(self) -> object:
        """It, as the data has it."""
        ...

    def is_said_by(self, value: object) -> bool:
        """Whether `value` means the same."""
        ...


@dataclass(frozen=True, slots=True)
class Exactly:
    """A value of which there is one spelling, but for case, blanks at the ends, and an article before it; numbers may be written as texts."""

    value: object

    def is_said_by(self, value: object) -> bool:
        """Whether `value` is it."""
        return _same(self.value, value)


@dataclass(frozen=True, slots=True)
class Worded:
    """A value in all the wordings that its annotation has."""

    annotated: Annotated

    @property
    def value(self) -> object:
        """Its normal form, else the words of the user."""
        return (*self.annotated.forms, *self.annotated.wordings)[0]

    def is_said_by(self, value: object) -> bool:
        """Whether `value` is worded so, or has the same normal form."""
        readings = (value, *Annotated(self.annotated.type, (str(value),), self.annotated.now).forms)
        return any(map(self.annotated.is_said_by, readings)) or any(_same(wording, value) for wording in self.annotated.wordings)


def wrong_arguments(tool: RealTool, wanted: Mapping[str, Wanted], given: Mapping[str, object]) -> tuple[str, ...]:
    """The arguments that differ, by name. One may be left out where it is the default, and be passed where it says nothing new."""
    return tuple(name for name in sorted({*wanted, *given}) if not _fits(_default(tool, name), wanted.get(name), given.get(name)))


def _fits(default: object, wanted: Wanted | None, given: object) -> bool:
    if given in LEFT_OUT:
        return wanted is None or wanted.value in LEFT_OUT or (default is not None and wanted.is_said_by(default))
    return wanted.is_said_by(given) if wanted is not None else default is not None and _same(default, given)


def _default(tool: RealTool, name: str) -> object:
    schema = tool.properties.get(name)
    return schema.get("default") if isinstance(schema, Mapping) else None


def _same(one: object, other: object) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, list | tuple | Mapping) or isinstance(other, list | tuple | Mapping):
        return False
    return _plain(one) == _plain(other)


def _plain(value: object) -> object:
    try:
        return float(value) if not isinstance(value, bool) else str(value).casefold()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return " ".join(str(value).casefold().removeprefix("the ").split()).rstrip(".")
