"""A model of a GGUF file through llama.cpp, with the tool-call template that stands in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolplan.bench.choosers import INSTRUCTION, NONE, Choice, Turn
from toolplan.bench.choosers.completing import Completer
from toolplan.bench.choosers.reading import read_call
from toolplan.bench.local_model import EXTRA
from toolplan.exposure.declarations import DISPATCHER
from toolplan.retrieval.packages import required

USER = "<|im_start|>user"
"""What the user's turn begins with in the template of these models."""
LONGEST_CALL = 320
"""Tokens after which an answer is cut off."""
OPENING = "<tool_call>\n"
"""What a call begins with in the template of these models."""
DROPPED = ("format", "description")
"""Keywords that mean nothing to a grammar; an argument may be called so, too, and then a schema stands behind it."""


class Local:
    """The model of the file at `path`, decoded greedily.

    Constrained, it can say nothing but a call of one of the tools that may be called, or of `none`; free, it says what it likes, and a call is
    read out of that. What is chosen depends on the turn alone. Raises DomainError where llama.cpp is not installed, or cannot read the file.
    """

    def __init__(self, path: Path, *, constrained: bool = True) -> None:
        self.name = path.stem + ("" if constrained else ", free")
        self._constrained = constrained
        self._completer = Completer(path)
        self.details = self._completer.details
        sandbox = required("jinja2.sandbox", EXTRA)
        environment = sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        self._template = environment.from_string(self._completer.template)
        self._chosen: dict[tuple[str, str], Choice] = {}

    def choose(self, turn: Turn) -> Choice:
        """What the model calls."""
        key = self._prompt(turn), _constraint(turn) if self._constrained else ""
        if key not in self._chosen:
            self._chosen[key] = self._choice(*key, turn)
        return self._chosen[key]

    def _choice(self, prompt: str, constraint: str, turn: Turn) -> Choice:
        cut = prompt.rindex(USER)
        beginning, rest = self._completer.begin(prompt[:cut]), self._completer.tokens(prompt[cut:])
        said = self._completer.complete(rest, constraint, LONGEST_CALL)
        read = read_call((OPENING if self._constrained else "") + said.text, dispatched=turn.dispatched)
        return Choice(read, len(beginning) + len(rest), said.tokens)

    def _prompt(self, turn: Turn) -> str:
        messages = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": turn.text}]
        prompt = self._template.render(messages=messages, tools=turn.functions, add_generation_prompt=True)
        return f"{prompt}{OPENING if self._constrained else ''}"


def _constraint(turn: Turn) -> str:
    """The JSON schema of all that may be said: one of the callable tools with arguments of its schema, or `none`."""
    calls = [_call(tool.name, tool.schema) for tool in turn.callable]
    if turn.dispatched:
        calls = [_call(DISPATCHER, call) for call in calls]
    return json.dumps({"oneOf": [*calls, _call(NONE, {"type": "object", "properties": {}, "additionalProperties": False})]})


def _call(name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
    properties = {"name": {"const": name}, "arguments": _bounded(arguments)}
    return {"type": "object", "properties": properties, "required": ["name", "arguments"], "additionalProperties": False}


def _bounded(schema: object) -> Any:
    """`schema` without the formats that would only slow a grammar down, and with texts of an end."""
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [_bounded(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: _bounded(value) for key, value in schema.items() if key not in DROPPED or not isinstance(value, str)}
    return plain | ({"maxLength": 200} if schema.get("type") == "string" and "enum" not in schema else {})
