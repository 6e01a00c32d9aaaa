"""What a method sees at a step, and what it offers then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolplan.bench.gist.requests import Request
from toolplan.domain import Domain
from toolplan.goals.ambiguity import Detector
from toolplan.goals.readings import Goals, Reading
from toolplan.planning.plans import Step
from toolplan.planning.problem import State


@dataclass(frozen=True, slots=True)
class Moment:
    """A step of a run. `reading` is the ranker's, and what the user's answers have made of it; `learned` are detectors beyond those that ship.

    `declined` are the questions that the user could not answer. Of what the user means, `request` tells more than a method may know: only
    gold-goal looks at it, and the methods without goals, to stop where the user has what was wanted.
    """

    domain: Domain
    request: Request
    reading: Reading
    state: State
    learned: tuple[Detector, ...] = ()
    declined: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Show:
    """The model sees `tools`, on the way to `goals`; none are named where no goal is decided on."""

    tools: tuple[str, ...]
    goals: Goals = ()


@dataclass(frozen=True, slots=True)
class AskWhich:
    """The user is asked which of `options` is meant; what is meant at all, where there are none."""

    options: tuple[Goals, ...]


@dataclass(frozen=True, slots=True)
class AskValues:
    """The user is asked `questions`, all at once, on the way to `goals`."""

    questions: tuple[Step, ...]
    goals: Goals = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """The agent says that `goals` are reached."""

    goals: Goals


@dataclass(frozen=True, slots=True)
class Stop:
    """The agent answers in words and does nothing more."""


Offer = Show | AskWhich | AskValues | Finish | Stop
Method = Callable[[Moment], Offer]
