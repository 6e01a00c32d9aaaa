"""The requests as a suite for models that choose: a method shows tools, and a model takes one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cached_property

import toolplan
from toolplan.bench.choosers import Answer, Choice, Nothing, Turn, Unreadable
from toolplan.bench.choosers import Called as Call
from toolplan.bench.cmtf.menus import OPEN_ARGUMENTS, menu
from toolplan.bench.gist.judging import Judge, Verdict
from toolplan.bench.gist.measuring import unread
from toolplan.bench.gist.methods import METHODS, SEMANTIC_GOAL, UNREAD
from toolplan.bench.gist.offers import Method, Show
from toolplan.bench.gist.rankers import Read
from toolplan.bench.gist.requests import Request, requests, sample
from toolplan.bench.gist.running import AskedGoal, AskedValues, Called, Playing
from toolplan.bench.gist.simulation import means
from toolplan.bench.gist.sources import MOST_ALIKE, Source, alike
from toolplan.bench.runs import ASKED, DONE, StepRecord
from toolplan.domain import Domain
from toolplan.goals.readings import Goals, Reading
from toolplan.planning.inputs import build
from toolplan.planning.plans import Step
from toolplan.planning.semantics import applicable

NAME = "gist"
NOT_NOW = "not now"
KNOWN = "known"
"""What stands for the value of a fact without a description: the suite has no values, only that one is known."""
NO_OPTION = ("none of these",)
LONGEST_QUOTE = 200
MOST_QUOTED = 3


class Gist:
    """The requests of `suite`, as `source` reads them. `costs` are the readings that a model was asked for, by request, with their tokens."""

    name = NAME
    arms = tuple(METHODS)

    def __init__(self, suite: str, source: Source, costs: Mapping[str, StepRecord]) -> None:
        self._suite, self._source, self._costs = suite, source, costs

    def tasks(self, count: int) -> list[str]:
        """The ids of `count` requests, of each type its share."""
        return [request.id for request in sample(self._suite, count)]

    def episode(self, arm: str, task: str) -> Talking:
        """The request, said and read."""
        if arm in UNREAD:
            read, cost = self._unread, None
        elif arm == SEMANTIC_GOAL:
            read, cost = self._alike, None
        else:
            read, cost = self._read, self._costs.get(task)
        return Talking(self._judge, self._requests[task], METHODS[arm], read[task], cost)

    @cached_property
    def _requests(self) -> dict[str, Request]:
        return {request.id: request for request in requests(self._suite)}

    @cached_property
    def _judge(self) -> Judge:
        return Judge(toolplan.load(NAME))

    @cached_property
    def _read(self) -> Mapping[str, Read]:
        return self._source.read(self._suite, self._judge.domain)

    @cached_property
    def _alike(self) -> Mapping[str, Read]:
        return alike(MOST_ALIKE, self._suite, self._judge.domain)

    @cached_property
    def _unread(self) -> Mapping[str, Read]:
        return unread(self._suite)


class Talking:
    """One request in the middle of its run. Between the looks of the model are the reading and the questions to the user, a step each.

    It ends, too, where a turn comes again: the same turn has the same choice, for ever.
    """

    def __init__(self, judge: Judge, request: Request, method: Method, read: Read, cost: StepRecord | None) -> None:
        self.request, self.gold = request.text, _gold(judge.domain, request)
        self._meant, self._judge = request, judge
        self._playing = Playing(judge.domain, request, method, read.reading, read.learned)
        self._before = [] if cost is None else [_read(read.reading, cost)]
        self._shown, self._last = Show(()), ""
        self._answers, self._turns = list[str](), list[Turn]()

    @property
    def success(self) -> bool:
        """Whether all that is meant is reached, and nothing else."""
        return self._verdict.success

    @property
    def judged(self) -> Mapping[str, object]:
        """The type of the request, and the verdict on the run."""
        return {"type": self._meant.type, **asdict(self._verdict), "visible": list(self._verdict.visible)}

    def turn(self) -> Turn | StepRecord | None:
        """What was read or asked since, else the tools that are shown."""
        if self._before:
            return self._before.pop()
        shown = self._playing.shown()
        questions = [event for event in self._playing.events if not isinstance(event, Called)]
        if len(self._answers) < len(questions):
            return self._question(questions[len(self._answers)])
        if shown is None:
            return None
        self._shown = shown
        domain, state = self._judge.domain, self._playing.moment.state
        declared = menu(domain, shown.tools, "trim", OPEN_ARGUMENTS).callable
        known = {atom.fact: domain.facts[atom.fact].description or KNOWN for atom in sorted(state.known)}
        turn = Turn(self.request, known, self._last, declared, declared, "\n".join(self._answers))
        if turn in self._turns:
            return None
        self._turns.append(turn)
        return turn

    def take(self, choice: Choice) -> StepRecord:
        """The call. A tool that was not shown is none: the run ends, as where nothing is called."""
        domain, state = self._judge.domain, self._playing.moment.state
        tool, arguments, outcome, detail = self._called(choice.answer)
        due = tuple(sorted(self._judge.due(self._meant.goals, state)))
        self._playing.call(tool if tool in self._shown.tools else None)
        if outcome == DONE:
            new = sorted(atom.fact for atom in self._playing.moment.state.known - state.known)
            detail = f"{', '.join(new)} known" if new else "nothing new"
        self._last = f"{tool}: {outcome}, {detail}"
        risk = domain.tools[tool].risk or "" if tool in domain.tools else ""
        return StepRecord(len(self._shown.tools), 0, tool, arguments, due, outcome, detail, risk, choice.tokens_in, choice.tokens_out)

    def _called(self, answer: Answer) -> tuple[str, Mapping[str, object], str, str]:
        """The tool that is called, if one is, its arguments, what comes of it, and what was said instead."""
        match answer:
            case Call(tool, arguments) if tool not in self._shown.tools:
                return tool, arguments, "no such tool", ""
            case Call(tool, arguments):
                problem = build(self._judge.domain, self._playing.moment.state, "")
                runs = applicable(problem, problem.state, Step(tool, ()))
                return (tool, arguments, DONE, "") if runs else (tool, arguments, NOT_NOW, "what it requires is not known")
            case Nothing(text):
                return "", {}, "no call" if text.strip() else "no text", text[:LONGEST_QUOTE]
            case Unreadable(text):
                return "", {}, "unreadable", text[:LONGEST_QUOTE]

    def _question(self, asked: AskedGoal | AskedValues) -> StepRecord:
        """A question that the user has answered. The model hears of it."""
        match asked:
            case AskedGoal(()):
                question, answer = "what would you like to do", _together(self._meant.goals or NO_OPTION)
            case AskedGoal(options):
                chosen = self._meant.goals if any(means(self._meant, option) for option in options) else NO_OPTION
                question, answer = f"which of {'; '.join(map(_together, options))}", _together(chosen)
            case AskedValues(facts):
                said = [fact for fact in facts if fact in (*self._meant.given, *self._meant.missing)]
                question, answer = ", ".join(facts), f"{', '.join(said)} given" if said else "not known"
        self._answers.append(f"The user was asked: {question}? The answer: {answer}.")
        return StepRecord(0, 0, "", {}, (), ASKED, f"{question}? {answer}", "", 0, 0)

    @cached_property
    def _verdict(self) -> Verdict:
        return self._judge.verdict(self._playing.run)


def _gold(domain: Domain, request: Request) -> tuple[str, ...]:
    """The tools of a best plan of what is meant."""
    if not request.goals:
        return ()
    state = build(domain, (*request.given, *request.missing), "").state
    return tuple(step.action for step in toolplan.plan(domain, state=state, goal=request.goals).steps)


def _read(reading: Reading, cost: StepRecord) -> StepRecord:
    """The step in which the request was read, with the likeliest candidates."""
    shares = [f"{_together(candidate.goals)} {candidate.p:.2g}" for candidate in reading.candidates[:MOST_QUOTED]]
    return replace(cost, detail=", ".join([*shares, f"none {reading.none:.2g}"]))


def _together(goals: Goals) -> str:
    return " and ".join(goals)
