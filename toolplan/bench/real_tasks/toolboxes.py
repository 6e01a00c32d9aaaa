"""Real tools with their contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import toolplan
from toolplan.bench.runs.menus import facts_in, words
from toolplan.catalog import Catalog, RealTool
from toolplan.domain import DEFAULT_RISK, ArgumentSource, AtomicFormula, Derived, Domain, Free
from toolplan.exposure.declarations import Declaration

FREE = Free()
READ = "read"


@dataclass(frozen=True)
class Toolbox:
    """Real tools, and contracts for most of them: `text` is a file of the language. One domain may stand behind many tasks."""

    name: str
    tools: tuple[RealTool, ...]
    text: str = field(repr=False)

    @property
    def domain(self) -> Domain:
        """The contracts."""
        return _loaded(self.text)

    @cached_property
    def contracts(self) -> Mapping[str, str]:
        """The contract of each real tool that has one; the last, where it has several."""
        called = {tool.call_name: name for name, tool in self.domain.tools.items()}
        found = {tool.name: called.get(tool.name, tool.name) for tool in self.tools}
        return {tool: contract for tool, contract in found.items() if contract in self.domain.tools}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The real tool of each contract, by the name of the contract and by what it calls."""
        real = {tool.name for tool in self.tools}
        shown = {name: tool.call_name if tool.call_name in real else name for name, tool in self.domain.tools.items()}
        return {**shown, **{self.domain.tools[name].call_name: tool for name, tool in shown.items()}}

    @cached_property
    def catalog(self) -> Catalog:
        """The real tools, those that have contracts under the names by which these call them."""
        called = {tool: self.domain.tools[contract].call_name for tool, contract in self.contracts.items()}
        return Catalog([replace(tool, name=called.get(tool.name, tool.name)) for tool in self.tools])

    @cached_property
    def always(self) -> tuple[str, ...]:
        """The real tools that are always visible."""
        return tuple(self.names[name] for name in self.domain.policy.always_visible)

    @cached_property
    def declarations(self) -> Mapping[str, Declaration]:
        """The real tools as they are: names, descriptions and schemas."""
        return {tool.name: Declaration(tool.name, tool.description, tool.schema) for tool in self.tools}

    @cached_property
    def open_declarations(self) -> Mapping[str, Declaration]:
        """The same without the arguments that a gate fills in."""
        return {tool.name: Declaration(tool.name, tool.description, self._open(tool)) for tool in self.tools}

    @cached_property
    def metadata(self) -> Mapping[str, frozenset[str]]:
        """The words of each tool's name, description, server, required and produced facts."""
        return {tool.name: words(" ".join([tool.name, tool.description, tool.origin, *self._facts(tool.name)])) for tool in self.tools}

    def risk_of(self, tool: str) -> str:
        """The usual level that weighs as much as that of its contract; without one, what the server says of it."""
        if tool in self.contracts:
            level = self.domain.risk_of(self.domain.tools[self.contracts[tool]])
            return next((usual.name for usual in DEFAULT_RISK if usual.safe is level.safe and usual.weight >= level.weight), "")
        return READ if any(each.name == tool and each.hints.get("readOnlyHint") is True for each in self.tools) else ""

    def fact_of(self, tool: str, argument: str) -> str | None:
        """The fact whose value `tool` is passed as `argument` in each call; None where there is none, or it may be left out."""
        source = self._passed(tool).get(argument)
        return source.fact if isinstance(source, AtomicFormula) else None

    def _passed(self, tool: str) -> Mapping[str, ArgumentSource]:
        return self.domain.tools[self.contracts[tool]].interface.passes if tool in self.contracts else {}

    def _facts(self, tool: str) -> list[str]:
        if tool not in self.contracts:
            return []
        contract = self.domain.tools[self.contracts[tool]]
        return [*facts_in(contract.requires), *(str(effect.atom) for effect in contract.produces)]

    def _open(self, tool: RealTool) -> Mapping[str, object]:
        passed = self._passed(tool.name)
        left = {name: schema for name, schema in tool.properties.items() if isinstance(passed.get(name, FREE), Derived | Free)}
        return {**tool.schema, "properties": left, "required": [name for name in tool.required if name in left]}


@cache
def _loaded(text: str) -> Domain:
    return toolplan.loads(text)
