"""Schema-Guided Dialogue as tasks: a request for one intent, in one turn or several, and the call that its authors make for it.

A task begins where an utterance is labelled with an intent, and ends before the call. Its request are the turns of the user that state
something; values from earlier turns, and those that the user took over from an offer, are known as they are annotated. The tools are the
intents of all services of the dialogues. What a service found is in the data only by number and names, so that is what is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from toolplan.bench.real import sgd_contracts
from toolplan.bench.real.sgd_contracts import goal_name, slot_fact
from toolplan.bench.real.sgd_slots import NO_VALUE, asked_by
from toolplan.bench.real.slots import Annotated
from toolplan.bench.real_tasks.arguments import Worded
from toolplan.bench.real_tasks.reading import NOW, CrossValidated, Labelling, Said, oracle, read, state_of
from toolplan.bench.real_tasks.tasks import GoldCall, Task
from toolplan.bench.real_tasks.toolboxes import Toolbox
from toolplan.catalog import RealTool
from toolplan.domain import Domain, ValueType
from toolplan.retrieval.encoders import Encoder
from toolplan.values import Normal, normal

DATA = "sgd"
Schema = Mapping[str, Any]
JSON_TYPES = {"integer": "integer", "decimal": "number", "boolean": "boolean"}
"""By the type of a fact. All else is a string: a date is said in many ways."""
STATING = frozenset(["INFORM", "INFORM_INTENT"])
"""Acts of turns that belong to the request."""


class Stretch(NamedTuple):
    """The turns of a dialogue from the one that asks for an intent to the one before its call, by number."""

    dialogue: Mapping[str, Any]
    first: int
    last: int
    service: str
    intent: str

    @property
    def turns(self) -> Sequence[Mapping[str, Any]]:
        """All turns of the dialogue."""
        turns: Sequence[Mapping[str, Any]] = self.dialogue["turns"]
        return turns

    @property
    def stating(self) -> list[int]:
        """The turns of the user that state something of the request, the one that asks for it first."""
        return [
            number
            for number in range(self.first, self.last + 1, 2)
            if number == self.first or STATING & {act[0] for act in self.frame(number).get("acts", ())}
        ]

    def frame(self, number: int) -> Mapping[str, Any]:
        """What turn `number` is annotated with for the service."""
        frame: Mapping[str, Any] = self.turns[number]["frames"].get(self.service, {})
        return frame


def tasks(folder: Path, encode: Encoder | None = None) -> list[Task]:
    """All tasks of the files of `folder`, in order."""
    dialogues = [dialogue for path in sorted(folder.glob("dialogues*.json")) for dialogue in json.loads(path.read_text("utf-8"))]
    used = {service for dialogue in dialogues for service in dialogue["services"]}
    services = [service for service in sgd_contracts.read(folder) if service["service_name"] in used]
    toolbox = Toolbox(DATA, tuple(_tools(services)), sgd_contracts.text_of(services))
    labelled = [one for one in _labelled(folder) if one.goals[0] in toolbox.domain.goals]
    ranked = CrossValidated(labelled, encode)
    wanted = {(one.group, one.text): one.goals for one in labelled}
    return [_task(stretch, toolbox, ranked) for dialogue in dialogues for stretch in _stretches(dialogue, wanted)]


def _labelled(folder: Path) -> list[Labelling]:
    records = json.loads((folder / "selector_queries.json").read_text("utf-8"))
    return [Labelling(one["dialogue_id"], one["query"], (goal_name(*one["gold"][0].split(".")),)) for one in records]


def _stretches(dialogue: Mapping[str, Any], wanted: Mapping[tuple[str, str], tuple[str, ...]]) -> Iterator[Stretch]:
    for first, turn in enumerate(dialogue["turns"]):
        if "user" not in turn or (dialogue["dialogue_id"], turn["user"]) not in wanted:
            continue
        for service, frame in turn["frames"].items():
            intent = frame["active_intent"]
            if wanted[dialogue["dialogue_id"], turn["user"]] == (goal_name(service, intent),):
                called = _called(dialogue["turns"], first, service, intent)
                if called is not None:
                    yield Stretch(dialogue, first, called - 1, service, intent)


def _called(turns: Sequence[Mapping[str, Any]], first: int, service: str, intent: str) -> int | None:
    """The turn of the system that calls `intent`, while nothing else is wanted."""
    for number in range(first + 1, len(turns)):
        frame = turns[number]["frames"].get(service, {})
        if "user" in turns[number] and frame.get("active_intent") != intent:
            return None
        if frame.get("call", {}).get("method") == intent:
            return number
    return None


def _task(stretch: Stretch, toolbox: Toolbox, ranked: CrossValidated) -> Task:
    domain, service, dialogue = toolbox.domain, stretch.service, stretch.dialogue["dialogue_id"]
    call = stretch.frame(stretch.last + 1)["call"]
    said = {act[1] for number in stretch.stating for act in stretch.frame(number)["acts"] if act[0] == "INFORM"}
    known = _known(stretch, domain, said)
    turns = [
        Said(stretch.turns[number]["user"], asked_by(stretch.turns[number - 1]) if number > stretch.first else None)
        for number in stretch.stating
    ]
    state = state_of(known)
    text, goals = " ".join(turn.text for turn in turns), (goal_name(service, stretch.intent),)
    gold = (_gold(stretch, call, domain),)
    values = {slot_fact(service, slot): gold[0].arguments[slot].value for slot in call["parameters"] if slot in said}
    return Task(
        f"{dialogue}:{stretch.first}",
        text,
        toolbox,
        gold,
        goals,
        state,
        {fact: str(value) for fact, value in known.items()},
        read(ranked.rank_for(dialogue), domain, turns, state),
        oracle(toolbox, text, goals, values),
        NOW,
    )


def _known(stretch: Stretch, domain: Domain, said: set[str]) -> dict[str, object]:
    """What is annotated as known before the call, but for what the request itself says. What has no normal form is not known."""
    latest = {service: frame for turn in stretch.turns[: stretch.last + 1] if "user" in turn for service, frame in turn["frames"].items()}
    slots = {
        slot_fact(service, slot): value
        for service, frame in latest.items()
        for slot, value in frame["slots"].items()
        if value != NO_VALUE and not (service == stretch.service and slot in said)
    }
    normals = {fact: normal(domain.facts[fact].value, value, NOW) for fact, value in slots.items() if fact in domain.facts}
    return {fact: value.value for fact, value in normals.items() if isinstance(value, Normal)}


def _gold(stretch: Stretch, call: Mapping[str, Any], domain: Domain) -> GoldCall:
    slots, answer = stretch.frame(stretch.last)["slots"], stretch.frame(stretch.last + 1)
    arguments = {}
    for slot, value in call["parameters"].items():
        kind = domain.facts[slot_fact(stretch.service, slot)].value or ValueType("text")
        arguments[slot] = Worded(Annotated(kind, tuple(dict.fromkeys((value, slots.get(slot, value)))), NOW))
    found = int(answer.get("n_results", 0))
    told = f"{found} found, each with {', '.join(answer['result_slots'])}" if found and answer.get("result_slots") else f"{found} found"
    return GoldCall(goal_name(stretch.service, stretch.intent), arguments, {"found": found}, told)


def _tools(services: Sequence[Schema]) -> Iterator[RealTool]:
    for service in services:
        slots = {slot["name"]: slot for slot in service["slots"]}
        for intent in service["intents"]:
            taken = [*intent["required_slots"], *intent["optional_slots"]]
            properties = {slot: _property(slots[slot], intent["optional_slots"].get(slot)) for slot in taken}
            schema = {"type": "object", "properties": properties, "required": intent["required_slots"]}
            yield RealTool(goal_name(service["service_name"], intent["name"]), intent["description"], schema, service["description"])


def _property(slot: Schema, default: str | None) -> Mapping[str, object]:
    kind = {"type": JSON_TYPES.get(sgd_contracts.value_type(slot), "string")}
    options = {"enum": slot["possible_values"]} if slot["is_categorical"] and kind["type"] == "string" else {}
    return {**kind, "description": slot["description"], **options, **({"default": default} if default is not None else {})}
