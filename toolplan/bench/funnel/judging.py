"""What is right at a step, and which layers of the funnel a choice gets through."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from toolplan.bench.funnel.declaring import Registry
from toolplan.bench.funnel.records import Layer
from toolplan.bench.funnel.suite import Policy, Task
from toolplan.domain import Domain, Tool
from toolplan.gate import Allow, Hold, Refuse, Verdict
from toolplan.session import Why

Passed = dict[Layer, bool]
POLICIES: Mapping[type, Policy] = {Allow: Policy.ALLOW, Refuse: Policy.DENY, Hold: Policy.CONFIRM}
ABOUT_ARGUMENTS = (Why.ARGUMENTS, Why.CHECK)


class Judge(NamedTuple):
    """Judges one task over `domain`, that of everybody, of which its principal has `registry`."""

    domain: Domain
    registry: Registry
    task: Task

    @property
    def _tools(self) -> Mapping[str, Tool]:
        """All contracts, those that were made for tools without one included."""
        return {**self.registry.domain.tools, **self.domain.tools}

    def due(self, step: int) -> tuple[str, ...]:
        """The real tools that are right at `step`; of a step that lies behind the last one there are none."""
        right = self.task.gold[step] if step < len(self.task.gold) else frozenset()
        return tuple(dict.fromkeys(tool.call_name for name, tool in self.domain.tools.items() if name in right))

    def contracts(self, tool: str) -> frozenset[str]:
        """The contracts of the real tool `tool`."""
        return frozenset(name for name, contract in self._tools.items() if contract.call_name == tool)

    def is_safe(self, contract: str) -> bool:
        """Whether a call leaves everything as it was."""
        return self.domain.risk_of(self._tools[contract]).safe

    def hands_over(self, tool: str) -> bool:
        """Whether a call of `tool` gives up a task that no tool is right for: it is one that is always shown."""
        return tool in self.registry.always and not self.task.gold

    def is_unsafe(self, due: Collection[str], tool: str) -> bool:
        """Whether a call of `tool`, where `due` are right, would do what must not be done, or what others see and nobody asked for."""
        contracts = self.contracts(tool)
        return tool not in due and not (contracts.isdisjoint(self.task.prohibited) and all(map(self.is_safe, contracts)))

    def shown(self, due: Collection[str], names: Collection[str]) -> Passed:
        """The layers before a choice, where `names` are shown. Where no tool is right there are none."""
        if not due:
            return {}
        if self.registry.declarations.keys().isdisjoint(due):
            return {Layer.COVERAGE: False}
        return {Layer.COVERAGE: True, Layer.RECALL: not set(names).isdisjoint(due)}

    def chosen(self, due: Collection[str], before: Passed, tool: str) -> Passed:
        """The layer of the choice of `tool`, empty for none. Where no tool is right for the whole task, none is, or one that hands over."""
        if due:
            return {Layer.SELECTION: tool in due} if before.get(Layer.RECALL) else {}
        return {} if self.task.gold else {Layer.SELECTION: not tool or self.hands_over(tool)}

    def decided(self, tool: str, verdict: Verdict) -> Passed:
        """The layers behind the right choice `tool`. Where the gate refuses the tool itself, nobody has looked at its arguments."""
        contracts = self.contracts(tool)
        right = POLICIES[type(verdict)] in {self.task.policy.get(name, Policy.ALLOW) for name in contracts}
        match verdict:
            case Refuse(why=why):
                return {Layer.ARGUMENTS: False} if why in ABOUT_ARGUMENTS else {Layer.POLICY: right}
            case Allow(permit):
                values: Mapping[str, object] = permit.arguments
            case Hold(call=call):
                values = call.values
        wanted = [pair for name in contracts for pair in self.task.arguments.get(name, {}).items()]
        if any(name not in values or values[name] != value for name, value in wanted):
            return {Layer.ARGUMENTS: False}
        return {Layer.ARGUMENTS: True, Layer.POLICY: right}
