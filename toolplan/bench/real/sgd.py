"""The dialogues of Schema-Guided Dialogue: our next action beside the annotated one, at every decision point.

The annotated actions come from a simulator with rules; only the wording of the dialogues is human. Agreement says that contracts and
frontier are sound on these services, not that a model would understand the users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import toolplan
from toolplan.bench.real import sgd_contracts
from toolplan.bench.real.agreement import Agreement, Miss, Titled, agreement
from toolplan.bench.real.decided import NextAction, next_action
from toolplan.bench.real.sgd_contracts import done_fact, goal_name, slot_fact
from toolplan.bench.real.sgd_states import DecisionPoint, read
from toolplan.domain import Domain

TITLE = "Schema-Guided Dialogue: the next action, as annotated"
DATA = "sgd"
ANSWERED = {"respond": "done", "offer_intent": "done"}
"""What the annotation calls that for which nothing is left to do: telling what is known, and offering another intent."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision point and our action there, on the way to the goal of its intent."""

    point: DecisionPoint
    ours: NextAction

    @property
    def agrees(self) -> bool:
        """Whether our action is of the annotated kind, service and intent."""
        point = self.point
        named = point.gold in ANSWERED or self.ours.tool == f"{point.service}.{point.gold_intent or point.intent}"
        return self.ours.kind == ANSWERED.get(point.gold, point.gold) and named

    @property
    def in_form(self) -> bool:
        """Whether all annotated slots are among those that we ask for."""
        return self._gold_facts <= self.ours.facts

    @property
    def same_form(self) -> bool:
        """Whether we ask for the annotated slots and no other."""
        return self._gold_facts == self.ours.facts

    @property
    def difference(self) -> str:
        """The kind of a disagreement: both actions, and what the user had just done."""
        return f"{self.ours.kind} for {self.point.gold} after {'+'.join(self.point.acts) or 'nothing'}"

    @property
    def _gold_facts(self) -> frozenset[str]:
        return frozenset(slot_fact(self.point.service, slot) for slot in self.point.gold_slots)


def tables(folder: Path) -> Iterator[Titled]:
    """How often we agree, by kind of annotated action; and where we do not."""
    decided = list(decisions(folder))
    yield Titled(TITLE, agreements(decided))
    yield Titled(f"{TITLE}: misses", misses(decided))


def decisions(folder: Path) -> Iterator[Decided]:
    """Our action at every decision point of `folder`, in its order."""
    services = sgd_contracts.read(folder)
    domain = sgd_contracts.domain_of(services)
    transactional = frozenset(
        (s["service_name"], intent["name"]) for s in services for intent in s["intents"] if intent["is_transactional"]
    )
    for point in read(folder, transactional):
        yield Decided(point, decide(domain, point))


def decide(domain: Domain, point: DecisionPoint) -> NextAction:
    """What the frontier does in the state of `point`, towards the goal of its active intent."""
    state = {slot_fact(point.service, slot) for slot in point.known} & domain.facts.keys()
    if point.stands:
        state.add(done_fact(point.service, point.intent))
    if point.consented and point.transactional:
        state.add(sgd_contracts.permission_fact(point.service, point.intent))
    return next_action(toolplan.frontier(domain, state=state, goal=goal_name(point.service, point.intent)))


def agreements(decided: Sequence[Decided]) -> list[Agreement]:
    """The rows of `decided`."""
    acting = [one for one in decided if one.point.gold in ("ask", "confirm", "call")]
    asking = [one for one in acting if one.point.gold == "ask"]
    kinds = dict.fromkeys(one.point.gold for one in decided)
    return [
        _agreeing("ask, confirm and call: same kind, service, intent", acting),
        agreement(DATA, "the same by a rule of three lines", acting, lambda one: one.point.by_rule == one.point.gold, _by_rule),
        *(
            _agreeing(f"of these {kind}" if kind not in ANSWERED else f"{kind}: nothing to do", _of(kind, decided))
            for kind in sorted(kinds)
        ),
        agreement(DATA, "ask: the annotated slots lie in the form", asking, lambda one: one.in_form, lambda one: one.difference),
        agreement(DATA, "ask: the form is exactly these slots", asking, lambda one: one.same_form, _surplus),
    ]


def misses(decided: Iterable[Decided]) -> list[Miss]:
    """The decision points at which we do not agree, in order."""
    return [Miss(DATA, one.point.name, one.point.gold, one.ours.kind, one.difference) for one in decided if not one.agrees]


def _of(kind: str, decided: Sequence[Decided]) -> list[Decided]:
    return [one for one in decided if one.point.gold == kind]


def _agreeing(what: str, cases: Sequence[Decided]) -> Agreement:
    return agreement(DATA, what, cases, lambda one: one.agrees, lambda one: one.difference)


def _by_rule(one: Decided) -> str:
    return f"{one.point.by_rule} for {one.point.gold} after {'+'.join(one.point.acts)}"


def _surplus(one: Decided) -> str:
    return f"{len(one.ours.facts) - len(one.point.gold_slots)} more than annotated"
