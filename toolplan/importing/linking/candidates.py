"""Pairs of ends that have something in common, with all evidence for and against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolplan.catalog import RealTool
from toolplan.importing.linking.ends import Argument, Ends, Value, ends
from toolplan.importing.linking.evidence import OF_KIND, RANK, RELATIONS, WEAK, Evidence
from toolplan.importing.linking.lexicon import CHANGING, FINDING, KEYS, MAKING, SETTINGS
from toolplan.importing.linking.relations import relations, thing_of
from toolplan.importing.linking.shelves import Shelves
from toolplan.importing.linking.words import Words, ends_with


class Candidate(NamedTuple):
    """A value that may fill an argument, with what speaks for it and against it: a relation first, the others in the order of `Evidence`."""

    producer: str
    path: str
    consumer: str
    argument: str
    evidence: tuple[Evidence, ...]


class _Place(NamedTuple):
    """An argument, and the tool that takes it."""

    consumer: Ends
    argument: Argument


class _Found(NamedTuple):
    """A value that is related to an argument. The smaller, the better; the path decides before two values are compared."""

    rank: int
    depth: int
    path: str
    value: Value

    @property
    def relation(self) -> Evidence:
        return RELATIONS[self.rank]


def candidates(tools: Sequence[RealTool]) -> Iterator[Candidate]:
    """For each argument of each tool the best value of every other tool that has one. What is one of a few values needs no tool to find it."""
    shelves = Shelves([ends(tool) for tool in tools])
    for consumer in shelves.tools.values():
        for argument in consumer.arguments:
            if argument.own and not argument.choice:
                yield from _of(_Place(consumer, argument), shelves)


def _of(place: _Place, shelves: Shelves) -> Iterator[Candidate]:
    best = _best(place, shelves)
    named = shelves.named(place.argument) - {place.consumer.tool.name}
    for name in sorted(best.keys() | named):
        producer, found = shelves.tools[name], best.get(name)
        evidence = {*_of_tools(place, producer, named)}
        if found is not None:
            evidence |= {found.relation, *_of_value(place, producer, found, shelves.taken[name])}
        path = producer.result if found is None else found.path
        ordered = tuple(kind for kind in Evidence if kind in evidence)
        yield Candidate(name, path, place.consumer.tool.name, place.argument.name, ordered)


def _best(place: _Place, shelves: Shelves) -> dict[str, _Found]:
    """The value of each other tool that is related best; of several the outermost, and of these the first by path."""
    best: dict[str, _Found] = {}
    for value in shelves.near(place.argument):
        producer = shelves.tools[value.tool]
        related = relations(place.argument, value) if producer is not place.consumer else ()
        first = next((one for one in related if _is_plausible(one, place, producer, value)), None)
        if first is not None:
            found = _Found(RANK[first], value.depth, value.path, value)
            best[value.tool] = min(best.get(value.tool, found), found, key=lambda one: one[:3])
    return best


def _is_plausible(related: Evidence, place: _Place, producer: Ends, value: Value) -> bool:
    """Whether the tools allow the relation. A tool that writes is given its material, and one that changes things finds none."""
    if related in WEAK:
        return producer.tool.origin == place.consumer.tool.origin
    if related is Evidence.SAME_MATERIAL:
        return not _writes(place.consumer)
    if related is Evidence.HOLDS_THING and not value.own:
        return producer.subject.verb not in CHANGING and not _is_other_sort(place, producer)
    return True


def _is_other_sort(place: _Place, producer: Ends) -> bool:
    """Whether two tools are about two sorts of a thing, as those for code scanning alerts and for secret scanning alerts are."""
    thing, produced, consumed = thing_of(place.argument.whole), producer.subject.thing, place.consumer.subject.thing
    both = ends_with(produced, thing) and ends_with(consumed, thing) and thing not in (produced, consumed)
    return both and not ends_with(produced, consumed) and not ends_with(consumed, produced)


def _writes(tool: Ends) -> bool:
    return tool.subject.verb in MAKING | CHANGING


def _of_tools(place: _Place, producer: Ends, named: frozenset[str]) -> Iterator[Evidence]:
    if named:
        yield Evidence.NAMED if producer.tool.name in named else Evidence.ANOTHER_NAMED
    if not place.argument.required:
        yield Evidence.OPTIONAL
    if place.argument.own[-1] in SETTINGS:
        yield Evidence.SETTING
    if producer.tool.origin != place.consumer.tool.origin:
        yield Evidence.OTHER_SERVER


def _of_value(place: _Place, producer: Ends, found: _Found, taken: frozenset[Words]) -> Iterator[Evidence]:
    argument, value = place.argument, found.value
    if _is_of_other_type(argument, value):
        yield Evidence.OTHER_TYPE
    if found.relation in OF_KIND:
        return
    if taken & {argument.whole, value.own, value.whole}:
        yield Evidence.ECHO
    elif producer.subject.verb in FINDING | MAKING and ends_with(producer.subject.thing, thing_of(argument.whole)):
        yield Evidence.SOURCE
    if argument.own[-1] not in KEYS:
        yield Evidence.PLAIN
        if _writes(place.consumer):
            yield Evidence.WRITTEN


def _is_of_other_type(argument: Argument, value: Value) -> bool:
    """Whether no type is common to both. A key may be a number here and a text there."""
    if not argument.types or not value.types or not argument.types.isdisjoint(value.types):
        return False
    return argument.own[-1] not in KEYS or not (argument.types | value.types) <= {"number", "string"}
