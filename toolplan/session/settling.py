"""What a change takes with it: all that rests on what is not believed any more, directly or through others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from toolplan.planning.plans import Atom
from toolplan.session.beliefs import Belief, Beliefs, Read, believed, current, digest_of, stands
from toolplan.session.events import AskedCall
from toolplan.session.memory import Frame, Memory


def settled(memory: Memory) -> Memory:
    """`memory` without beliefs, agreements, vain attempts, choices and a question for agreement that rest on what has changed."""
    memory = _without_outdated(memory)
    frames = tuple(_settled(frame, memory.levels(frame)) for frame in memory.frames)
    beside = _settled(memory.beside, memory.levels(None))
    if (frames, beside) != (memory.frames, memory.beside):
        memory = memory._replace(frames=frames, beside=beside)
    asked = memory.open
    moot = isinstance(asked, AskedCall) and not current(memory.levels(memory.active), asked.reads)
    return memory._replace(open=None) if moot else memory


def _without_outdated(memory: Memory) -> Memory:
    gone: set[Read] = set()
    while True:
        lasting = {
            atom: belief for atom, belief in memory.beliefs.items() if not _outdated(memory, belief, memory.frame(belief.frame), gone)
        }
        frames = tuple(_kept(memory, frame, gone) for frame in memory.frames)
        before = gone | _removed(memory.beliefs, lasting)
        for old, new in zip(memory.frames, frames, strict=True):
            before |= _removed(old.beliefs, new.beliefs)
        if before == gone:
            return memory
        memory, gone = memory._replace(beliefs=lasting, frames=frames), before


def _kept(memory: Memory, frame: Frame, gone: set[Read]) -> Frame:
    kept = {atom: belief for atom, belief in frame.beliefs.items() if not _outdated(memory, belief, frame, gone)}
    return frame if len(kept) == len(frame.beliefs) else frame._replace(beliefs=kept)


def _outdated(memory: Memory, belief: Belief, frame: Frame | None, gone: set[Read]) -> bool:
    """Whether something that `belief` rests on has changed in its request `frame`.

    Where that has ended, what it rested on ended with it, and is not missed; but what has become known to be otherwise since has changed.
    """
    if not belief.reads:
        return False
    levels = memory.levels(frame or memory.active)
    for read in belief.reads:
        missed = frame is not None or digest_of(levels, read.atom) != ""
        if read in gone or (missed and not stands(levels, read)):
            return True
    return False


def _removed(before: Beliefs, after: Beliefs) -> set[Read]:
    return {Read(atom, belief.digest) for atom, belief in before.items() if atom not in after} if len(before) != len(after) else set()


def _settled(frame: Frame, levels: list[Beliefs]) -> Frame:
    if not (frame.tried or frame.agreed or frame.held or frame.choices):
        return frame
    return frame._replace(
        tried=tuple(tried for tried in frame.tried if tried.stands(levels)),
        agreed=tuple(agreed for agreed in frame.agreed if current(levels, agreed.reads)),
        held=frame.held if frame.held is not None and current(levels, frame.held.reads) else None,
        choices={atom: (several, reads) for atom, (several, reads) in frame.choices.items() if current(levels, reads)},
    )


def relieved(memory: Memory, before: Sequence[Beliefs], removed: Iterable[Atom], number: int) -> Memory:
    """`memory` once a call of the request `number` has `removed` what was believed `before`.

    What was found out while that was so is true still, as plans take it to be. It rests on what that rested on.
    """
    old = {atom: belief for atom in removed if (belief := believed(before, atom)) is not None}
    if not old:
        return memory
    frames = tuple(
        frame._replace(beliefs=_resting_without(frame.beliefs, old)) if frame.number == number else frame for frame in memory.frames
    )
    running = {
        name: other._replace(reads=_traced(other.reads, old), basis=_traced(other.basis, old)) if other.frame == number else other
        for name, other in memory.running.items()
    }
    return memory._replace(beliefs=_resting_without(memory.beliefs, old), frames=frames, running=running)


def _resting_without(beliefs: Beliefs, old: Mapping[Atom, Belief]) -> Beliefs:
    return {atom: replace(belief, reads=_traced(belief.reads, old)) for atom, belief in beliefs.items()}


def _traced(reads: Sequence[Read], old: Mapping[Atom, Belief]) -> tuple[Read, ...]:
    """`reads`, with what each of `old` rested on in its place."""
    left, seen, kept = list(reads), set[Read](), list[Read]()
    while left:
        read = left.pop(0)
        was = old.get(read.atom)
        if read in seen:
            continue
        seen.add(read)
        if was is not None and was.digest == read.digest:
            left.extend(was.reads)
        else:
            kept.append(read)
    return tuple(kept)
