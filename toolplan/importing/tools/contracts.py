"""Contracts for real tools, as declarations of the language with comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from toolplan.catalog import RealTool
from toolplan.domain import DEFAULT_RISK, RiskLevel
from toolplan.importing import tree
from toolplan.importing.linking import Link
from toolplan.importing.tools.arguments import Arguments, Carried, arguments
from toolplan.importing.tools.kinds import Fixed
from toolplan.importing.tools.naming import IDENTIFIER, Given, Names, identifier
from toolplan.importing.tools.ratings import Ground, Rater
from toolplan.importing.tools.wording import first_sentence, phrases, question
from toolplan.language import nodes
from toolplan.language.diagnostics import quoted

FIRST = 1
"""The cost of a question that comes before any tool that may change something."""
LAST = 20
"""The cost of a question for what people hardly know: tools that look it up come first."""
SAYABLE = re.compile(r"\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:\*|\d+|'[^'\\\x00-\x1f\x7f-\x9f\ud800-\udfff]*')\])+")
"""Paths into a result, that the language has: none to the whole of it, and none with a quote inside quotes."""
TRUE, FALSE = tree.atom("true"), tree.atom("false")


class Commented(NamedTuple):
    """Declarations that stand together, below `comments`."""

    comments: tuple[str, ...]
    group: tree.Group


class Contracts:
    """The contracts of `tools` as far as schemas, hints and `links` tell; names that were `given` are kept."""

    def __init__(self, tools: Sequence[RealTool], links: Sequence[Link], rater: Rater, given: Given) -> None:
        self.tools, self._rater = tools, rater
        # Names that can stay keep them, whatever other names become.
        kept = {tool.name: tool.name for tool in tools if IDENTIFIER.fullmatch(tool.name)} | dict(given.tools)
        names = Names(kept.values())
        self.names = {tool.name: kept.get(tool.name) or names.unique(identifier(tool.name, "tool")) for tool in tools}
        self._done = {tool.name: names.unique(f"{self.names[tool.name]}_done") for tool in tools}
        self.arguments: Arguments = arguments(tools, links, names, given.facts)
        self._asks = {carried.name: names.unique(f"ask_{carried.name}") for carried in self.arguments.carried}

    def groups(self) -> Iterator[Commented]:
        """The levels of risk where they are not the usual ones, the facts, each tool with what it does and its goal, and last the questions."""
        if self._rater.levels != DEFAULT_RISK:
            yield Commented((), (tree.block("policy", tree.name(""), [tree.clause("risk", map(_level, self._rater.levels))]),))
        facts = tuple(map(fact_of, self.arguments.carried))
        if facts:
            yield Commented((), facts)
        for tool in self.tools:
            done = nodes.FactDeclaration(tree.name(self._done[tool.name]), (), None, (), (), None, tree.NOWHERE)
            yield Commented((), (done,))
            yield Commented(tuple(self._comments(tool)), (self._tool(tool),))
            required = [tree.atom(carried.name) for carried in self.arguments.required_by(tool)]
            yield Commented((), (goal_of(self.names[tool.name], tool.description, [tree.atom(self._done[tool.name])], required),))
        for carried in self.arguments.carried:
            yield Commented((), (ask_for(carried, self._asks[carried.name]),))

    def _comments(self, tool: RealTool) -> Iterator[str]:
        for carried in self.arguments.required_by(tool):
            for link in carried.producers.values():
                why = ", ".join(link.evidence)
                yield f"{carried.name}: from {quoted(link.producer)}, {quoted(link.path)} ({link.confidence:.2f}: {why})"
        rated = self._rater.rating(tool)
        yield f"risk {rated.risk}: {rated.reason}"

    def _tool(self, tool: RealTool) -> nodes.Block:
        name = self.names[tool.name]
        return tree.block("tool", tree.name(name), list(self._clauses(tool)), tool.name if tool.name != name else "")

    def _clauses(self, tool: RealTool) -> Iterator[nodes.Clause]:
        yield from _described(tool.description)
        if required := [tree.atom(carried.name) for carried in self.arguments.required_by(tool)]:
            yield tree.clause("requires", [tree.conjunction(required)])
        if passed := [self._passing(tool, argument) for argument in tool.properties]:
            yield tree.clause("passes", passed)
        told = list(self.arguments.told_by(tool.name))
        produced = [*(carried.name for carried, _ in told), self._done[tool.name]]
        yield tree.clause("produces", [nodes.Change(tree.atom(fact), None, tree.NOWHERE) for fact in produced])
        if read := [_returning(carried.name, link.path) for carried, link in told if tool.results and SAYABLE.fullmatch(link.path)]:
            yield tree.clause("returns", read)
        rated, gravest = self._rater.rating(tool), self._rater.gravest
        yield tree.clause("risk", [tree.name(rated.risk)])
        if rated.risk == gravest.name and gravest.confirm is None:
            yield tree.clause("confirm", [])
        if rated.ground is Ground.BELIEVED and rated.risk != "read" and tool.hints.get("idempotentHint") is True:
            yield tree.clause("idempotent", [])

    def _passing(self, tool: RealTool, argument: str) -> nodes.Passing:
        place = tool.name, argument
        kind = self.arguments.kinds[place]
        name = tree.name(argument) if argument.isidentifier() and argument.isascii() else tree.text(argument)
        if place in self.arguments.facts:
            return nodes.Passing(name, "=", tree.atom(self.arguments.facts[place].name), tree.NOWHERE)
        if isinstance(kind, Fixed) and argument in tool.required:
            return nodes.Passing(name, "=", _literal(kind), tree.NOWHERE)
        return nodes.Passing(name, "free", None, tree.NOWHERE)


def goal_of(name: str, description: str, achieves: Sequence[nodes.Formula], given: Sequence[nodes.Formula]) -> nodes.Block:
    """The goal of whoever wants the tool `name` run."""
    clauses = [*_described(description), tree.clause("achieves", [tree.conjunction(achieves)])]
    if given:
        clauses.append(tree.clause("given", given))
    clauses.append(tree.clause("phrases", map(tree.text, phrases([name], description))))
    return tree.block("goal", tree.name(name), clauses)


def ask_for(carried: Carried, name: str) -> nodes.Block:
    """The question for a fact: after tools that look it up where people hardly know it, and before any that may change something."""
    clauses = [
        tree.clause("", [tree.text(question(carried.said, carried.kind, carried.description))]),
        tree.clause("produces", [nodes.Change(tree.atom(carried.name), None, tree.NOWHERE)]),
    ]
    if carried.producers and not carried.is_read:
        clauses.append(tree.clause("cost", [tree.number(FIRST)]))
    elif carried.is_read and carried.is_opaque:
        clauses.append(tree.clause("cost", [tree.number(LAST)]))
    return tree.block("ask", tree.name(name), clauses)


def fact_of(carried: Carried) -> nodes.FactDeclaration:
    """The declaration of a fact."""
    kind = carried.kind
    value, options = (tree.name(kind.type.kind), tuple(map(tree.text, kind.type.options))) if kind.type else (None, ())
    traits = (nodes.Trait("many", "", tree.NOWHERE),) if kind.many else ()
    description = tree.text(carried.description) if carried.description else None
    return nodes.FactDeclaration(tree.name(carried.name), (), value, options, traits, description, tree.NOWHERE)


def _described(description: str) -> Iterator[nodes.Clause]:
    if sentence := first_sentence(description):
        yield tree.clause("", [tree.text(sentence)])


def _level(level: RiskLevel) -> nodes.Level:
    weight = tree.number(Decimal(level.weight.numerator) / Decimal(level.weight.denominator))
    return nodes.Level(tree.name(level.name), weight, level.safe, tree.name(level.confirm.by) if level.confirm else None, tree.NOWHERE)


def _returning(fact: str, path: str) -> nodes.Returning:
    return nodes.Returning(tree.atom(fact), nodes.PathText(path, tree.NOWHERE), tree.NOWHERE)


def _literal(kind: Fixed) -> nodes.Value:
    match kind.value:
        case bool() as truth:
            return TRUE if truth else FALSE
        case int() as number:
            return tree.number(number)
        case str() as words:
            return tree.text(words)
