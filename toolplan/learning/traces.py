"""Runs of agents, as lines of JSON: one line for each request and each execution of a tool, and one where a run ends.

```json
{"trace": "r1", "request": "move the dentist to Friday"}
{"trace": "r1", "tool": "search", "arguments": {"q": "dentist"}, "returned": {"id": "e7"}, "thought": "find it first"}
{"trace": "r1", "tool": "move", "arguments": {"id": "e7"}, "failed": "no such slot"}
{"trace": "r1", "ended": "failure"}
```

A line may also have `thought`, `batch`, `before`, `after` and `seconds`, as an `Execution` has them; what else it has is passed over.
Lines of several runs may alternate. A line without `returned` and `failed` is an execution of which nobody knows what came of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, quoted


@dataclass(frozen=True, slots=True)
class Returned:
    """What a tool gave, as a JSON value."""

    value: object


@dataclass(frozen=True, slots=True)
class Failed:
    """What a tool said when it failed."""

    message: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody has seen what came of it."""


Result = Returned | Failed | Unknown
UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of a tool in the run called `trace`.

    `thought` is what the agent said just before. Executions of one run with the same `batch`, if it is not 0, were started together: the order
    in which they stand says nothing. `before` and `after` are the facts that were known before and after it, as `found(report)`, where whoever
    wrote the trace knew them. `seconds` is how long it took, where that was measured.
    """

    trace: str
    tool: str
    arguments: Mapping[str, object]
    result: Result = UNKNOWN
    thought: str = ""
    batch: int = 0
    before: frozenset[str] | None = None
    after: frozenset[str] | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The run called `trace` is over."""

    trace: str
    success: bool


@dataclass(frozen=True, slots=True)
class Requested:
    """What the user of the run called `trace` has said."""

    trace: str
    text: str


Record = Requested | Execution | Ended
OUTCOMES = {"success": True, "failure": False}
_decode = json.JSONDecoder(parse_constant=lambda _: None).decode
HINT = 'a line is {"trace": ..., "tool": ..., "arguments": {...}, "returned": ...} or {"trace": ..., "ended": "success"}'


def read(lines: Iterable[str]) -> Iterator[Record | Diagnostic]:
    """What each line says, one at a time, so that a file of any size can be read; a line that is no record gives a diagnostic in its place."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield record_of(parsed(line))
        except ValueError as error:
            yield left_out(f"line {number} of the trace", str(error), HINT)


def parsed(text: str | bytes) -> object:
    """The JSON value of `text`; the numbers that JSON has no form for are null. Raises ValueError where it is none."""
    try:
        return _decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None


def left_out(where: str, reason: str, hint: str = "") -> Diagnostic:
    """What is said of an entry of a trace, called `where`, that cannot be used for `reason`. All else in the trace is."""
    return Diagnostic(Code.BAD_TRACE, f"{where} is left out: {reason}", None, hint)


def written(record: Record) -> str:
    """`record` as the line that `read` reads, without its end: ASCII, whatever the values are; what JSON has no form for is written as text."""
    return json.dumps(_data(record), separators=(",", ":"), default=str)


def record_of(data: object) -> Record:
    """The record that the JSON value of a line says. Raises ValueError, with the reason, where it is none."""
    match data:
        case {"trace": str(trace), "ended": str(outcome)} if outcome in OUTCOMES:
            return Ended(trace, OUTCOMES[outcome])
        case {"ended": _}:
            raise ValueError("`ended` is `success` or `failure`, beside the `trace` that it ends")
        case {"trace": str(trace), "request": str(text)}:
            return Requested(trace, text)
        case {"trace": str(trace), "tool": str(tool)} if isinstance(data, Mapping):
            return _execution(trace, tool, data)
        case _:
            raise ValueError("it names no `trace` or no `tool`")


def _execution(trace: str, tool: str, data: Mapping[str, object]) -> Execution:
    arguments, thought = data.get("arguments", {}), data.get("thought", "")
    batch, seconds = data.get("batch", 0), data.get("seconds")
    if not isinstance(arguments, Mapping):
        raise ValueError(f"the arguments of {quoted(tool)} are no object")
    if not isinstance(thought, str) or not isinstance(batch, int):
        raise ValueError("`thought` is a text, and `batch` a whole number")
    if not isinstance(seconds, int | float | None):
        raise ValueError("`seconds` is a number")
    return Execution(trace, tool, arguments, _result(data), thought, batch, _atoms(data, "before"), _atoms(data, "after"), seconds)


def _result(data: Mapping[str, object]) -> Result:
    match data:
        case {"returned": value}:
            return Returned(value)
        case {"failed": message}:
            return Failed(str(message))
        case _:
            return UNKNOWN


def _atoms(data: Mapping[str, object], key: str) -> frozenset[str] | None:
    match data.get(key):
        case None:
            return None
        case list(atoms) if all(isinstance(atom, str) for atom in atoms):
            return frozenset(atoms)
        case _:
            raise ValueError(f"`{key}` is a list of facts")


def _data(record: Record) -> dict[str, object]:
    match record:
        case Ended(trace, success):
            return {"trace": trace, "ended": "success" if success else "failure"}
        case Requested(trace, text):
            return {"trace": trace, "request": text}
        case Execution():
            return _data_of(record)
        case _:
            assert_never(record)


def _data_of(done: Execution) -> dict[str, object]:
    data: dict[str, object] = {"trace": done.trace, "tool": done.tool, "arguments": done.arguments}
    match done.result:
        case Returned(value):
            data["returned"] = value
        case Failed(message):
            data["failed"] = message
        case Unknown():
            pass
        case _:
            assert_never(done.result)
    states = {"before": done.before, "after": done.after}
    data |= {name: sorted(state) for name, state in states.items() if state is not None}
    more = {"thought": done.thought, "batch": done.batch, "seconds": done.seconds}
    return data | {name: value for name, value in more.items() if value}
