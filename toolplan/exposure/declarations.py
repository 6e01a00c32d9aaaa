"""What a provider is told of a tool: the schema of its server, or what can be said of it by its contracts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolplan.catalog import Catalog
from toolplan.domain import (
    ArgumentSource,
    AtomicFormula,
    Derived,
    Domain,
    Free,
    IfKnown,
    Items,
    Literal,
    Performer,
    Tool,
    ValueType,
    Variable,
)

DISPATCHER = "call"
"""The one tool that calls all others."""

JSON_TYPES: Mapping[str, Mapping[str, object]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "decimal": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "duration": {"type": "string"},
    "email": {"type": "string", "format": "email"},
    "url": {"type": "string", "format": "uri"},
}
"""By the kind of a fact's value; of any other kind, anything goes."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A tool under the name that the provider is shown. A deferred one is declared, but not put before the model."""

    name: str
    description: str
    schema: Mapping[str, object]
    deferred: bool = False


def real_names(domain: Domain) -> tuple[str, ...]:
    """The real tools that contracts of `domain` call, in order of declaration."""
    return tuple(dict.fromkeys(tool.call_name for tool in domain.tools.values() if tool.performer is Performer.CALL))


def described(domain: Domain, catalog: Catalog, names: Sequence[str]) -> dict[str, Declaration]:
    """The real tools `names`, by name: descriptions and schemas of the catalog as they are, else what follows from the contracts."""
    contracts: dict[str, list[Tool]] = {name: [] for name in names}
    for tool in domain.tools.values():
        if tool.call_name in contracts and tool.performer is Performer.CALL:
            contracts[tool.call_name].append(tool)
    return {name: _described(domain, catalog, name, calling) for name, calling in contracts.items()}


def _described(domain: Domain, catalog: Catalog, name: str, contracts: Sequence[Tool]) -> Declaration:
    if name in catalog:
        return Declaration(name, catalog[name].description, catalog[name].schema)
    return Declaration(name, contracts[0].description, schema_of(domain, contracts))


def schema_of(domain: Domain, contracts: Sequence[Tool]) -> Mapping[str, object]:
    """The schema of the real tool that all of `contracts` call. What a contract binds may be left out; what the model derives may not.

    It is the same in every state. Without `passes` nothing is said of the arguments.
    """
    if not all(tool.interface.passes for tool in contracts):
        return {"type": "object", "properties": {}}
    sources: dict[str, list[ArgumentSource]] = {}
    for tool in contracts:
        for name, source in tool.interface.passes.items():
            sources.setdefault(name, []).append(source)
    required = [name for name, given in sources.items() if len(given) == len(contracts) and all(isinstance(one, Derived) for one in given)]
    properties = {name: _any_of([_type_of(domain, source) for source in given]) for name, given in sources.items()}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _any_of(schemas: Sequence[Mapping[str, object]]) -> Mapping[str, object]:
    """What fits one of `schemas`: contracts of one tool are told apart by the literals that they pass."""
    different = [schema for place, schema in enumerate(schemas) if schema not in schemas[:place]]
    return different[0] if len(different) == 1 else {"anyOf": different}


def _type_of(domain: Domain, source: ArgumentSource) -> Mapping[str, object]:
    match source:
        case Literal(value):
            return {"enum": [value]}
        case Variable():
            return {"type": "string"}
        case AtomicFormula(fact=fact) | IfKnown(AtomicFormula(fact=fact)):
            return _value_type(domain.facts[fact].value)
        case Items():
            return {"type": "array"}
        case Derived() | Free():
            return {}


def _value_type(kind: ValueType | None) -> Mapping[str, object]:
    match kind:
        case ValueType("enum", options):
            return {"type": "string", "enum": list(options)}
        case ValueType(kind=name):
            return JSON_TYPES.get(name, {})
        case None:
            return {}


def dispatcher(arguments: Mapping[str, object]) -> Declaration:
    """The tool that calls all others; `arguments` is the schema in which the provider takes what is passed on."""
    properties = {
        "name": {"type": "string", "description": "A tool that the latest note says can be called."},
        "arguments": {**arguments, "description": "Its arguments, by the schema in that note."},
    }
    schema = {"type": "object", "properties": properties, "required": ["name", "arguments"], "additionalProperties": False}
    return Declaration(DISPATCHER, "Calls a tool by name. The latest note says which tools can be called, and with what.", schema)
