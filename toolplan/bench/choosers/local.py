"""A model of a GGUF file through llama.cpp, with the tool-call template that stands in the file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from toolplan.bench.choosers import INSTRUCTION, NONE, Choice, Turn
from toolplan.bench.choosers.reading import read_call
from toolplan.bench.local_model import EXTRA, SEED
from toolplan.bench.planner.measuring import processor
from toolplan.exposure.declarations import DISPATCHER
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.retrieval.packages import required

CONTEXT = 16_384
THREADS = 1
"""More would wait for each other: whoever has several cores runs several processes. The number of threads is part of what a choice depends on."""
USER = "<|im_start|>user"
"""What the user's turn begins with in the template of these models."""
LONGEST_CALL = 320
"""Tokens after which an answer is cut off."""
OPENING = "<tool_call>\n"
"""What a call begins with in the template of these models."""
DROPPED = ("format", "description")
"""Keywords that mean nothing to a grammar; an argument may be called so, too, and then a schema stands behind it."""


class Local:
    """The model of the file at `path`, decoded greedily by one thread.

    Constrained, it can say nothing but a call of one of the tools that may be called, or of `none`; free, it says what it likes, and a call is
    read out of that. Raises DomainError where llama.cpp is not installed, or cannot read the file.

    The part of a prompt before the user's turn is computed by itself, and only once for prompts in a row that share it. So what is chosen
    depends on the prompt alone: numbers that are added up in another order may round differently, and tip a choice.
    """

    def __init__(self, path: Path, *, constrained: bool = True) -> None:
        self.name = path.stem + ("" if constrained else ", free")
        self._constrained = constrained
        self._llama = required("llama_cpp", EXTRA)
        try:
            self._model = self._llama.Llama(
                model_path=str(path), n_ctx=CONTEXT, n_threads=THREADS, n_threads_batch=THREADS, seed=SEED, verbose=False
            )
        except ValueError:
            raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"llama.cpp finds no model in {quoted(str(path))}")]) from None
        self.details = {
            "file": _sha256(path),
            "llama.cpp": f"llama-cpp-python {self._llama.__version__}",
            "processor": processor(),
            "threads": str(THREADS),
        }
        self._grammar = lru_cache(maxsize=256)(self._compiled)
        self._template = self._of_file()
        self._beginning: list[int] = []
        self._said: dict[tuple[str, str], Choice] = {}

    def choose(self, turn: Turn) -> Choice:
        """What the model calls."""
        prompt = self._template(turn) + (OPENING if self._constrained else "")
        constraint = _constraint(turn) if self._constrained else ""
        if (prompt, constraint) not in self._said:
            self._said[prompt, constraint] = self._chosen(prompt, constraint, turn)
        return self._said[prompt, constraint]

    def _chosen(self, prompt: str, constraint: str, turn: Turn) -> Choice:
        cut = prompt.rindex(USER)
        tokens = self._begun(prompt[:cut]) + self._tokens(prompt[cut:])
        grammar = self._grammar(constraint) if constraint else None
        answer = self._model.create_completion(tokens, grammar=grammar, temperature=0.0, max_tokens=LONGEST_CALL, stop=["<|im_end|>"])
        text = str(answer["choices"][0]["text"])
        read = read_call((OPENING if self._constrained else "") + text, dispatched=turn.dispatched)
        return Choice(read, len(tokens), int(answer["usage"]["completion_tokens"]))

    def _begun(self, beginning: str) -> list[int]:
        """The tokens of the beginning of a prompt; they and nothing else have been computed when this returns."""
        tokens = self._tokens(beginning)
        if tokens != self._beginning:
            self._model.reset()
            self._model.eval(tokens)
            self._beginning = tokens
        self._model.n_tokens = len(tokens)
        return tokens

    def _tokens(self, text: str) -> list[int]:
        return list(self._model.tokenize(text.encode(), add_bos=False, special=True))

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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
