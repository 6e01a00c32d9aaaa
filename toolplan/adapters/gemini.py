"""Gemini: the models of `generate_content`, for `turns.Agent`. The signatures of Gemini's thoughts are kept with the parts that bear them."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any
from uuid import uuid4

from google.genai import Client
from google.genai.types import Content, GenerateContentResponse, Part

from toolplan.adapters.turns import Answer, Json, ModelCall, Request, Result, Settings, checked
from toolplan.exposure import Provider

UNSIGNED = base64.b64encode(b"skip_thought_signature_validator").decode()
"""The signature that Gemini's reference gives for calls that no model has made."""
OURS = "toolplan-"
"""How the ids of calls begin to which Gemini gave none. It is not told of them: it goes by the order."""


class _GeminiShapes:
    """Contents with parts. `settings` are all other parameters of the configuration."""

    provider: Provider = "gemini"

    def __init__(self, model: str, settings: Settings) -> None:
        self._model, self._settings = model, checked(settings, ("tools", "tool_config"))

    def heard(self, text: str) -> Json:
        return {"role": "user", "parts": [{"text": text}]}

    def said(self, text: str) -> Json:
        return {"role": "model", "parts": [{"text": text}]}

    def called(self, calls: Sequence[ModelCall], results: Sequence[Result]) -> list[Json]:
        made = [
            {"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}, "thoughtSignature": UNSIGNED} for call in calls
        ]
        return [{"role": "model", "parts": made}, *self.results(results)]

    def results(self, results: Sequence[Result]) -> list[Json]:
        return [{"role": "user", "parts": [_result(result) for result in results]}]

    def _request(self, request: Request, messages: Sequence[Json]) -> dict[str, Any]:
        contents = [Content.model_validate(message) for message in messages]
        return {"model": self._model, "contents": contents, "config": {**self._settings, **request}}

    def _answer(self, parts: Sequence[Part]) -> Answer:
        text = "".join(part.text for part in parts if part.text and not part.thought)
        called = [part.function_call for part in parts if part.function_call is not None]
        calls = tuple(ModelCall(call.id or f"{OURS}{uuid4().hex}", call.name or "", call.args or {}) for call in called)
        content = Content(role="model", parts=list(parts)).model_dump(mode="json", by_alias=True, exclude_none=True)
        return Answer([content] if parts else [], text, calls)


def _result(result: Result) -> Json:
    identity = {} if result.call.id.startswith(OURS) else {"id": result.call.id}
    response = {"error" if result.failed else "output": result.text}
    return {"functionResponse": {**identity, "name": result.call.name, "response": response}}


def _parts(response: GenerateContentResponse) -> list[Part]:
    """Those of the first candidate: none where the answer was blocked."""
    content = response.candidates[0].content if response.candidates else None
    return list(content.parts or ()) if content is not None else []


def _words(parts: Sequence[Part]) -> Iterator[str]:
    return (part.text for part in parts if part.text and not part.thought)


class Contents(_GeminiShapes):
    """The model `model`. `settings` are all other parameters of the configuration, as `system_instruction`."""

    def __init__(self, client: Client, model: str, **settings: object) -> None:
        super().__init__(model, settings)
        self._client = client

    def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(_parts(self._client.models.generate_content(**self._request(request, messages))))

    def stream(self, request: Request, messages: Sequence[Json]) -> Iterator[str | Answer]:
        """As `turns.Model.stream`."""
        parts: list[Part] = []
        for response in self._client.models.generate_content_stream(**self._request(request, messages)):
            more = _parts(response)
            parts += more
            yield from _words(more)
        yield self._answer(parts)


class AsyncContents(_GeminiShapes):
    """As `Contents`, over the asynchronous side of the client."""

    def __init__(self, client: Client, model: str, **settings: object) -> None:
        super().__init__(model, settings)
        self._client = client

    async def ask(self, request: Request, messages: Sequence[Json]) -> Answer:
        """As `turns.Model.ask`."""
        return self._answer(_parts(await self._client.aio.models.generate_content(**self._request(request, messages))))

    async def stream(self, request: Request, messages: Sequence[Json]) -> AsyncGenerator[str | Answer, None]:
        """As `turns.Model.stream`."""
        parts: list[Part] = []
        async for response in await self._client.aio.models.generate_content_stream(**self._request(request, messages)):
            more = _parts(response)
            parts += more
            for words in _words(more):
                yield words
        yield self._answer(parts)
