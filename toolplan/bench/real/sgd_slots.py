"""The slots of Schema-Guided Dialogue: the values that turns of the user state, and questions for values that were stated.

A turn states the slots that it informs of. The annotation has a value in the words of the user, perhaps again in those of the system that
repeats it, and in the form in which a call takes it. A slot that is said not to matter has no value. The dialogues take place on the first
of March 2019: so their calls understand "today" and "next Friday". A reader knows the contracts of the services of the dialogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from toolplan.bench.real import sgd, sgd_contracts
from toolplan.bench.real.agreement import Agreement, Titled, agreement
from toolplan.bench.real.sgd_contracts import goal_name, slot_fact
from toolplan.bench.real.sgd_states import Turns
from toolplan.bench.real.slots import READERS, Annotated, SlotReader, SlotTurn, agreements, normalised
from toolplan.domain import Domain, ValueType
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.session.turns import Asked, Context, TurnReading

TITLE = "Schema-Guided Dialogue: values that the user states (goal and open question: annotated)"
DATA = "sgd"
NOW = datetime(2019, 3, 1, 9, tzinfo=UTC)
NO_VALUE = "dontcare"
RENEWALS = frozenset(["INFORM_INTENT", "SELECT"])
"""Acts of the user with which slots get values without being stated: those of an offer, and those with which an intent begins."""
PROPOSALS = frozenset(["CONFIRM", "OFFER", "OFFER_INTENT"])
"""Acts of the system to which yes or no is an answer."""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A turn of the user, the `number`-th of all turns of `dialogue`."""

    dialogue: str
    number: int
    slots: SlotTurn


@dataclass(frozen=True, slots=True)
class Questioned:
    """Our action at a decision point, and those of the facts asked for there that the user has stated before."""

    decided: sgd.Decided
    stated: frozenset[str]


def tables(folder: Path, readers: Mapping[str, SlotReader] = READERS, every: int = 1) -> Iterator[Titled]:
    """Precision and recall of values by reader, and how often nothing is asked for that the user has stated.

    Of the dialogues the first of each `every` is read: a model takes its time.
    """
    turns = list(read(folder, every))
    slots = [turn.slots for turn in turns]
    readings = {name: list(map(reader, slots)) for name, reader in readers.items()}
    read_by = [row for name, reads in readings.items() for row in agreements(DATA, name, slots, reads)]
    yield Titled(TITLE, [*normalised(DATA, slots), *read_by])
    domain, dialogues = sgd_contracts.domain_of(sgd_contracts.read(folder)), {turn.dialogue for turn in turns}
    decided = [one for one in sgd.decisions(folder) if one.point.dialogue in dialogues]
    rows = [row for name, reads in readings.items() for row in asked_again(name, list(questions(domain, decided, turns, reads)))]
    yield Titled("Schema-Guided Dialogue: questions for what the user has stated", rows)


def read(folder: Path, every: int = 1) -> Iterator[UserTurn]:
    """The turns of the user in all files `dialogues*.json` of `folder`, in order, of the first of each `every` dialogues."""
    services = {service["service_name"]: service for service in sgd_contracts.read(folder)}

    @cache
    def domain_of(*names: str) -> Domain:
        return sgd_contracts.domain_of(services[name] for name in names)

    paths = sorted(folder.glob("dialogues*.json"))
    dialogues = [dialogue for path in paths for dialogue in json.loads(path.read_text("utf-8"))]
    for dialogue in dialogues[::every]:
        for number, turn in enumerate(dialogue["turns"]):
            if "user" in turn:
                yield UserTurn(dialogue["dialogue_id"], number, _slot_turn(dialogue, number, domain_of(*dialogue["services"])))


def questions(
    domain: Domain, decided: Iterable[sgd.Decided], turns: Sequence[UserTurn], readings: Sequence[TurnReading]
) -> Iterator[Questioned]:
    """What we ask at the points of `decided`, where of the values that the user stated before only those are known that were read.

    A value that was read wrongly is known, too. What the user took over from an offer is known as annotated. What the annotation knows no
    more was stated for an earlier request.
    """
    stated: dict[str, list[tuple[UserTurn, TurnReading]]] = {}
    for turn, reading in zip(turns, readings, strict=True):
        stated.setdefault(turn.dialogue, []).append((turn, reading))
    for one in decided:
        before = [(turn.slots, reading) for turn, reading in stated[one.point.dialogue] if turn.number < one.point.turn]
        current = {slot_fact(one.point.service, slot): slot for slot in one.point.known}
        said = {fact for slots, _ in before for fact in slots.stated if fact in current}
        unread = said - {value.atom.fact for _, reading in before for value in reading.stated}
        if unread:
            point = replace(one.point, known=one.point.known - {current[fact] for fact in unread})
            one = sgd.Decided(point, sgd.decide(domain, point))
        yield Questioned(one, one.ours.facts & said)


def asked_again(reader: str, questioned: Sequence[Questioned]) -> Iterator[Agreement]:
    """At how many points nothing is asked for that the user has stated: of all points, and of those at which values are asked for."""
    asking = [one for one in questioned if one.decided.ours.kind == "ask"]
    for what, cases in (("decisions", questioned), ("questions", asking)):
        yield agreement(DATA, f"{reader}: {what} without what was stated", cases, lambda one: not one.stated, _again)


def _again(one: Questioned) -> str:
    return f"{len(one.stated)} asked for again"


def _slot_turn(dialogue: Mapping[str, Any], number: int, domain: Domain) -> SlotTurn:
    turns: Turns = dialogue["turns"]
    frames, text = turns[number]["frames"], turns[number]["user"]
    wanted = [(goal_name(service, act[2]),) for service, frame in frames.items() for act in frame["acts"] if act[0] == "INFORM_INTENT"]
    held = {
        slot_fact(service, slot): _annotated(turns, number, service, slot, domain)
        for service, frame in frames.items()
        for slot, value in frame["slots"].items()
        if value != NO_VALUE
    }
    informed = [slot_fact(service, slot) for service, frame in frames.items() for slot in _informed(frame)]
    stated = {fact: held[fact] for fact in informed if fact in held}
    return SlotTurn(f"{dialogue['dialogue_id']}:{number}", text, _context(turns, number, domain), tuple(wanted), stated, held)


def _context(turns: Turns, number: int, domain: Domain) -> Context:
    frames = turns[number]["frames"]
    goals = [(goal_name(service, frame["active_intent"]),) for service, frame in frames.items() if frame["active_intent"] != "NONE"]
    latest = {service: frame for turn in turns[:number] if "user" in turn for service, frame in turn["frames"].items()}
    known = {Atom(slot_fact(service, slot)): value for service, frame in latest.items() for slot, value in frame["slots"].items()}
    values = {atom: _value(domain, atom, wording) for atom, wording in known.items() if wording != NO_VALUE}
    state = State(known=frozenset(known), values=values)
    return Context(domain, NOW, state, tuple(goals), asked_by(turns[number - 1]) if number else None)


def _value(domain: Domain, atom: Atom, wording: str) -> object:
    forms = Annotated(_type_of(domain, atom.fact), (wording,), NOW).forms
    return forms[0] if forms else wording


def asked_by(turn: Mapping[str, Any]) -> Asked | None:
    """The question with which `turn`, one of the system, ends; none where it asks nothing."""
    acts = [(service, *act) for service, frame in turn["frames"].items() for act in frame["acts"]]
    atoms = tuple(Atom(slot_fact(service, slot)) for service, act, slot, *_ in acts if act == "REQUEST")
    proposes = any(act in PROPOSALS for _, act, *_ in acts)
    return Asked(turn["system"], atoms, proposes=proposes and not atoms) if atoms or proposes else None


def _annotated(turns: Turns, number: int, service: str, slot: str, domain: Domain) -> Annotated:
    """The value that `slot` has after the turn of that number, in all its wordings until it may be another value."""
    frame = turns[number]["frames"][service]
    wordings = {frame["slots"][slot]: None}
    for turn in turns[number + 1 :]:
        frame = turn["frames"].get(service, {})
        acts = {act[0] for act in frame.get("acts", ())}
        if "user" in turn and (slot in _informed(frame) or acts & RENEWALS):
            break
        known = frame.get("slots", {}) if "user" in turn else frame.get("call", {}).get("parameters", {})
        if slot in known:
            wordings[known[slot]] = None
        if "NOTIFY_FAILURE" in acts:  # what is offered instead may be taken over
            break
    return Annotated(_type_of(domain, slot_fact(service, slot)), tuple(wordings), NOW)


def _type_of(domain: Domain, fact: str) -> ValueType:
    return domain.facts[fact].value or ValueType("text")


def _informed(frame: Mapping[str, Any]) -> list[str]:
    return [act[1] for act in frame.get("acts", ()) if act[0] == "INFORM"]
