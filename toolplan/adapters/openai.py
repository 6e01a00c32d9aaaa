"""OpenAI: the models of Chat Completions and of Responses, for `turns.Agent`. What is asked is in the request; the vendor keeps nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, cast

from openai import AsyncOpenAI, OpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFailedEvent,
    ResponseIncompleteEvent,
    ResponseRefusalDeltaEvent,
    ResponseStreamEvent,
    ResponseTextDeltaEvent,
)

from toolplan.adapters.turns import Answer, Json, ModelCall, Request, Result, Settings, as_text, checked
from toolplan.exposure import Provider


class _ChatShapes:
    """Messages of Chat Completions. `settings` are all other parameters of a request."""

    provider: Provider = "openai"

    def __init__(self, settings: Settings) -> None:
        self._settings = checked(settings, ("messages", "tools", "tool_choice", "stream"))

    def heard(self, text: str) -> Json:
        return {"role": "user", "content": text}

    def said(self, text: str) -> Json:
        return {"role": "assistant", "content": text}

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        made = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": as_text(call.arguments)}} for call in calls
        ]
        return [{"role": "assistant", "tool_calls": made}, *self.results(results)]

    def results(self, results: Sequence[Result]) -> list[Json]:
        return [{"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in results]

    def _request(self, request: Request, messages: Sequence[Json]) -> dict[str, Any]:
        return {**_fitting(self._settings, request), **request, "messages": list(messages)}

    def _answer(self, completion: ChatCompletion) -> Answer:
        message = completion.choices[0].message
        functions = [call for call in message.tool_calls or () if call.type == "function"]
        calls = tuple(ModelCall(call.id, call.function.name, call.function.arguments) for call in functions)
        text = message.content or message.refusal or ""
        said = message.to_dict(mode="json", exclude_none=True)
        for call in cast(list[Json], said.get("tool_calls", [])):
            call.pop("index", None)  # Of a stream; no request takes it.
        return Answer([said] if text or calls else [], text, calls)


class Chat(_ChatShapes):
    """A model of Chat Completions. `settings` are all other parameters of a request, `model` above all."""

    def __init__(self, client: OpenAI, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(self._client.chat.completions.create(**self._request(request, messages)))

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """As `turns.Model.stream`."""
        state = ChatCompletionStreamState()
        for chunk in self._client.chat.completions.create(**self._request(request, messages), stream=True):
            state.handle_chunk(chunk)
            yield from _words(chunk)
        yield self._answer(state.current_completion_snapshot)


class AsyncChat(_ChatShapes):
    """As `Chat`, over an asynchronous client."""

    def __init__(self, client: AsyncOpenAI, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(await self._client.chat.completions.create(**self._request(request, messages)))

    async def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """As `turns.Model.stream`."""
        state = ChatCompletionStreamState()
        async for chunk in await self._client.chat.completions.create(**self._request(request, messages), stream=True):
            state.handle_chunk(chunk)
            for words in _words(chunk):
                yield words
        yield self._answer(state.current_completion_snapshot)


def _fitting(settings: Settings, request: Request) -> Settings:
    """Where no tools are declared, OpenAI takes no word about how they are called."""
    return settings if "tools" in request else {name: value for name, value in settings.items() if name != "parallel_tool_calls"}


def _words(chunk: ChatCompletionChunk) -> list[str]:
    """The last chunk of a stream may hold no choice, but what was used."""
    return [words for choice in chunk.choices if (words := choice.delta.content or choice.delta.refusal)]


class _ResponsesShapes:
    """Items of Responses. `settings` are all other parameters of a request."""

    provider: Provider = "openai-responses"

    def __init__(self, settings: Settings) -> None:
        self._settings = checked(settings, ("input", "tools", "tool_choice", "stream"))

    def heard(self, text: str) -> Json:
        return {"type": "message", "role": "user", "content": text}

    def said(self, text: str) -> Json:
        return {"type": "message", "role": "assistant", "content": text}

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        made = [{"type": "function_call", "call_id": call.id, "name": call.name, "arguments": as_text(call.arguments)} for call in calls]
        return [*made, *self.results(results)]

    def results(self, results: Sequence[Result]) -> list[Json]:
        return [{"type": "function_call_output", "call_id": result.call.id, "output": result.text} for result in results]

    def _request(self, request: Request, messages: Sequence[Json]) -> dict[str, Any]:
        return {**_fitting(self._settings, request), **request, "input": list(messages)}

    def _answer(self, response: Response) -> Answer:
        calls = tuple(ModelCall(item.call_id, item.name, item.arguments) for item in response.output if item.type == "function_call")
        items = [cast(Json, item.to_dict(mode="json")) for item in response.output]
        return Answer(items, response.output_text or _refusal(response), calls)

    def _pieces(self, event: ResponseStreamEvent) -> Iterator[str | Answer]:
        match event:
            case ResponseTextDeltaEvent(delta=words) | ResponseRefusalDeltaEvent(delta=words):
                yield words
            case (
                ResponseCompletedEvent(response=response)
                | ResponseIncompleteEvent(response=response)
                | ResponseFailedEvent(response=response)
            ):
                yield self._answer(response)


def _refusal(response: Response) -> str:
    contents = [content for item in response.output if item.type == "message" for content in item.content]
    return "".join(content.refusal for content in contents if content.type == "refusal")


class Responses(_ResponsesShapes):
    """A model of Responses. `settings` are all other parameters of a request, `model` above all."""

    def __init__(self, client: OpenAI, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(self._client.responses.create(**self._request(request, messages)))

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """As `turns.Model.stream`."""
        for event in self._client.responses.create(**self._request(request, messages), stream=True):
            yield from self._pieces(event)


class AsyncResponses(_ResponsesShapes):
    """As `Responses`, over an asynchronous client."""

    def __init__(self, client: AsyncOpenAI, **settings: object) -> None:
        super().__init__(settings)
        self._client = client

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(await self._client.responses.create(**self._request(request, messages)))

    async def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """As `turns.Model.stream`."""
        async for event in await self._client.responses.create(**self._request(request, messages), stream=True):
            for piece in self._pieces(event):
                yield piece
