"""What there is to search of a tool, and to say of it: one document for each real tool.

Where a contract describes its tool, the words of the server are not searched: whoever rewrites a description moves no tool that was reviewed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolplan.catalog import NO_TOOLS, Catalog, RealTool
from toolplan.domain import Domain, Performer, Tool
from toolplan.language.codec import digest

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
NO_WORD = re.compile(r"[\W_]+")
CHARACTERS_OF_A_TOKEN = 4
"""Characters of English, or of JSON with English in it, that are one token to most models; an estimate for budgets, not for bills."""


@dataclass(frozen=True, slots=True)
class Document:
    """A real tool to be found by its name, its `description` and the `words` beside it: its capabilities, and when to use it.

    `avoid` is when not to use it. `id` is the name that it has wherever it is offered, empty where nobody gave it one, `server` is who offers
    it here, and `supersedes` are the real tools in whose place it stands. `schema` is the digest of the schema of its arguments, empty where
    that names none, and `tokens` is about how much of a context its definition takes.
    """

    name: str
    description: str = ""
    words: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    id: str = ""
    server: str = ""
    supersedes: tuple[str, ...] = ()
    schema: str = ""
    tokens: int = 0

    @property
    def text(self) -> str:
        """All that is searched."""
        return ". ".join(text.rstrip(". ") for text in (words_of(self.name), self.description, *self.words) if text)

    @property
    def lines(self) -> list[str]:
        """What a model reads of it, when not to use it included."""
        warnings = [f"Do not use it when {reason.rstrip('. ')}." for reason in self.avoid]
        return [f"`{self.name}`: {self.description}" if self.description else f"`{self.name}`", *warnings]


def words_of(name: str) -> str:
    """The words in `name`, in lower case: `FindEvents` and `find_events` are both `find events`."""
    return NO_WORD.sub(" ", HUMP.sub(" ", name)).strip().lower()


def tool_documents(tools: Iterable[RealTool]) -> tuple[Document, ...]:
    """The documents of real tools without contracts, in their order."""
    return tuple(_of_tool(tool) for tool in tools)


def domain_documents(domain: Domain, catalog: Catalog = NO_TOOLS) -> tuple[Document, ...]:
    """The documents of the real tools that contracts of `domain` call, in order of declaration.

    Several contracts of one tool make one document. What `domain` withholds from a principal has none, so that it is neither found, named
    nor counted. Descriptions of `catalog` stand in for those that contracts do not have.
    """
    calling: dict[str, list[Tool]] = {}
    for tool in domain.tools.values():
        if tool.performer is Performer.CALL:
            calling.setdefault(tool.call_name, []).append(tool)
    called = {contract.name: contract.call_name for contracts in calling.values() for contract in contracts}
    return tuple(_of_contracts(name, contracts, catalog.get(name), called) for name, contracts in calling.items())


def _of_tool(tool: RealTool) -> Document:
    return Document(tool.name, tool.description, server=tool.origin, schema=_schema(tool), tokens=_tokens(tool))


def _of_contracts(name: str, contracts: Sequence[Tool], real: RealTool | None, called: Mapping[str, str]) -> Document:
    evidence = [contract.evidence for contract in contracts]
    described = [contract.description for contract in contracts if contract.description]
    capabilities = _once(capability for one in evidence for capability in one.capability)
    named = (words_of(other) for other in (*(contract.name for contract in contracts), *capabilities))
    older = (called.get(older, older) for one in evidence for older in one.supersedes)
    tool = real or RealTool(name, " ".join(described))
    return Document(
        name,
        " ".join(_once(described)) or tool.description,
        words=_once((*(words for words in named if words != words_of(name)), *(reason for one in evidence for reason in one.use_when))),
        avoid=_once(reason for one in evidence for reason in one.do_not_use_when),
        capabilities=capabilities,
        id=next((one.id for one in evidence if one.id), ""),
        server=next((one.server for one in evidence if one.server), tool.origin),
        supersedes=_once(other for other in older if other != name),
        schema=_schema(tool),
        tokens=_tokens(tool),
    )


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _schema(tool: RealTool) -> str:
    return digest(tool.schema) if tool.properties else ""


def _tokens(tool: RealTool) -> int:
    definition = json.dumps({"name": tool.name, "description": tool.description, "schema": tool.schema}, ensure_ascii=False)
    return math.ceil(len(definition) / CHARACTERS_OF_A_TOKEN)
