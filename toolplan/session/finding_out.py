"""What a step has brought about, in the memory: what is known, false and unknown since."""

from __future__ import annotations

from collections.abc import Iterable

from toolplan.domain import Domain
from toolplan.planning.plans import Atom
from toolplan.session.beliefs import Belief, current
from toolplan.session.events import Observed, Running
from toolplan.session.frames import outlives
from toolplan.session.memory import Frame, Memory, believing
from toolplan.session.settling import relieved


def known_since(domain: Domain, memory: Memory, running: Running, event: Observed) -> Memory:
    """The memory once `event` became of `running`.

    What was found out from what has changed in the meantime is not believed, and takes the place of nothing.
    """
    memory = _with_entities(memory, event)
    frame = memory.frame(running.frame)
    before = memory.levels(frame)
    learned = event.learned if current(before, running.basis) else ()
    lasting = [belief for belief in learned if _is_kept(domain, frame, belief.atom)]
    memory = _without(memory, event.lost, frame)
    if lasting:
        memory = memory._replace(beliefs=believing(memory.beliefs, lasting))
    if frame is not None:
        own = [belief for belief in learned if belief not in lasting]
        frame = memory.frame(running.frame) or frame
        memory = memory.with_frame(frame._replace(beliefs=believing(_above(frame, lasting), own)))
    return relieved(memory, before, event.removed, running.frame)


def _is_kept(domain: Domain, frame: Frame | None, atom: Atom) -> bool:
    """Whether what was found out about `atom` is kept beyond the request; what is found out too late may be what it was about."""
    if frame is not None:
        return outlives(domain, frame.reading, atom)
    return atom.fact in domain.facts and domain.facts[atom.fact].lasting


def _above(frame: Frame, lasting: list[Belief]) -> dict[Atom, Belief]:
    """The beliefs of `frame` without those that would hide what was learned for longer."""
    newer = {belief.atom for belief in lasting}
    return {atom: belief for atom, belief in frame.beliefs.items() if atom not in newer}


def _with_entities(memory: Memory, event: Observed) -> Memory:
    if not event.brought:
        return memory
    entities = {**memory.entities, **{mention.name: mention.type for mention in event.brought}}
    words = {**memory.words, **{mention.name: mention.words for mention in event.brought if mention.words}}
    labelled = memory.labelled | {mention.name for mention in event.brought}
    return memory._replace(entities=entities, words=words, labelled=labelled)


def _without(memory: Memory, lost: Iterable[Atom], frame: Frame | None) -> Memory:
    gone = frozenset(lost)
    if not gone:
        return memory
    memory = memory._replace(beliefs={atom: belief for atom, belief in memory.beliefs.items() if atom not in gone})
    if frame is None:
        return memory
    return memory.with_frame(frame._replace(beliefs={atom: belief for atom, belief in frame.beliefs.items() if atom not in gone}))
