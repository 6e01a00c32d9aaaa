"""One request, run to its end by one method: who was asked what, and which tools were called among which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from toolplan.bench.gist.offers import AskValues, AskWhich, Finish, Method, Moment, Show, Stop
from toolplan.bench.gist.requests import Request
from toolplan.bench.gist.simulation import asked_for, can_answer, choose, means
from toolplan.domain import Domain
from toolplan.goals.ambiguity import Detector
from toolplan.goals.questions import answer_goal
from toolplan.goals.readings import Goals, Reading
from toolplan.language.lint.flow import needs
from toolplan.planning.inputs import build
from toolplan.planning.plans import Step
from toolplan.planning.problem import State
from toolplan.planning.semantics import applicable, successor

MOST_EVENTS = 20
"""Calls and questions after which a run is given up; the longest gold path has nine."""
MOST_GOAL_QUESTIONS = 3
"""Questions for the goal in one run; a user who has said as often that it was none of the options has had enough."""


@dataclass(frozen=True, slots=True)
class Called:
    """`tool` was called in `before`, where `visible` were shown, on the way to `goals`."""

    tool: str
    visible: tuple[str, ...]
    before: State
    goals: Goals


@dataclass(frozen=True, slots=True)
class AskedGoal:
    """The user was asked which of `options` is meant; what is meant at all, where there are none."""

    options: tuple[Goals, ...]


@dataclass(frozen=True, slots=True)
class AskedValues:
    """The user was asked for `facts`, on the way to `goals`."""

    facts: tuple[str, ...]
    goals: Goals


Event = Called | AskedGoal | AskedValues


@dataclass(frozen=True, slots=True)
class Run:
    """What happened, the state that it led to, and the end."""

    request: Request
    events: tuple[Event, ...]
    state: State
    end: Finish | Stop

    @property
    def accepted(self) -> Goals:
        """The goals that were pursued last; none where no goal was decided on."""
        pursued = [event.goals for event in self.events if not isinstance(event, AskedGoal)]
        return self.end.goals if isinstance(self.end, Finish) else next((goals for goals in reversed(pursued) if goals), ())


class _Next(NamedTuple):
    event: Event
    moment: Moment


class Playing:
    """A request in the middle of its run. Questions are answered as they come up; where tools are shown, it waits for a call."""

    def __init__(self, domain: Domain, request: Request, method: Method, reading: Reading, learned: tuple[Detector, ...] = ()) -> None:
        self.moment = Moment(domain, request, reading, build(domain, request.given, "").state, learned)
        self.events: list[Event] = []
        self._method, self._offer = method, method(self.moment)

    def shown(self) -> Show | None:
        """The tools to call one of, after all questions that come before; None where the run has ended."""
        while isinstance(self._offer, AskWhich | AskValues) and len(self.events) < MOST_EVENTS:
            if isinstance(self._offer, AskWhich) and sum(isinstance(event, AskedGoal) for event in self.events) == MOST_GOAL_QUESTIONS:
                self._offer = Stop()
            else:
                self._go_on(_answered(self.moment, self._offer))
        return self._offer if isinstance(self._offer, Show) and len(self.events) < MOST_EVENTS else None

    def call(self, tool: str | None) -> None:
        """Call one of the tools that are shown; None where the model calls nothing, which is the end."""
        assert isinstance(self._offer, Show)
        if tool is None:
            self._offer = Stop()
        else:
            self._go_on(_called(self.moment, tool, self._offer.tools, self._offer.goals))

    @property
    def run(self) -> Run:
        """What has happened so far."""
        return Run(self.moment.request, tuple(self.events), self.moment.state, self._offer if isinstance(self._offer, Finish) else Stop())

    def _go_on(self, taken: _Next) -> None:
        self.events.append(taken.event)
        self.moment = taken.moment
        self._offer = self._method(self.moment)


def run(domain: Domain, request: Request, method: Method, reading: Reading, learned: tuple[Detector, ...] = ()) -> Run:
    """The run of `method` on `request`, which a ranker reads as `reading`, by the simulated model. Deterministic, as the method is."""
    playing = Playing(domain, request, method, reading, learned)
    while (shown := playing.shown()) is not None:
        tried = {event.tool for event in playing.events if isinstance(event, Called)}
        playing.call(choose(domain, request, shown.tools, tried))
    return playing.run


def _answered(moment: Moment, offer: AskWhich | AskValues) -> _Next:
    """After the answer of the user."""
    match offer:
        case AskWhich(options):
            chosen = moment.request.goals if not options or any(means(moment.request, option) for option in options) else ()
            return _Next(AskedGoal(options), replace(moment, reading=answer_goal(moment.reading, options, chosen)))
        case AskValues(questions, goals):
            return _asked(moment, questions, goals)


def _asked(moment: Moment, questions: tuple[Step, ...], goals: Goals) -> _Next:
    """After the user has answered what they can of `questions`."""
    state, declined = moment.state, moment.declined
    problem = build(moment.domain, state, "")
    facts: list[str] = []
    for question in questions:
        ask = moment.domain.asks[question.action]
        facts += asked_for(ask)
        if can_answer(moment.request, ask):
            state = successor(problem, state, question)
        else:
            declined = (*declined, question)
    return _Next(AskedValues(tuple(facts), goals), replace(moment, state=state, declined=declined))


def _called(moment: Moment, tool: str, visible: tuple[str, ...], goals: Goals) -> _Next:
    """After the call. One that lacks what only the user can say becomes a question; one that lacks anything else fails and changes nothing."""
    problem = build(moment.domain, moment.state, "")
    step = Step(tool, ())
    if applicable(problem, moment.state, step):
        after = successor(problem, moment.state, step)
        return _Next(Called(tool, visible, moment.state, goals), replace(moment, state=after))
    questions = [Step(name, ()) for name in _lacking(moment, tool)]
    if questions:
        return _asked(moment, tuple(questions), goals)
    return _Next(Called(tool, visible, moment.state, goals), moment)


def _lacking(moment: Moment, tool: str) -> list[str]:
    """The questions for what `tool` requires, is unknown, and only the user can say."""
    known = {atom.fact for atom in moment.state.known}
    required = {literal.fact for literal in needs(moment.domain.tools[tool])} - known
    return [name for name, ask in moment.domain.asks.items() if required & set(asked_for(ask)) and Step(name, ()) not in moment.declined]
