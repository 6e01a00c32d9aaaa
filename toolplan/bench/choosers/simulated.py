"""A simulated model, no real one: what it chooses is drawn from digests, so that every run is the same.

It likes tools whose words are those of the request, and its taste varies at random: of many tools, and of similar ones, a wrong one is taken
more often. Its figures say how menus differ in size and likeness, and nothing about how good any model is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from hashlib import blake2b
from math import log

from toolplan.bench.choosers import Called, Choice, Nothing, Turn
from toolplan.exposure.declarations import Declaration

LIKENESS = 12.0
"""How much a tool is liked of which all words are in the request, in units of the taste that varies."""
USE = 6.0
"""How much more a tool is liked whose arguments are all known, and that was not called before."""
_WORD = re.compile(r"[a-z0-9]+")


class Simulated:
    """The simulated model. `skill` multiplies what speaks for a tool; nothing but their words speaks for `last_resorts`."""

    def __init__(self, skill: float = 1.0, last_resorts: Collection[str] = ("request_human", "cancel_run")) -> None:
        self.name = "simulated"
        self.details = {"skill": str(skill)}
        self._skill, self._last_resorts = skill, last_resorts

    def choose(self, turn: Turn) -> Choice:
        """The tool that it likes best; none where none is shown."""
        tokens = len(_words(turn.text)) + sum(len(_words(f"{tool.name} {tool.description} {tool.schema}")) for tool in turn.declared)
        if not turn.callable:
            return Choice(Nothing(""), tokens, 1)
        best = max(turn.callable, key=lambda tool: (self._liked(turn, tool), tool.name))
        arguments = {name: _argument(turn.known, name, kind) for name, kind in _required(best).items()}
        return Choice(Called(best.name, arguments), tokens, 8 + 6 * len(arguments))

    def _liked(self, turn: Turn, tool: Declaration) -> float:
        words, request = set(_words(f"{tool.name} {tool.description}")), set(_words(turn.request))
        likeness = len(words & request) / len(words)
        given = [_argument(turn.known, name, kind) for name, kind in _required(tool).items()]
        useful = all(given) and tool.name not in self._last_resorts and tool.name not in turn.last
        return self._skill * (LIKENESS * likeness + USE * useful) + _taste(turn, tool.name)


def _taste(turn: Turn, tool: str) -> float:
    """A number from the distribution of Gumbel, always the same for the same turn and tool."""
    digest = blake2b("\0".join([turn.text, tool]).encode(), digest_size=8).digest()
    return -log(-log((int.from_bytes(digest) + 1) / (2**64 + 2)))


def _argument(known: Mapping[str, str], name: str, kind: object) -> str:
    """The known value that the description of an argument names, else any text that it knows."""
    description = str(kind.get("description", "")) if isinstance(kind, Mapping) else ""
    named = (value for key, value in known.items() if f"({key.split('(')[0]})" in description)
    return next(named, "" if description else (list(known.values()) or [""])[-1])


def _required(tool: Declaration) -> Mapping[str, object]:
    """The schemas of the arguments that a call cannot do without."""
    properties, required = tool.schema.get("properties"), tool.schema.get("required")
    if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
        return {}
    return {name: properties[name] for name in required if name in properties}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("_", " "))
