"""A session as a test block: what was wanted, what happened one after the other, and what was next each time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Self

from toolplan.frontier import Act, Blocked, Call, CallQuestion, Clarify, Decision, Explore, GoalQuestion, Instruct
from toolplan.goals.forms import Form, questions_of
from toolplan.goals.questions import Question
from toolplan.goals.readings import Candidate, Goals, Reading
from toolplan.language.formatter import format_source
from toolplan.language.source import Source
from toolplan.planning.plans import Step, written
from toolplan.planning.problem import State
from toolplan.session.turning import has_goal
from toolplan.session.turns import TurnReading

DIGITS = 4
LEAST = 10**-DIGITS
"""Of probabilities that are written."""
LONGEST_NAME = 60
"""Characters of the name of a test."""
UNLIKE = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.]*e[+-]?\d+')
"""What the language may write otherwise than JSON: strings, whose escapes differ, and numbers with an exponent."""
ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|([bfr]))|\\.")
CONTROLS = {"b": "8", "f": "c", "r": "d"}


@dataclass(frozen=True, slots=True)
class Recording:
    """The clauses of a test block, in order; what happens is added at the end. `name` is what was wanted first."""

    clauses: tuple[str, ...]
    name: str = ""

    @classmethod
    def of(cls, state: State) -> Self:
        """The record of a session that begins in `state`."""
        said = [*_statements(state)]
        return cls((f"given {', '.join(said)}",) if said else ())

    @property
    def is_begun(self) -> bool:
        """Whether anything was wanted yet."""
        return bool(self.name)

    def wanting(self, goals: Iterable[str]) -> Self:
        """The same, where the caller wants `goals` from the beginning."""
        wanted = ", ".join(goals)
        return replace(self, clauses=(*self.clauses, f"goal {wanted}"), name=wanted)

    def saying(self, turn: TurnReading, meant: Reading) -> Self:
        """The same, once the user has said a turn, by which `meant` is wanted. The first one is the request, unless the caller wants something.

        What a request is taken for is written where that is all that was read; else a test reads it again, with the ranker that is installed.
        A later turn of which nothing was read is left out: a test would take it for the answer to whatever is asked.
        """
        says_more = bool(turn.stated or turn.mentions or turn.forbids or turn.reply is not None)
        if self.is_begun:
            return self._with(f"when user says {json_text(turn.text)}") if says_more or has_goal(turn) else self
        begun = replace(self._with(f"request {json_text(turn.text)}"), name=_shortened(turn.text))
        candidates = [_candidate(candidate) for candidate in meant.candidates if candidate.p >= LEAST]
        return begun if says_more or not candidates else begun._with(f"candidates {', '.join(candidates)}")

    def answering(self, words: str) -> Self:
        """The same, once the open question was answered with `words`."""
        return self._with(f"when user says {json_text(words)}")

    def declining(self) -> Self:
        """The same, once somebody would not answer."""
        return self._with("when user declines")

    def observing(self, step: Step, result: object) -> Self:
        """The same, once `step` came to `result`: JSON, a text, or an exception, of which TimeoutError leaves in doubt whether it ran."""
        match result:
            case TimeoutError():
                return self._with(f"when {_step(step)} in doubt")
            case BaseException():
                return self._with(f"when {_step(step)} fails")
            case _:
                return self._with(f"when {_step(step)} returns {json_text(result)}")

    def expecting(self, decision: Decision) -> Self:
        """The same, where `decision` is next. Of the end, and of which of several things is meant, the language says nothing."""
        clause = f"expect {_expectation(decision)}".rstrip()
        return self if not self.is_begun or clause in ("expect", self.clauses[-1]) else self._with(clause)

    def _with(self, clause: str) -> Self:
        return replace(self, clauses=(*self.clauses, clause))

    def block(self, taken: Iterable[str] = ()) -> str:
        """The test block in the one layout, under a name that is none of `taken`. Raises DomainError where the language cannot write it."""
        names = set(taken)
        numbered = (f"{self.name} ({number})" for number in range(2, len(names) + 3))
        name = next(name for name in (self.name, *numbered) if name not in names)
        lines = "".join(f"  {clause}\n" for clause in self.clauses)
        return format_source(Source("<recorded>", f"test {json_text(name)} {{\n{lines}}}\n"))


def _expectation(decision: Decision) -> str:
    match decision:
        case Act(step=step) | Instruct(step=step):
            return f"frontier {_step(step)}"
        case Clarify(question=CallQuestion(call=Call(step=step)) | Question(step=step)):
            return f"question {_step(step)}"
        case Clarify(question=Form() as form):
            return f"form {', '.join(_step(question.step) for question in questions_of(form))}"
        case Clarify(question=GoalQuestion(options=options)) if any(option.goals for option in options):
            return f"question about {', '.join(_together(option.goals) for option in options if option.goals)}"
        case Explore():
            return "no goal"
        case Blocked(missing):
            return f"blocked by {', '.join(str(fluent.atom) for fluent in missing)}" if missing else "blocked"
        case _:
            return ""


def _step(step: Step) -> str:
    """A step with its name in backquotes, since in a test some words are names only so."""
    shown = written(step.action, step.arguments)
    return shown if shown.startswith("`") else f"`{step.action}`{shown.removeprefix(step.action)}"


def _candidate(candidate: Candidate) -> str:
    """Rounded down, so that all candidates together are never more than certain."""
    return f"{_together(candidate.goals)} {math.floor(candidate.p / LEAST) * LEAST:.{DIGITS}f}"


def _together(goals: Goals) -> str:
    return goals[0] if len(goals) == 1 else f"({', '.join(goals)})"


def _shortened(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= LONGEST_NAME else f"{line[: LONGEST_NAME - 3].rstrip()}..."


def _statements(state: State) -> Iterator[str]:
    yield from (_valued(str(atom), state.values.get(atom)) for atom in sorted(state.known))
    yield from (_valued(f"{atom}?", state.values.get(atom)) for atom in sorted(state.uncertain))
    yield from (f"not {atom}" for atom in sorted(state.denied))


def _valued(statement: str, value: object) -> str:
    """A statement with its value, if it has one that a state can be given."""
    return statement if value is None or isinstance(value, Mapping) else f"{statement} = {json_text(value)}"


def json_text(value: object) -> str:
    """A JSON value as the language writes it."""
    return UNLIKE.sub(_rewritten, json.dumps(value, ensure_ascii=False))


def _rewritten(found: re.Match[str]) -> str:
    if found[0].startswith('"'):
        return ESCAPE.sub(lambda escape: f"\\u{{{code}}}" if (code := escape[1] or CONTROLS.get(escape[2])) else escape[0], found[0])
    digits = format(Decimal(found[0]), "f")
    return digits if "." in digits else f"{digits}.0"
