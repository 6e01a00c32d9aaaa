"""Turns by a caller's language model: asked once, about all that a turn says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from toolplan.goals.rankers.model import Ask
from toolplan.goals.rankers.prompting import no_answer
from toolplan.session.readers.answers import read_answer, unusable
from toolplan.session.readers.prompts import prompt, schema
from toolplan.session.turns import Context, TurnReading

AsyncAsk = Callable[[str, dict[str, object]], Awaitable[str]]
"""A prompt and the JSON schema of the answer, to the answer, which is waited for."""


class Model:
    """Reads a turn by asking a model once. What `ask` raises becomes a finding, and the turn then says nothing."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def read(self, text: str, context: Context) -> TurnReading:
        """What the model answers, where all of it can be used."""
        question, form = prompt(text, context), schema(context.domain)
        try:
            answer = self._ask(question, form)
        except Exception as error:  # the callable is somebody else's code: whatever it raises is its failure, not ours
            return unusable(text, [no_answer(error)])
        return read_answer(text, context, answer)


class AsyncModel:
    """Reads as `Model` does, and waits for the answer. That the wait is cancelled is no failure of the model's, and passes through."""

    def __init__(self, ask: AsyncAsk) -> None:
        self._ask = ask

    async def aread(self, text: str, context: Context) -> TurnReading:
        """What the model answers, where all of it can be used."""
        question, form = prompt(text, context), schema(context.domain)
        try:
            answer = await self._ask(question, form)
        except Exception as error:  # the callable is somebody else's code: whatever it raises is its failure, not ours
            return unusable(text, [no_answer(error)])
        return read_answer(text, context, answer)
