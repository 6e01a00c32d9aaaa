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
    """The user was asked which of `options` is meant."""

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


def run(domain: Domain, request: Request, method: Method, reading: Reading, learned: tuple[Detector, ...] = ()) -> Run:
    """The run of `method` on `request`, which a ranker reads as `reading`. Deterministic, as the method is."""
    moment = Moment(domain, request, reading, build(domain, request.given, "").state, learned)
    events: list[Event] = []
    offer = method(moment)
    while not isinstance(offer, Finish | Stop) and len(events) < MOST_EVENTS and (taken := _taken(moment, offer, events)) is not None:
        events.append(taken.event)
        moment = taken.moment
        offer = method(moment)
    return Run(request, tuple(events), moment.state, offer if isinstance(offer, Finish) else Stop())


def _taken(moment: Moment, offer: Show | AskWhich | AskValues, events: list[Event]) -> _Next | None:
    """What becomes of an offer; None where the model calls nothing, and where enough was asked."""
    match offer:
        case AskWhich() if sum(isinstance(event, AskedGoal) for event in events) == MOST_GOAL_QUESTIONS:
            return None
        case AskWhich(options):
            chosen = moment.request.goals if any(means(moment.request, option) for option in options) else ()
            return _Next(AskedGoal(options), replace(moment, reading=answer_goal(moment.reading, options, chosen)))
        case AskValues(questions, goals):
            return _asked(moment, questions, goals)
        case Show(visible, goals):
            tried = {event.tool for event in events if isinstance(event, Called)}
            tool = choose(moment.domain, moment.request, visible, tried)
            return None if tool is None else _called(moment, tool, visible, goals)


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
