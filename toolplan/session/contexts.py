"""What a reader gets to know of a session before it reads a turn."""

from __future__ import annotations

from datetime import datetime

from toolplan.domain import Domain
from toolplan.goals.readings import Goals
from toolplan.session.events import AskedCall, AskedEntity, AskedFacts, AskedGoal, AskedToDo, Ending, OpenQuestion
from toolplan.session.memory import Frame, Memory
from toolplan.session.turns import Asked, Context


def context_of(domain: Domain, memory: Memory, now: datetime) -> Context:
    """The context of the next turn. Without a request that is open, the state is that of the last one: a turn may take it up again."""
    active = memory.active
    last = memory.last[0] if active is None and memory.last is not None and memory.last[1] is Ending.DONE else None
    return Context(
        domain,
        now,
        memory.state(domain, now.timestamp(), active or last),
        _goals(domain, active),
        None if memory.asked is None else _asked(memory.asked),
        memory.entities,
        memory.words,
        active.said if active is not None else (),
        _goals(domain, last)[:1],
    )


def _goals(domain: Domain, frame: Frame | None) -> tuple[Goals, ...]:
    """What the request of `frame` may mean, the likeliest first."""
    candidates = frame.reading.candidates if frame is not None else ()
    plausible = domain.policy.plausible
    return tuple(candidate.goals for number, candidate in enumerate(candidates) if not number or candidate.p >= plausible)


def _asked(question: OpenQuestion) -> Asked:
    match question:
        case AskedFacts(text, proposes=proposes):
            return Asked(text, question.atoms, proposes=proposes)
        case AskedGoal(text, options):
            return Asked(text, options=options)
        case AskedEntity(text, several):
            return Asked(text, (several.atom,), several.options)
        case AskedCall(text) | AskedToDo(text):
            return Asked(text, proposes=True)
