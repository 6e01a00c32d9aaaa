"""The multi-turn conversations of the Berkeley Function-Calling Leaderboard in which a parameter or a tool is missing.

In one turn of each the gold is empty: the user leaves a value out (`miss_param`), or a tool is there only from the next turn on
(`miss_func`). The gold calls of the next turn are what was wanted. `dependency_probe.json` says of the same conversations, with nothing
missing, what each call returns and which call fails without which (`hard_deps`). A value that nobody has said and that an earlier call of the
same turn returns comes from that call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

Record = Mapping[str, Any]
Expected = Literal["call", "ask", "blocked"]
FILES: Mapping[str, Expected] = {"multi_turn_miss_param.json": "ask", "multi_turn_miss_func.json": "blocked"}
"""The files, and what there is to do in the turn with something missing."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call. `of` is the call of the same turn that returned its value, None where it is for the user to say."""

    parameter: str
    value: str
    of: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A gold call: its place among all calls of the conversation, the tool, its arguments, the calls that it fails without.

    `chosen` are flags and options that the user has no words for: a model chooses them, and nobody asks.
    """

    place: int
    name: str
    description: str
    arguments: tuple[Argument, ...]
    chosen: tuple[str, ...]
    needs: frozenset[int]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn: the calls that it wants, what is to be done, the values that the oracle finds missing, the tools that are not there.

    `said_next` says that the missing values stand in the next turn as they are; else they are all that nobody has said before.
    """

    conversation: str
    number: int
    calls: tuple[Call, ...]
    expected: Expected
    missing: frozenset[str] = frozenset()
    said_next: bool = False
    absent: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The conversation and the number of the turn."""
        return f"{self.conversation}:{self.number}"


def read(folder: Path) -> Iterator[Turn]:
    """The turns that want calls, of both files of `folder`, in order."""
    classes = json.loads((folder / "tools.json").read_text("utf-8"))
    schemas = {schema["name"]: schema for tools in classes.values() for schema in tools}
    probes = {_number(probe): probe for probe in json.loads((folder / "dependency_probe.json").read_text("utf-8"))}
    for file, expected in FILES.items():
        for record in json.loads((folder / file).read_text("utf-8")):
            yield from _turns(record, _calls(record, probes[_number(record)], schemas), expected)


def _number(record: Record) -> str:
    """What the forms of one conversation have in common."""
    return str(record["id"]).rpartition("_")[2]


def _turns(record: Record, calls: Sequence[Sequence[Call]], expected: Expected) -> Iterator[Turn]:
    """A turn without gold wants what the next one does. One that no other follows wants nothing."""
    spoken = [turn["user"] for turn in record["turns"]]
    withheld = {int(turn) - 1: frozenset(names) for turn, names in (record["missed_function"] or {}).items()}
    for at, wanted in enumerate(calls):
        following = tuple(calls[at + 1]) if at + 1 < len(calls) else ()
        if wanted:
            yield Turn(record["id"], at, tuple(wanted), "call")
        elif following and expected == "ask":
            unsaid = _unsaid(following, " ".join(spoken[: at + 1]))
            said_next = frozenset(value for value in unsaid if _spoken(value, spoken[at + 1]))
            yield Turn(record["id"], at, following, expected, said_next or unsaid, bool(said_next))
        elif following:
            yield Turn(record["id"], at, following, expected, absent=withheld.get(at, frozenset()))


def _unsaid(calls: Iterable[Call], said: str) -> frozenset[str]:
    """The values for the user to say that are not among what was `said`."""
    values = (argument.value for call in calls for argument in call.arguments if argument.of is None)
    return frozenset(value for value in values if not _spoken(value, said))


def _spoken(value: str, text: str) -> bool:
    word = re.escape(value.lower().strip("@#'"))
    return re.search(rf"(?<!\w){word}(?!\w)", text.lower()) is not None


def _calls(record: Record, probe: Record, schemas: Mapping[str, Record]) -> list[list[Call]]:
    """The gold calls of each turn, numbered throughout as the probe numbers them."""
    turns: list[list[Call]] = []
    said, first = "", 0
    for turn in record["turns"]:
        said = f"{said} {turn['user']}"
        results = [call["result"] for call in probe["calls"][first : first + len(turn["gold"])]]
        reader = _Reader(said, first, results, probe["hard_deps"])
        turns.append([reader.call(number, call, schemas[call["name"]]) for number, call in enumerate(turn["gold"])])
        first += len(turn["gold"])
    return turns


class _Reader(NamedTuple):
    """The gold calls of one turn: all that the user has `said` by then, the place of the `first` call, what the calls returned."""

    said: str
    first: int
    results: Sequence[str]
    hard_deps: Sequence[tuple[int, int]]

    def call(self, number: int, call: Record, schema: Record) -> Call:
        place, parameters = self.first + number, schema["parameters"]["properties"]
        passed = {**dict(zip(parameters, call["args"], strict=False)), **call["kwargs"]}
        written = {name: _written(value) for name, value in passed.items()}
        chosen = tuple(name for name, value in written.items() if _is_choice(parameters.get(name, {})) and not _spoken(value, self.said))
        arguments = tuple(self._argument(number, name, value) for name, value in written.items() if name not in chosen)
        needs = frozenset(source for source, target in self.hard_deps if target == place)
        return Call(place, call["name"], schema["description"], arguments, chosen, needs)

    def _argument(self, number: int, parameter: str, value: str) -> Argument:
        if _spoken(value, self.said):
            return Argument(parameter, value)
        returned = (earlier for earlier in reversed(range(min(number, len(self.results)))) if _spoken(value, self.results[earlier]))
        return Argument(parameter, value, next((self.first + earlier for earlier in returned), None))


def _is_choice(schema: Record) -> bool:
    """Whether `schema` lists the values that there are; those of lists stand in the description."""
    return schema.get("type") == "boolean" or "enum" in schema or "[Enum]" in schema.get("description", "")


def _written(value: object) -> str:
    """A value as a user would write it: whole numbers without a point."""
    if isinstance(value, list):
        return " ".join(map(_written, value))
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
