"""Python functions to a domain: contracts that stand beside the code where there are some, and else from signatures.

- `gather`: the domain of some functions, with the catalog and the callables behind it. `of_module`: of a module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from toolplan.catalog import Catalog
from toolplan.contract import contract_of
from toolplan.domain import OBJECT, Domain
from toolplan.importing import tree
from toolplan.importing.functions.signatures import tool_of
from toolplan.importing.functions.stated import Stated, stated
from toolplan.importing.tools import Given, Imported, imported
from toolplan.importing.tools.arguments import Carried
from toolplan.importing.tools.contracts import ask_for, fact_of, goal_of
from toolplan.importing.tools.kinds import Asked, kind_of
from toolplan.language import nodes
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.formatter import format_source
from toolplan.language.loading import loads
from toolplan.language.parser import parse
from toolplan.language.source import Source

__all__ = ["Gathered", "gather", "of_module"]


@dataclass(frozen=True, eq=False)
class Gathered:
    """What became of functions: `catalog` has them as real tools, `callables` are they themselves by name."""

    imported: Imported
    catalog: Catalog
    callables: Mapping[str, Callable[..., Any]]

    @property
    def domain(self) -> Domain:
        """The domain of the functions."""
        return self.imported.domain


def gather(*functions: Callable[..., Any], name: str = "functions", beside: str = "") -> Gathered:
    """The domain `name` of `functions` and of what `beside` declares, a text of the language.

    Facts and types that contracts name are declared, unless `beside` does it; so is a goal for each tool and a question for each fact that
    nothing else makes known. A function without a contract gets one by its signature, with the gravest risk. Raises DomainError.
    """
    callables: dict[str, Callable[..., Any]] = {}
    for function in functions:
        first = callables.setdefault(function.__name__, function)
        if first is not function:
            places = " and ".join(quoted(f"{one.__module__}.{one.__qualname__}") for one in (first, function))
            message, hint = f"two functions are called {quoted(function.__name__)}: {places}", "rename one of them"
            raise DomainError([Diagnostic(Code.NAME_CLASH, message, None, hint)])
    return _gathered(callables, name, beside)


def _gathered(callables: Mapping[str, Callable[..., Any]], name: str, beside: str) -> Gathered:
    """The same for functions by the names of their tools."""
    catalog = Catalog([replace(tool_of(function), name=called) for called, function in callables.items()])
    contracts = [
        stated(callables[tool.name], tool, clauses)
        for tool in catalog.values()
        if (clauses := contract_of(callables[tool.name])) is not None
    ]
    declared = _declared(beside)
    others = [tool for tool in catalog.values() if contract_of(callables[tool.name]) is None]
    called = {contract.tool.name: contract.name for contract in contracts} | {text: text for _, text in declared}
    made = imported(others, name=name, given=Given(called))
    pieces = [made.text, beside, *_added(contracts, declared | _declared(made.text))]
    text = format_source(Source(f"{name}.toolplan", "\n".join(pieces)))
    names = Given({tool: called.get(tool) or made.names.tools[tool] for tool in catalog}, made.names.facts)
    return Gathered(replace(made, domain=loads(text), text=text, names=names), catalog, callables)


def of_module(name: str) -> Gathered:
    """The domain of the public functions that the module `name` defines, in their order, under the first name that it has for each.

    Raises DomainError where it cannot be imported.
    """
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:
        # Whatever the module does as it is loaded is its author's to mend.
        reason = f"{type(error).__name__}: {error}"
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot import {quoted(name)}: {reason}")]) from error
    defined: dict[Callable[..., Any], str] = {}
    for called, function in vars(module).items():
        if inspect.isfunction(function) and function.__module__ == module.__name__ and not called.startswith("_"):
            defined.setdefault(function, called)
    if not defined:
        message = f"{quoted(name)} defines no public function"
        raise DomainError([Diagnostic(Code.BAD_CALL, message, None, "name the module in which the functions stand")])
    return _gathered({called: function for function, called in defined.items()}, name.rpartition(".")[2], "")


Declared = frozenset[tuple[str, str]]
"""Kinds and names of what a text declares."""


def _declared(text: str) -> Declared:
    file, findings = parse(Source("<beside>", text))
    if findings:
        raise DomainError(findings)
    return frozenset(key for node in file.declarations for key in _keys(node))


def _keys(node: nodes.Declaration) -> Iterator[tuple[str, str]]:
    match node:
        case nodes.Block(kind=kind, name=nodes.Name(text=text)):
            yield kind, text
        case nodes.TypeDeclaration(name=name):
            yield "type", name.text
        case nodes.FactDeclaration(name=name):
            yield "fact", name.text
        case nodes.ConstantDeclaration(names=names):
            for name in names:
                yield "constant", name.text


def _added(contracts: Sequence[Stated], declared: Declared) -> Iterator[str]:
    """What the contracts name and nothing declares, the contracts, their goals, and the questions for what nothing makes known."""
    types = dict.fromkeys(kind for contract in contracts for kind in contract.types().values())
    named = (kind for kind in types if ("type", kind) not in declared and kind != OBJECT)
    yield tree.formatted(tuple(nodes.TypeDeclaration(tree.name(kind), None, None, tree.NOWHERE) for kind in named))
    facts = {name: fact for name, fact in _facts(contracts).items() if ("fact", name) not in declared}
    yield tree.formatted(tuple(facts.values()))
    made = {atom.name.text for contract in contracts for atom in contract.atoms("produces", "verifies")}
    for contract in contracts:
        yield contract.text
        plain = [atom for atom in contract.atoms("produces", "verifies") if atom.terms is None]
        if plain and ("goal", contract.name) not in declared:
            given = [atom for atom in contract.atoms("requires") if atom.terms is None and atom.name.text not in made]
            yield tree.formatted((goal_of(contract.name, contract.tool.description, plain, given),))
    for name, carried in _carried(contracts).items():
        if name in facts and name not in made:
            yield tree.formatted((ask_for(carried, f"ask_{name}"),))


def _facts(contracts: Sequence[Stated]) -> Mapping[str, nodes.FactDeclaration]:
    """Declarations of the facts that contracts name: with the types of the objects in them, or of the arguments that they are."""
    carried = _carried(contracts)
    found: dict[str, nodes.FactDeclaration] = {}
    for contract in contracts:
        types = contract.types()
        for atom in contract.atoms("requires", "produces", "removes", "verifies"):
            name = atom.name.text
            if atom.terms is None:
                found.setdefault(name, fact_of(carried.get(name) or Carried(name, name, Asked(None), "")))
            elif all(isinstance(term, nodes.Name) and term.text in types for term in atom.terms):
                places = tuple(
                    nodes.Typed(None, tree.name(types[term.text]), tree.NOWHERE) for term in atom.terms if isinstance(term, nodes.Name)
                )
                found.setdefault(name, nodes.FactDeclaration(atom.name, places, None, (), (), None, tree.NOWHERE))
    for contract in contracts:
        for name, argument in contract.optional().items():
            found.setdefault(name, fact_of(_as_argument(contract, name, argument)))
    return found


def _carried(contracts: Sequence[Stated]) -> Mapping[str, Carried]:
    """The required facts without objects, with what is said of the first argument that takes each."""
    found: dict[str, Carried] = {}
    for contract in contracts:
        argument_of = {source.removesuffix(" if known"): argument for argument, source in reversed(list(contract.passes.items()))}
        for atom in contract.atoms("requires"):
            name = atom.name.text
            if atom.terms is None and (name not in found or found[name].kind.type is None):
                found[name] = _as_argument(contract, name, argument_of.get(name, name))
    return found


def _as_argument(contract: Stated, fact: str, argument: str) -> Carried:
    schema = contract.tool.properties.get(argument)
    if not isinstance(schema, Mapping):
        return Carried(fact, fact, Asked(None), "")
    kind = kind_of(schema, contract.tool.schema)
    return Carried(fact, fact, kind if isinstance(kind, Asked) else Asked(None), str(schema.get("description", "")))
