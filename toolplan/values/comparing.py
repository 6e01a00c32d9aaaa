"""Which of two values is greater, by their type: numbers exactly, days and moments by time, never one kind by another's order."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from toolplan.domain import ValueType
from toolplan.values.durations import iso_duration

ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(kind: ValueType | None, left: object, sign: str, right: object) -> bool | None:
    """Whether `left sign right` for values of `kind` in normal form; `sign` is one of `< <= > >= = !=`.

    None where that cannot be said: the values have no order, or one of two moments has a zone and the other has none.
    """
    try:
        first, second = _comparable(kind, left), _comparable(kind, right)
        if sign in ORDERS:
            return ORDERS[sign](first, second)
        _ = first < second  # Moments with and without a zone are not merely different.
        return (first == second) is (sign == "=")
    except TypeError:
        same = type(left) is type(right) and left == right
        return None if sign in ORDERS or _is_moment(kind) else same is (sign == "=")
    except (ValueError, OverflowError):
        return None


def _is_moment(kind: ValueType | None) -> bool:
    return kind is not None and kind.kind == "datetime"


def _comparable(kind: ValueType | None, value: object) -> Any:
    """`value` as something that is ordered as its type is. Raises TypeError where its type has no order, ValueError where it is none of it."""
    name = kind.kind if kind is not None else ""
    if isinstance(value, bool):
        raise TypeError("truth values have no order")
    if isinstance(value, int | float):
        return Fraction(str(value))
    if isinstance(value, str) and name == "date":
        return date.fromisoformat(value)
    if isinstance(value, str) and name == "datetime":
        return datetime.fromisoformat(value)
    if isinstance(value, str) and name == "duration" and (duration := iso_duration(value.lower())) is not None and not duration.months:
        return duration.length
    raise TypeError(f"values of type {name or 'any'} have no order")
