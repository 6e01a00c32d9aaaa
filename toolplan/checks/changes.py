"""What of the beliefs of a session came and went between two moments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolplan.planning.plans import Atom
from toolplan.session.beliefs import Belief, Beliefs
from toolplan.session.memory import Memory

LASTING = 0
"""The number under which beliefs stand that outlive requests; those of requests begin with 1."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Nothing was believed of the atom before."""

    belief: Belief


@dataclass(frozen=True, slots=True)
class Replaced:
    """Something else was believed before."""

    before: Belief
    belief: Belief


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """It is not believed any more, and nothing else is."""

    belief: Belief


Change = Learned | Replaced | Withdrawn


def changes(before: Memory, after: Memory) -> list[Change]:
    """What came and went in the requests that are open at both moments, and for longer than those; sorted by atom."""
    return sorted(_changes(_by_request(before), _by_request(after)), key=lambda change: change.belief.atom)


def _changes(before: Mapping[int, Beliefs], after: Mapping[int, Beliefs]) -> Iterator[Change]:
    kept = {atom for beliefs in after.values() for atom in beliefs}
    earlier: dict[Atom, Belief] = {}
    for number, beliefs in before.items():
        earlier.update(beliefs)
        if number in after:
            yield from (Withdrawn(belief) for atom, belief in beliefs.items() if atom not in kept)
    for beliefs in after.values():
        for atom, belief in beliefs.items():
            known = earlier.get(atom)
            if known is None:
                yield Learned(belief)
            elif known.digest != belief.digest:
                yield Replaced(known, belief)


def _by_request(memory: Memory) -> dict[int, Beliefs]:
    """The beliefs that outlive requests, and those of each request; the one that ended last is among them."""
    ended = () if memory.last is None else (memory.last[0],)
    return {LASTING: memory.beliefs, **{frame.number: frame.beliefs for frame in (*ended, *memory.frames)}}
