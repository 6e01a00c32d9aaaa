"""Frozen dataclasses to JSON arrays and back, by their annotations: no names of fields, nothing that could run.

Decoding checks the type of every value, so that a file which was not written by this module gives ValueError and nothing else.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple, Union, cast, get_args, get_origin, get_type_hints


class Codec(NamedTuple):
    """How values of one type are written and read."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def _checked(kind: type) -> Codec:
    def decode(data: Any) -> Any:
        if type(data) is not kind:
            raise ValueError(f"{kind.__name__} expected")
        return data

    return Codec(lambda value: value, decode)


@cache
def codec_of(annotation: Any) -> Codec:
    """The codec for values of `annotation`: texts, numbers, enums, tuples, named or not, mappings from text, dataclasses, and their unions."""
    if annotation in (str, bool, int, float):
        return _checked(annotation)
    if annotation in (object, Any):
        return Codec(lambda value: value, lambda data: data)
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
        return _product(arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(arguments[1])
    raise TypeError(f"no codec for {annotation}")


@cache
def _fraction(data: Any) -> Fraction:
    return Fraction(str(data))


def _lazy(annotation: Any) -> Codec:
    """A codec that is made when it is first used, since types may contain themselves."""
    return Codec(lambda value: codec_of(annotation).encode(value), lambda data: codec_of(annotation).decode(data))


def _sequence(annotation: Any) -> Codec:
    item = codec_of(annotation) if annotation in (str, bool, int) else _lazy(annotation)

    def decode(data: Any) -> tuple[Any, ...]:
        if type(data) is not list:
            raise ValueError("list expected")
        return tuple([item.decode(part) for part in data]) if data else ()

    return Codec(lambda value: [item.encode(part) for part in value], decode)


def _product(annotations: tuple[Any, ...]) -> Codec:
    items = [_lazy(annotation) for annotation in annotations]

    def decode(data: Any) -> tuple[Any, ...]:
        if type(data) is not list or len(data) != len(items):
            raise ValueError(f"list of {len(items)} expected")
        return tuple(item.decode(part) for item, part in zip(items, data, strict=True))

    return Codec(lambda value: [item.encode(part) for item, part in zip(items, value, strict=True)], decode)


def _named(cls: type) -> Codec:
    """A named tuple, as the product of its fields."""
    product = _product(tuple(get_type_hints(cls).values()))
    return Codec(product.encode, lambda data: cls(*product.decode(data)))


def _mapping(annotation: Any) -> Codec:
    item = _lazy(annotation)

    def decode(data: Any) -> dict[str, Any]:
        if type(data) is not dict:
            raise ValueError("object expected")
        return {key: item.decode(value) for key, value in data.items()}

    return Codec(lambda value: {key: item.encode(part) for key, part in value.items()}, decode)


def _union(annotations: tuple[Any, ...]) -> Codec:
    """Null, one type that is not a dataclass, and dataclasses, which are told apart by their place in the union."""
    classes = [annotation for annotation in annotations if is_dataclass(annotation)]
    others = [annotation for annotation in annotations if not is_dataclass(annotation) and annotation is not type(None)]
    numbers = {cls: number for number, cls in enumerate(classes)}
    codecs = [_lazy(cls) for cls in classes]

    def encode(value: Any) -> Any:
        if value is None:
            return None
        number = numbers.get(type(value))
        return [number, codecs[number].encode(value)] if number is not None else codec_of(others[0]).encode(value)

    def decode(data: Any) -> Any:
        if data is None and type(None) in annotations:
            return None
        if type(data) is list and len(data) == 2 and type(data[0]) is int and 0 <= data[0] < len(codecs):
            return codecs[data[0]].decode(data[1])
        if not others:
            raise ValueError("tagged value expected")
        return codec_of(others[0]).decode(data)

    return Codec(encode, decode)


def _record(cls: type) -> Codec:
    """The values of the fields, without those at the end that have their defaults."""
    hints = get_type_hints(cls)
    parts = [(field.name, _lazy(hints[field.name])) for field in fields(cls)]
    defaults = [_default(field) for field in fields(cls)]
    needed = sum(default is MISSING for default in defaults)

    def encode(value: Any) -> list[Any]:
        values = [getattr(value, name) for name, _ in parts]
        while values and defaults[len(values) - 1] is not MISSING and values[-1] == defaults[len(values) - 1]:
            values.pop()
        return [codec.encode(part) for (_, codec), part in zip(parts, values, strict=False)]

    decoders = [codec.decode for _, codec in parts]

    def decode(data: Any) -> Any:
        if type(data) is not list or not needed <= len(data) <= len(decoders):
            raise ValueError(f"{cls.__name__} expected")
        return cls(*[decoder(part) for decoder, part in zip(decoders, data, strict=False)])

    return Codec(encode, decode)


def _default(field: Any) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
