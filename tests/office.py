"""The office domain in conversations: recorded results of its servers, and a host whose model gives what the contracts leave to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

import toolplan
from toolplan.domain import Derived
from toolplan.frontier import Act, Call, CallQuestion, Clarify, Decision, Instruct
from toolplan.planning.plans import Step
from toolplan.planning.problem import ground
from toolplan.session import Allowed, Held, Outcome, Session, Settings
from toolplan.session.settings import DEFAULTS

ROOT = Path(__file__).parents[1]
OFFICE = toolplan.load(ROOT / "domains" / "office.toolplan")
NOW = datetime(2026, 11, 30, 10, tzinfo=timezone(timedelta(hours=1)))
"""A Monday."""
TODAY = ("2026-11-30T00:00:00+01:00", "2026-11-30T23:59:59+01:00")
TOMORROW = ("2026-12-01T00:00:00+01:00", "2026-12-01T23:59:59+01:00")
FRIDAY = ("2026-12-04T00:00:00+01:00", "2026-12-04T23:59:59+01:00")
AT_FOUR = "2026-12-01T16:00:00+01:00"
AT_FIVE = "2026-12-01T17:00:00+01:00"
MINE = {"calendar_id(mine)": "primary"}
FILES = {"root": "/home/ana/documents"}
RECORDED = {
    tool: cases
    for path in sorted((ROOT / "tests" / "data" / "results").glob("*.json"))
    for tool, cases in json.loads(path.read_text("utf-8")).items()
}
WORDS_OF_MODEL = "words of the model"
DEADLINE = "2026-12-04"
MOST_STEPS = 30


def recorded(tool: str, case: str = "one") -> object:
    """What the server answered to a call of `tool`."""
    return RECORDED[tool][case]


def text_of(result: object) -> str:
    """The text of a recorded result."""
    assert isinstance(result, dict)
    text: str = result["content"][0]["text"]
    return text


def events(number: int) -> object:
    """A search in the calendar with so many hits, of those that were recorded."""
    found = json.loads(text_of(recorded("search-events", "five")))
    return {"content": [{"type": "text", "text": json.dumps({**found, "events": found["events"][:number], "totalCount": number})}]}


def mail(body: str) -> object:
    """A mail that was read, with another body."""
    head, _, _ = text_of(recorded("read_email")).partition("\n\n")
    return {"content": [{"type": "text", "text": f"{head}\n\n{body}"}]}


def _half_an_hour_later(start: object) -> str:
    return (datetime.fromisoformat(str(start)) + timedelta(minutes=30)).isoformat()


DERIVED: Mapping[str, Callable[[Sequence[object]], object]] = {
    "query": lambda sources: sources[0],
    "pattern": lambda sources: f"**/*{sources[0]}*",
    "path": lambda sources: "/".join(map(str, sources)),
    "end": lambda sources: _half_an_hour_later(sources[0]),
    "subject": lambda sources: f"Re: {sources[0]}",
    "attendees": lambda sources: [{"email": sources[-1]}],
    "calendars": lambda sources: [{"id": sources[0]}],
}
"""What a model makes of the values that the contracts name."""


def talk_of(state: Mapping[str, object] = MINE, settings: Settings = DEFAULTS) -> Session:
    """A conversation, read by rules, on a Monday morning."""
    return Session(OFFICE, state=state, clock=lambda: NOW, settings=settings)


class Host:
    """Does what is next until the user is needed. To every call that somebody must agree to, the user says what `consent` is.

    `results` are what tools answer, by contract, one for each call in turn, the last one for all that follow; else the recorded one.
    `steps` and `calls` are what was done, and `shown` the questions for consent.
    """

    def __init__(self, talk: Session, results: Mapping[str, Sequence[object]] | None = None, consent: str = "yes") -> None:
        self.talk = talk
        self.results = {name: list(given) for name, given in (results or {}).items()}
        self.consent = consent
        self.steps: list[str] = []
        self.calls: list[Call] = []
        self.outcomes: list[Outcome] = []
        self.shown: list[str] = []

    def say(self, text: str) -> Decision:
        """The user says `text`, and the agent goes on."""
        self.talk.hear(text)
        return self.run()

    def run(self) -> Decision:
        """Goes on until nothing is left to do without the user."""
        for _ in range(MOST_STEPS):
            match self.talk.next().decision:
                case Act(ready=Call() as call):
                    self._call(call)
                case Act(step=step):
                    self._propose(step)
                case Instruct(step=step):
                    self._model(step)
                case Clarify(question=CallQuestion(text=text)) if self.consent:
                    self.shown.append(text)
                    self.talk.hear(self.consent)
                case decision:
                    return decision
        raise AssertionError(f"the agent goes round in circles: {self.steps}")

    @property
    def values(self) -> list[tuple[str, Mapping[str, object]]]:
        """The calls of real tools, with their arguments."""
        return [(call.tool, call.values) for call in self.calls]

    def _propose(self, step: Step) -> None:
        proposal = self.talk.propose(step.action, self.derived(step))
        if isinstance(proposal, Allowed):
            self._call(proposal.call)
        else:
            assert isinstance(proposal, Held), proposal

    def derived(self, step: Step) -> dict[str, object]:
        """The arguments of `step` that a contract has a model derive."""
        problem = self.talk.next().planned.problem
        values, binding = problem.state.values, problem.binding(step)
        passes = OFFICE.tools[step.action].interface.passes
        sources = {name: source.sources for name, source in passes.items() if isinstance(source, Derived)}
        return {name: DERIVED[name]([values.get(ground(fact, binding)) for fact in facts]) for name, facts in sources.items()}

    def _call(self, call: Call) -> None:
        self.talk.start(call)
        self.steps.append(call.step.action)
        self.calls.append(call)
        answers = self.results.get(call.step.action, [])
        result = recorded(call.tool) if not answers else answers.pop(0) if len(answers) > 1 else answers[0]
        self.outcomes.append(self.talk.observe(call, result))

    def _model(self, step: Step) -> None:
        self.steps.append(step.action)
        self.outcomes.append(self.talk.observe(step, DEADLINE if step.action == "extract_deadline" else WORDS_OF_MODEL))


def question(decision: Decision) -> str:
    """The words of the question that `decision` is."""
    assert isinstance(decision, Clarify), decision
    return decision.question.text
