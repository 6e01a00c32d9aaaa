"""Turns: what a turn of the user does to the requests of a session.

A turn is a reply, a correction, an addition, a new request, a digression, or stop, and may be several of these at once. Which it is
follows from what it says. A goal that is not the open one opens a request, and the one that was open waits. Values without a goal belong
to the open request, or else take up the one that was done last. An entity without a goal wants for it what was wanted before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from toolplan.domain import Domain
from toolplan.frontier.calls import Source
from toolplan.goals.readings import Reading, reading_of
from toolplan.planning.plans import Atom, Status
from toolplan.session.beliefs import Belief, Beliefs
from toolplan.session.events import AskedFacts, AskedGoal, Ending, Heard
from toolplan.session.frames import filled, goal_names
from toolplan.session.memory import NO_REQUEST, Frame, Memory, believing
from toolplan.session.replying import chosen_by, relayed, replied, stopped, told
from toolplan.session.turns import Declined, Mention, Refused, Reply, Stopped, TurnReading

CLEAR = 0.5
"""Up to which probability of none of the goals a turn wants one of them."""
MOST_TURNS = 20
"""Turns of a request that are kept for whoever reads the next one."""
OTHER = re.compile(r"\bthe other\b", re.IGNORECASE)


def heard(domain: Domain, memory: Memory, event: Heard) -> Memory:
    """The memory once the user has said what `event` holds."""
    turn = event.reading
    if isinstance(turn.reply, Refused | Declined):
        memory = memory._replace(open=memory.asked)
    if memory.open is not None and turn.reply is not None and not isinstance(turn.reply, Stopped):
        return _moving(_answered(domain, memory, event, turn.reply)._replace(open=None))
    memory = memory._replace(beside=NO_REQUEST._replace(said=(turn.text,)))
    if isinstance(turn.reply, Stopped):
        memory = stopped(memory)._replace(beside=NO_REQUEST)
    before = memory.active
    memory = _noting(_opened(domain, memory, event, event.beliefs), turn)
    memory = told(domain, _with_the_other(domain, memory, turn, event.at, event.by), event.beliefs)
    frame = memory.active
    if event.revised is not None and frame is not None and before is not None and frame.reading == before.reading:
        memory = memory.with_frame(frame._replace(reading=event.revised))
    # Whatever was asked has had its turn: what is still to be known is asked for again, and counted.
    return _moving(memory._replace(open=None))


def _answered(domain: Domain, memory: Memory, event: Heard, reply: Reply) -> Memory:
    """A reply, perhaps with a new request: what was asked for belongs to the open one, and then all else to the new one."""
    turn = event.reading
    if not has_goal(turn):
        return replied(domain, told(domain, _noting(memory, turn), event.beliefs), reply, event.at, event.by)
    asked = memory.open.atoms if isinstance(memory.open, AskedFacts) else ()
    memory = told(domain, memory, (belief for belief in event.beliefs if belief.atom in asked))
    memory = _noting(_opened(domain, replied(domain, memory, reply, event.at, event.by), event, ()), turn)
    return told(domain, memory, (belief for belief in event.beliefs if belief.atom not in asked))


def _moving(memory: Memory) -> Memory:
    """Something was said to the open request, so that more may be possible for it now."""
    return memory if memory.active is None else memory.with_frame(memory.active._replace(stuck=False))


def has_goal(turn: TurnReading) -> bool:
    """Whether the turn wants something of the domain."""
    return bool(turn.goals.candidates) and turn.goals.none <= CLEAR


def _noting(memory: Memory, turn: TurnReading) -> Memory:
    """`memory`, with the entities that the turn mentions, and what it forbids of the open request."""
    frame = memory.active
    names = [mention.name for mention in turn.mentions]
    if frame is not None:
        entities = tuple(dict.fromkeys((*(name for name in frame.entities if name not in names), *names)))
        forbids = tuple(dict.fromkeys((*frame.forbids, *turn.forbids)))
        said = (*frame.said, turn.text)[-MOST_TURNS:]
        memory = memory.with_frame(frame._replace(entities=entities, forbids=forbids, said=said))
    return _known_entities(memory, turn.mentions)


def _known_entities(memory: Memory, mentions: Sequence[Mention]) -> Memory:
    kinds = {mention.name: memory.entities.get(mention.name, mention.type) for mention in mentions}
    kept = {name: kind for name, kind in memory.entities.items() if name not in kinds}
    words = {mention.name: mention.words for mention in mentions if mention.words and mention.name not in memory.words}
    return memory._replace(entities={**kept, **kinds}, words={**memory.words, **words})


def _opened(domain: Domain, memory: Memory, event: Heard, beliefs: Sequence[Belief]) -> Memory:
    """`memory` with the request that the turn is part of as the open one. What a model once wanted for the user stays a request of the model."""
    return relayed(_continued(domain, memory, event.reading, beliefs), event.by)


def _continued(domain: Domain, memory: Memory, turn: TurnReading, beliefs: Sequence[Belief]) -> Memory:
    frame = memory.active
    if has_goal(turn):
        if frame is None or not _continues(domain, memory, frame, turn):
            return _new(domain, memory, turn, turn.goals)
        return memory if not isinstance(memory.open, AskedGoal) else _meant(domain, memory, frame, turn)
    wanted = _wanted_before(domain, memory, turn)
    if wanted is not None:
        return _new(domain, memory, turn, wanted) if frame is None else _also(domain, memory, frame, turn, wanted)
    if frame is None and memory.last is not None and memory.last[1] is Ending.DONE and beliefs:
        return memory._replace(frames=(memory.last[0],), last=None)
    return memory


def _continues(domain: Domain, memory: Memory, frame: Frame, turn: TurnReading) -> bool:
    """Whether a turn with a goal says no more than the open request: it is asked for its goal, or says that again of what it is about."""
    if isinstance(memory.open, AskedGoal):
        return True
    if not frame.reading.candidates or any(mention.name not in frame.entities for mention in turn.mentions):
        return False
    names = set(goal_names(domain, frame.reading.candidates[0].goals))
    return set(turn.goals.candidates[0].goals) <= names


def _meant(domain: Domain, memory: Memory, frame: Frame, turn: TurnReading) -> Memory:
    """The user was asked for the goal, and said it in words of their own."""
    reading, made = filled(domain, turn.goals, turn.mentions, _at_hand(memory, frame), memory.entities)
    frame = frame._replace(reading=reading, entities=(*frame.entities, *(mention.name for mention in made)))
    return _known_entities(memory, made).with_frame(frame)._replace(open=None)


def _new(domain: Domain, memory: Memory, turn: TurnReading, goals: Reading) -> Memory:
    """A request of its own, on top of what is open."""
    reading, made = filled(domain, goals, turn.mentions, _at_hand(memory, None), memory.entities)
    number = memory.requests + 1
    beliefs = _said_of(memory, {mention.name for mention in turn.mentions})
    frame = Frame(number, reading, beliefs, entities=tuple(mention.name for mention in made), forbids=turn.forbids)
    memory = _known_entities(memory, made)
    waiting = tuple(other for other in memory.frames if not other.stuck)
    return memory._replace(frames=(*waiting, frame), requests=number, open=None)


def _said_of(memory: Memory, names: Set[str]) -> Beliefs:
    """What the user has said in the open request about the entities `names`, to which a turn refers, and about no others."""
    beliefs = memory.active.beliefs if memory.active is not None else {}
    known = {*names, *memory.given}
    said = {atom: belief for atom, belief in beliefs.items() if belief.source is Source.USER}
    return {atom: belief for atom, belief in said.items() if known.issuperset(atom.arguments) and not names.isdisjoint(atom.arguments)}


def _also(domain: Domain, memory: Memory, frame: Frame, turn: TurnReading, wanted: Reading) -> Memory:
    """What is wanted for other entities as well, besides what the open request wants."""
    reading, made = filled(domain, wanted, turn.mentions, _at_hand(memory, frame), memory.entities)
    more = reading.candidates[0].goals
    both = [(tuple(dict.fromkeys((*candidate.goals, *more))), candidate.p) for candidate in frame.reading.candidates]
    return _known_entities(memory, made).with_frame(frame._replace(reading=reading_of(frame.reading.request, both)))


def _at_hand(memory: Memory, frame: Frame | None) -> dict[str, str]:
    """The entities that a goal may be about without being mentioned: those of the caller, and of the open request."""
    names = (*memory.given, *(frame.entities if frame is not None else ()))
    return {name: memory.entities[name] for name in names if name in memory.entities}


def _wanted_before(domain: Domain, memory: Memory, turn: TurnReading) -> Reading | None:
    """The goals of the open request or of the last one, if the turn has an entity for them that it is not about; None where it has none."""
    frame = memory.active or (memory.last[0] if memory.last is not None else None)
    if frame is None or not frame.reading.candidates:
        return None
    names = goal_names(domain, frame.reading.candidates[0].goals)
    kinds = [parameter.type for name in names for parameter in domain.goals[name].parameters]
    for mention in turn.mentions:
        if mention.name not in frame.entities and any(domain.is_subtype(mention.type, kind) for kind in kinds):
            return reading_of(turn.text, [(names, 1.0)])
    if memory.active is None and OTHER.search(turn.text) and _one_left(memory) is not None and not turn.mentions:
        return reading_of(turn.text, [(names, 1.0)])
    return None


def _one_left(memory: Memory) -> object | None:
    """The value that is left of the last choice, if there is only one."""
    return memory.left.several.values[0] if memory.left is not None and len(memory.left.several.values) == 1 else None


def _with_the_other(domain: Domain, memory: Memory, turn: TurnReading, at: float, by: str) -> Memory:
    """`memory`, with what is left of a choice as what "the other one" is, or to choose from again. What led to the choice holds for it, too."""
    frame, left = memory.active, memory.left
    if frame is None or left is None or not left.several.values or not OTHER.search(turn.text):
        return memory
    atom = left.several.atom
    renamed = dict(_renaming(domain, atom, turn.mentions))
    value = _one_left(memory)
    if value is None:
        again = replace(left.several, atom=_with_names(atom, renamed))
        return memory.with_frame(frame._replace(choices={**frame.choices, again.atom: (again, ())}))._replace(left=None)
    before = memory.last[0].beliefs if memory.last is not None else {}
    led = [before[read.atom] for read in left.reads if read.atom in before] if not renamed else []
    source = chosen_by(domain, by, atom, value, left.several.options[0])
    other = Belief(_with_names(atom, renamed), Status.KNOWN, value, source, at, turn.text)
    return memory.with_frame(frame._replace(beliefs=believing(frame.beliefs, [*led, other])))._replace(left=None)


def _renaming(domain: Domain, atom: Atom, mentions: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    for name, place in zip(atom.arguments, domain.facts[atom.fact].parameters, strict=True):
        for mention in mentions:
            if domain.is_subtype(mention.type, place.type):
                yield name, mention.name


def _with_names(atom: Atom, names: dict[str, str]) -> Atom:
    return Atom(atom.fact, tuple(names.get(name, name) for name in atom.arguments))
