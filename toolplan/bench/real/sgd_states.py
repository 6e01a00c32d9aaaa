"""The decision points of annotated dialogues: the state before a turn of the system, and what its authors had it do.

Of a dialogue is read what the annotation says: acts, slots, calls. The words are not looked at. Three things follow from it.
The user has *consented* to a call who affirms what the system proposed: the call that it wants confirmed, or what it offers instead of one
that failed. A call *stands* while nothing that it was made with has changed: it succeeded, and since then the user has neither given a
value nor asked for the intent anew, nor for more results than it brought. A point where the call of the intent stands needs no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

QUESTIONS = frozenset(["CONFIRM", "OFFER", "OFFER_INTENT", "REQUEST"])
"""Acts of the system that the user can affirm."""
RENEWALS = frozenset(["INFORM", "INFORM_INTENT", "AFFIRM_INTENT"])
"""Acts of the user after which a call no longer answers what is wanted."""

GoldKind = Literal["call", "ask", "confirm", "respond", "offer_intent"]
Turns = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """What is known before the system speaks in `turn`, and what it did: `gold`, with the slots that it asked for.

    `by_rule` is what a rule of three lines does: ask if a required slot is missing, else confirm what has not been, else call.
    """

    dialogue: str
    turn: int
    service: str
    intent: str
    known: frozenset[str]
    consented: bool
    stands: bool
    acts: tuple[str, ...]
    transactional: bool
    by_rule: str
    gold: GoldKind
    gold_intent: str
    gold_slots: frozenset[str]

    @property
    def name(self) -> str:
        """The dialogue, the turn, and what the user is after."""
        return f"{self.dialogue}:{self.turn} {self.service}.{self.intent}"


def read(folder: Path, transactional: frozenset[tuple[str, str]]) -> list[DecisionPoint]:
    """The points of all files `steps*.json` of `folder`, in order, with the dialogues of `dialogues*.json`.

    `transactional` are the intents that change something, each with its service.
    """
    dialogues = {dialogue["dialogue_id"]: dialogue["turns"] for dialogue in _records(folder, "dialogues")}
    steps = _records(folder, "steps")
    return [_point(step, dialogues[step["dialogue_id"]], transactional) for step in steps]


def _records(folder: Path, name: str) -> Iterator[Mapping[str, Any]]:
    for path in sorted(folder.glob(f"{name}*.json")):
        yield from json.loads(path.read_text("utf-8"))


def _point(step: Mapping[str, Any], turns: Turns, transactional: frozenset[tuple[str, str]]) -> DecisionPoint:
    service, intent, gold = step["service"], step["active_intent"], step["gold"]
    before, changes = turns[: step["turn"]], (service, intent) in transactional
    return DecisionPoint(
        step["dialogue_id"],
        step["turn"],
        service,
        intent,
        frozenset(step["known"]),
        consented=_consented(before, service),
        stands=_stands(before, service, intent),
        acts=tuple(sorted(_acts(before[-1], service))),
        transactional=changes,
        by_rule="ask" if step["missing_required"] else "confirm" if changes and not step["confirmed"] else "call",
        gold=gold["type"],
        gold_intent=gold.get("tool", ""),
        gold_slots=frozenset(gold.get("slots", ())),
    )


def _frame(turn: Mapping[str, Any], service: str) -> Mapping[str, Any]:
    frame: Mapping[str, Any] = turn["frames"].get(service, {})
    return frame


def _acts(turn: Mapping[str, Any], service: str) -> set[str]:
    return {act[0] for act in _frame(turn, service).get("acts", ())}


def _consented(before: Turns, service: str) -> bool:
    """Whether the user's last turn affirms a call that the system proposed."""
    if "AFFIRM" not in _acts(before[-1], service):
        return False
    asked = next((acts for turn in reversed(before) if "system" in turn and (acts := _acts(turn, service)) & QUESTIONS), set())
    return "CONFIRM" in asked or {"OFFER", "NOTIFY_FAILURE"} <= asked


def _stands(before: Turns, service: str, intent: str) -> bool:
    """Whether the last call of `intent` succeeded and still answers what is wanted."""
    calls = (at for at in reversed(range(len(before))) if _frame(before[at], service).get("call", {}).get("method") == intent)
    at = next(calls, None)
    if at is None or "NOTIFY_FAILURE" in _acts(before[at], service):
        return False
    since = before[at + 1 :]
    if any(_acts(turn, service) & RENEWALS for turn in since if "user" in turn):
        return False
    offered = sum("OFFER" in _acts(turn, service) for turn in before[at:])
    more = "REQUEST_ALTS" in _acts(before[-1], service)
    return not more or int(_frame(before[at], service).get("n_results", 0)) > offered
