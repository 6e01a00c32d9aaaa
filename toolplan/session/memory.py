"""What a session knows: the requests that are open, what is believed, what was tried, and what is asked or running now.

A `Memory` is a frozen value, and the fold of the events of its session; see `folding`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from toolplan.domain import Domain
from toolplan.frontier.calls import Call
from toolplan.goals.readings import Reading
from toolplan.language.codec import digest
from toolplan.planning.plans import Atom, Step
from toolplan.planning.problem import State
from toolplan.retrieval.pins import Pins
from toolplan.session.beliefs import Belief, Beliefs, Read, believed, current, state_of
from toolplan.session.events import AskedCall, Ending, OpenQuestion, Outcome, Refusal, Running, Several

EMPTY: Mapping[Any, Any] = MappingProxyType({})


NO_PINS = Pins()


class Tried(NamedTuple):
    """A step that was tried in vain, what it rested on, and how often it has come to this since.

    `doubts` are what the call `call` may have brought about, if that is in doubt.
    """

    step: Step
    reads: tuple[Read, ...]
    outcome: Outcome
    times: int = 1
    call: str = ""
    doubts: tuple[Atom, ...] = ()

    def stands(self, levels: Sequence[Beliefs]) -> bool:
        """Whether it would be in vain again: it rests on the same, and what was in doubt still is."""
        if not current(levels, self.reads):
            return False
        found = (believed(levels, atom) for atom in self.doubts)
        return not self.doubts or any(belief is not None and belief.call == self.call for belief in found)


class Agreed(NamedTuple):
    """A call that whoever must agree has agreed to, and what it rested on."""

    call: Call
    reads: tuple[Read, ...]


class Made(NamedTuple):
    """How often a step was done for a request. As long as it is not known to be, `doubted` is the digest of the call that may have done it."""

    times: int
    doubted: str = ""


class Looked(NamedTuple):
    """The shortlist that a model sees, and what it was made for: so many turns had been `said`, and so many calls had `failed`.

    Since the last turn, at `since`, there were `rounds` of them, whose definitions took `tokens`. `passed`: the model wants none of it.
    """

    tools: tuple[str, ...]
    said: int
    failed: int
    since: float
    rounds: int = 1
    tokens: int = 0
    passed: bool = False


class Frame(NamedTuple):
    """One request: what it may mean, with the entities filled in, and all that ends with it.

    `said` are its turns. `refused` are the questions that the user does not answer, `asked` counts how often each atom was asked for, and `questions`
    how many questions there were. `held` is the call that
    waits for somebody to agree. `choices` are what calls found and nobody chose from yet. `latest` is what became of the last call, and
    `calls` how many there were. `stuck`: nothing could be done for it when it was last looked at, and nothing has happened to it since.
    `closed` are the digests of calls that were made, may have been, or nobody agreed to. `made` are the steps that were done, and those in doubt.
    `relayed`: a model has told of it, and not the user. `looked` is the shortlist of tools without a contract, if it came to that.
    """

    number: int
    reading: Reading
    beliefs: Beliefs = EMPTY
    entities: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    forbids: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()
    refused: frozenset[Step] = frozenset()
    asked: Mapping[str, int] = EMPTY
    questions: int = 0
    agreed: tuple[Agreed, ...] = ()
    choices: Mapping[Atom, tuple[Several, tuple[Read, ...]]] = EMPTY
    held: AskedCall | None = None
    latest: Outcome = Outcome.DONE
    calls: int = 0
    stuck: bool = False
    closed: frozenset[str] = frozenset()
    made: Mapping[Step, Made] = EMPTY
    relayed: bool = False
    looked: Looked | None = None


NO_REQUEST = Frame(0, Reading("", (), 1.0))
"""What belongs to no request, before anything does."""


class Left(NamedTuple):
    """What is left of a choice: which atom it was about, and the values that were not taken."""

    several: Several
    reads: tuple[Read, ...]


class Memory(NamedTuple):
    """All that a session knows. The last of `frames` is the request that is pursued; those below it wait.

    `last` is the request that ended last, and how; `beliefs` are those that outlive requests. `entities` are names with their types, the
    latest last, `words` what the user calls them, or a result did where they are `labelled`, and `given` those that the caller brought. `outcomes` are
    what became of calls, by id, and `refusals` why others may not run. `beside` is what was asked and called for no request since the user last spoke. `id` is the session's. `pins` are the tools that were
    found once and stay open. `latest` are the real tools of the last calls that began, the latest last.
    """

    frames: tuple[Frame, ...] = ()
    last: tuple[Frame, Ending] | None = None
    beliefs: Beliefs = EMPTY
    entities: Mapping[str, str] = EMPTY
    words: Mapping[str, str] = EMPTY
    labelled: frozenset[str] = frozenset()
    given: tuple[str, ...] = ()
    open: OpenQuestion | None = None
    running: Mapping[str, Running] = EMPTY
    outcomes: Mapping[str, Outcome] = EMPTY
    left: Left | None = None
    calls: int = 0
    requests: int = 0
    refusals: Mapping[str, Refusal] = EMPTY
    beside: Frame = NO_REQUEST
    id: str = ""
    pins: Pins = NO_PINS
    latest: tuple[str, ...] = ()

    @property
    def active(self) -> Frame | None:
        """The request that is pursued."""
        return self.frames[-1] if self.frames else None

    @property
    def current(self) -> Frame:
        """The request that is pursued, or what belongs to none."""
        return self.active or self.beside

    @property
    def asked(self) -> OpenQuestion | None:
        """The open question, or else that whose yes can still be taken back: the call has not begun."""
        held = self.current.held
        agreed = held is not None and any(one.call == held.call for one in self.current.agreed)
        return self.open or (held if agreed else None)

    def frame(self, number: int) -> Frame | None:
        """The request `number`, if it has not ended."""
        return next((frame for frame in self.frames if frame.number == number), None)

    def caller(self, number: int) -> Frame | None:
        """Where calls of the request `number` are counted; None where it has ended."""
        return self.beside if number == self.beside.number else self.frame(number)

    def has_call(self, identity: str) -> bool:
        """Whether a call of that name was let through."""
        return identity in self.running or identity in self.outcomes

    def has_verdict(self, identity: str) -> bool:
        """Whether a call of that name was let through, or refused."""
        return self.has_call(identity) or identity in self.refusals

    def new_call(self) -> str:
        """A name for the next call, which none has that was let through or refused."""
        number = self.calls + 1
        while self.has_verdict(f"call_{number}"):
            number += 1
        return f"call_{number}"

    def with_frame(self, frame: Frame) -> Self:
        """The same with `frame` in the place of the one of its number."""
        if frame.number == self.beside.number:
            return self._replace(beside=frame)
        return self._replace(frames=tuple(frame if other.number == frame.number else other for other in self.frames))

    def levels(self, frame: Frame | None) -> list[Beliefs]:
        """What holds for `frame`: the beliefs that outlive requests, and its own before them."""
        return [self.beliefs] if frame is None else [self.beliefs, frame.beliefs]

    def state(self, domain: Domain, now: float, frame: Frame | None) -> State:
        """The state in which `frame` is planned."""
        return state_of(domain, self.levels(frame), now)


def failures(frame: Frame) -> int:
    """How many calls for `frame` have failed."""
    return sum(tried.times for tried in frame.tried if tried.outcome in (Outcome.FAILED, Outcome.RETRY))


def exhausted(domain: Domain, memory: Memory, frame: Frame) -> list[Step]:
    """The steps that are not to be planned for `frame`: tried in vain, refused, or running now.

    A call that nobody agreed to is not put to them again for another thing that a tool creates in place of the one that it was about.
    """
    tried = (tried.step for tried in frame.tried if tried.outcome is not Outcome.RETRY)
    anew = (step for tried in frame.tried if tried.outcome is Outcome.REFUSED for step in _anew(domain, tried.step))
    running = (running.call.step for running in memory.running.values() if running.frame == frame.number)
    steps = {Step(step.action, step.arguments) for step in (*tried, *anew, *frame.refused, *running)}
    return sorted(steps)


def _anew(domain: Domain, step: Step) -> Iterator[Step]:
    """`step` with each of its arguments as it is, or a thing of its type that a tool would create."""
    created = [(tool.placeholder(new), new.type) for tool in domain.tools.values() for new in tool.creates]
    parameters = domain.action(step.action).parameters
    choices = [
        (argument, *(name for name, kind in created if domain.is_subtype(kind, parameter.type)))
        for argument, parameter in zip(step.arguments, parameters, strict=True)
    ]
    return (Step(step.action, arguments) for arguments in product(*choices))


def digest_of_call(domain: Domain, call: Call) -> str:
    """The same for two calls of one real tool with the same arguments, whatever their idempotency keys. What the arguments are cannot be read from it."""
    tool = domain.tools.get(call.step.action)
    key = tool.interface.key if tool is not None else None
    return digest([call.tool, {name: value for name, value in call.values.items() if name != key}])


def believing(beliefs: Beliefs, new: Sequence[Belief]) -> Beliefs:
    """`beliefs`, with `new` in the place of what was believed of the same atoms."""
    return {**beliefs, **{belief.atom: belief for belief in new}}
