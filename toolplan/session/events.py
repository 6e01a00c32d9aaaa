"""What happens in a session, as the events that it is the fold of; each is written as one line of JSON.

An event holds all that its effect depends on: what a reader made of a turn, what a result said. Nobody is asked again when it is replayed.
"""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.frontier.calls import Call
from toolplan.goals.readings import Goals, Reading
from toolplan.language.codec import codec_of
from toolplan.planning.plans import Atom, Step
from toolplan.session.beliefs import Belief, Read
from toolplan.session.turns import Mention, Reply, TurnReading

MODEL = "model"
"""Who tells a turn or an answer, where that is a model and no person."""
VERSION = 1
"""Of the form of events. Fields may be added at the end of an event, with a default, without a new one."""


class Running(NamedTuple):
    """A call that was let through, and of which nothing has been heard yet. `outcome` is the one of several that was hoped for, else -1.

    `basis` is what its effects rest on. Of a call that may change something it is what people said: what it has done is done, also if what it
    was done with is looked up again and found to be different.
    """

    call: Call
    reads: tuple[Read, ...]
    frame: int
    outcome: int
    basis: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class AskedFacts:
    """Questions of the domain were put to the user, all at once; each `makes` some atoms known. `proposes`: yes or no will do."""

    text: str
    steps: tuple[Step, ...]
    makes: tuple[tuple[Atom, ...], ...]
    proposes: bool

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """All that the answers make known."""
        return tuple(atom for atoms in self.makes for atom in atoms)


@dataclass(frozen=True, slots=True)
class AskedGoal:
    """It was asked which goal is meant. The words of each option, and what is wanted with it; the last one is none of these."""

    text: str
    options: tuple[str, ...]
    goals: tuple[Goals, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What belongs to each of several values: that of `atom`, None where there is none."""

    atom: Atom
    values: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """The values that a call found for `atom`, in its order, with words for each, and what else the result says of each."""

    atom: Atom
    values: tuple[object, ...]
    options: tuple[str, ...]
    beside: tuple[Beside, ...] = ()

    def at(self, number: int) -> dict[Atom, object]:
        """What is so if the value of that number is meant."""
        others = {other.atom: other.values[number] for other in self.beside if other.values[number] is not None}
        return {self.atom: self.values[number], **others}

    def without(self, number: int) -> Several:
        """The same without the value of that number."""
        kept = [other for other in range(len(self.values)) if other != number]
        beside = tuple(Beside(other.atom, tuple(other.values[n] for n in kept)) for other in self.beside)
        return Several(self.atom, tuple(self.values[n] for n in kept), tuple(self.options[n] for n in kept), beside)


@dataclass(frozen=True, slots=True)
class AskedEntity:
    """It was asked which of the values that a call found is meant. `reads` is what the call rested on."""

    text: str
    several: Several
    reads: tuple[Read, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """The words of each option."""
        return self.several.options


@dataclass(frozen=True, slots=True)
class AskedCall:
    """It was asked whether `call` may run. `reads` is what the call rests on, and `by` who has to agree, empty for the user."""

    text: str
    call: Call
    reads: tuple[Read, ...]
    by: str


@dataclass(frozen=True, slots=True)
class AskedToDo:
    """The user was told to take a step by hand, as `running`: on a yes, `seen` is what became of it."""

    text: str
    running: Running
    seen: Observed

    @property
    def step(self) -> Step:
        """The step."""
        return self.running.call.step


OpenQuestion = AskedFacts | AskedGoal | AskedEntity | AskedCall | AskedToDo


class Outcome(enum.Enum):
    """What became of a call.

    `RETRY` is a failure that may pass. `REFUSED` is a call to which whoever must agree has said no. `NOTHING` and `SEVERAL` are calls that are done, and of which some fact was not found or not settled.
    """

    DONE = "done"
    NOTHING = "nothing found"
    SEVERAL = "several found"
    FAILED = "failed"
    RETRY = "failed, may be tried again"
    IN_DOUBT = "in doubt"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Began:
    """The session `id` began, with what the caller gave it. `domain` is the digest of the domain."""

    at: float
    version: int
    domain: str
    given: tuple[Belief, ...]
    entities: tuple[Mention, ...]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn of the user, and what of it is believed.

    `revised` is the reading of the open request after it, where what was said speaks for some of its goals. `by` is `MODEL` where a model
    told it.
    """

    at: float
    reading: TurnReading
    beliefs: tuple[Belief, ...] = ()
    revised: Reading | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to the open question that came in another way than as a turn: a form, a button. `by` names who gave it."""

    at: float
    beliefs: tuple[Belief, ...]
    reply: Reply | None
    by: str = ""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The open question was not shown, or nobody answered it in time."""

    at: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question was opened."""

    at: float
    question: OpenQuestion


@dataclass(frozen=True, slots=True)
class Started:
    """A call was let through. `reads` is what it rests on, and `basis` what its effects do.

    It belongs to the request `frame`, which hoped for its `outcome` of several, else -1.
    """

    at: float
    call: Call
    reads: tuple[Read, ...]
    frame: int
    outcome: int
    basis: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of the call `call`: what it made known, or known to be false (`learned`), and what it made unknown (`lost`).

    `removed` is what was so before, and by its own doing is not, or perhaps not, any more.
    """

    at: float
    call: str
    outcome: Outcome
    reason: str = ""
    learned: tuple[Belief, ...] = ()
    lost: tuple[Atom, ...] = ()
    several: tuple[Several, ...] = ()
    brought: tuple[Mention, ...] = ()
    removed: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Stuck:
    """Nothing can be done for the open request as things are. It does not wait for a later one to end."""

    at: float


@dataclass(frozen=True, slots=True)
class Refusal:
    """The proposed call `call` may not run, and never will under this id. `proposed` is the digest of what was proposed."""

    at: float
    call: str
    proposed: str
    reason: str
    hint: str
    why: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The call `call` was let through, and has not begun: it is as if nobody had proposed it."""

    at: float
    call: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A model was shown the contracts `tools`, of tools that have none, because no plan leads on. `tokens` is what their definitions take.

    `failed` is how many calls for the request had failed by then.
    """

    at: float
    tools: tuple[str, ...]
    tokens: int
    failed: int


@dataclass(frozen=True, slots=True)
class NoneFits:
    """The model wants none of the tools that it was shown."""

    at: float


@dataclass(frozen=True, slots=True)
class Pinned:
    """The tool of the contract `tool` was looked for and found: it stays open."""

    at: float
    tool: str


class Ending(enum.Enum):
    """How a request ended."""

    DONE = "done"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Ended:
    """The open request ended."""

    at: float
    how: Ending


Event = Began | Heard | Answered | Unseen | Asked | Started | Observed | Ended | Stuck | Refusal | Withdrawn | Retrieved | NoneFits | Pinned

_codec = codec_of(Event)
_as_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def to_line(event: Event) -> str:
    """`event` as a line of JSON, always the same bytes."""
    return _as_json(_codec.encode(event))


def from_line(line: str) -> Event:
    """The event that `line` holds. Raises ValueError where it holds none."""
    try:
        event: Event = _codec.decode(json.loads(line))
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    return event
