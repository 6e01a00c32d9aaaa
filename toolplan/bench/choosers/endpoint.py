"""A model behind an address that speaks the protocol of OpenAI's chat completions."""

from __future__ import annotations

import os
from typing import Any

from toolplan.bench.choosers import INSTRUCTION, Answer, Called, Choice, Nothing, Turn, Unreadable
from toolplan.bench.choosers.reading import read_call
from toolplan.exposure.declarations import DISPATCHER
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.retrieval.packages import required

EXTRA = "openai"
KEY = "TOOLPLAN_BENCH_KEY"
"""The environment variable with the key, where the address wants one."""
LONGEST_CALL = 512
MOST_RETRIES = 2


class Endpoint:
    """The model called `model` at `address`, at temperature 0. Tokens are those that the server counts.

    Raises DomainError where the package is missing, and where the server cannot be reached or refuses.
    """

    def __init__(self, address: str, model: str) -> None:
        self.name = model
        self.details = {"address": address}
        self._openai, self._address = required("openai", EXTRA), address
        self._client = self._openai.OpenAI(base_url=address, api_key=os.environ.get(KEY, "none"), max_retries=MOST_RETRIES)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def choose(self, turn: Turn) -> Choice:
        """What the model calls."""
        messages = [{"role": "system", "content": INSTRUCTION}, {"role": "user", "content": turn.text}]
        tools = {"tools": turn.functions} if turn.declared else {}
        try:
            answer = self._client.chat.completions.create(
                model=self.name, messages=messages, temperature=0, max_tokens=LONGEST_CALL, **tools
            )
        except self._openai.OpenAIError as error:
            message = f"no answer from {quoted(self.name)} at {quoted(self._address)}: {error}"
            hint = f"look whether the server runs, and has the model; a key is taken from {KEY}"
            raise DomainError([Diagnostic(Code.ENGINE_CRASHED, message, None, hint)]) from None
        usage = answer.usage
        return Choice(_read(answer.choices[0].message, turn), usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0)


def _read(message: Any, turn: Turn) -> Answer:
    if not message.tool_calls:
        return Nothing(message.content or "")
    call = message.tool_calls[0].function
    read = read_call(f'{{"name": "{call.name}", "arguments": {call.arguments or "{}"}}}', dispatched=False)
    match read:
        case Called(tool, arguments) if turn.dispatched and tool == DISPATCHER:
            match arguments:
                case {"name": str(name), "arguments": dict(inside)}:
                    return Called(name, inside)
                case _:
                    return Unreadable(str(call.arguments))
        case _:
            return read
