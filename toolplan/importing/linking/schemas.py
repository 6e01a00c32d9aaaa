"""What JSON schemas say of values: which are inside a result, what types they may have, and whether they are a choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

Schema = Mapping[str, object]

DEEPEST = 6
"""How many levels of a result are read."""
TYPES: Mapping[str, str] = {"integer": "number", "float": "number", "double": "number", "int": "number", "str": "string"}
"""Types that are as good as another, with names that are no JSON schema but are met."""
KNOWN = frozenset({"string", "number", "boolean", "array", "object"})
UNIONS = ("anyOf", "oneOf", "allOf")
PARTED = frozenset({"properties", "items", "$ref", *UNIONS})


class Node(NamedTuple):
    """A value inside a result: its JSONPath, the names on the way to it, how many levels inside it is, and its schema."""

    path: str
    names: tuple[str, ...]
    depth: int
    schema: Schema


def nodes(root: Schema) -> Iterator[Node]:
    """Every named value of a result, outer before inner. References are followed, none inside itself."""
    return _below(Node("$", (), 0, root), root, frozenset())


def _below(node: Node, root: Schema, seen: frozenset[str]) -> Iterator[Node]:
    if node.depth == DEEPEST:
        return
    for schema, references in _alternatives(node.schema, root, seen):
        properties, items = schema.get("properties"), schema.get("items")
        for name, inside in properties.items() if isinstance(properties, Mapping) else ():
            if isinstance(inside, Mapping):
                child = Node(node.path + _member(str(name)), (*node.names, str(name)), node.depth + 1, inside)
                yield child
                yield from _below(child, root, references)
        if isinstance(items, Mapping):
            yield from _below(Node(f"{node.path}[*]", node.names, node.depth + 1, items), root, references)


def _member(name: str) -> str:
    """How a JSONPath goes to the member `name`."""
    return f".{name}" if name.isidentifier() else "['" + name.replace("\\", "\\\\").replace("'", "\\'") + "']"


def types(schema: Schema, root: Schema) -> frozenset[str]:
    """The types that a value may have, `integer` as `number`; of an array also those of its items. Empty: nothing is said."""
    return frozenset(_types(schema, root, frozenset()))


def _types(schema: Schema, root: Schema, seen: frozenset[str]) -> Iterator[str]:
    for option, references in _alternatives(schema, root, seen):
        named, items = option.get("type"), option.get("items")
        for name in named if isinstance(named, list | tuple) else (named,):
            if (kind := TYPES.get(str(name), str(name))) in KNOWN:
                yield kind
        if isinstance(items, Mapping):
            yield from _types(items, root, references)


def is_choice(schema: Schema, root: Schema) -> bool:
    """Whether a value is one of a few that the schema lists, or a yes or no."""
    options = [option for option, _ in _alternatives(schema, root, frozenset())]
    return types(schema, root) == {"boolean"} or any("enum" in option or "const" in option for option in options)


def is_parted(schema: Schema) -> bool:
    """Whether the schema says what is inside the value."""
    return not PARTED.isdisjoint(schema)


def described(schema: Schema) -> str:
    """Title and description in one text."""
    return " ".join(text for key in ("title", "description") if isinstance(text := schema.get(key), str))


def media(schema: Schema) -> str:
    """Its media type, such as `image/png`, and its format, such as `uri`, in one text."""
    return " ".join(text for key in ("contentMediaType", "format") if isinstance(text := schema.get(key), str))


def _alternatives(schema: Schema, root: Schema, seen: frozenset[str]) -> Iterator[tuple[Schema, frozenset[str]]]:
    """`schema` itself and what it may be by reference or union, each with the references that led to it."""
    yield schema, seen
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        yield from _alternatives(_resolved(reference, root), root, seen | {reference})
    for key in UNIONS:
        options = schema.get(key)
        for option in options if isinstance(options, list | tuple) else ():
            if isinstance(option, Mapping):
                yield from _alternatives(option, root, seen)


def _resolved(reference: str, root: Schema) -> Schema:
    """What a reference into the same document means; of any other nothing is known."""
    here: object = root if reference.startswith("#") else {}
    for step in reference[1:].split("/")[1:]:
        here = here.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else {}
