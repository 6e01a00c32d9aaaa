"""Contracts for the services of Schema-Guided Dialogue, from their schemas.

An intent is a goal and the tool that reaches it. Its required slots are facts that the goal is given and the tool requires; its optional
ones are passed if they are known. Each slot that an intent takes has a question. A transactional intent is a write to be confirmed, the
others only look. What a call returns are facts of their own: a search offers restaurants, and which of them is meant is for the user to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import toolplan
from toolplan.bench.real import value_types
from toolplan.bench.real.contracts import ask, fact, goal, identifier, permission, tool
from toolplan.domain import Domain

HEADER = """domain services "The services of Schema-Guided Dialogue"

policy { risk read 0 safe, transaction 1 confirm }
"""
Schema = Mapping[str, Any]


def read(folder: Path) -> list[Schema]:
    """The services that `schemas.json` of `folder` describes."""
    schemas: list[Schema] = json.loads((folder / "schemas.json").read_text("utf-8"))
    return schemas


def domain_of(services: Iterable[Schema]) -> Domain:
    """The contracts of `services`, resolved together: every goal and tool of one is there beside those of the others."""
    return toolplan.loads(text_of(services))


def text_of(services: Iterable[Schema]) -> str:
    """The contracts of `services` in the language, in their order."""
    return "\n".join([HEADER, *(line for service in services for line in _service(service))])


def slot_fact(service: str, slot: str) -> str:
    """The fact that the user has said, or chosen, the value of `slot`."""
    return identifier(service, slot)


def goal_name(service: str, intent: str) -> str:
    """The name of the goal of `intent`, and of its tool."""
    return identifier(service, intent)


def done_fact(service: str, intent: str) -> str:
    """The fact that `intent` was carried out with the values of now."""
    return identifier(service, intent, "done")


def permission_fact(service: str, intent: str) -> str:
    """The fact that the user has consented to the call of `intent`."""
    return identifier(service, "confirm", intent)


def value_type(slot: Schema) -> str:
    """The type of the values of `slot`: by its values where the schema lists all of them, else by its name."""
    return value_types.of_options(slot["possible_values"]) if slot["is_categorical"] else value_types.of_name(slot["name"])


def _service(service: Schema) -> Iterator[str]:
    name, intents = service["service_name"], service["intents"]
    descriptions = {slot["name"]: slot["description"] for slot in service["slots"]}
    types = {slot["name"]: value_type(slot) for slot in service["slots"]}
    for slot in dict.fromkeys(slot for intent in intents for slot in _taken(intent)):
        yield fact(slot_fact(name, slot), descriptions[slot], types[slot])
        yield ask(identifier(name, "ask", slot), f"{descriptions[slot]}?", slot_fact(name, slot))
    for intent in intents:
        yield from _intent(name, intent, descriptions)
        yield _goal(service, intent)


def _intent(service: str, intent: Schema, descriptions: Mapping[str, str]) -> Iterator[str]:
    name, description, done = intent["name"], intent["description"], done_fact(service, intent["name"])
    required = {slot: slot_fact(service, slot) for slot in intent["required_slots"]}
    results = {slot: identifier(service, name, slot) for slot in intent["result_slots"] if slot not in _taken(intent)}
    yield fact(done, f"done: {description}")
    yield from (fact(result, descriptions[slot]) for slot, result in results.items())
    yield tool(
        goal_name(service, name),
        f"{service}.{name}",
        description,
        passes=required,
        known={slot: slot_fact(service, slot) for slot in intent["optional_slots"]},
        produces=[done, *results.values()],
        risk="transaction" if intent["is_transactional"] else "read",
    )
    if intent["is_transactional"]:
        yield permission(permission_fact(service, name), f"{description}?", goal_name(service, name))


def _goal(service: Schema, intent: Schema) -> str:
    """The goal of `intent`, described by what its service is for, by itself, and by what one may say besides."""
    name, optional = service["service_name"], ", ".join(intent["optional_slots"]).replace("_", " ")
    description = f"{service['description']}: {intent['description']}" + (f". Perhaps with {optional}" if optional else "")
    given = [slot_fact(name, slot) for slot in intent["required_slots"]]
    return goal(goal_name(name, intent["name"]), description, achieves=done_fact(name, intent["name"]), given=given)


def _taken(intent: Schema) -> Sequence[str]:
    return [*intent["required_slots"], *intent["optional_slots"]]
