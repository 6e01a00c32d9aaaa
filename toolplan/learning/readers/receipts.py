"""Receipts of a gate: which tools were executed, with digests of their arguments, and whether they failed.

What tools gave is not in receipts, and digests of two sessions cannot be compared: sequences of tools can be learned from them, and which
arguments of one session were the same, but not what was taken from a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from toolplan.language.diagnostics import Diagnostic
from toolplan.learning.readers.documents import Document
from toolplan.learning.traces import Execution, Failed, Record, Returned, left_out

RUNS = ("allow", "would-refuse", "would-hold")
"""The verdicts after which a call runs: a gate that only watches lets it."""
DONE = ("done", "nothing found", "several found")
FAILED = ("failed", "failed, may be tried again")
IN_DOUBT = "in doubt"
MOST_RUNNING = 100_000
"""Calls that may be without an outcome so far; of more, the oldest is taken to have none."""
Call = tuple[str, str]


def read(documents: Iterable[Document]) -> Iterator[Record | Diagnostic]:
    """The executions in the order of their outcomes, and then those without one. Calls that run at the same time were started together."""
    running: dict[Call, Execution] = {}
    numbers = count(1)
    for document in documents:
        match document.data:
            case {
                "kind": "verdict",
                "session": str(session),
                "content": {"call": str(call), "tool": str(tool), "verdict": verdict, **more},
            }:
                if verdict in RUNS:
                    running[session, call] = Execution(session, tool, _arguments(more.get("arguments")))
                    _share_batch(running, session, numbers)
            case {"kind": "outcome", "session": str(session), "content": {"call": str(call), "outcome": str(outcome), **more}}:
                begun = running.pop((session, call), None) or _unseen(session, more.get("tool"))
                if begun is None:
                    yield left_out(document.name, "it is the outcome of no call")
                else:
                    yield from _ended(begun, outcome)
            case {"kind": str(), "session": str()}:
                pass
            case _:
                yield left_out(document.name, "it is no receipt")
        if len(running) > MOST_RUNNING:
            yield running.pop(next(iter(running)))
    yield from running.values()


def tells(data: object) -> bool:
    """Whether a document is of this form, and of no other."""
    match data:
        case {"seq": int(), "session": str(), "kind": str(), "content": {}}:
            return True
        case _:
            return False


def _ended(begun: Execution, outcome: str) -> Iterator[Execution]:
    """The execution with what came of it; none where whoever had to agree did not."""
    if outcome in DONE:
        yield replace(begun, result=Returned(None))
    elif outcome in FAILED:
        yield replace(begun, result=Failed(outcome))
    elif outcome == IN_DOUBT:
        yield begun


def _unseen(session: str, tool: object) -> Execution | None:
    """A call whose verdict is in another file."""
    return Execution(session, tool, {}) if isinstance(tool, str) else None


def _arguments(data: object) -> dict[str, object]:
    if not isinstance(data, Mapping):
        return {}
    return {name: given["value"] for name, given in data.items() if isinstance(given, Mapping) and "value" in given}


def _share_batch(running: dict[Call, Execution], session: str, numbers: Iterator[int]) -> None:
    together = [key for key in running if key[0] == session]
    if len(together) > 1:
        batch = next((running[key].batch for key in together if running[key].batch), 0) or next(numbers)
        for key in together:
            running[key] = replace(running[key], batch=batch)
