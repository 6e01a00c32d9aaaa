"""Real tools for which there is no contract, as contracts that require and produce nothing.

No plan ever holds one: they are opened where contracts end. All of their arguments are the model's, and they are unrated, so that a person
agrees to each call; but of a server that the host trusts, a tool that only reads is safe. What a server says of a tool is no part of its
contract: nobody is asked for consent in the words of a stranger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from toolplan.catalog import NO_TOOLS, Catalog, RealTool
from toolplan.domain import Confirmation, Domain, Interface, Performer, Tool, Uncontracted
from toolplan.domain.sharing import Shared
from toolplan.retrieval.clones import collapsed
from toolplan.retrieval.documents import Document, tool_documents

KEPT_OPENINGS = 64
"""Openings of a domain that live as long as it does, though no session holds them, with all that is remembered of their domains."""

NOT_THERE = "whose tool is not there"
NOT_AS_REVIEWED = "whose tool is not as it was reviewed"


@dataclass(frozen=True)
class Opening:
    """A domain with contracts for the tools that had none. `opened` are their names, in the order of the catalog.

    `missing` are contracts whose real tools are not there, as `missing_in` finds them: they are not planned with. `documents` are what can be searched of the tools that
    had none, of copies the one.
    """

    domain: Domain
    opened: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()

    @property
    def contracts(self) -> Mapping[str, str]:
        """The contracts that were added, by the real tools that they call."""
        return {self.domain.tools[name].call_name: name for name in self.opened}


_OPENINGS: WeakKeyDictionary[Domain, Shared[object, Opening]] = WeakKeyDictionary()


def without_missing(domain: Domain, missing: Collection[str]) -> Domain:
    """`domain` without the contracts in `missing`: those whose real tools are there, as they were reviewed."""
    return replace(domain, tools={name: tool for name, tool in domain.tools.items() if name not in missing}) if missing else domain


def opening_of(domain: Domain, catalog: Catalog, trusted: tuple[str, ...]) -> Opening:
    """What `catalog` makes of `domain`; without one, all real tools are taken to be there.

    Tools that no contract calls are added, if the policy opens them at all. `trusted` are the origins whose hints are believed. The same
    tools make the same domain, whichever session asks.
    """
    missing = missing_in(domain, catalog)
    added = _uncontracted(domain, catalog, trusted)
    if not missing and not added:
        return Opening(domain)
    openings = _OPENINGS.setdefault(domain, Shared(KEPT_OPENINGS))
    tools = [catalog[tool.call_name] for tool in added.values()]
    key = (missing, tuple((tool.name, tool.risk, real.digest) for tool, real in zip(added.values(), tools, strict=True)))
    return openings.get(key, lambda: _opening(domain, added, missing, collapsed(tool_documents(tools)).documents))


def _opening(domain: Domain, added: Mapping[str, Tool], missing: tuple[str, ...], documents: tuple[Document, ...]) -> Opening:
    visible = tuple(name for name in domain.policy.always_visible if name not in missing)
    policy = replace(domain.policy, always_visible=visible)
    return Opening(replace(domain, tools={**domain.tools, **added}, policy=policy), tuple(added), missing, documents)


def missing_in(domain: Domain, catalog: Catalog) -> tuple[str, ...]:
    """The contracts whose real tools `catalog` does not have, or not as they were reviewed. `NO_TOOLS` has all."""
    called = ((name, tool) for name, tool in domain.tools.items() if tool.performer is Performer.CALL)
    return tuple(name for name, tool in called if catalog is not NO_TOOLS and not _is_there(tool, catalog))


def why_missing(opening: Opening, catalog: Catalog) -> dict[str, str]:
    """Why each contract that is missing in `opening` is not planned with, as a relative clause."""
    tools = opening.domain.tools
    return {name: NOT_AS_REVIEWED if tools[name].call_name in catalog else NOT_THERE for name in opening.missing}


def _is_there(tool: Tool, catalog: Catalog) -> bool:
    real = catalog.get(tool.call_name)
    return real is not None and real.is_as_reviewed(tool)


def _uncontracted(domain: Domain, catalog: Catalog, trusted: tuple[str, ...]) -> dict[str, Tool]:
    if domain.policy.uncontracted is not Uncontracted.EXPLORE:
        return {}
    called = {*domain.withheld, *(name for tool in domain.tools.values() for name in (tool.call_name, *tool.evidence.supersedes))}
    added: dict[str, Tool] = {}
    for real in catalog.values():
        if real.name not in called:
            name = _free(real.name, domain)
            risk = _reading(domain) if real.origin in trusted and _only_reads(real) else None
            confirm = None if risk is not None else Confirmation()
            added[name] = Tool(name, risk=risk, confirm=confirm, interface=Interface(calls=real.name))
    return added


def _free(name: str, domain: Domain) -> str:
    """The name of the tool, or one like it where a contract or a question for something else has that."""
    while name in domain.tools or name in domain.asks:
        name += "'"
    return name


def _only_reads(tool: RealTool) -> bool:
    return tool.hints.get("readOnlyHint") is True and tool.hints.get("destructiveHint") is not True


def _reading(domain: Domain) -> str | None:
    """The name of a level of risk that is safe."""
    return next((level.name for level in domain.policy.risk if level.safe), None)
