"""The tools that a conversation has found once, and keeps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError

MOST_PINNED = 8


@dataclass(frozen=True, slots=True)
class Pins:
    """Tools that stay visible for the rest of a conversation, at most `most` of them, the latest last. A value: pinning makes another."""

    names: tuple[str, ...] = ()
    most: int = MOST_PINNED

    def pin(self, name: str) -> Pins:
        """These with `name` as the latest. Where that is one too many, the oldest leaves."""
        names = (*(other for other in self.names if other != name), name)
        return replace(self, names=names[max(0, len(names) - self.most) :])

    def only(self, names: Collection[str]) -> Pins:
        """Those among `names`: what is gone, or may not be used any longer, is not pinned."""
        return replace(self, names=tuple(name for name in self.names if name in names))

    def to_json(self) -> list[str]:
        """The names as a JSON value."""
        return list(self.names)

    @classmethod
    def from_json(cls, value: object, most: int = MOST_PINNED) -> Pins:
        """The pins that `to_json` wrote, the latest `most` of them. Raises DomainError where `value` is no list of names."""
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise DomainError([Diagnostic(Code.BAD_JSON, "these are no pins", None, 'a list of names, the latest last: ["search_files"]')])
        return cls(tuple(dict.fromkeys(value))[max(0, len(set(value)) - most) :], most)
