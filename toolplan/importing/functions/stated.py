"""Contracts that stand beside code, as blocks of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from toolplan.catalog import RealTool
from toolplan.contract import Clauses
from toolplan.importing import tree
from toolplan.importing.tools.naming import IDENTIFIER, identifier
from toolplan.importing.tools.wording import first_sentence
from toolplan.language import nodes, notation
from toolplan.language.diagnostics import DomainError
from toolplan.language.parser import parse
from toolplan.language.source import Source

TEXTS = ("server", "scopes", "roles", "tenants", "environments", "owner", "version", "use_when", "do_not_use_when", "side_effect")
"""Clauses whose items are texts, and stand in quotes."""


@dataclass(frozen=True)
class Stated:
    """The contract of a function: the real tool that it is, where its arguments come from, and the block."""

    tool: RealTool
    passes: Mapping[str, str]
    text: str
    block: nodes.Block

    @property
    def name(self) -> str:
        """The name of the contract."""
        return identifier(self.tool.name, "tool")

    def atoms(self, *words: str) -> tuple[nodes.Formula, ...]:
        """The atoms in the clauses that begin with one of `words`, each once, in order."""
        values = (value for clause in self.block.clauses if clause.word in words for value in clause.values)
        return tuple(dict.fromkeys(atom for value in values for atom in _atoms(value)))

    def types(self) -> Mapping[str, str]:
        """The types of its parameters and of the objects that it brings, by name."""
        values = (value for clause in self.block.clauses if clause.word in ("finds", "creates") for value in clause.values)
        typed = (value for value in (*self.block.parameters, *values) if isinstance(value, nodes.Typed))
        return {value.name.text: value.type.text for value in typed if value.name}

    def optional(self) -> Mapping[str, str]:
        """The facts without objects that are passed only if they are known, with the argument that takes each."""
        found: dict[str, str] = {}
        for value in (value for clause in self.block.clauses if clause.word == "passes" for value in clause.values):
            match value:
                case nodes.Passing(argument, "if known", nodes.Formula(fact, None)):
                    found[fact.text] = argument.text if isinstance(argument, nodes.Name) else argument.value
        return found


def stated(function: Callable[..., Any], tool: RealTool, clauses: Clauses) -> Stated:
    """The contract `clauses` of `function`. An argument that is called as a parameter or a required fact takes it; others are the model's.

    Raises DomainError, with the text that they make, where they cannot be read.
    """
    bare = Stated(tool, {}, *_read(function, tool, clauses, {}))
    facts = {atom.name.text for atom in bare.atoms("requires") if atom.terms is None}
    taken = facts.union(parameter.name.text for parameter in bare.block.parameters if parameter.name)
    passes = {name: name if name in taken else "free" for name in tool.properties} | dict(clauses.get("passes", {}))
    return Stated(tool, passes, *_read(function, tool, clauses, passes))


def _read(function: Callable[..., Any], tool: RealTool, clauses: Clauses, passes: Mapping[str, str]) -> tuple[str, nodes.Block]:
    text = "\n".join(_lines(tool, clauses, passes))
    file, findings = parse(Source(f"contract of {function.__module__}.{function.__qualname__}", text))
    if findings:
        raise DomainError(findings)
    (block,) = (node for node in file.declarations if isinstance(node, nodes.Block))
    return text, block


def _lines(tool: RealTool, clauses: Clauses, passes: Mapping[str, str]) -> Iterator[str]:
    name = identifier(tool.name, "tool")
    parameters = f"({_listed(clauses['parameters'])})" if clauses.get("parameters") else ""
    yield f"tool {name}{parameters}{'' if name == tool.name else f' calls {_quoted(tool.name)}'} {{"
    if description := first_sentence(tool.description):
        yield _quoted(description)
    if "requires" in clauses:
        yield _clause("requires", clauses["requires"])
    # A list of facts that an argument is derived from ends the clause.
    yield from (f"passes {_passed(argument, source)}" for argument, source in passes.items() if source.startswith("from "))
    if others := [_passed(argument, source) for argument, source in passes.items() if not source.startswith("from ")]:
        yield f"passes {', '.join(others)}"
    for word, value in cast(Mapping[str, Any], clauses).items():
        if word not in ("parameters", "requires", "passes") and value is not False:
            yield _clause(word, value)
    yield "}"


def _passed(argument: str, source: str) -> str:
    written = notation.argument(tree.name(argument) if IDENTIFIER.fullmatch(argument) else tree.text(argument))
    return f"{written} {source}" if source == "free" or source.startswith("from ") else f"{written} = {source}"


def _clause(word: str, value: Any) -> str:
    said = word.replace("_", " ")
    if value is True:
        return said
    if isinstance(value, Mapping):
        return f"{said} {', '.join(f'{fact} = {path}' for fact, path in value.items())}"
    if word in TEXTS:
        return f"{said} {', '.join(map(_quoted, [value] if isinstance(value, str) else value))}"
    return f"{said} {'by ' if word == 'confirm' else ''}{_listed(value)}"


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set | frozenset) else str(value)


def _quoted(text: str) -> str:
    return notation.text(tree.text(text))


def _atoms(node: object) -> Iterator[nodes.Formula]:
    """The atoms of a condition or an effect."""
    match node:
        case nodes.Formula():
            yield node
        case nodes.Change(atom, condition):
            yield atom
            yield from _atoms(condition)
        case nodes.OneOf(outcomes):
            for outcome in outcomes:
                for change in outcome:
                    yield from _atoms(change)
        case nodes.Negation(item=item) | nodes.Quantified(item=item):
            yield from _atoms(item)
        case nodes.Conjunction(items=items) | nodes.Disjunction(items=items) | nodes.QuantifiedChange(changes=items):
            for part in items:
                yield from _atoms(part)
