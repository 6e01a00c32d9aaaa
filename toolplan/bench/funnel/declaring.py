"""What there is to choose from: the tools that a caller may use, and what a model reads of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolplan.catalog import Catalog
from toolplan.domain import ArgumentSource, AtomicFormula, Derived, Domain
from toolplan.exposure.declarations import Declaration, described, real_names
from toolplan.retrieval import Document, collapsed, domain_documents


@dataclass(frozen=True)
class Registry:
    """The real tools of `domain`, which is that of a caller: their declarations by name, those that are always shown, and those searched for.

    What is superseded, and copies, are not searched for.
    """

    domain: Domain
    declarations: Mapping[str, Declaration]
    always: tuple[str, ...]
    documents: tuple[Document, ...]


def registry_of(domain: Domain, catalog: Catalog) -> Registry:
    """The registry of `domain`. Schemas are those of `catalog`, where it has them, else what contracts pass."""
    declarations = described(domain, catalog, real_names(domain))
    declared = {name: one if name in catalog else _explained(domain, one) for name, one in declarations.items()}
    always = dict.fromkeys(domain.tools[name].call_name for name in domain.policy.always_visible)
    documents = collapsed(domain_documents(domain, catalog)).documents
    searched = tuple(document for document in documents if document.name not in always)
    return Registry(domain, declared, tuple(name for name in always if name in declared), searched)


def _explained(domain: Domain, declaration: Declaration) -> Declaration:
    """`declaration`, made of contracts alone, with what each argument is and the fact that it comes from; without what can only be one thing."""
    sources: dict[str, ArgumentSource] = {}
    for contract in domain.tools.values():
        if contract.call_name == declaration.name:
            sources = {**contract.interface.passes, **sources}
    properties = declaration.schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    explained = {name: {**kind, **_explanation(domain, sources[name])} for name, kind in known.items() if not _is_fixed(kind)}
    description = " ".join([declaration.description, *_warnings(domain, declaration.name)]).strip()
    return replace(declaration, description=description, schema={**declaration.schema, "properties": explained})


def _is_fixed(kind: Mapping[str, object]) -> bool:
    options = kind.get("enum")
    return isinstance(options, list) and len(options) == 1


def _explanation(domain: Domain, source: ArgumentSource) -> Mapping[str, object]:
    match source:
        case AtomicFormula(fact=fact) | Derived(sources=(AtomicFormula(fact=fact), *_)):
            return {"description": f"{domain.facts[fact].description} ({fact})".strip()}
        case _:
            return {}


def _warnings(domain: Domain, name: str) -> list[str]:
    """When to use a tool, and when not to, as its contracts say."""
    evidence = [contract.evidence for contract in domain.tools.values() if contract.call_name == name]
    uses = dict.fromkeys(f"Use it when {reason.rstrip('. ')}." for one in evidence for reason in one.use_when)
    warnings = dict.fromkeys(f"Do not use it when {reason.rstrip('. ')}." for one in evidence for reason in one.do_not_use_when)
    return [*uses, *warnings]
