"""What takes one of the tools that it is shown: a model in this process, one behind an address, or a simulation of one.

They see the same: tools, the request, what is known, and what came of the last call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from toolplan.exposure.declarations import Declaration

NONE = "none"
"""The name that a constrained model gives where it calls nothing."""
INSTRUCTION = (
    "You help a user by calling tools. Each turn tells you the request, what is known so far, and what came of the last call. "
    "Call exactly one tool that brings the request forward, with arguments taken from what is known. "
    "If no tool helps, call none."
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a chooser sees. `declared` stand in its prompt, and only `callable` may be called; through the one tool `call` if `dispatched`."""

    request: str
    known: Mapping[str, str]
    last: str
    declared: Sequence[Declaration]
    callable: Sequence[Declaration]
    note: str = ""
    dispatched: bool = False

    @property
    def text(self) -> str:
        """The turn of the user in a prompt."""
        known = "\n".join(f"- {name}: {value}" for name, value in self.known.items()) or "- nothing yet"
        last = f"\n\nThe last call: {self.last}" if self.last else ""
        note = f"\n\n{self.note}" if self.note else ""
        return f"Request: {self.request}\n\nKnown:\n{known}{last}{note}"

    @property
    def functions(self) -> list[Mapping[str, object]]:
        """The declared tools in the shape of OpenAI's chat completions, which the templates of models in files take, too."""
        return [
            {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}}
            for tool in self.declared
        ]


@dataclass(frozen=True, slots=True)
class Called:
    """A tool, under its own name also where it was called through the dispatcher."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Nothing:
    """No call: what the model said instead, which may be nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What was meant for a call, and is none."""

    text: str


Answer = Called | Nothing | Unreadable


@dataclass(frozen=True, slots=True)
class Choice:
    """What a chooser has done, and the tokens that went in and came out by its own tokenizer; whether they were cached does not count."""

    answer: Answer
    tokens_in: int
    tokens_out: int


class Chooser(Protocol):
    """Takes a tool. The same turn has the same choice, whatever was chosen before."""

    name: str

    @property
    def details(self) -> Mapping[str, str]:
        """What else its choices depend on."""
        ...

    def choose(self, turn: Turn) -> Choice:
        """What is called at this step."""
        ...
