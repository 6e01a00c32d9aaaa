"""Calls and results of one conversation to its records."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.learning.traces import Execution, Record, Requested, Result, left_out, parsed


class _Call(NamedTuple):
    """A call, or what is wrong with it, and the message that made it."""

    id: str
    made: Execution | Diagnostic
    turn: int


class Pairing:
    """The records of the conversation `trace`, in the order of its requests and calls, wherever the results stand.

    A result belongs to the call with its id. Of several with one id, as of calls without any, it belongs to those of the latest message that
    still wait, and there to the first. A call without a result is an execution whose result is unknown.
    """

    def __init__(self, trace: str, place: str) -> None:
        self._trace = trace
        self._place = place
        self._entries: list[Requested | _Call | Diagnostic] = []
        self._results: dict[int, Result] = {}
        self._waiting: defaultdict[str, list[int]] = defaultdict(list)
        self._early: defaultdict[str, deque[Result]] = defaultdict(deque)
        self._turn = 0

    def requested(self, text: str) -> None:
        """The user says `text`."""
        if text.strip():
            self._entries.append(Requested(self._trace, text))

    def begin_turn(self) -> None:
        """What is called from now on, until the next turn, is started together."""
        self._turn += 1

    def called(self, id: object, tool: object, arguments: object, thought: str = "") -> None:
        """`tool` is called. `arguments` are an object, also as its text, or nothing."""
        self._call(id, self._made(tool, arguments, thought))

    def unusable(self, id: object, reason: str) -> None:
        """A call is made that cannot be told; its result is passed over."""
        self._call(id, self._left_out(reason))

    def ended(self, id: object, result: Result) -> None:
        """What came of the call `id`."""
        key = id if isinstance(id, str) else ""
        waiting = self._waiting[key]
        if not waiting:
            self._early[key].append(result)
            return
        latest = self._turn_of(waiting[-1])
        first = next(number for number in waiting if self._turn_of(number) == latest)
        waiting.remove(first)
        self._results[first] = result

    def wrong(self, what: str, reason: str) -> None:
        """An entry cannot be used."""
        self._entries.append(self._left_out(reason, what))

    def records(self) -> Iterator[Record | Diagnostic]:
        """All that was told. What is started together has a number in common, unless it is alone."""
        turns = Counter(entry.turn for entry in self._entries if isinstance(entry, _Call) and isinstance(entry.made, Execution))
        together = [turn for turn, calls in turns.items() if calls > 1]
        batches = {turn: number for number, turn in enumerate(together, 1)}
        for number, entry in enumerate(self._entries):
            match entry:
                case _Call(_, Execution() as made, turn):
                    yield replace(made, batch=batches.get(turn, 0), result=self._results.get(number, made.result))
                case _Call(_, Diagnostic() as made):
                    yield made
                case Requested() | Diagnostic():
                    yield entry
        for id, results in self._early.items():
            if results:
                count = f"{len(results)} results" if len(results) > 1 else "a result"
                yield self._left_out("there is no call for it", f"{count} of {quoted(id)}")

    def _call(self, id: object, made: Execution | Diagnostic) -> None:
        number = len(self._entries)
        key = id if isinstance(id, str) else ""
        self._entries.append(_Call(key, made, self._turn))
        if self._early[key]:
            self._results[number] = self._early[key].popleft()
        else:
            self._waiting[key].append(number)

    def _made(self, tool: object, arguments: object, thought: str) -> Execution | Diagnostic:
        if not isinstance(tool, str) or not tool:
            return self._left_out("it names no tool")
        try:
            given = {} if arguments in (None, "") else parsed(arguments) if isinstance(arguments, str) else arguments
        except ValueError:
            return self._left_out(f"the arguments of {quoted(tool)} are no JSON")
        if not isinstance(given, Mapping):
            return self._left_out(f"the arguments of {quoted(tool)} are no object")
        return Execution(self._trace, tool, given, thought=thought)

    def _left_out(self, reason: str, what: str = "a call") -> Diagnostic:
        return left_out(f"{what} in {quoted(self._place)}", reason)

    def _turn_of(self, number: int) -> int:
        entry = self._entries[number]
        return entry.turn if isinstance(entry, _Call) else 0
