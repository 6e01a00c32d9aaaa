"""The session that a test is played in, which goes on as it is hoped where the test does not say otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from toolplan.domain import Domain, Performer
from toolplan.frontier import Act, Call, CallQuestion, Clarify, Done, EntityQuestion, Frontier, Instruct, Source
from toolplan.goals.forms import Form, questions_of
from toolplan.goals.questions import Question
from toolplan.planning.inputs import StateInput
from toolplan.planning.plans import Atom, Status, Step
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import successor
from toolplan.session import Outcome, Session, Settings
from toolplan.session.beliefs import Belief, Beliefs, believed
from toolplan.session.events import AskedFacts, Observed, Started, from_line, to_line
from toolplan.session.starting import running_of
from toolplan.session.stores.memory import MemoryStore

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""When every test takes place: a Monday morning."""
NAME = "test"
SOURCES = {Performer.CALL: Source.OBSERVED, Performer.USER: Source.USER, Performer.MODEL: Source.MODEL}


@dataclass(frozen=True)
class Stage:
    """A session at `NOW`, and the store of its events."""

    session: Session
    store: MemoryStore
    settings: Settings

    @classmethod
    def begun(cls, domain: Domain, state: StateInput, settings: Settings) -> Self:
        """The stage of a new session. Raises DomainError where `state` has a value that is none of its type."""
        return cls._on(domain, MemoryStore(), settings, state)

    def copied(self) -> Self:
        """The stage of another session, to which the same has happened."""
        store = MemoryStore()
        store.append(NAME, 0, self.store.events(NAME))
        return self._on(self.session.domain, store, self.settings)

    @classmethod
    def _on(cls, domain: Domain, store: MemoryStore, settings: Settings, state: StateInput = None) -> Self:
        return cls(Session(domain, state=state, clock=lambda: NOW, settings=settings, store=store, id=NAME), store, settings)

    def next(self) -> Frontier:
        """What is next. Where a request is done and another one has waited for it, that is what is next for the one that waited."""
        now = self.session.next()
        while isinstance(now.decision, Done) and self.session.memory.frames:
            now = self.session.next()
        return now

    def observe(self, call: Call | Step, result: object) -> tuple[Outcome, str]:
        """What a session makes of the `result` of a call, and why."""
        outcome = self.session.observe(call, result)
        seen = from_line(self.store.events(NAME)[-1])
        return outcome, seen.reason if isinstance(seen, Observed) else ""

    def hope(self, now: Frontier) -> tuple[Step, ...]:
        """Let what is next come out as it is hoped; the steps of the plan that are done by that.

        Tools work, users answer, and whoever must agree does. Of several things that were found, the first is meant.
        """
        match now.decision:
            case Act(step=step) | Instruct(step=step):
                self.assume(now.planned.problem, step)
                return (step,)
            case Clarify(question=CallQuestion(by=by)):
                self.session.answer(True, by=by)
            case Clarify(question=EntityQuestion()):
                self.session.answer(0)
            case Clarify(question=Question() | Form() as asked):
                self._answer_all()
                return tuple(question.step for question in questions_of(asked))
        return ()

    def _answer_all(self) -> None:
        asked = self.session.memory.open
        assert isinstance(asked, AskedFacts)
        self.session.answer({atom: True for atom in asked.atoms})

    def assume(self, problem: Problem, step: Step) -> None:
        """`step` is taken, and all comes about that its contract says, in the outcome of the step, and without a value.

        A session knows no such result, so that it is told as by another worker.
        """
        memory, before, after = self.session.memory, _statuses(problem.state), _statuses(successor(problem, problem.state, step))
        changed = sorted({atom for atom, _ in before.items() ^ after.items()})
        tool, levels = problem.domain.tools[step.action], memory.levels(memory.active)
        call = Call(f"call_{memory.calls + 1}", Step(step.action, step.arguments), tool.call_name, {})
        running, at = running_of(problem, memory, call, step.outcome), NOW.timestamp()

        def belief(atom: Atom) -> Belief:
            others = tuple(read for read in running.basis if read.atom != atom)
            source = SOURCES[tool.performer]
            return Belief(atom, after[atom], _value(levels, atom), source, at, call=call.id, frame=running.frame, reads=others)

        learned = tuple(belief(atom) for atom in changed if atom in after)
        lost = tuple(atom for atom in changed if atom not in after)
        removed = tuple(atom for atom in changed if atom in before)
        seen = Observed(at, call.id, Outcome.DONE, learned=learned, lost=lost, removed=removed)
        self.store.append(NAME, len(self.store.events(NAME)), [to_line(Started(at, *running)), to_line(seen)])


def _statuses(state: State) -> Mapping[Atom, Status]:
    """What `state` says of each atom that it speaks of."""
    by_status = ((Status.KNOWN, state.known), (Status.CLAIMED, state.uncertain), (Status.DENIED, state.denied))
    return {atom: status for status, atoms in by_status for atom in atoms}


def _value(levels: Sequence[Beliefs], atom: Atom) -> object:
    """What is verified without being read again keeps its value."""
    belief = believed(levels, atom)
    return None if belief is None else belief.value
