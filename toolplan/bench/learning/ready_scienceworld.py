"""The inclined planes of ScienceWorld, to be played with written contracts. Other tasks of that set have none.

The planes to be compared stand in the task. In which order they are tried is for the model, and the time of each is then what is wanted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from toolplan.bench.learning.datasets import run_name, scienceworld
from toolplan.bench.learning.ready import Conversation, Request, Turn
from toolplan.domain import Domain
from toolplan.language.loading import loads
from toolplan.learning.traces import Execution, Failed, Record, Requested

TASK = re.compile(r"which of the two inclined planes \((?P<first>[^,)]+), (?P<second>[^,)]+)\) has the \w+ (?P<what>angle|friction)")
WATCH, MOVING = "look at OBJ", "down the plane"
READING = (WATCH, {"1": "stopwatch in inventory"})
"""The call that tells how long a block took."""
ABOUT_PLANES = {"move OBJ to OBJ": "place", WATCH: "watch"}
"""The contracts for calls that pass a plane."""
WITHOUT_PLANES = {
    ("go OBJ", "to hallway"): "walk_to_hallway",
    ("open OBJ", "door to workshop"): "open_workshop",
    ("go OBJ", "to workshop"): "walk_to_workshop",
    ("look around",): "look_around",
    ("pick up OBJ", "stopwatch"): "take_stopwatch",
}
"""The contracts for calls with these very arguments."""


@cache
def domain() -> Domain:
    """The contracts."""
    return loads(files("toolplan.bench.learning").joinpath("scienceworld.toolplan").read_text("utf-8"))


def conversations(folder: Path) -> Iterator[Conversation]:
    """One for each run of `folder`, in order; those of other tasks have no request."""
    for name, records in groupby(scienceworld(folder), key=lambda record: record.trace):
        yield _conversation(name, list(records))


def test_part(folder: Path) -> frozenset[str]:
    """The names of the runs that the set itself keeps for tests."""
    runs = json.loads((folder / "gold_trajectories.json").read_text("utf-8"))["trajectories"]
    return frozenset(run_name(run) for run in runs if run["split"] == "test")


def _conversation(name: str, records: list[Record]) -> Conversation:
    task = next((record.text for record in records if isinstance(record, Requested)), "")
    calls = tuple(_watched(record) for record in records if isinstance(record, Execution))
    planes = {f"plane_{number}": plane for number, plane in enumerate(_planes(task), 1)}
    wanted = [f"timed({plane})" for plane in planes]
    requests = (Request(tuple(wanted), (READING,), calls[-1]),) if wanted else ()
    state = {f"plane_name({plane})": words for plane, words in planes.items()}
    return Conversation(name, domain(), state, (Turn(requests, calls),), lambda call: _step(call, planes))


def _planes(task: str) -> list[str]:
    """What the two planes are called in calls."""
    found = TASK.search(task)
    if found is None:
        return []
    surface = found["what"] == "friction"
    return [f"inclined plane with a {name} surface".lower() if surface else f"inclined plane {name}".lower() for name in found.groups()[:2]]


def _watched(call: Execution) -> Execution:
    """A look at a block that still moves has failed for now."""
    moving = call.tool == WATCH and MOVING in str(getattr(call.result, "value", ""))
    return replace(call, result=Failed("the block still moves")) if moving else call


def _step(call: Execution, planes: dict[str, str]) -> str | None:
    """The step that `call` is: of contracts with the literal that it passes first, or about the plane that it passes last."""
    passed = [str(value) for value in call.arguments.values()]
    named = next((plane for plane, words in planes.items() if passed and passed[-1] == words), None)
    if named is not None and call.tool in ABOUT_PLANES:
        return f"{ABOUT_PLANES[call.tool]}({named})"
    return WITHOUT_PLANES.get((call.tool, *passed))
