"""The strategies: from the tools that may be called at a step to what is declared, and what the model may choose from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from toolplan.exposure.declarations import DISPATCHER, Declaration, dispatcher
from toolplan.exposure.providers import Choice, History, Json, NoCall, Only, Whichever
from toolplan.exposure.surfaces import Surface, tool_change

Tools = Mapping[str, Declaration]
"""All real tools by name, in order."""
RealNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Menu:
    """What a step declares and lets the model choose. `held` is what the conversation holds from then on, `changes` what tells it so.

    `found` are the real tools that are left to the provider's search.
    """

    tools: Sequence[Json]
    choice: Choice
    held: RealNames = ()
    changes: tuple[Json, ...] = ()
    found: RealNames = ()


class Showing(Protocol):
    """A strategy for the tools of one run."""

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """What to declare where the real tools `shown` may be called, and the conversation holds `held`."""


class Allow:
    """All tools are declared; the request names those that may be called."""

    def __init__(self, surface: Surface, tools: Tools) -> None:
        self._tools, self._constant = tools, surface.tools(list(tools.values()))

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """All, of which `shown` may be called."""
        return Menu(self._constant, _only(self._tools, shown))


class Append:
    """All tools are declared, and those that are not `visible` from the start are deferred: messages add them and take them away by reference."""

    def __init__(self, surface: Surface, tools: Tools, visible: RealNames) -> None:
        declared = [replace(tool, deferred=name not in visible) for name, tool in tools.items()]
        # At least one tool must not be deferred. The dispatcher names no other.
        always = [] if visible else [dispatcher(surface.limits.dispatched)]
        self._tools, self._constant = tools, surface.tools([*always, *declared])

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """All, and what has changed since."""
        added = [self._tools[name].name for name in shown if name not in held]
        removed = [self._tools[name].name for name in held if name not in shown]
        changes = (tool_change(added, removed),) if added or removed else ()
        return Menu(self._constant, _whichever(shown), shown, changes)


class Dispatch:
    """One tool is declared, which calls all others by name."""

    def __init__(self, surface: Surface) -> None:
        self._constant = surface.tools([dispatcher(surface.limits.dispatched)])

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """The dispatcher."""
        return Menu(self._constant, _whichever(shown))


class Search:
    """One tool is declared, which calls all others by name, and beside it, deferred, the tools `searchable`, for the provider's search to find.

    No other tool can be found. The search is open where all that it finds may be called. At other steps a provider that takes a list of allowed
    tools is told that it is not, and the gate refuses what was found.
    """

    def __init__(self, surface: Surface, tools: Tools, searchable: RealNames) -> None:
        deferred = [replace(tools[name], deferred=True) for name in searchable]
        search = surface.search if searchable else ()
        self._constant = [*search, *surface.tools([dispatcher(surface.limits.dispatched), *deferred])]
        self._searchable = searchable

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """The dispatcher, and the search."""
        if self._searchable and set(self._searchable) <= set(shown):
            return Menu(self._constant, Whichever(), found=self._searchable)
        return Menu(self._constant, Only((DISPATCHER,)) if shown else NoCall())


class Trim:
    """Only what may be called is declared, and what the provider wants to see declared because it has been called."""

    def __init__(self, surface: Surface, tools: Tools) -> None:
        self._surface, self._tools = surface, tools

    def menu(self, shown: RealNames, held: RealNames) -> Menu:
        """`shown`, and what history wants."""
        match self._surface.limits.history:
            case History.NOTHING:
                return Menu(self._declared(shown), _whichever(shown))
            case History.ANY:
                held = shown or held
                return Menu(self._declared(held), _whichever(shown), held)
            case History.EACH:
                earlier = tuple(name for name in held if name not in shown)
                room = self._surface.limits.most - len(shown)
                held = (*earlier[max(len(earlier) - room, 0) :], *shown)
                return Menu(self._declared(held), _only(self._tools, shown), held)

    def _declared(self, names: RealNames) -> Sequence[Json]:
        return self._surface.tools([self._tools[name] for name in names])


def _whichever(shown: RealNames) -> Choice:
    return Whichever() if shown else NoCall()


def _only(tools: Tools, shown: RealNames) -> Choice:
    return Only(tuple(tools[name].name for name in shown)) if shown else NoCall()
