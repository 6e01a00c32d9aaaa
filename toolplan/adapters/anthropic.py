"""Anthropic: the models of Messages, for `turns.Agent`.

What was sent is never edited: Claude's thoughts are bound to all that came before them. It is never forced to call, which would forbid it to
think.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, cast

from anthropic import Anthropic, AsyncAnthropic
from anthropic.types.beta import BetaMessage

from toolplan.adapters.turns import Answer, Json, ModelCall, Request, Result, Settings, as_text, checked
from toolplan.exposure import Provider

MADE = "Note of the host, not of the user: these calls were made as agreed."


class _MessagesShapes:
    """Messages with content blocks. `settings` are all other parameters of a request."""

    provider: Provider = "anthropic"

    def __init__(self, settings: Settings) -> None:
        self._settings = checked(settings, ("messages", "tools", "tool_choice", "stream"))

    def heard(self, text: str) -> Json:
        return {"role": "user", "content": [{"type": "text", "text": text}]}

    def said(self, text: str) -> Json:
        return {"role": "assistant", "content": [{"type": "text", "text": text}]}

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        match self._settings.get("thinking"):
            case {"type": "enabled"}:
                # With a budget to think, every turn with calls has to begin with thoughts, and nobody else can have them.
                told = [as_text({"called": result.call.name, "with": result.call.arguments, "result": result.text}) for result in results]
                return [self.heard("\n".join((MADE, *told)))]
            case _:
                made = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in calls]
                return [{"role": "assistant", "content": made}, *self.results(results)]

    def results(self, results: Sequence[Result]) -> list[Json]:
        return [{"role": "user", "content": [_result(result) for result in results]}]

    def _request(self, request: Request, messages: Sequence[Json]) -> dict[str, Any]:
        betas = [*cast(list[str], self._settings.get("betas", [])), *cast(list[str], request.get("betas", []))]
        return {**self._settings, **request, "messages": list(messages), **({"betas": betas} if betas else {})}

    def _answer(self, message: BetaMessage) -> Answer:
        content = [block.to_dict(mode="json") for block in message.content]
        text = "".join(block.text for block in message.content if block.type == "text")
        calls = tuple(ModelCall(block.id, block.name, block.input) for block in message.content if block.type == "tool_use")
        return Answer([{"role": "assistant", "content": content}] if content else [], text, calls)


def _result(result: Result) -> Json:
    failed = {"is_error": True} if result.failed else {}
    return {"type": "tool_result", "tool_use_id": result.call.id, "content": result.text, **failed}


class Messages(_MessagesShapes):
    """A model of Messages. `settings` are all other parameters of a request: `model`, `max_tokens`, `system`."""

    def __init__(self, client: Anthropic, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(self._client.beta.messages.create(**self._request(request, messages)))

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """As `turns.Model.stream`."""
        with self._client.beta.messages.stream(**self._request(request, messages)) as stream:
            yield from stream.text_stream
            yield self._answer(stream.get_final_message())


class AsyncMessages(_MessagesShapes):
    """As `Messages`, over an asynchronous client."""

    def __init__(self, client: AsyncAnthropic, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(await self._client.beta.messages.create(**self._request(request, messages)))

    async def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """As `turns.Model.stream`."""
        async with self._client.beta.messages.stream(**self._request(request, messages)) as stream:
            async for words in stream.text_stream:
                yield words
            yield self._answer(await stream.get_final_message())
