"""Names of the domain to names that PDDL takes, one to one, and back by looking up; nothing is ever parsed out of a name."""

from __future__ import annotations

import re
from collections.abc import Mapping

RESERVED = frozenset(
    """
    action all always and assign at at-end at-most-once at-start axiom condition constants constraints continuous-effects contingent
    decrease define derived domain durative-action duration effect either end event exists for forall functions goal hold-after
    hold-during imply increase init is-violated length maximize metric minimize not number object objects observe oneof or over
    parameters preference precondition predicates problem process requirements scale-down scale-up sensed sometime sometime-after
    sometime-before start strips total-cost total-time types typing undefined unknown when within
    """.split()
)
"""Words with a meaning somewhere in PDDL 1.2 to 3.1 or in a reader of it; as names they get an underscore."""


class Names:
    """Gives each thing a name of its own; PDDL reads capital letters as small ones and shares names between kinds."""

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}

    def new(self, name: str) -> str:
        """A PDDL name for `name`, like it as far as may be, and never given before."""
        base = _readable(name)
        candidate, number = base, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{base}_{number}"
        self._taken[candidate] = name
        return candidate

    @property
    def originals(self) -> Mapping[str, str]:
        """What each PDDL name stands for."""
        return self._taken


def _readable(name: str) -> str:
    spelled = "".join(_letter(character) for character in name.lower())
    spelled = re.sub(r"_{3,}", "__", spelled) or "x"
    if not spelled[0].isalpha():
        spelled = f"x{spelled}"
    return f"{spelled}_" if spelled in RESERVED else spelled


def _letter(character: str) -> str:
    if character.isascii():
        return character if character.isalnum() or character in "_-" else "_"
    return f"u{ord(character):x}"
