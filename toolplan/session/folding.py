"""Events to a memory: what each does to what the session knows. Nothing here plans, reads, or looks at a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolplan.domain import Domain
from toolplan.planning.plans import Step
from toolplan.session.events import (
    Answered,
    Asked,
    AskedCall,
    AskedFacts,
    AskedGoal,
    AskedToDo,
    Began,
    Ended,
    Event,
    Heard,
    NoneFits,
    Observed,
    OpenQuestion,
    Outcome,
    Pinned,
    Refusal,
    Retrieved,
    Running,
    Started,
    Stuck,
    Unseen,
    Withdrawn,
)
from toolplan.session.finding_out import known_since
from toolplan.session.memory import NO_REQUEST, Frame, Looked, Made, Memory, Tried, believing, digest_of_call
from toolplan.session.replying import leaving, replied, told
from toolplan.session.settling import settled
from toolplan.session.turning import heard

LATEST = 5
"""Calls whose tools are remembered in their order."""


def fold(domain: Domain, events: Iterable[Event], memory: Memory | None = None) -> Memory:
    """The memory after `events`, on top of `memory`."""
    memory = memory or Memory()
    for event in events:
        memory = _after(domain, memory, event)
        if not isinstance(
            event, Asked | Started | Stuck | Refusal | Withdrawn | Retrieved | NoneFits | Pinned
        ):  # These believe nothing else, and rest on what is so.
            memory = settled(memory)
    return memory


def _after(domain: Domain, memory: Memory, event: Event) -> Memory:
    match event:
        case Began(given=given, entities=entities, id=identity):
            names = {mention.name: mention.type for mention in entities}
            return memory._replace(beliefs=believing(memory.beliefs, given), entities=names, given=tuple(names), id=identity)
        case Heard():
            return heard(domain, memory, event)
        case Answered(at, beliefs, reply, by):
            return replied(domain, told(domain, memory, beliefs), reply, at, by)
        case Unseen():
            return memory._replace(open=None)
        case Asked(question=question):
            return _asked(memory, question)
        case Started(_, call, reads, frame, outcome, basis):
            return _started(memory, Running(call, reads, frame, outcome, basis))
        case Observed():
            return _observed(domain, memory, event)
        case Refusal(call=call):
            return memory._replace(refusals={**memory.refusals, call: event})
        case Withdrawn(call=call):
            return memory._replace(running={name: running for name, running in memory.running.items() if name != call})
        case Retrieved() | NoneFits() | Pinned():
            return _searched(memory, event)
        case Stuck():
            return memory if memory.active is None else memory.with_frame(memory.active._replace(stuck=True))
        case Ended(how=how):
            *waiting, ended = memory.frames
            return leaving(memory, ended)._replace(frames=tuple(waiting), last=(ended, how), open=None, beside=NO_REQUEST)


def _searched(memory: Memory, event: Retrieved | NoneFits | Pinned) -> Memory:
    frame = memory.current
    match event:
        case Retrieved():
            return memory.with_frame(frame._replace(looked=_looked(frame, event)))
        case NoneFits():
            return memory if frame.looked is None else memory.with_frame(frame._replace(looked=frame.looked._replace(passed=True)))
        case Pinned(tool=tool):
            return memory._replace(pins=memory.pins.pin(tool))


def _looked(frame: Frame, event: Retrieved) -> Looked:
    """What is shown now; whatever the user says begins the count anew."""
    before, said = frame.looked, len(frame.said)
    if before is None or before.said != said:
        return Looked(event.tools, said, event.failed, event.at, 1, event.tokens)
    return Looked(event.tools, said, event.failed, before.since, before.rounds + 1, before.tokens + event.tokens)


def _asked(memory: Memory, question: OpenQuestion) -> Memory:
    frame = memory.current
    held = question if isinstance(question, AskedCall) else frame.held
    asked = {**frame.asked, **{key: frame.asked.get(key, 0) + 1 for key in keys_of(question)}}
    return memory.with_frame(frame._replace(asked=asked, held=held, questions=frame.questions + 1))._replace(open=question)


def keys_of(question: OpenQuestion) -> list[str]:
    """What a question is about: two questions with one key ask the same, whatever their words."""
    match question:
        case AskedFacts():
            return [str(atom) for atom in question.atoms]
        case AskedGoal():
            return ["goal "]
        case AskedCall(call=call):
            return [f"call {call.step}"]
        case AskedToDo(step=step):
            return [f"step {step}"]
        case _:
            return [f"choice {question.several.atom}"]


def _started(memory: Memory, running: Running) -> Memory:
    latest = (*memory.latest, running.call.tool)[-LATEST:]
    memory = memory._replace(running={**memory.running, running.call.id: running}, calls=memory.calls + 1, latest=latest)
    frame = memory.caller(running.frame)
    return memory if frame is None else memory.with_frame(frame._replace(calls=frame.calls + 1, held=None))


def _observed(domain: Domain, memory: Memory, event: Observed) -> Memory:
    running = memory.running.get(event.call)
    if running is None:
        return memory
    left = {name: other for name, other in memory.running.items() if name != event.call}
    memory = memory._replace(running=left, outcomes={**memory.outcomes, event.call: event.outcome})
    memory = known_since(domain, memory, running, event)
    frame = memory.caller(running.frame)
    return memory if frame is None else memory.with_frame(_tried(domain, frame, running, event))


def _tried(domain: Domain, frame: Frame, running: Running, event: Observed) -> Frame:
    """`frame` with what became of its last call, what was tried in vain, and what there is to choose from."""
    step = running.call.step
    before = next((tried for tried in frame.tried if tried.step == step), None)
    others = tuple(tried for tried in frame.tried if tried.step != step)
    agreed = tuple(agreed for agreed in frame.agreed if agreed.call.step != step)
    choices = {**frame.choices, **{several.atom: (several, running.reads) for several in event.several}}
    if event.outcome is not Outcome.DONE:
        times = before.times + 1 if before is not None and before.reads == running.reads else 1
        doubts = tuple(belief.atom for belief in event.learned) if event.outcome is Outcome.IN_DOUBT else ()
        reads = running.basis if event.outcome is Outcome.IN_DOUBT else running.reads
        others = (*others, Tried(step, reads, event.outcome, times, event.call, doubts))
    failed = event.outcome in (Outcome.FAILED, Outcome.RETRY)
    digest = digest_of_call(domain, running.call)
    closed = frame.closed if failed else frame.closed | {digest}
    made = _made(frame.made, step, digest, event.outcome)
    return frame._replace(latest=event.outcome, stuck=False, tried=others, agreed=agreed, choices=choices, closed=closed, made=made)


def _made(made: Mapping[Step, Made], step: Step, digest: str, outcome: Outcome) -> Mapping[Step, Made]:
    match outcome:
        case Outcome.DONE:
            return {**made, step: Made(made[step].times + 1 if step in made else 1)}
        case Outcome.IN_DOUBT:
            return {step: Made(0, digest), **made}
        case _:
            return made
