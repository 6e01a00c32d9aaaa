"""A session in which one person plays the user, the tools and the model. Every move can be taken back, and is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.checks.changes import Change, changes
from toolplan.checks.recording import Recording
from toolplan.checks.typed import typed_answer
from toolplan.domain import Or, Performer, Wanted
from toolplan.frontier import Act, Call, CallQuestion, Clarify, Done, Frontier, Instruct
from toolplan.planning.inputs import GoalInput, build
from toolplan.planning.plans import Step
from toolplan.session import Held, Proposal, Session
from toolplan.session.beliefs import Belief
from toolplan.session.binding import Known
from toolplan.session.conversation import Clock
from toolplan.session.events import AskedCall, Observed, from_line
from toolplan.session.stores import Store
from toolplan.session.turns import Agreed, TurnReading


@dataclass(frozen=True, slots=True)
class OfUser:
    """A turn of the user is next."""


@dataclass(frozen=True, slots=True)
class OfRole:
    """Somebody else than the user has to agree: yes or no is next, by `role`."""

    role: str


@dataclass(frozen=True, slots=True)
class OfTool:
    """What comes of a call is next; `call` is None where some of its arguments are for a model to give."""

    step: Step
    call: Call | None


@dataclass(frozen=True, slots=True)
class OfModel:
    """The words of the host's model are next."""

    step: Step


Awaited = OfUser | OfRole | OfTool | OfModel


class _Mark(NamedTuple):
    """What there was before a move: how many events, and the record."""

    events: int
    recording: Recording
    held: Call | None


class Rehearsal:
    """What `opened` gives is the session `id` of `store` as it is. Moves that are wrong raise DomainError, and change nothing."""

    def __init__(self, opened: Callable[[], Session], store: Store, id: str, clock: Clock) -> None:
        self._opened, self._store, self._id, self._clock = opened, store, id, clock
        self.is_resumed = bool(store.events(id))
        self.session = opened()
        self._seen = self.session.memory
        self.recording = Recording.of(self._seen.state(self.session.domain, 0.0, None))
        self._marks: list[_Mark] = []
        self._held: Call | None = None
        self.now = self._next()[-1]

    # What is next

    @property
    def awaited(self) -> Awaited:
        """Whose move it is."""
        running = self.session.running
        if running:
            return OfTool(running[0].step, running[0])
        match self.now.decision:
            case Act(step=step, ready=call):
                return OfTool(Step(step.action, step.arguments), call)
            case Instruct(performer=Performer.MODEL, step=step):
                return OfModel(Step(step.action, step.arguments))
            case Clarify(question=CallQuestion(by=role)) if role:
                return OfRole(role)
            case _:
                return OfUser()

    def follow(self) -> list[Frontier]:
        """What is next after a move: the ends of requests first, and last what goes on.

        A question that only the proposal of a model has raised is not recorded, as in a test no model proposes.
        """
        decided = self._next()
        match self.now.decision:
            case Clarify(question=CallQuestion(call=call)) if call == self._held:
                pass
            case decision:
                self.recording = self.recording.expecting(decision)
        return decided

    @property
    def is_asked(self) -> bool:
        """Whether a question is open."""
        return self.session.memory.open is not None

    def changed(self) -> list[Change]:
        """What came and went since this was asked for the last time."""
        before, self._seen = self._seen, self.session.memory
        return changes(before, self._seen)

    @property
    def beliefs(self) -> list[Belief]:
        """All that is believed now for the open request, sorted by atom."""
        memory = self.session.memory
        merged = {atom: belief for level in memory.levels(memory.active) for atom, belief in level.items()}
        return [merged[atom] for atom in sorted(merged)]

    def arguments(self, step: Step) -> Known:
        """The arguments of a call of `step` that are known, and the names of those that a model has to give."""
        return self.session.known(step)

    def _next(self) -> list[Frontier]:
        decided = [self.session.next()]
        while isinstance(decided[-1].decision, Done) and self.session.memory.frames:
            decided.append(self.session.next())
        self.now = decided[-1]
        return decided

    # Moves

    def want(self, goal: GoalInput) -> None:
        """The caller wants `goal`, from the beginning."""
        goals = list(map(_as_item, build(self.session.domain, None, goal).wanted))
        self.session.want(*goals)
        self.recording = self.recording.wanting(goals)

    def say(self, words: str) -> TurnReading:
        """A turn of the user, and what it is read as."""
        question = self.session.memory.open
        with self._move():
            turn = self.session.hear(words)
        agreed = isinstance(question, AskedCall) and question.call == self._held and isinstance(turn.reply, Agreed)
        if not agreed:
            frame = self.session.memory.active
            self.recording = self.recording.saying(turn, turn.goals if frame is None else frame.reading)
        return turn

    def answer(self, typed: str) -> None:
        """An answer to the open question as from a form or a button. A test will have to read it. Raises ValueError where it is no JSON."""
        with self._move():
            self.session.answer(typed_answer(self.session.memory.open, typed))
        self.recording = self.recording.answering(typed)

    def agree(self, role: str) -> None:
        """`role` agrees to a call. That is not recorded: in a test whoever must agree does."""
        with self._move():
            self.session.answer(True, by=role)

    def decline(self) -> None:
        """Nobody answers the open question, or whoever must agree says no."""
        with self._move():
            self.session.decline()
        self.recording = self.recording.declining()

    def observe(self, call: Call | Step, result: object) -> Observed:
        """What came of `call`."""
        with self._move() as mark:
            self.session.observe(call, result)
        self.recording = self.recording.observing(call.step if isinstance(call, Call) else call, result)
        events = map(from_line, self._store.events(self._id, mark.events))
        return next(event for event in events if isinstance(event, Observed))

    def propose(self, tool: str, arguments: Mapping[str, object]) -> Proposal:
        """A model proposes a call. What it comes to is observed later."""
        with self._move():
            proposal = self.session.propose(tool, arguments)
        if isinstance(proposal, Held):
            self._held = proposal.question.call
        return proposal

    def undo(self) -> bool:
        """Take the last move back, with all that it led to; False where none was made yet."""
        if not self._marks:
            return False
        mark = self._marks.pop()
        kept = self._store.events(self._id)[: mark.events]
        self._store.delete(self._id)
        self._store.append(self._id, 0, kept)
        self.session = self._opened()
        self.recording, self._held = mark.recording, mark.held
        self._next()
        return True

    @contextmanager
    def _move(self) -> Iterator[_Mark]:
        """A move that can be taken back, if anything has come of it."""
        mark = _Mark(len(self._store.events(self._id)), self.recording, self._held)
        yield mark
        if len(self._store.events(self._id)) > mark.events:
            self._marks.append(mark)


def _as_item(wanted: Wanted) -> str:
    """`wanted` as one of the items of a list."""
    return f"({wanted.label})" if isinstance(wanted.condition, Or) and not wanted.goal else wanted.label
