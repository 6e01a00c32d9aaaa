"""What a session in a terminal shows: how a turn was read, what is believed and why, and what is next."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from toolplan.checks.changes import Change, Learned, Replaced, Withdrawn
from toolplan.checks.worlds import offered
from toolplan.domain import Domain, Performer
from toolplan.frontier import (
    Act,
    Argument,
    Blocked,
    Clarify,
    Done,
    EntityQuestion,
    Explore,
    Frontier,
    GoalQuestion,
    Instruct,
    Undecided,
    plan_of,
)
from toolplan.goals.readings import Reading
from toolplan.language.numerals import numeral
from toolplan.planning.plans import Status
from toolplan.session.beliefs import Belief
from toolplan.session.events import Observed
from toolplan.session.turns import Chosen, TurnReading

SHOWN = 0.01
"""Candidates of less probability are not shown."""
LONGEST_VALUE = 160
"""Characters of a value that are shown."""

Line = tuple[str, str]
"""A label, empty where the line goes on, and a text."""


def reading_lines(turn: TurnReading) -> Iterator[Line]:
    """How a turn was read, besides the values that it states."""
    if turn.goals.candidates:
        yield "read", candidates_text(turn.goals)
    if turn.mentions:
        yield "about", ", ".join(f'{mention.name} ("{mention.words}")' for mention in turn.mentions)
    if turn.forbids:
        yield "without", ", ".join(turn.forbids)
    match turn.reply:
        case Chosen(option):
            yield "reply", f"option {option + 1}"
        case None:
            if not (turn.goals.candidates or turn.mentions or turn.forbids or turn.stated):
                yield "read", "nothing"
        case reply:
            yield "reply", type(reply).__name__.lower()
    for finding in turn.findings:
        yield "doubt", finding.message


def candidates_text(reading: Reading) -> str:
    """The goals that may be meant, with their probabilities."""
    named = [(" and ".join(candidate.goals), candidate.p) for candidate in reading.candidates]
    return ", ".join(f"{name} {p:.2f}" for name, p in [*named, ("none", reading.none)] if p >= SHOWN)


def change_lines(changes: Iterable[Change]) -> Iterator[Line]:
    """What came and went, and where it came from."""
    for change in changes:
        match change:
            case Learned(belief):
                yield _status(belief), _shown(belief)
            case Replaced(before, belief):
                yield _status(belief), f"{_shown(belief)}; before: {_value(before.value) or before.status.value}"
            case Withdrawn(belief):
                yield "gone", _shown(belief)


def belief_lines(beliefs: Iterable[Belief]) -> Iterator[Line]:
    """All that is believed."""
    return ((_status(belief), _shown(belief)) for belief in beliefs)


def _status(belief: Belief) -> str:
    return {Status.KNOWN: "known", Status.CLAIMED: "perhaps", Status.DENIED: "not so"}[belief.status]


def _shown(belief: Belief) -> str:
    """A belief with its value and its source."""
    value = f" = {_value(belief.value)}" if belief.value is not None else ""
    words = f': "{belief.words}"' if belief.words else ""
    return f"{belief.atom}{value} ({belief.source.value}{words})"


def _value(value: object) -> str:
    written = "" if value is None else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= LONGEST_VALUE else f"{written[:LONGEST_VALUE]}..."


def result_lines(seen: Observed) -> Iterator[Line]:
    """What became of a call."""
    yield "result", seen.outcome.value + (f": {seen.reason.replace('`', '')}" if seen.reason else "")


def decision_lines(now: Frontier) -> Iterator[Line]:
    """What is next, and why."""
    match now.decision:
        case Act(_, step, _, why):
            tool = now.planned.problem.domain.tools[step.action]
            yield "call", f"{step}" + (f", as {tool.call_name}" if tool.call_name != tool.name else "")
            yield "why", why.replace("`", "")
        case Instruct(instruction, performer, step):
            yield performer.value, f"{instruction} ({step})" + (" Tell when it is done." if performer is Performer.USER else "")
        case Clarify(GoalQuestion(text, options)):
            yield from _asked(text, [option.text for option in options])
        case Clarify(EntityQuestion(text, _, choices)):
            yield from _asked(text, choices)
        case Clarify(question):
            yield from _asked(question.text, ())
        case Explore(tools, why):
            yield "nothing", why + (f"; there are always {', '.join(tools)}" if tools else "")
        case Done():
            yield "done", "everything that is wanted is known"
        case Blocked(missing, hint):
            yield "blocked", f"nothing can add {', '.join(map(str, missing))}" if missing else "no order of the tools works"
            yield "help", hint.replace("`", "")
        case Undecided(_, bound, limit):
            yield "stopped", f"after {limit}; no plan scores less than {numeral(bound)}"
    best = plan_of(now.decision)
    if best is not None and (later := best.steps[max(len(offered(now.decision)), 1) :]):
        yield "then", ", ".join(map(str, later))


def _asked(text: str, options: Iterable[str]) -> Iterator[Line]:
    first, *others = text.splitlines()
    yield "ask", first
    yield from (("", line) for line in [*others, *(f"{count}. {option}" for count, option in enumerate(options, 1))])


def argument_lines(arguments: Mapping[str, Argument], wanted: Iterable[str]) -> Iterator[Line]:
    """The arguments of a call, with their sources; those that are `wanted` are for a model to give."""
    for name, argument in arguments.items():
        yield "with", f"{name} = {_value(argument.value)} ({argument.source.value})"
    for name in wanted:
        yield "with", f"{name}, which a model gives"


def why_lines(now: Frontier) -> Iterator[Line]:
    """All the reasons of a decision: what may be wanted, what is doubtful in it, and who proved the plan."""
    wanted = ", ".join(wanted.label for wanted in now.planned.problem.wanted)
    yield "goal", wanted or "open"
    if now.reading is not None:
        yield "read", candidates_text(now.reading)
        yield from (("doubt", f"{signal.doubt.value}: {signal.detail.replace('`', '')}") for signal in now.signals)
        yield from (("left", f"{' and '.join(left.candidate.goals)} is {left.why.value}: {left.detail}") for left in now.left)
    yield from decision_lines(now)
    yield from plan_lines(now)


def plan_lines(now: Frontier) -> Iterator[Line]:
    """The plan, step by step, with what each adds to the score."""
    best, problem = plan_of(now.decision), now.planned.problem
    if best is None or not best.steps:
        yield "plan", "there is none"
        return
    for step in best.steps:
        yield "step", f"{step}, {_scored(problem.domain, step.action)}"
    yield "proof", f"score {numeral(best.score)}, proved optimal by {getattr(now.planned.solution, 'engine', '')}"


def _scored(domain: Domain, name: str) -> str:
    action = domain.action(name)
    return f"risk {domain.risk_of(action).name}, score {numeral(domain.score_of(action))}"
