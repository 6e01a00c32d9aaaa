"""What the log of a conversation must not show, told from the log alone: nothing here knows how a session decides."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from conversations import DOMAIN, Conversation

from toolplan.domain import Tool
from toolplan.frontier.calls import Argument, Call, Source
from toolplan.planning.plans import Atom, Status
from toolplan.session import Outcome
from toolplan.session.beliefs import Belief
from toolplan.session.events import Answered, Asked, AskedCall, Ended, Ending, Event, Heard, Observed, Started, Unseen
from toolplan.session.folding import fold
from toolplan.session.memory import Frame, Memory
from toolplan.session.turns import Agreed, Stopped

ACHIEVING = {
    "move_event": {"update_event"},
    "cancel_event": {"cancel_event"},
    "order": {"order"},
    "order_anyhow": {"order", "back_order"},
    "refund": {"refund"},
    "repair": {"close_repair"},
    "note": {"save_note"},
    "label": {"label_mail"},
    "tell": {"send_summary"},
    "greet": {"greet"},
    "help": {"close_ticket"},
}
"""The tools of which one must have worked before a goal is reached."""


@dataclass
class Auditor:
    """Reads the events of `talk` one by one, and fails at the first that must not be.

    `meant` is what the user said last of an atom in a request, and `said` the number of the event in which that was; `owner` is the request
    in which a value was first said or found, and `people` are those that a request is about. The calls `made_anyway` were not let through.
    """

    talk: Conversation
    made_anyway: frozenset[str] = frozenset()
    position: int = 0
    memory: Memory = field(default_factory=Memory)
    asked: AskedCall | None = None
    agreed: list[tuple[int, AskedCall]] = field(default_factory=list)
    questions: Counter[int] = field(default_factory=Counter)
    starts: dict[int, Started] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    meant: dict[tuple[int, Atom], Belief] = field(default_factory=dict)
    said: dict[tuple[int, Atom], int] = field(default_factory=dict)
    owner: dict[object, int] = field(default_factory=dict)
    people: dict[int, set[str]] = field(default_factory=dict)

    def read(self) -> None:
        """Go on to the end of the log."""
        for event in self.talk.events()[self.position :]:
            before, self.memory = self.memory, fold(DOMAIN, [event], self.memory)
            self._read(event, before)
            self.position += 1

    def _read(self, event: Event, before: Memory) -> None:
        match event:
            case Heard(reading=turn, beliefs=beliefs):
                if self.memory.requests > before.requests:
                    self._opened(before, {mention.name for mention in turn.mentions})
                self._told(beliefs, {mention.name for mention in turn.mentions})
                self._replied(turn.reply, "", opens=self.memory.requests > before.requests)
            case Answered(beliefs=beliefs, reply=reply, by=by):
                self._told(beliefs, set())
                self._replied(reply, by, opens=False)
            case Unseen():
                self.asked = None
            case Asked(question=question):
                self.asked = question if isinstance(question, AskedCall) else None
                self.questions[active(before).number] += 1
            case Started():
                self._started(event)
            case Observed():
                self._observed(event)
            case Ended(how=how):
                self.asked = None
                if how is Ending.DONE:
                    self._check_done(active(before))

    # The user

    def _opened(self, before: Memory, mentioned: set[str]) -> None:
        frame = active(self.memory)
        made = set(frame.entities) - mentioned
        assert not made & (before.entities.keys() - set(before.given)), f"{made} are of another request"
        assert not frame.tried and not frame.agreed and not frame.refused and not frame.choices and not frame.asked, frame
        for goal in (goal for candidate in frame.reading.candidates for goal in candidate.goals if goal.startswith("tell")):
            assert len(set(goal[5:-1].split(", "))) == 2, f"{goal} is about one person"
        self.people[frame.number] = {*made, *before.given}

    def _told(self, beliefs: tuple[Belief, ...], mentioned: set[str]) -> None:
        number = self.memory.active.number if self.memory.active is not None else 0
        self.people.setdefault(number, set()).update(mentioned)
        for belief in beliefs:
            self.owner.setdefault(as_key(belief.value), number)
            place = (number, belief.atom)
            is_guess = belief.status is Status.CLAIMED and place in self.meant and self.meant[place].status is Status.KNOWN
            if all(other.digest == belief.digest for other in beliefs if other.atom == belief.atom) and not is_guess:
                self.meant[place], self.said[place] = belief, self.position
                self._changed(belief, number)

    def _replied(self, reply: object, by: str, *, opens: bool) -> None:
        if isinstance(reply, Agreed) and self.asked is not None and by == self.asked.by:
            self.agreed.append((active(self.memory).number, self.asked))
        if reply is not None or opens:
            self.asked = None
        if isinstance(reply, Stopped):
            self.agreed.clear()

    def _changed(self, belief: Belief, request: int) -> None:
        """What rested on another value is no consent any more."""
        everywhere = DOMAIN.facts[belief.atom.fact].lasting or (belief.call != "" and bool(belief.atom.arguments))
        self.agreed = [
            (number, question)
            for number, question in self.agreed
            if not (rests_on_other(question, belief) and (everywhere or number == request))
        ]
        if self.asked is not None and rests_on_other(self.asked, belief):
            self.asked = None

    # The tools

    def _started(self, event: Started) -> None:
        call, tool = event.call, DOMAIN.tools[event.call.step.action]
        assert all(call.id != start.call.id for start in self.starts.values()), f"{call.id} names two calls"
        for argument in call.arguments.values() if call.id not in self.made_anyway else ():
            self._check_source(argument, call)
            self._check_request(argument, event.frame)
            assert not self._is_withdrawn(as_key(argument.value), event.frame), f"{argument} rests on what was corrected"
        self._check_consent(call, tool, event.frame)
        self._check_again(event, tool)
        self.starts[self.position] = event

    def _check_source(self, argument: Argument, call: Call) -> None:
        match self.talk.fresh.source.get(as_key(argument.value)):
            case "content":
                assert not argument.source.binds, call
            case "model":
                assert not argument.source.binds or call.step.action == "send_summary", call  # which rests on a summary that was verified
            case "observed" | "label":
                assert argument.source is not Source.CALLER, call
                assert argument.source is not Source.USER or argument.fact in self._chosen(), call

    def _chosen(self) -> set[Atom | None]:
        """What the user chose from what was found."""
        return {Atom("event_id"), *(Atom("address", (name,)) for name in self.memory.entities)}

    def _check_request(self, argument: Argument, frame: int) -> None:
        """The value is of this request, unless it is lasting, the caller's, or about somebody who is mentioned again."""
        if argument.fact is None:
            return
        owner = self.owner.get(as_key(argument.value), frame)
        about = {*argument.fact.arguments, *self.people.get(owner, set())} if argument.fact.arguments else set()
        known = owner == frame or DOMAIN.facts[argument.fact.fact].lasting or about & self.people.get(frame, set())
        assert known, f"{argument} is of request {owner}, and not of {frame}"

    def _is_withdrawn(self, value: object, frame: int) -> bool:
        """Whether the user said another value since, of this or of what it was found with."""
        fresh = self.talk.fresh
        for number in {frame, 0}:
            now = self.meant.get((number, fresh.about[value])) if value in fresh.about and self.owner.get(value) == number else None
            if now is not None and as_key(now.value) != value:
                return True
        return any(self._is_withdrawn(as_key(parent), frame) for parent in fresh.parents.get(value, ()))

    def _check_consent(self, call: Call, tool: Tool, frame: int) -> None:
        level = DOMAIN.risk_of(tool)
        if level.safe or (all(a.source.binds for a in call.arguments.values()) and not tool.confirm and not level.confirm):
            return
        consent = next(((number, q) for number, q in self.agreed if number == frame and is_same(q.call, call)), None)
        assert consent is not None, f"nobody agreed to {call}"
        for name, argument in call.arguments.items():
            assert f"{name} = {json.dumps(argument.value)} ({argument.source.value})" in consent[1].text, f"{argument} was not shown"
        self.agreed.remove(consent)

    def _check_again(self, event: Started, tool: Tool) -> None:
        """What was in vain is not tried for ever, and what may have been done is not done again, unless the user changed what it rests on."""
        same = [(at, start) for at, start in self.starts.items() if start.frame == event.frame and is_same(start.call, event.call)]
        if not same:
            return
        at, last = same[-1]
        assert last.call.id in self.outcomes, f"{event.call} is running already"
        if tool.name in DOMAIN.policy.always_visible:  # which a model may call as often as it likes
            return
        changed = any(self.said.get((number, read.atom), 0) > at for read in last.reads for number in (event.frame, 0))
        if changed:
            return
        if DOMAIN.risk_of(tool).safe or tool.evidence.idempotent:
            here = [self.outcomes[start.call.id] for _, start in same if start.reads == event.reads]
            assert here.count(Outcome.RETRY) <= self.talk.settings.retries, f"{event.call} is tried for ever"
            assert not set(here) & {Outcome.FAILED, Outcome.NOTHING, Outcome.SEVERAL}, f"{event.call} was in vain"
        elif not (tool.creates and self.outcomes[last.call.id] is Outcome.DONE):  # what a thing was made for may have come to nothing
            assert self.outcomes[last.call.id] in (Outcome.FAILED, Outcome.RETRY), (
                f"{event.call} is made twice: {self.outcomes[last.call.id]}"
            )

    def _observed(self, event: Observed) -> None:
        started = next(start for start in self.starts.values() if start.call.id == event.call)
        assert event.call not in self.outcomes, f"{event.call} is observed twice"
        self.outcomes[event.call] = event.outcome
        for belief in event.learned:
            assert not any("." in name for name in belief.atom.arguments), f"{belief.atom} is about nothing that is there"
            self.owner.setdefault(as_key(belief.value), started.frame)
            self._changed(belief, started.frame)
        for several in event.several:
            for value in several.values:
                self.owner.setdefault(as_key(value), started.frame)

    def _check_done(self, frame: Frame) -> None:
        done = {
            s.call.step.action for s in self.starts.values() if s.frame == frame.number and self.outcomes.get(s.call.id) is Outcome.DONE
        }
        for goal in frame.reading.candidates[0].goals if frame.reading.candidates else ():
            assert done & ACHIEVING[goal.partition("(")[0]], f"{goal} is done by {sorted(done)} alone"


def active(memory: Memory) -> Frame:
    """The request that is pursued, where there is one."""
    assert memory.active is not None
    return memory.active


def as_key(value: object) -> object:
    """`value`, so that values can be told apart."""
    return value if isinstance(value, str | int) else json.dumps(value)


def is_same(one: Call, other: Call) -> bool:
    """Whether two calls do the same."""
    return one.step == other.step and one.values == other.values


def rests_on_other(question: AskedCall, belief: Belief) -> bool:
    """Whether `question` rests on something else than `belief` says."""
    return any(read.atom == belief.atom and read.digest != belief.digest for read in question.reads)
