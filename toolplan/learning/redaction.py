"""Records without the values in them: what is left is enough to learn from, and tells nobody what was said or done.

What tells one thing from another is its type and a keyed digest, so that equal values stay equal and nobody without the key can try out which
value has a digest. What does not, such as small numbers and long texts, is the empty value of its type. Names of tools, arguments and members
are kept, except for members that are named by data (`{"alice@example.com": {...}}`): those names are values, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from typing import assert_never

from toolplan.learning.members import named_by_data
from toolplan.learning.runs import as_value
from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested, Result, Returned, Unknown, parsed

DIGEST_BYTES = 8
DEEPEST = 100
"""How far values are followed into each other. What lies deeper is left out."""
_ATOM = re.compile(r"([^()]+)\(([^()]*)\)")


def redacted(record: Record, key: bytes) -> Record:
    """`record` with digests under `key`, of at most 64 bytes, for values, entities of facts and the name of the run.

    Requests, thoughts and what tools said when they failed are left out: they are free text.
    """
    match record:
        case Ended(trace, success):
            return Ended(_digest(trace, key), success)
        case Requested(trace):
            return Requested(_digest(trace, key), "")
        case Execution():
            return replace(
                record,
                trace=_digest(record.trace, key),
                arguments={name: _value(value, key) for name, value in record.arguments.items()},
                result=_result(record.result, key),
                thought="",
                before=_facts(record.before, key),
                after=_facts(record.after, key),
            )
        case _:
            assert_never(record)


def _result(result: Result, key: bytes) -> Result:
    match result:
        case Returned(value):
            return Returned(_value(_read(value), key))
        case Failed():
            return Failed("")
        case Unknown():
            return result
        case _:
            assert_never(result)


def _read(value: object) -> object:
    """Text that is JSON as what it says: its digest as a whole would be that of no value in it."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            return parsed(value)
    return value


def _value(value: object, key: bytes, depth: int = DEEPEST) -> object:
    match value:
        case Mapping() if depth:
            hidden = named_by_data(value)
            return {_digest(name, key) if name in hidden else name: _value(item, key, depth - 1) for name, item in value.items()}
        case list() | tuple() if depth:
            return [_value(item, key, depth - 1) for item in value]
        case None | bool():
            return value
        case str() | int() | float():
            return type(value)() if as_value(value) is None else _digest(value, key)
        case _:
            return None


def _facts(facts: frozenset[str] | None, key: bytes) -> frozenset[str] | None:
    return None if facts is None else frozenset(_fact(fact, key) for fact in facts)


def _fact(fact: str, key: bytes) -> str:
    """The fact over digests of its entities. An entity has the digest of an argument that names it."""
    found = _ATOM.fullmatch(fact)
    if found is None:
        return fact
    entities = (entity.strip().strip('"') for entity in found[2].split(","))
    return f"{found[1]}({', '.join(_digest(entity, key) for entity in entities)})"


def _digest(value: str | float, key: bytes) -> str:
    seal = blake2b(json.dumps(value).encode(), key=key, digest_size=DIGEST_BYTES)
    return f"{type(value).__name__}:{seal.hexdigest()}"
