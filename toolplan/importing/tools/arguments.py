"""Which arguments are one fact, and which results tell it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toolplan.catalog import RealTool
from toolplan.importing.linking import LIKELY, Link
from toolplan.importing.tools.kinds import Asked, Kind, kind_of
from toolplan.importing.tools.naming import Names, snake, words
from toolplan.importing.tools.ratings import Doing, doing
from toolplan.importing.tools.wording import first_sentence, gist

WHOLE = "$"
"""The path of a link to a result as a whole."""
NEAR = 0.02
"""How much less likely than the best a link may be that is adopted beside it."""
IDENTIFYING = frozenset("id uuid guid key number slug sha iid arn urn".split())
"""Last words of names of arguments that mean the same wherever they stand: `issue_number`."""
OPAQUE = frozenset("id uuid guid sha iid arn urn token hash cursor".split())
"""Last words of what people hardly know by heart."""

Place = tuple[str, str]
"""A tool and one of its arguments."""


@dataclass(frozen=True)
class Carried:
    """A fact that arguments take: its name, what the argument is called, its kind and description, and the links that tell it.

    `producers` are the tools whose results tell it; `is_read` where they only look.
    """

    name: str
    said: str
    kind: Asked
    description: str
    producers: Mapping[str, Link] = field(default_factory=dict)
    is_read: bool = False

    @property
    def is_opaque(self) -> bool:
        """Whether people hardly know its value."""
        return bool(OPAQUE.intersection(words(self.said)[-1:]))


@dataclass(frozen=True)
class Arguments:
    """`kinds` of all arguments, and the facts that required ones take, by place."""

    kinds: Mapping[Place, Kind]
    facts: Mapping[Place, Carried]

    @property
    def carried(self) -> tuple[Carried, ...]:
        """The facts, each once, in the order of the tools."""
        return tuple({carried.name: carried for carried in self.facts.values()}.values())

    def required_by(self, tool: RealTool) -> tuple[Carried, ...]:
        """The facts that `tool` takes, each once, in the order of its arguments."""
        taken = (self.facts[tool.name, name] for name in tool.properties if (tool.name, name) in self.facts)
        return tuple({carried.name: carried for carried in taken}.values())

    def told_by(self, tool: str) -> Iterator[tuple[Carried, Link]]:
        """The facts that the results of `tool` tell, each with the link."""
        return ((carried, carried.producers[tool]) for carried in self.carried if tool in carried.producers)


def arguments(tools: Sequence[RealTool], links: Iterable[Link], names: Names, given: Mapping[Place, str]) -> Arguments:
    """The facts of the required arguments of `tools`, with the likely ones of `links`, which stand best first.

    Arguments of different tools are one fact where they have one name and type, and identify something or are described alike; and where the
    same parts of the same results tell them. A fact is called as its arguments are in `given`, else as they are, but for a single word that
    says too little.
    """
    kinds = {(tool.name, name): kind_of(tool.properties.get(name), tool.schema) for tool in tools for name in tool.properties}
    described = {(tool.name, name): _description(tool, name) for tool in tools for name in tool.required}
    asked = {place: kind for place in described if isinstance(kind := kinds[place], Asked)}
    alike = _joined(((place,), (kind, _meaning(place, described[place]))) for place, kind in asked.items())
    doings = {tool.name: doing(tool) for tool in tools}
    told = _told(alike, links, doings)
    facts: dict[Place, Carried] = {}
    for places in _joined((group, (asked[group[0]], _source(told[group[0]]) or group[0])) for group in alike):
        # Of several names for one thing, one of several words says most.
        first = max((group for group in alike if group[0] in places), key=lambda group: (len(words(group[0][1])) > 1, len(group)))
        takers = {tool for tool, _ in places}
        producers = {tool: link for tool, link in told[first[0]].items() if tool not in takers}
        is_read = any(doings[tool] is Doing.READS for tool in producers)
        name, said = _name(first, names, given), first[0][1]
        facts |= dict.fromkeys(places, Carried(name, said, asked[first[0]], described[first[0]], producers, is_read))
    return Arguments(kinds, facts)


def _joined(groups: Iterable[tuple[Sequence[Place], Hashable]]) -> list[list[Place]]:
    """Groups of places with one key as one, in order. Two arguments of one tool stay apart: a transfer has two accounts."""
    found: dict[Hashable, list[list[Place]]] = {}
    every: list[list[Place]] = []
    for places, key in groups:
        tools = {tool for tool, _ in places}
        joined = next((known for known in found.get(key, []) if tools.isdisjoint(tool for tool, _ in known)), None)
        if joined is None:
            joined = []
            found.setdefault(key, []).append(joined)
            every.append(joined)
        joined.extend(places)
    return every


def _meaning(place: Place, description: str) -> Hashable:
    """What places of one meaning have in common: their names, and what they are said to be where that is not clear."""
    tool, name = place
    parts = words(name)
    return parts or name, _is_identifying(name) or gist(description) or len(parts) > 1 or tool


def _source(producers: Mapping[str, Link]) -> Hashable:
    """Which parts of which results tell it."""
    return frozenset((link.producer, link.path) for link in producers.values() if link.path != WHOLE)


def _name(places: Sequence[Place], names: Names, given: Mapping[Place, str]) -> str:
    known = next((given[place] for place in places if place in given), "")
    if known and names.take(known):
        return known
    tool, argument = places[0]
    plain, full = words(argument), snake((*words(tool), *words(argument)), "value")
    return names.unique(snake(plain, "value"), full) if len(places) > 1 or len(plain) > 1 else names.unique(full)


def _told(alike: Iterable[Sequence[Place]], links: Iterable[Link], doings: Mapping[str, Doing]) -> Mapping[Place, Mapping[str, Link]]:
    """The producers of each group of places, for each of its places: the likeliest and what comes near it.

    Where tools that only look are among them, it is those: nothing is changed for the sake of an identifier.
    """
    found: dict[Place, dict[str, Link]] = {}
    for places in alike:
        shared: dict[str, Link] = {}
        found |= dict.fromkeys(places, shared)
    for link in links:
        if link.confidence >= LIKELY and (producers := found.get((link.consumer, link.argument))) is not None:
            producers.setdefault(link.producer, link)
    return {place: _best(producers, doings) for place, producers in found.items()}


def _best(producers: Mapping[str, Link], doings: Mapping[str, Doing]) -> Mapping[str, Link]:
    reading = {tool: link for tool, link in producers.items() if doings[tool] is Doing.READS}
    chosen = reading or producers
    enough = max((link.confidence for link in chosen.values()), default=0.0) - NEAR
    return {tool: link for tool, link in chosen.items() if link.confidence >= enough}


def _is_identifying(name: str) -> bool:
    parts = words(name)
    return len(parts) > 1 and parts[-1] in IDENTIFYING


def _description(tool: RealTool, name: str) -> str:
    schema = tool.properties.get(name)
    found = schema.get("description") if isinstance(schema, Mapping) else None
    return first_sentence(found) if isinstance(found, str) else ""
