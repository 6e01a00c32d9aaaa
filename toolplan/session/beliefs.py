"""What a session believes of each atom, where it has that from, and what it rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from toolplan.domain import Domain
from toolplan.frontier.calls import Source
from toolplan.planning.memo import per_domain
from toolplan.planning.plans import Atom, Status
from toolplan.planning.problem import State

_as_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode
OBSERVED = (Source.OBSERVED, Source.CONTENT, Source.MODEL)
"""The sources of what a step brought, and not somebody said."""


LEFT_OUT = ""
"""The digest of what was not known when a call was made, and so was left out of it."""


class Read(NamedTuple):
    """A belief that a call rested on: the atom, and what was believed of it then, or LEFT_OUT."""

    atom: Atom
    digest: str


@dataclass(frozen=True)
class Belief:
    """What is believed of `atom` since `at` (seconds since 1970): `value` in normal form, None where it has none.

    `call` is the call that it comes from, if it was observed, `frame` the request in which it was, and `reads` what it rested on. `words` are
    those of the user.
    """

    atom: Atom
    status: Status
    value: object
    source: Source
    at: float
    words: str = ""
    call: str = ""
    frame: int = 0
    reads: tuple[Read, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The same for two beliefs that say the same, however sure."""
        return digest(self.status, self.value)


def digest(status: Status, value: object) -> str:
    """The digest of a belief that says so much. What is claimed and what is known differ in nothing that a call could have read."""
    return f"{'not' if status is Status.DENIED else 'is'} {_as_json(value)}"


Beliefs = Mapping[Atom, Belief]


def digest_of(levels: Sequence[Beliefs], atom: Atom) -> str:
    """What is believed of `atom`; empty where nothing is."""
    found = believed(levels, atom)
    return "" if found is None else found.digest


def believed(levels: Sequence[Beliefs], atom: Atom) -> Belief | None:
    """The belief about `atom`; what a later level says goes before an earlier one."""
    for level in reversed(levels):
        if (found := level.get(atom)) is not None:
            return found
    return None


def said_in(levels: Sequence[Beliefs], reads: Iterable[Read]) -> tuple[Read, ...]:
    """What people said that `reads` goes back to, through all that was observed in between."""
    left, kept = list(reads), dict[Read, None]()
    seen: set[Read] = set()
    while left:
        read = left.pop()
        belief = believed(levels, read.atom)
        if read in seen:
            continue
        seen.add(read)
        if belief is not None and belief.digest == read.digest and belief.source in OBSERVED:
            left.extend(belief.reads)
        else:
            kept[read] = None
    return tuple(sorted(kept))


def current(levels: Sequence[Beliefs], reads: Iterable[Read]) -> bool:
    """Whether all of `reads` is believed as it was."""
    return all(stands(levels, read) for read in reads)


def stands(levels: Sequence[Beliefs], read: Read) -> bool:
    """Whether `read` is believed as it was.

    What was left out of a call stands until somebody says it. What is found out does not count: the call itself may have led to it, and would be
    made again and again.
    """
    if read.digest != LEFT_OUT:
        return digest_of(levels, read.atom) == read.digest
    found = believed(levels, read.atom)
    return found is None or found.status is not Status.KNOWN or found.source in OBSERVED


def state_of(domain: Domain, levels: Sequence[Beliefs], now: float) -> State:
    """What is known, uncertain and known to be false at `now`. What was observed and is no longer fresh is unknown."""
    merged: dict[Atom, Belief] = {}
    for level in levels:
        merged.update(level)
    fresh = {atom: belief for atom, belief in merged.items() if not is_stale(domain, belief, now)}
    known = frozenset([atom for atom, belief in fresh.items() if belief.status is Status.KNOWN])
    claimed = frozenset([atom for atom, belief in fresh.items() if belief.status is Status.CLAIMED])
    denied = frozenset([atom for atom, belief in fresh.items() if belief.status is Status.DENIED and not domain.facts[atom.fact].closed])
    return State(known, claimed, denied, {atom: belief.value for atom, belief in fresh.items() if belief.value is not None})


@per_domain
def goes_stale(domain: Domain) -> bool:
    """Whether anything that is believed can become unknown as time goes by."""
    return any(fact.fresh is not None for fact in domain.facts.values())


def is_stale(domain: Domain, belief: Belief, now: float) -> bool:
    """Whether what was observed has not been looked at for longer than its fact stays fresh."""
    fact = domain.facts.get(belief.atom.fact)
    return fact is not None and fact.fresh is not None and belief.source in OBSERVED and now - belief.at >= float(fact.fresh)
