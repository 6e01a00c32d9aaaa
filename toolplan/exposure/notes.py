"""What the model is told at a step: what is wanted, what is known, what is next. No tool is named that may not be called."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolplan.domain import Domain, Literal, Performer, Tool
from toolplan.exposure.declarations import DISPATCHER, Declaration
from toolplan.frontier import (
    Act,
    Blocked,
    CallQuestion,
    Clarify,
    Done,
    Explore,
    Frontier,
    GoalQuestion,
    Instruct,
    Undecided,
    next_step,
)
from toolplan.frontier.decisions import EntityQuestion, UserQuestion

PREFACE = "Note of the host, not of the user, about this step alone:"
LONGEST = 500
"""Letters of a value that is shown. The others are filled in unseen."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What a note is made of: `shown` are the tools that may be called, the next one first, under the names that the provider is shown.

    `known` are arguments of the next call. Of the tools that may be called, `found` are left to the provider's search, and not named.
    """

    frontier: Frontier
    shown: tuple[str, ...]
    known: Mapping[str, object]
    found: Sequence[str] = ()

    def note(self) -> str:
        """The note where the provider declares the tools."""
        return "\n".join((PREFACE, *self._told(), self._callable()))

    def note_with(self, lines: Sequence[str]) -> str:
        """The note where the tools are called through the dispatcher: `lines` describe them (see `line_of`)."""
        how = [f"Call them with `{DISPATCHER}`. What each takes:"] if lines else []
        return "\n".join((PREFACE, *self._told(), self._callable(), *how, *lines))

    def _told(self) -> Iterator[str]:
        problem = self.frontier.planned.problem
        if problem.wanted:
            yield f"Wanted: {'; '.join(_goal(problem.domain, wanted.goal, wanted.label) for wanted in problem.wanted)}."
        yield self._next()
        if self.known:
            yield f"Known, and filled in where it is left out: {', '.join(_known(name, value) for name, value in self.known.items())}."

    def _next(self) -> str:
        match self.frontier.decision:
            case Act():
                return f"Next: call `{self.shown[0]}`." if self.shown else "Next: nothing that can be called."
            case Instruct(instruction, Performer.MODEL):
                return f"Next, without a call: {_json(instruction)}."
            case Instruct(instruction):
                return f"Next, for the user to do by hand: {_json(instruction)}."
            case Clarify(CallQuestion(text, _, by)):
                return f"The call that was proposed waits until {by or 'the user'} agrees to it. The question: {_json(text)}."
            case Clarify(question):
                return f"Next: ask the user {_json(question.text)}{_options(question)}."
            case Explore():
                return "Next: nothing is planned."
            case Done():
                return "All of it is done."
            case Blocked(missing):
                return f"Nothing leads there. Missing: {_json([str(atom) for atom in missing])}." if missing else "Nothing leads there."
            case Undecided():
                return "Next: not decided yet."

    def _callable(self) -> str:
        ways = [*(f"`{name}`" for name in self.shown), *(["what the tool search finds, by its own name"] if self.found else [])]
        return f"All that can be called now: {', '.join(ways)}." if ways else "No tool can be called now: answer in words."


def line_of(tool: Declaration) -> str:
    """A tool with its schema, as one line of JSON: what its description says cannot be taken for the host's words."""
    return _json({"name": tool.name, "description": tool.description, "arguments": tool.schema})


def known_of(frontier: Frontier) -> Mapping[str, object]:
    """What a frontier itself says of the arguments of the next call: all, where the call is known, else the literals of its contract."""
    match frontier.decision:
        case Act(ready=ready) if ready is not None:
            return ready.values
        case Clarify(CallQuestion(call=call)):
            return call.values
    following = next_step(frontier.decision)
    action = frontier.planned.problem.domain.action(following.action) if following is not None else None
    passes = action.interface.passes if isinstance(action, Tool) else {}
    return {name: source.value for name, source in passes.items() if isinstance(source, Literal)}


def _goal(domain: Domain, name: str, label: str) -> str:
    """A goal in words: its name may be that of a tool that is hidden."""
    description = domain.goals[name].description if name in domain.goals else ""
    return description.rstrip(". ") or label.replace("_", " ")


def _known(name: str, value: object) -> str:
    text = _json(value)
    return f"{name} = {text}" if len(text) <= LONGEST else f"{name} (too long to show)"


def _options(question: UserQuestion) -> str:
    """The answers to choose from, with `question`. They may quote what others wrote, so they stand as data."""
    match question:
        case GoalQuestion(options=options):
            return f", one of {_json([option.text for option in options])}"
        case EntityQuestion(options=choices):
            return f", one of {_json(list(choices))}"
        case _:
            return ""


_json = json.JSONEncoder(ensure_ascii=False).encode
