"""What a person types, as the result of a call, its arguments, or an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping

from toolplan.session.events import AskedEntity, AskedFacts, AskedGoal, OpenQuestion

FAILS = "fails"
TIMEOUT = "timeout"
"""What is typed for a call that failed, or of which nothing was heard."""


class Unfinished(ValueError):
    """A text that is the beginning of JSON."""


def typed_result(typed: str) -> object:
    """What was typed for a call: `fails`, `timeout`, JSON, or else a text. Raises ValueError where it begins as JSON, and is none."""
    if typed == FAILS:
        return RuntimeError("it failed")
    if typed == TIMEOUT:
        return TimeoutError("nobody knows whether it ran")
    return _json(typed) if typed.startswith(("{", "[", '"')) else typed


def typed_object(typed: str) -> Mapping[str, object]:
    """The JSON object that was typed, empty where nothing was. Raises ValueError where it is none."""
    found = _json(typed or "{}")
    if not isinstance(found, dict):
        raise ValueError('this is no JSON object, such as {"query": "dentist"}')
    return found


def typed_answer(question: OpenQuestion | None, typed: str) -> object:
    """What `typed` is as an answer: yes or no, the number of an option from one, a JSON object of facts, or a text."""
    match question:
        case AskedGoal() | AskedEntity() if typed.isdecimal():
            return int(typed) - 1
        case AskedFacts(proposes=False):
            return typed_object(typed) if typed.startswith("{") else typed
        case _:
            return {"yes": True, "no": False}.get(typed.casefold(), typed)


def _json(typed: str) -> object:
    try:
        value: object = json.loads(typed, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        kind = Unfinished if error.pos >= len(typed.rstrip()) else ValueError
        raise kind(f"this is no JSON: {error.msg.lower()}, at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("this is no JSON: it is nested too deep") from None
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text holds half of a character, and cannot be kept") from None
    return value


def _no_constant(name: str) -> object:
    raise ValueError(f"this is no JSON: there is no {name}")
