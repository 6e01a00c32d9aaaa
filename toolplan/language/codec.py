"""Frozen dataclasses to JSON arrays and back, by their annotations: no names of fields, nothing that could run.

Decoding checks the type of every value, so that a file which was not written by this module gives ValueError and nothing else.
"""

from __future__ import annotations

import enum
import hashlib
import json
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from operator import call
from typing import Any, NamedTuple, Union, cast, get_args, get_origin, get_type_hints

Convert = Callable[[Any], Any]


def digest(value: object) -> str:
    """The same for two JSON values that are the same, whatever the order of their members. Raises ValueError or TypeError for what is none."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Codec(NamedTuple):
    """How values of one type are written and read."""

    encode: Convert
    decode: Convert


def _same(value: Any) -> Any:
    return value


def _checked(kind: type) -> Codec:
    def decode(data: Any) -> Any:
        if type(data) is not kind:
            raise ValueError(f"{kind.__name__} expected")
        return data

    return Codec(_same, decode)


@cache
def codec_of(annotation: Any) -> Codec:
    """The codec for values of `annotation`: texts, numbers, enums, tuples, named or not, mappings from text, dataclasses, and their unions.

    A dataclass may contain itself.
    """
    if annotation in (str, bool, int, float):
        return _checked(annotation)
    if annotation in (object, Any):
        return Codec(_same, _same)
    if annotation is Fraction:
        return Codec(str, _fraction)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return Codec(lambda value: value.value, annotation)
    if is_dataclass(annotation):
        return _record(cast(type, annotation))
    if isinstance(annotation, type) and issubclass(annotation, tuple):
        return _named(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return _sequence(arguments[0])
        return _product(arguments, tuple)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(arguments[1])
    raise TypeError(f"no codec for {annotation}")


@cache
def _fraction(data: Any) -> Fraction:
    return Fraction(str(data))


def _sequence(annotation: Any) -> Codec:
    encode_item, decode_item = codec_of(annotation)

    def decode(data: Any) -> tuple[Any, ...]:
        if type(data) is not list:
            raise ValueError("list expected")
        return tuple(map(decode_item, data))

    return Codec(lambda value: list(map(encode_item, value)), decode)


def _parts(annotations: Iterable[Any]) -> tuple[list[Convert], list[Convert]]:
    """What writes values of each of `annotations`, and what reads them."""
    codecs = [codec_of(annotation) for annotation in annotations]
    return [codec.encode for codec in codecs], [codec.decode for codec in codecs]


def _product(annotations: tuple[Any, ...], make: Callable[[Iterable[Any]], tuple[Any, ...]]) -> Codec:
    encoders, decoders = _parts(annotations)

    def decode(data: Any) -> tuple[Any, ...]:
        if type(data) is not list or len(data) != len(decoders):
            raise ValueError(f"list of {len(decoders)} expected")
        return make(map(call, decoders, data))

    return Codec(lambda value: list(map(call, encoders, value)), decode)


def _named(cls: type) -> Codec:
    """A named tuple, as the product of its fields."""
    return _product(tuple(get_type_hints(cls).values()), cast(Any, cls)._make)


def _mapping(annotation: Any) -> Codec:
    encode_item, decode_item = codec_of(annotation)

    def decode(data: Any) -> dict[str, Any]:
        if type(data) is not dict:
            raise ValueError("object expected")
        return {key: decode_item(part) for key, part in data.items()}

    return Codec(lambda value: {key: encode_item(part) for key, part in value.items()}, decode)


def _union(annotations: tuple[Any, ...]) -> Codec:
    """Null, one type that is not a dataclass, and dataclasses, which are told apart by their place in the union."""
    classes: list[Any] = [annotation for annotation in annotations if is_dataclass(annotation)]
    others = [annotation for annotation in annotations if not is_dataclass(annotation) and annotation is not type(None)]
    numbers = {cls: number for number, cls in enumerate(classes)}
    codecs = [codec_of(cls) for cls in classes]
    other = codec_of(others[0]) if others else Codec(_untagged, _untagged)

    def encode(value: Any) -> Any:
        if value is None:
            return None
        number = numbers.get(type(value))
        return [number, codecs[number].encode(value)] if number is not None else other.encode(value)

    def decode(data: Any) -> Any:
        if data is None and type(None) in annotations:
            return None
        if type(data) is list and len(data) == 2 and type(data[0]) is int and 0 <= data[0] < len(codecs):
            return codecs[data[0]].decode(data[1])
        return other.decode(data)

    return Codec(encode, decode)


def _untagged(_: Any) -> Any:
    raise ValueError("tagged value expected")


def _record(cls: type) -> Codec:
    """The values of the fields, without those at the end that have their defaults."""
    names = [field.name for field in fields(cls)]
    defaults = [_default(field) for field in fields(cls)]
    needed = sum(default is MISSING for default in defaults)

    @cache
    def parts() -> tuple[list[Convert], list[Convert]]:  # Made when first used, since a type may contain itself.
        hints = get_type_hints(cls)
        return _parts(hints[name] for name in names)

    def encode(value: Any) -> list[Any]:
        values = [getattr(value, name) for name in names]
        while len(values) > needed and values[-1] == defaults[len(values) - 1]:
            values.pop()
        return list(map(call, parts()[0], values))

    def decode(data: Any) -> Any:
        if type(data) is not list or not needed <= len(data) <= len(names):
            raise ValueError(f"{cls.__name__} expected")
        return cls(*map(call, parts()[1], data))

    return Codec(encode, decode)


def _default(field: Any) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
