"""What requests mean, by a model. It is asked as a chooser that calls nothing, so readings are made, kept and taken up again as runs are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import toolplan
from toolplan.bench.choosers import Choice, Nothing, Turn, Unreadable
from toolplan.bench.choosers.completing import Completer, Completion
from toolplan.bench.gist.requests import PRACTICE, Request, requests, sample
from toolplan.bench.gist.simulation import means
from toolplan.bench.local_model import LONGEST_ANSWER, bounded
from toolplan.bench.runs import READ, RunRecord, StepRecord
from toolplan.domain import Domain
from toolplan.goals.rankers.model import prompt, read_answer, schema
from toolplan.goals.rankers.prompting import parsed
from toolplan.goals.readings import Reading
from toolplan.language.codes import Code
from toolplan.planning.inputs import build

READING = "reading"
"""The arm whose runs are readings."""
NO_TEXT, UNREADABLE, NO_GOALS, UNKNOWN_GOAL, CONFIDENCES = "no text", "unreadable", "no goals", "unknown goal", "confidences"
FAULTS = (NO_TEXT, UNREADABLE, NO_GOALS, UNKNOWN_GOAL, CONFIDENCES)
"""Why an answer cannot be used: it is empty; no JSON; JSON of another form, or the same goals twice; names a goal that is none; has confidences
that cannot be."""


class Reader:
    """The model of the file at `path`, which is asked with the product's own prompt and schema; what it calls is nothing, and what it says the
    answer. The goals stand in the part of the prompt that is computed once."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.domain = toolplan.load("gist")
        self.completer = Completer(path)
        question = prompt(self.domain, "", build(self.domain, None, "").state)
        self._schema = json.dumps(bounded(schema(self.domain)))
        self.details = {**self.completer.details, "question": sha256(f"{question}\n{self._schema}".encode()).hexdigest()}
        formats = self.completer.llama.llama_chat_format
        self._formatter = formats.Jinja2ChatFormatter(self.completer.template, eos_token="<|im_end|>", bos_token="")

    def choose(self, turn: Turn) -> Choice:
        """What the model says that the request of `turn` means."""
        state = build(self.domain, list(turn.known), "").state
        asked = self._as_chat(prompt(self.domain, turn.request, state))
        cut = asked.rindex("\nKnown: ") + 1
        beginning, rest = self.completer.begin(asked[:cut]), self.completer.tokens(asked[cut:])
        said = self.answer(rest)
        return Choice(Nothing(said.text), len(beginning) + len(rest), said.tokens)

    def answer(self, rest: Sequence[int]) -> Completion:
        """The answer to a prompt that ends with `rest`, and whose beginning is computed: decoded greedily under the schema."""
        return self.completer.complete(rest, self._schema, LONGEST_ANSWER)

    def _as_chat(self, question: str) -> str:
        return str(self._formatter(messages=[{"role": "user", "content": question}]).prompt)


class Readings:
    """The requests of `suite` and `practised` practice requests, of each type its share: each is read once."""

    name = "gist"
    arms = (READING,)

    def __init__(self, suite: str, practised: int) -> None:
        self._suite, self._practised = suite, practised

    def tasks(self, count: int) -> Sequence[str]:
        """The ids of `count` requests of the suite, and of those to practise on."""
        return [request.id for request in (*sample(self._suite, count), *sample(PRACTICE, self._practised))]

    def episode(self, arm: str, task: str) -> BeingRead:
        """The request, unread."""
        return BeingRead(self._domain, self._requests[task])

    @cached_property
    def _domain(self) -> Domain:
        return toolplan.load(self.name)

    @cached_property
    def _requests(self) -> Mapping[str, Request]:
        return {request.id: request for request in (*requests(PRACTICE), *requests(self._suite))}


class BeingRead:
    """One request, read by whoever chooses. It succeeds where the likeliest goals are those that are meant."""

    def __init__(self, domain: Domain, request: Request) -> None:
        self.request, self.gold = request.text, request.goals
        self._domain, self._meant = domain, request
        self._reading: Reading | None = None

    @property
    def success(self) -> bool:
        """Whether the likeliest outcome is what is meant."""
        return self._reading is not None and means(self._meant, likeliest(self._reading))

    @property
    def judged(self) -> Mapping[str, object]:
        """The type of the request."""
        return {"type": self._meant.type}

    def turn(self) -> Turn | None:
        """The request and the facts that it gives, once."""
        return Turn(self.request, dict.fromkeys(self._meant.given, "given"), "", (), ()) if self._reading is None else None

    def take(self, choice: Choice) -> StepRecord:
        """The answer, and what is wrong with it."""
        answer = choice.answer.text if isinstance(choice.answer, Nothing | Unreadable) else json.dumps(choice.answer.arguments)
        self._reading = read_answer(self._domain, self.request, answer)
        outcome = fault_of(answer, self._reading) or READ
        return StepRecord(0, 0, "", {}, (), outcome, answer, "", choice.tokens_in, choice.tokens_out)


def answers_of(records: Sequence[RunRecord]) -> dict[str, str]:
    """What was answered to each request."""
    return {record.task: record.steps[0].detail for record in records if record.arm == READING}


def likeliest(reading: Reading) -> tuple[str, ...]:
    """The goals of the likeliest candidate; none where `none` is likelier."""
    first = next(iter(reading.candidates), None)
    return first.goals if first is not None and first.p >= reading.none else ()


def fault_of(answer: str, reading: Reading) -> str:
    """One of `FAULTS`, the gravest; nothing where the answer could be used."""
    if not reading.findings:
        return ""
    if not answer.strip():
        return NO_TEXT
    try:
        parsed(answer)
    except ValueError:
        return UNREADABLE
    codes = {finding.code for finding in reading.findings}
    return NO_GOALS if Code.BAD_JSON in codes else UNKNOWN_GOAL if Code.UNKNOWN_GOAL_NAME in codes else CONFIDENCES
