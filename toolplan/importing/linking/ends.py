"""Both ends of a link: an argument that a tool takes, and a value in what a tool returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolplan.catalog import RealTool
from toolplan.importing.linking.lexicon import ASPECTS, MATERIAL, NAMELESS, PARTS
from toolplan.importing.linking.schemas import Node, Schema, described, is_choice, is_parted, media, nodes, types
from toolplan.importing.linking.subjects import Subject, subject
from toolplan.importing.linking.words import Words, words

FIRST_WORDS = 60
"""How many words of a description are read: links are told of early, and examples come late."""


@dataclass(frozen=True, slots=True)
class Argument:
    """`own` are the words of its name; `whole` those with its thing before them, where the name alone says only an aspect, such as `id`.

    `choice` says that it is one of a few values, `told` are the words of its description.
    """

    name: str
    own: Words
    whole: Words
    types: frozenset[str]
    required: bool
    choice: bool
    told: Words


@dataclass(frozen=True, slots=True)
class Value:
    """The same of a value in a result, `depth` levels inside. `own` is empty for the whole result, and for what is only called `result`.

    `opaque` says that it may have parts of which no schema tells.
    """

    tool: str
    path: str
    depth: int
    own: Words
    whole: Words
    types: frozenset[str]
    opaque: bool


@dataclass(frozen=True, slots=True)
class Ends:
    """A tool with all its ends."""

    tool: RealTool
    subject: Subject
    arguments: tuple[Argument, ...]
    values: tuple[Value, ...]

    @property
    def result(self) -> str:
        """The path of all that it returns."""
        return next((value.path for value in self.values if not value.own), "$")


def ends(tool: RealTool) -> Ends:
    """Everything that `tool` takes and returns. Where its results have no schema, they are one value of which only its thing is known."""
    about = subject(tool.name)
    return Ends(tool, about, tuple(_arguments(tool, about)), tuple(_values(tool, about)))


def _arguments(tool: RealTool, about: Subject) -> Iterator[Argument]:
    required = frozenset(tool.required)
    for name, written in tool.properties.items():
        schema = written if isinstance(written, Mapping) else {}
        own, told = _own(name, schema), words(described(schema))[:FIRST_WORDS]
        kinds, choice = types(schema, tool.schema), is_choice(schema, tool.schema)
        yield Argument(name, own, _whole(own, about.thing), kinds, name in required, choice, told)


def _values(tool: RealTool, about: Subject) -> Iterator[Value]:
    """Of several values that are named alike the outermost, and of these the first by path."""
    if not tool.results:
        yield Value(tool.name, "$", 0, (), about.thing, frozenset(), True)
    seen: set[tuple[Words, Words, frozenset[str], bool]] = set()
    for value in sorted((_value(tool, node, about) for node in nodes(tool.results)), key=lambda value: (value.depth, value.path)):
        named = (value.own, value.whole, value.types, value.opaque)
        if named not in seen:
            seen.add(named)
            yield value


def _value(tool: RealTool, node: Node, about: Subject) -> Value:
    own, kinds, parted = _own(node.names[-1], node.schema), types(node.schema, tool.results), is_parted(node.schema)
    if PARTS.issuperset(own):
        return Value(tool.name, node.path, node.depth, (), about.thing, frozenset(), not parted and not kinds & {"boolean", "number"})
    owner = next((thing for name in reversed(node.names[:-1]) if (thing := _thing(words(name)))), about.thing)
    return Value(tool.name, node.path, node.depth, own, _whole(own, owner), kinds, not parted and bool(kinds & {"array", "object"}))


def _own(name: str, schema: Schema) -> Words:
    """The words of a name; where they say nothing, the one kind of material that is told."""
    own = words(name)
    if not NAMELESS.issuperset(own):
        return own
    material = MATERIAL.intersection(words(media(schema))) or MATERIAL.intersection(words(described(schema)))
    return tuple(material) if len(material) == 1 else own


def _thing(own: Words) -> Words:
    """The words of a name that say which thing it is: none of `results`, `event` of `event_list`."""
    return tuple(word for word in own if word not in PARTS)


def _whole(own: Words, owner: Words) -> Words:
    return owner + own if own and ASPECTS.issuperset(own) else own
