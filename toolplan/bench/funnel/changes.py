"""Changes that should make no difference: other names, another order, other words, a field less, an old version beside the new one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from toolplan.bench.funnel.suite import Suite
from toolplan.catalog import NO_TOOLS, Catalog, RealTool
from toolplan.domain import Domain, Tool

WORDS = {
    "find": "look up",
    "search": "look through",
    "read": "get",
    "check": "test",
    "send": "dispatch",
    "create": "make",
    "list": "enumerate",
    "propose": "suggest",
    "replace": "exchange",
    "end": "finish",
    "change": "modify",
    "write": "compose",
    "add": "insert",
    "share": "make available",
    "show": "display",
    "delete": "erase",
}
"""What a paraphrase says instead of the first word of a sentence."""
OMITTED = ("use_when", "do_not_use_when", "capability")
"""The metadata fields that a description can do without."""
STALE = "_previous"
"""What the name of an old version ends with."""
_BREAK = re.compile(r"[\W_]+(\w?)")
_FIRST = re.compile(r"(^|(?<=\. ))([A-Za-z]+)")


class Contracts(NamedTuple):
    """A domain, and the real tools that it calls, as far as their servers have described them."""

    domain: Domain
    catalog: Catalog


Change = Callable[[Contracts, Suite], Contracts]
"""A change that should make no difference. Contracts keep their names, so that what was chosen before and after can be compared."""


def changes() -> dict[str, Change]:
    """All of them by name; the first is none at all, which tells what a model does differently by itself."""
    return {
        "run again": lambda contracts, _: contracts,
        "renamed": lambda contracts, _: renamed(contracts),
        "reordered": lambda contracts, _: reordered(contracts),
        "paraphrased": lambda contracts, suite: paraphrased(contracts, suite.paraphrases),
        **{f"without {field.replace('_', ' ')}": partial(_without, field) for field in OMITTED},
        "stale version beside": lambda contracts, suite: beside_stale(contracts, suite.gold),
    }


def renamed(contracts: Contracts) -> Contracts:
    """The real tools under names in another case: `searchCustomers` for `search_customers`, `Refund` for `refund`."""
    names = _other_names(dict.fromkeys([*(tool.call_name for tool in contracts.domain.tools.values()), *contracts.catalog]))

    def rename(tool: Tool) -> Tool:
        older = tuple(names.get(old, old) if old not in contracts.domain.tools else old for old in tool.evidence.supersedes)
        return replace(
            tool,
            interface=replace(tool.interface, calls=names[tool.call_name]),
            evidence=replace(tool.evidence, supersedes=older),
        )

    return _with_tools(contracts, rename, lambda real: replace(real, name=names[real.name]))


def reordered(contracts: Contracts) -> Contracts:
    """All tools from the last to the first."""
    tools = dict(reversed(list(contracts.domain.tools.items())))
    return Contracts(replace(contracts.domain, tools=tools), _listed(reversed(list(contracts.catalog.values()))))


def paraphrased(contracts: Contracts, variants: Mapping[str, str]) -> Contracts:
    """The descriptions in other words: those of `variants` by the names of contracts, else with another verb where a sentence begins."""
    by_real_name = {contracts.domain.tools[name].call_name: text for name, text in variants.items()}
    return _with_tools(
        contracts,
        lambda tool: replace(tool, description=variants.get(tool.name) or _in_other_words(tool.description)),
        lambda real: replace(real, description=by_real_name.get(real.name) or _in_other_words(real.description)),
    )


def without(contracts: Contracts, field: str) -> Contracts:
    """The contracts without one field of their metadata."""
    nothing: Mapping[str, Any] = {field: ()}
    return _with_tools(contracts, lambda tool: replace(tool, evidence=replace(tool.evidence, **nothing)), lambda real: real)


def _without(field: str, contracts: Contracts, _: Suite) -> Contracts:
    return without(contracts, field)


def beside_stale(contracts: Contracts, names: Iterable[str]) -> Contracts:
    """The contracts `names`, each with the version before it, which it supersedes."""
    domain, tools = contracts.domain, dict[str, Tool]()
    wanted, constants = set(names), dict(domain.constants)
    for name, tool in domain.tools.items():
        if name not in wanted:
            tools[name] = tool
            continue
        evidence = replace(tool.evidence, id="", version="0.9.0", digest="", supersedes=())
        stale = replace(tool, name=name + STALE, interface=replace(tool.interface, calls=tool.call_name + STALE), evidence=evidence)
        newer = replace(tool, evidence=replace(tool.evidence, supersedes=(*tool.evidence.supersedes, stale.name)))
        tools |= {stale.name: stale, name: newer}
        constants |= {stale.placeholder(brought): brought.type for brought in (*tool.finds, *tool.creates)}
    old = {domain.tools[name].call_name for name in wanted}
    real = [replace(one, name=one.name + STALE) for one in contracts.catalog.values() if one.name in old]
    return Contracts(replace(domain, tools=tools, constants=constants), _listed([*real, *contracts.catalog.values()]))


def _with_tools(contracts: Contracts, change: Callable[[Tool], Tool], described: Callable[[RealTool], RealTool]) -> Contracts:
    tools = {name: change(tool) for name, tool in contracts.domain.tools.items()}
    return Contracts(replace(contracts.domain, tools=tools), _listed(map(described, contracts.catalog.values())))


def _listed(tools: Iterable[RealTool]) -> Catalog:
    """The catalog of `tools`; without any it is not that of a server with no tools, but none."""
    return Catalog(tools) or NO_TOOLS


def _other_names(names: Iterable[str]) -> dict[str, str]:
    """A new name for each, in its order, and no name twice."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        other = _BREAK.sub(lambda match: match[1].upper(), name)
        other = other if other != name else name[:1].swapcase() + name[1:]
        while other in taken:
            other += "2"
        taken.add(other)
        given[name] = other
    return given


def _in_other_words(text: str) -> str:
    def other(match: re.Match[str]) -> str:
        word = WORDS.get(match[2].lower(), match[2])
        return match[1] + word[:1].upper() + word[1:]

    return _FIRST.sub(other, text)
