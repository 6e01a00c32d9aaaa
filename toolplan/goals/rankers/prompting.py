"""What all questions to a caller's language model share: how data is quoted, what a schema may hold, how strictly an answer is read.

Schemas hold only what grammar-constrained decoding and the strict modes of providers all enforce: closed objects, every property required,
lists, enums. Bounds of numbers and duplicates are left to the reader of the answer, which trusts no schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from traceback import format_exception_only
from typing import Any, TypeGuard

from toolplan.domain import Domain
from toolplan.goals.readings import Goals
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted

TOLERANCE = 1e-6
"""By how much confidences may exceed one together, since models round."""
MOST_NAMES = 240
"""Names that one enum lists: four such stay below the thousand that providers take in a schema."""


def data(value: object) -> str:
    """`value` as JSON on one line: no quote, line break or separator in it can end what is quoted."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def closed_object(properties: Mapping[str, object]) -> dict[str, object]:
    """The schema of an object with all of `properties` and no other, in this order."""
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


def list_of(items: object) -> dict[str, object]:
    """The schema of a list of `items`."""
    return {"type": "array", "items": items}


def one_of(names: Sequence[str]) -> dict[str, object]:
    """The schema of one of `names`; of any text where there are none, or too many for an enum."""
    return {"type": "string", "enum": list(names)} if 0 < len(names) <= MOST_NAMES else {"type": "string"}


def candidates_schema(domain: Domain) -> dict[str, object]:
    """The schema of candidates: names of the domain's goals, at least one, with a confidence."""
    goals = {**list_of(one_of(list(domain.goals))), "minItems": 1}
    return list_of(closed_object({"goals": goals, "confidence": {"type": "number"}}))


def no_answer(error: Exception) -> Diagnostic:
    """What is to be said when the caller's model raises instead of answering."""
    said = " ".join("".join(format_exception_only(error)).split())
    return Diagnostic(Code.ENGINE_CRASHED, f"the model gave no answer: {said}")


def parsed(answer: object) -> object:
    """The value that `answer` stands for, JSON text or that value itself. Raises ValueError, with a reason, where it is no JSON."""
    if not isinstance(answer, str):
        return answer
    try:
        return json.loads(answer, object_pairs_hook=_once, parse_constant=_refused)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def candidate_faults(candidates: Iterable[object], domain: Domain) -> Iterator[Diagnostic]:
    """Every fault of `candidates` as a model gave them. Without one, `weights_of` can take them."""
    total = 0.0
    seen: set[frozenset[str]] = set()
    for number, candidate in enumerate(candidates, 1):
        match candidate:
            case {"goals": list(goals), "confidence": confidence, **rest} if not rest and goals and are_names(goals):
                yield from (_unknown(goal) for goal in goals if goal not in domain.goals)
                if len(set(goals)) < len(goals) or frozenset(goals) in seen:
                    yield Diagnostic(Code.BAD_JSON, f"candidate {number} names goals that were named already")
                seen.add(frozenset(goals))
                if _is_probability(confidence):
                    total += confidence
                else:
                    message = f"the confidence of candidate {number} is {quoted(shown(confidence))}, not from 0 to 1"
                    yield Diagnostic(Code.NUMBER_OUT_OF_RANGE, message)
            case _:
                yield Diagnostic(Code.BAD_JSON, f"candidate {number} is not an object with nothing but `goals` and a `confidence`")
    if total > 1.0 + TOLERANCE:
        yield Diagnostic(Code.NUMBER_OUT_OF_RANGE, f"the confidences add up to {total:g}, more than 1")


def weights_of(candidates: Iterable[Mapping[str, Any]]) -> list[tuple[Goals, float]]:
    """The goals and probabilities of candidates without a fault: their confidences, scaled down only where rounding made them exceed 1."""
    weights: list[tuple[Goals, float]] = [(tuple(candidate["goals"]), float(candidate["confidence"])) for candidate in candidates]
    total = max(1.0, sum(p for _, p in weights))
    return [(goals, p / total) for goals, p in weights]


def are_names(items: list[object]) -> TypeGuard[list[str]]:
    """Whether all of `items` are texts."""
    return all(isinstance(item, str) for item in items)


def shown(value: object) -> str:
    """`value` as messages show it: a plain value as JSON, and of anything else what it is, since it may be nested too deep to be written."""
    return json.dumps(value) if value is None or isinstance(value, (str, int, float)) else f"a {type(value).__name__}"


def _is_probability(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1 and isfinite(value)


def _unknown(goal: str) -> Diagnostic:
    return Diagnostic(Code.UNKNOWN_GOAL_NAME, f"the answer names the goal {quoted(goal)}, which the domain does not have")


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object in which no key stands twice: of two answers neither is the one that was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refused(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
