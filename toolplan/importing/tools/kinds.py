"""What a JSON schema lets an argument be, as far as the language can say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from toolplan.domain import ValueType
from toolplan.language.lexer import LONGEST_NUMBER, SURROGATE

FORMATS: Mapping[str, str] = {
    "date": "date",
    "date-time": "datetime",
    "duration": "duration",
    "email": "email",
    "idn-email": "email",
    "uri": "url",
    "url": "url",
    "iri": "url",
}
TYPES: Mapping[str, str] = {"string": "text", "integer": "integer", "number": "decimal", "boolean": "boolean"}
TOO_LARGE: int = 10**LONGEST_NUMBER
"""The first number that has too many digits; a sign counts as one."""
DEEPEST = 8
"""References and alternatives that are followed into each other."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The schema takes one value."""

    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A value that a person can say, or several; `type` is None where it may be anything."""

    type: ValueType | None
    many: bool = False


@dataclass(frozen=True, slots=True)
class Composed:
    """An object, a list of what is no plain value, or one value that the language cannot write: for the model to write."""


Kind = Fixed | Asked | Composed


def kind_of(schema: object, root: Mapping[str, object]) -> Kind:
    """What `schema` takes; `root` is the schema that its references lead into."""
    return _kind(schema, root, DEEPEST)


def _kind(schema: object, root: Mapping[str, object], depth: int) -> Kind:
    if not isinstance(schema, Mapping) or not depth:
        return Asked(None)
    match schema:
        case {"$ref": str(pointer)}:
            return _kind(pointed(pointer, root), root, depth - 1)
        case {"const": bool() | int() | str() as value} | {"enum": [bool() | int() | str() as value]}:
            return Fixed(value) if _can_be_written(value) else Composed()
        case {"enum": [*options]} if texts := _texts(options):
            return Asked(ValueType("enum", texts))
        case {"anyOf": [*choices]} | {"oneOf": [*choices]}:
            return _simplest([_kind(choice, root, depth - 1) for choice in choices if not _is_null(choice)])
        case {"allOf": [only]} if "type" not in schema:
            return _kind(only, root, depth - 1)
        case {"type": [*names]}:
            named = next((name for name in names if name != "null"), None)
            return _kind({**schema, "type": named}, root, depth - 1)
        case {"type": "array"}:
            items = _kind(schema.get("items"), root, depth - 1)
            return Asked(items.type, many=True) if isinstance(items, Asked) and items.type and not items.many else Composed()
        case {"type": "object"} | {"properties": _}:
            return Composed()
        case {"type": "string", "format": str(form)} if form in FORMATS:
            return Asked(ValueType(FORMATS[form]))
        case {"type": str(named)} if named in TYPES:
            return Asked(ValueType(TYPES[named]))
    return Asked(None)


def pointed(pointer: str, root: object) -> object:
    """What the local reference `pointer` leads to, as `#/$defs/Address`; None where there is nothing."""
    if not pointer.startswith("#"):
        return None
    found = root
    for step in pointer[1:].split("/")[1:]:
        key = unescaped(step)
        if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, Mapping):
            found = found.get(key)
        else:
            return None
    return found


def unescaped(step: str) -> str:
    """The name that a step of a reference stands for: `a~1b%20c` for `a/b c`."""
    return unquote(step).replace("~1", "/").replace("~0", "~")


def _can_be_written(value: str | int) -> bool:
    """Whether the language has the value: no number that is too long for it, and no half of a character."""
    if isinstance(value, str):
        return SURROGATE.search(value) is None
    return -TOO_LARGE // 10 < value < TOO_LARGE


def _texts(options: list[object]) -> tuple[str, ...]:
    """The options of an enum, where all are texts that can be written and told apart; else none."""
    texts = [option for option in options if isinstance(option, str)]
    told_apart = all(text and _can_be_written(text) for text in texts) and len({" ".join(text.split()) for text in texts}) == len(texts)
    return tuple(texts) if told_apart and len(texts) == sum(option is not None for option in options) else ()


def _is_null(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _simplest(kinds: list[Kind]) -> Kind:
    """Of alternatives, one that a person can say: the first of one value, or else the first at all."""
    asked = [kind for kind in kinds if isinstance(kind, Asked)]
    if not asked and kinds and all(isinstance(kind, Fixed) for kind in kinds):
        texts = _texts([kind.value for kind in kinds if isinstance(kind, Fixed)])
        return Asked(ValueType("enum", texts)) if texts else Asked(None)
    return next((kind for kind in asked if not kind.many), asked[0] if asked else Composed() if kinds else Asked(None))
