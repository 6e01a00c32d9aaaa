"""What is sent to a provider at one step: the tools, the choice among them, and the messages that tell of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolplan.exposure.declarations import DISPATCHER
from toolplan.exposure.names import Names
from toolplan.exposure.providers import Provider, Strategy
from toolplan.exposure.surfaces import SURFACES
from toolplan.language.diagnostics import Diagnostic

DISPATCHING: tuple[Strategy, ...] = ("append", "dispatch", "search")
"""The strategies in which the dispatcher may be declared, and its name so means nothing else."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What the provider is to be sent at one step. `strategy` is the one that was taken, and `findings` say why no other.

    `request` is merged into the request, `messages` stand last in its conversation (see `appended`); `note` is what they tell the model.
    `shown` are the real tools that may be called, the next one first, and `names` how the provider is shown their names.
    """

    provider: Provider
    strategy: Strategy
    request: Mapping[str, object]
    messages: tuple[Mapping[str, object], ...]
    note: str
    shown: tuple[str, ...]
    names: Names
    findings: tuple[Diagnostic, ...] = ()

    def appended(self, conversation: Sequence[object]) -> list[object]:
        """`conversation` with `messages` at its end, which is to be the user's turn: a message of theirs, or results of tools."""
        return SURFACES[self.provider].appended(conversation, self.messages)

    def call(self, name: str, arguments: object) -> tuple[str, object]:
        """The real tool and the arguments that a model's call means, whether they may be or not: that is for the gate to say.

        Arguments that are a JSON text are read; one that is no JSON is left as it is. What does not say which tool it means is a call of the
        tool "", which there is none of.
        """
        return meant(self.strategy, self.names, name, arguments)


def meant(strategy: Strategy, names: Names, name: str, arguments: object) -> tuple[str, object]:
    """As `Payload.call`, of all payloads of a run: a call may be taken up in another process than the step that it answers."""
    arguments = parsed(arguments)
    if name == DISPATCHER and strategy in DISPATCHING:
        match arguments:
            case {"name": str(called), "arguments": passed}:
                return names.real(called), parsed(passed)
            case {"name": str(called)}:
                return names.real(called), {}
            case _:
                return "", arguments
    return names.real(name), arguments


def parsed(arguments: object) -> object:
    """Arguments that came as JSON text, as a value; what is no JSON stays as it is, and the gate refuses it."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments
