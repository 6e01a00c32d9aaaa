"""What equal values in results and later arguments say that contracts do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolplan.domain import ArgumentSource, AtomicFormula, Domain, Path, Tool
from toolplan.importing.linking import LIKELY, Link
from toolplan.importing.tools.naming import identifier
from toolplan.learning.called import contract_of
from toolplan.learning.contracts import SUPPORT
from toolplan.learning.proposals.changes import Change, Sign, text
from toolplan.learning.proposals.flows import Flow
from toolplan.learning.proposals.states import mentioned
from toolplan.planning.plans import written


def from_values(domain: Domain, flows: Iterable[Flow], links: Sequence[Link]) -> Iterator[tuple[str, Change]]:
    """The tools, by the names of their contracts, and what to change in them. The facts that are passed may have to be declared.

    An argument that mostly has a value of one place in a result is passed the fact that is found there. A link that an import has found
    between the two is told beside the evidence; where it is likely, one such value is enough.
    """
    known = {(link.producer, link.consumer, link.argument): link for link in links}
    facts: dict[tuple[str, str], AtomicFormula] = {}
    taken = list(_taken(domain, flows, known))
    # What a contract passes already gives a place its name, before one is made up.
    for each in sorted(taken, key=lambda each: each.passed is None):
        place = each.producer.name, each.flow.path
        atom = each.passed or facts.get(place) or _returned(domain, each)
        if isinstance(atom, AtomicFormula):
            facts.setdefault(place, atom)
            yield from _changes(each, atom)


class _Taken(NamedTuple):
    """An argument that comes out of a result, with the contracts at both ends, what is passed as it now, and the evidence in words."""

    producer: Tool
    consumer: Tool
    flow: Flow
    passed: ArgumentSource | None
    evidence: str


def _taken(domain: Domain, found: Iterable[Flow], links: Mapping[tuple[str, str, str], Link]) -> Iterator[_Taken]:
    for flow in found:
        producer, consumer = contract_of(domain, flow.producer), contract_of(domain, flow.consumer)
        if producer is None or consumer is None:
            continue
        link = links.get((producer.call_name, consumer.call_name, flow.argument))
        least = 1 if link is not None and link.confidence >= LIKELY else SUPPORT
        if flow.times >= least and 2 * flow.times > flow.calls:
            yield _Taken(producer, consumer, flow, consumer.interface.passes.get(flow.argument), _evidence(flow, link))


def _evidence(flow: Flow, link: Link | None) -> str:
    runs = f"{flow.times} of {flow.calls} calls have as {flow.argument} what {flow.producer} returned at {flow.path}"
    return runs if link is None else f"{runs}; by names {link.confidence:g}: {', '.join(link.evidence)}"


def _changes(taken: _Taken, atom: AtomicFormula) -> Iterator[tuple[str, Change]]:
    producer, consumer, flow, passed, evidence = taken
    if passed is None:
        # Whose entity it is, values do not say.
        if atom.terms:
            return
        yield consumer.name, Change(Sign.ADD, "passes", f"{written(flow.argument, ())} = {text(atom)}", evidence)
    if atom not in set(mentioned(consumer.requires)):
        yield consumer.name, Change(Sign.ADD, "requires", text(atom), evidence)
    if not atom.terms and atom not in {effect.atom for effect in producer.produces}:
        yield producer.name, Change(Sign.ADD, "produces", text(atom), evidence)
        if atom not in {each for each, _ in producer.interface.returns}:
            yield producer.name, Change(Sign.ADD, "returns", f"{text(atom)} = {flow.path}", evidence)


def _returned(domain: Domain, taken: _Taken) -> AtomicFormula:
    """The fact that the contract of the producer finds at the place, or a new one with the name of the argument."""
    for atom, reader in taken.producer.interface.returns:
        if reader == Path(taken.flow.path):
            return atom
    name = identifier(taken.flow.argument, "value")
    return AtomicFormula(identifier(f"{taken.producer.name}_{name}", "value") if name in domain.facts else name)
