"""The airline of tau-bench, to be played with written contracts.

What the customers say is not in the data. Wanted is what the gold of a task calls, which was written before any agent saw the task, and
said is what that passes: who the customer is, and which reservations are meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from toolplan.bench.learning.datasets import airline
from toolplan.bench.learning.ready import Conversation, Request, Turn
from toolplan.domain import Domain
from toolplan.language.loading import loads
from toolplan.learning.traces import Execution

ABOUT_RESERVATIONS = {"get_reservation_details": "seen", "cancel_reservation": "cancelled"}
"""What is known after a call about a reservation."""


@cache
def domain() -> Domain:
    """The contracts."""
    return loads(files("toolplan.bench.learning").joinpath("airline.toolplan").read_text("utf-8"))


def conversations(folder: Path) -> Iterator[Conversation]:
    """One for each run of `folder`, in order."""
    runs = json.loads((folder / "gpt4o_airline_trajectories.json").read_text("utf-8"))
    golds = {f"{run['task_id']}:{run['trial']}": run["gold"] for run in runs}
    for name, records in groupby(airline(folder), key=lambda record: record.trace):
        calls = tuple(record for record in records if isinstance(record, Execution))
        yield Conversation(name, domain(), _state(golds[name]), (Turn(tuple(_requests(golds[name], calls)), calls),), _step)


def _state(gold: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    state: dict[str, object] = {}
    for call in gold:
        match call["args"]:
            case {"reservation_id": str(name)}:
                state[f"reservation_id({_entity(name)})"] = name
            case {"user_id": str(name)}:
                state["user_id"] = name
    return state


def _requests(gold: Sequence[Mapping[str, Any]], calls: Sequence[Execution]) -> Iterator[Request]:
    """All that the gold wants at once: what there is no contract for leads no further than to the reservation that it is about."""
    facts: dict[str, None] = {}
    for call in gold:
        if call["name"] == "get_user_details":
            facts["profile"] = None
        elif "reservation_id" in call["args"]:
            facts[f"{ABOUT_RESERVATIONS.get(call['name'], 'seen')}({_entity(call['args']['reservation_id'])})"] = None
    if facts and calls:
        yield Request(tuple(facts), tuple((call["name"], call["args"]) for call in gold), calls[-1])


def _step(call: Execution) -> str | None:
    match call.arguments:
        case {"reservation_id": str(name)} if call.tool in ABOUT_RESERVATIONS:
            return f"{call.tool}({_entity(name)})"
        case _:
            return call.tool if call.tool in domain().tools else None


def _entity(reservation: str) -> str:
    return f"r_{reservation}"
