"""The arguments of When2Call: the values that a single turn states for the tool that is wanted.

The values are those of the call that the benchmark's authors give as the answer of a caller. A caller concludes some of them: the turn
states those that stand in it word for word. Where one is missing, it is not annotated: to read it is to make it up. Lists and objects are
left out. Calls take 2023 for the year of now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import toolplan
from toolplan.bench.real import value_types, when2call
from toolplan.bench.real.agreement import Agreement, Titled, agreement
from toolplan.bench.real.contracts import ask, fact, goal, identifier, tool
from toolplan.bench.real.slots import READERS, Annotated, SlotReader, SlotTurn, agreements
from toolplan.bench.real.when2call import Schema, done_fact
from toolplan.session.turns import Context, TurnReading

TITLE = "When2Call: values that the turn states (the tool that is wanted: labelled)"
DATA = when2call.DATA
NOW = datetime(2023, 3, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A turn with the values of its call. `missing` is the fact that the turn does not state, though the call needs it; or nothing."""

    slots: SlotTurn
    missing: str


def tables(folder: Path, readers: Mapping[str, SlotReader] = READERS, every: int = 1) -> Iterator[Titled]:
    """Precision and recall of values by reader, and how often the missing value is not made up. Of the turns each `every`-th is read."""
    turns = list(read(folder))[::every]
    slots = [turn.slots for turn in turns]
    readings = {name: list(map(reader, slots)) for name, reader in readers.items()}
    rows = [row for name, reads in readings.items() for row in (*agreements(DATA, name, slots, reads), left_missing(name, turns, reads))]
    yield Titled(TITLE, rows)


def read(folder: Path) -> Iterator[LabelledTurn]:
    """The turns of the files of `folder` that want a tool which is there, in order."""
    for path in sorted(folder.glob("*.json")):
        for record in json.loads(path.read_text("utf-8")):
            if record["target_tool"]:
                yield labelled_turn(record)


def labelled_turn(record: Schema) -> LabelledTurn:
    """A record as a turn: its context is that the labelled tool is wanted, and nothing is known."""
    schema, text, missing = record["target_tool"], record["question"], record["held_out_param"]
    name = schema["name"]
    domain = toolplan.loads("\n".join(["domain turn", *_contract(schema)]))
    arguments = json.loads(record["answers"]["tool_call"])["arguments"]
    held = {
        source: Annotated(value_type, (_as_text(arguments[parameter]),), NOW)
        for parameter in arguments
        if parameter != missing
        for source in [argument_fact(name, parameter)]
        if (value_type := domain.facts[source].value) is not None
    }
    stated = {source: value for source, value in held.items() if _stands_in(value.wordings[0], text)}
    wanted = ((identifier(name),),)
    slots = SlotTurn(record["uuid"], text, Context(domain, NOW, goals=wanted), wanted, stated, held)
    return LabelledTurn(slots, argument_fact(name, missing) if missing else "")


def left_missing(reader: str, turns: Sequence[LabelledTurn], readings: Sequence[TurnReading]) -> Agreement:
    """In how many of the turns that lack a value it is not read."""
    cases = [(turn.missing, reading) for turn, reading in zip(turns, readings, strict=True) if turn.missing]
    what = f"{reader}: the missing value is not read"
    return agreement(DATA, what, cases, lambda case: case[0] not in {value.atom.fact for value in case[1].stated}, lambda case: "made up")


def argument_fact(name: str, parameter: str) -> str:
    """The fact that carries the value of `parameter` of the tool `name`. Called so, a user may state it of a call that can do without it."""
    return identifier(name, parameter)


def _contract(schema: Schema) -> Iterator[str]:
    """The tool of `schema`, a goal that is called as it is, and a fact with its type and a question for each parameter."""
    name, properties = schema["name"], schema["parameters"]["properties"]
    required = {parameter: argument_fact(name, parameter) for parameter in schema["parameters"].get("required") or ()}
    for parameter, described in properties.items():
        source = argument_fact(name, parameter)
        description = described.get("description", parameter)
        yield fact(source, description, value_types.of_property(described))
        yield ask(identifier("ask", name, parameter), description, source)
    yield fact(done_fact(name))
    optional = [parameter for parameter in properties if parameter not in required]
    description = schema["description"]
    yield tool(identifier(name), name, description, passes=required, optional=optional, produces=[done_fact(name)], risk="write")
    yield goal(identifier(name), description, achieves=done_fact(name), given=required.values())


def _stands_in(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
