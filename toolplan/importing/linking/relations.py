"""How a value and an argument are related by their names, types and descriptions."""

from __future__ import annotations

from collections.abc import Iterator

from toolplan.importing.linking.ends import Argument, Value
from toolplan.importing.linking.evidence import Evidence
from toolplan.importing.linking.lexicon import ASPECTS, CONTENT, KEYS, MATERIAL, MONEY, OPEN, PARTS, PREPOSITIONS, SETTINGS
from toolplan.importing.linking.words import Words, ends_with

OPENING = 8
"""How many words of a description say what an argument is, rather than more about it."""


def relations(argument: Argument, value: Value) -> Iterator[Evidence]:
    """How the two are related, the strongest relation first."""
    own, whole = argument.own, argument.whole
    if value.opaque and own != value.own and _holds(value, whole):
        yield Evidence.HOLDS_THING
    if not value.own or not _may_be(argument, value):
        return
    if own == value.own and len(own) == 1 and own[0] in MATERIAL:
        yield Evidence.SAME_MATERIAL
    if own == value.own and not ASPECTS.issuperset(own):
        yield Evidence.SAME_NAME
    if whole in (value.whole, value.own) and len(whole) > 1:
        yield Evidence.SAME_THING
    shorter, longer = sorted((whole, value.whole), key=len)
    if len(shorter) > 1 and ends_with(longer, shorter):
        yield Evidence.ENDS_ALIKE
    if value.own in alternatives(own):
        yield Evidence.ALTERNATIVE
    if _describes(argument, value):
        yield Evidence.DESCRIBED
    if own[-1] == value.own[-1] and own[-1] not in ASPECTS | SETTINGS:
        yield Evidence.LAST_WORD
    yield from _kinds(argument, value)


def _may_be(argument: Argument, value: Value) -> bool:
    """Whether the types allow it: yes or no fills nothing, and what has parts is filled by one of them."""
    if "boolean" in value.types:
        return False
    takes_parts = not argument.types or not argument.types.isdisjoint({"array", "object"})
    return takes_parts or value.opaque or not argument.types.isdisjoint(value.types) or value.types.isdisjoint({"array", "object"})


def _kinds(argument: Argument, value: Value) -> Iterator[Evidence]:
    last = value.own[-1]
    if argument.own[-1] in MONEY and last in MONEY and "number" in value.types:
        yield Evidence.MONEY
    if takes_any_text(argument) and value.types == {"string"} and last not in ASPECTS | MATERIAL - {"text"}:
        yield Evidence.TEXT
    if takes_any_number(argument) and value.types == {"number"}:
        yield Evidence.NUMBER


def takes_any_text(argument: Argument) -> bool:
    """Whether it is only called a text."""
    return CONTENT.issuperset(argument.own) and "string" in argument.types


def takes_any_number(argument: Argument) -> bool:
    """Whether it is only called a number."""
    return argument.own in (("number",), ("value",)) and "number" in argument.types


def _holds(value: Value, whole: Words) -> bool:
    """Whether `value` is, or lists, the thing of which an argument is the key."""
    thing = thing_of(whole)
    return thing != whole and whole[-1] in KEYS and ends_with(things_in(value), thing)


def things_in(value: Value) -> Words:
    """The words that say of what `value` is: `credit card` of `credit_card_list`."""
    return tuple(word for word in value.own or value.whole if word not in PARTS)


def thing_of(whole: Words) -> Words:
    """`whole` without the aspect at its end: `event` of `event_id`, all of `airport`."""
    return whole[:-1] if len(whole) > 1 and whole[-1] in ASPECTS else whole


def alternatives(own: Words) -> Iterator[Words]:
    """The names in `username_or_id_or_url` that say enough; none where there is but one."""
    start = 0
    for place, word in enumerate((*own, "or") if "or" in own else ()):
        if word == "or":
            if not ASPECTS.issuperset(own[start:place]):
                yield own[start:place]
            start = place + 1


def _describes(argument: Argument, value: Value) -> bool:
    """Whether the description of the argument has the words of the value, and these say enough."""
    if len(value.own) > 1:
        return value.own[-1] in ASPECTS and frozenset(argument.told).issuperset(value.whole)
    if not OPEN.issuperset(argument.own):
        return False
    if len(value.whole) > 1:
        return frozenset(argument.told[:OPENING]).issuperset(value.whole)
    return value.own[0] in argument.told and value.own[0] not in ASPECTS | MATERIAL | SETTINGS | PREPOSITIONS
