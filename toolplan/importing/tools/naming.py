"""Names of servers as names of the language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
LONGEST = 60
"""Letters of a name that is made here. Providers take names of 64."""


def words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, whatever keeps them apart: `pullNumber`, `pull-number`. Letters that are not Latin are none."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    return tuple(word.lower() for word in WORD.findall(plain))


def identifier(name: str, otherwise: str) -> str:
    """`name` where it needs no backquotes, else its words; `otherwise` where it has none, or begins with a digit."""
    if IDENTIFIER.fullmatch(name):
        return name
    return snake(words(name), otherwise)


def snake(parts: tuple[str, ...], otherwise: str) -> str:
    """The words as one name, after `otherwise` where they alone are none."""
    made = "_".join(parts)[:LONGEST].strip("_")
    return made if IDENTIFIER.fullmatch(made) else f"{otherwise}_{made}".rstrip("_")


@dataclass(frozen=True)
class Given:
    """Names that were given out before: of contracts by real tools, and of facts by real tools and their arguments."""

    tools: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[tuple[str, str], str] = field(default_factory=dict)


NONE_GIVEN = Given()


class Names:
    """Names that are given out once each."""

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, name: str) -> bool:
        """Give out `name`, if nobody has it."""
        is_free = name not in self._taken
        self._taken.add(name)
        return is_free

    def unique(self, *wanted: str) -> str:
        """The first of `wanted` that is not taken, or else the last of them with a number."""
        free = (name for name in wanted if name not in self._taken)
        numbered = (name for number in range(2, len(self._taken) + 3) if (name := f"{wanted[-1]}_{number}") not in self._taken)
        found = next(free, None) or next(numbered)
        self._taken.add(found)
        return found
