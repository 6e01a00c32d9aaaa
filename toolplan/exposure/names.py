"""Names of tools as a provider takes them: a bijection, in which a name alone decides how it is shown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

DIGITS = 8
"""Of the digest that a name ends with which is not shown as it is."""
REPLACED = re.compile(r"[^a-zA-Z0-9_-]")
"""What is replaced in such a name; no provider takes less."""


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a provider takes as the name of a tool: at most `longest` of the characters `letters`, of which `first` may stand first.

    Both are the inside of a character class of a regular expression.
    """

    letters: str
    first: str
    longest: int

    def fault(self, name: str) -> str:
        """Why `name` is none, as half a sentence; empty where it is one."""
        if len(name) > self.longest:
            return f"it has {len(name)} characters, of which {self.longest} are taken"
        if not re.fullmatch(f"[{self.letters}]+", name):
            return f"it has other characters than {self.letters}"
        if not re.match(f"[{self.first}]", name):
            return f"it does not begin with one of {self.first}"
        return ""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of real tools as a provider is shown them, and back. Nothing is shown under two names, and no two things under one."""

    shown_as: Mapping[str, str]
    reals: Mapping[str, str]

    @property
    def renamed(self) -> dict[str, str]:
        """The real names that are not shown as they are, and what they are shown as."""
        return {real: shown for real, shown in self.shown_as.items() if real != shown}

    def shown(self, real: str) -> str:
        """How `real` is shown. Raises KeyError for what is no tool of these."""
        return self.shown_as[real]

    def real(self, shown: str) -> str:
        """The real tool that is shown as `shown`. A name under which none is shown is nobody's, and stays as it is: let it be refused."""
        return self.reals.get(shown, shown)


def bijection(rule: NameRule, names: Iterable[str], reserved: Collection[str] = ()) -> Names:
    """How `names` are shown: what `rule` takes as it is, all else with its odd characters replaced and a digest of the whole name at its end.

    What is `reserved` is treated as if the rule did not take it. Only where a digest is taken already do other names have a say.
    """
    ordered = tuple(dict.fromkeys(names))
    shown_as = {name: name for name in ordered if not rule.fault(name) and name not in reserved}
    taken = {*shown_as, *reserved}
    for name in ordered:
        if name not in shown_as:
            shown_as[name] = next(candidate for candidate in _candidates(rule, name) if candidate not in taken)
            taken.add(shown_as[name])
    return Names(shown_as, {shown: real for real, shown in shown_as.items()})


def _candidates(rule: NameRule, name: str) -> Iterator[str]:
    stem = REPLACED.sub("_", name)
    stem = stem if re.match(f"[{rule.first}]", stem) else f"_{stem}"
    salt = ""
    while True:
        digest = hashlib.sha256(f"{name}{salt}".encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        yield f"{stem[: rule.longest - DIGITS - 1]}_{digest}"
        salt += "\0"
