"""The multi-turn conversations of BFCL as tasks: each turn that wants calls, after all turns before it.

What a call answers is what the simulators of its authors answered, and which call fails without which was found out with them. The tools are
those of the classes that a conversation involves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.bench.links import bfcl as links
from toolplan.bench.real_tasks import imports
from toolplan.bench.real_tasks.arguments import Exactly
from toolplan.bench.real_tasks.reading import CrossValidated, Labelling
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.catalog import RealTool
from toolplan.goals.readings import Goals
from toolplan.retrieval.encoders import Encoder

DATA = "bfcl"
MOST_CALLS = 4
"""Calls of a turn; more leave no step for a mistake."""
Record = Mapping[str, Any]


class _Turn(NamedTuple):
    """A turn that wants the calls `gold`, and all calls of the turns before it."""

    conversation: str
    number: int
    request: str
    toolbox: Toolbox
    earlier: tuple[GoldCall, ...]
    gold: tuple[GoldCall, ...]

    @property
    def goals(self) -> Goals:
        """That all its calls have run: which of them are only on the way is not in the data."""
        return imports.goals_of(self.toolbox, self.gold)


def tasks(folder: Path, encode: Encoder | None = None) -> list[Task]:
    """All turns with one to four calls, in order, by the classes of their tools."""
    probes = {probe["id"]: probe for probe in json.loads((folder / "dependency_probe.json").read_text("utf-8"))}
    records = json.loads((folder / "multi_turn_base.json").read_text("utf-8"))
    toolboxes = _toolboxes(links.tools(folder), records)
    turns = [turn for record in records for turn in _turns(record, probes[record["id"]], toolboxes[_classes(record)])]
    ranked = CrossValidated([Labelling(turn.conversation, turn.request, turn.goals) for turn in turns], encode)
    asked = sorted((turn for turn in turns if len(turn.gold) <= MOST_CALLS), key=lambda turn: turn.toolbox.name)
    return [
        imports.task(
            f"{turn.conversation}:{turn.number}",
            turn.conversation,
            turn.request,
            turn.toolbox,
            turn.gold,
            turn.goals,
            ranked,
            turn.earlier,
        )
        for turn in asked
    ]


def _classes(record: Record) -> tuple[str, ...]:
    return tuple(sorted(record["involved_classes"]))


def _toolboxes(tools: Sequence[RealTool], records: Sequence[Record]) -> dict[tuple[str, ...], Toolbox]:
    """The tools of each choice of classes that a record makes."""
    return {
        classes: imports.toolbox_of(" and ".join(classes), tuple(tool for tool in tools if tool.origin in classes))
        for classes in sorted({*map(_classes, records)})
    }


def _turns(record: Record, probe: Record, toolbox: Toolbox) -> Iterator[_Turn]:
    schemas = {tool.name: tuple(tool.properties) for tool in toolbox.tools}
    made: list[GoldCall] = []
    for number, turn in enumerate(record["turns"]):
        first = len(made)
        within = range(first, first + len(turn["gold"]))
        passed = links.passed_within(probe, within)
        calls = [_call(place, probe, schemas, first, passed) for place in within]
        if calls:
            yield _Turn(record["id"], number, turn["user"], toolbox, tuple(made), tuple(calls))
        made += calls


def _call(place: int, probe: Record, schemas: Mapping[str, Sequence[str]], first: int, passed: frozenset[tuple[int, str]]) -> GoldCall:
    call = probe["calls"][place]
    given = {**dict(zip(schemas[call["name"]], call["args"], strict=False)), **call["kwargs"]}
    arguments = {name: Exactly(value) for name, value in given.items()}
    after = frozenset(before - first for before, later in probe["hard_deps"] if later == place and before >= first)
    brought = frozenset(argument for later, argument in passed if later == place)
    return GoldCall(call["name"], arguments, _result(call["result"]), imports.told(call["result"]), after, brought)


def _result(text: str) -> object:
    """The result as JSON; as text where it was cut off."""
    try:
        return json.loads(text)
    except ValueError:
        return text
