"""A model of a GGUF file through llama.cpp, with the tool-call template that stands in the file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from toolplan.bench.choosers import INSTRUCTION, NONE, Choice, Turn
from toolplan.bench.choosers.reading import read_call
from toolplan.bench.local_model import EXTRA, SEED
from toolplan.exposure.declarations import DISPATCHER
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.retrieval.packages import required

CONTEXT = 16_384
LONGEST_CALL = 320
"""Tokens after which an answer is cut off."""
OPENING = "<tool_call>\n"
"""What a call begins with in the template of these models."""
DROPPED = ("format", "description")
"""Keywords that mean nothing to a grammar; an argument may be called so, too, and then a schema stands behind it."""


class Local:
    """The model of the file at `path`, decoded greedily.

    Constrained, it can say nothing but a call of one of the tools that may be called, or of `none`; free, it says what it likes, and a call is
    read out of that. The beginning that a prompt shares with the one before it is not computed again. Raises DomainError where llama.cpp
    is not installed, or cannot read the file.
    """

    def __init__(self, path: Path, *, constrained: bool = True) -> None:
        self.name = path.stem + ("" if constrained else ", free")
        self._constrained = constrained
        self._llama = required("llama_cpp", EXTRA)
        try:
            self._model = self._llama.Llama(model_path=str(path), n_ctx=CONTEXT, seed=SEED, verbose=False)
        except ValueError:
            raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"llama.cpp finds no model in {quoted(str(path))}")]) from None
        self._grammar = lru_cache(maxsize=256)(self._compiled)
        self._template = self._of_file()

    def choose(self, turn: Turn) -> Choice:
        """What the model calls."""
        prompt = self._template(turn)
        if self._constrained:
            prompt += OPENING
        tokens = self._model.tokenize(prompt.encode(), add_bos=False, special=True)
        grammar = self._grammar(_constraint(turn)) if self._constrained else None
        answer = self._model.create_completion(tokens, grammar=grammar, temperature=0.0, max_tokens=LONGEST_CALL, stop=["<|im_end|>"])
        text = str(answer["choices"][0]["text"])
        read = read_call((OPENING if self._constrained else "") + text, dispatched=turn.dispatched)
        return Choice(read, len(tokens), int(answer["usage"]["completion_tokens"]))

    def _of_file(self) -> Any:
        """The template of the file, as a function from a turn to a prompt."""
        sandbox = required("jinja2.sandbox", EXTRA)
        environment = sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(self._model.metadata["tokenizer.chat_template"])

        def prompt(turn: Turn) -> str:
            messages = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": turn.text}]
            tools = turn.functions
            return str(template.render(messages=messages, tools=tools, add_generation_prompt=True))

        return prompt

    def _compiled(self, schema: str) -> Any:
        return self._llama.LlamaGrammar.from_json_schema(schema, verbose=False)


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
