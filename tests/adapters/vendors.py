"""Scripted servers of OpenAI, Anthropic and Google, behind the real clients: these write the requests and read the answers."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import httpx2
from adapters.hosting import Calls, Executed, Request, Says, Scripted, Setting
from anthropic import Anthropic, AsyncAnthropic
from google import genai
from google.genai.types import HttpOptions
from openai import AsyncOpenAI, OpenAI

from toolplan.adapters.anthropic import AsyncMessages, Messages
from toolplan.adapters.gemini import AsyncContents, Contents
from toolplan.adapters.guide import Guide, session_in
from toolplan.adapters.openai import AsyncChat, AsyncResponses, Chat, Responses
from toolplan.adapters.turns import Agent, AsyncAgent, AsyncModel, Model
from toolplan.exposure import Provider, Strategy

THINKING: Mapping[str, object] = {"model": "claude-opus-5", "max_tokens": 1024, "system": "Be brief.", "thinking": {"type": "adaptive"}}
Json = dict[str, Any]
Event = tuple[str, Json]
Call = tuple[str, str, Mapping[str, Any] | str]


class Vendor(ABC):
    """Answers requests by a script, and remembers their bodies. The next `down` requests fail. Calls are `call1` and so on, or as told."""

    name: Provider

    def __init__(self, scripted: Scripted, new_id: Callable[[], str] | None = None) -> None:
        self.new_id = new_id or (f"call{number}" for number in count(1)).__next__
        self.scripted, self.bodies, self.headers = scripted, list[Json](), list[httpx2.Headers]()
        self.down = 0

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.bodies.append(body)
        self.headers.append(request.headers)
        if self.down:
            self.down -= 1
            return httpx2.Response(500, json={"error": {"message": "no", "type": "server_error"}})
        turn = self.scripted.answer(self.seen(body))
        text = turn.text if isinstance(turn, Says) else ""
        made = [(self.new_id(), *call) for call in turn.calls] if isinstance(turn, Calls) else []
        if body.get("stream") or "streamGenerateContent" in str(request.url):
            lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(event)}\n\n" for name, event in self.events(text, made)]
            return httpx2.Response(200, text="".join(lines), headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=self.whole(text, made))

    @property
    def client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self))

    @property
    def async_client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(self))

    @property
    @abstractmethod
    def model(self) -> Model: ...

    @property
    @abstractmethod
    def async_model(self) -> AsyncModel: ...

    @abstractmethod
    def seen(self, body: Json) -> Request:
        """What the model reads of a request."""

    @abstractmethod
    def messages(self, body: Json) -> list[Json]:
        """The conversation in a request."""

    @abstractmethod
    def whole(self, text: str, made: list[Call]) -> Json: ...

    @abstractmethod
    def events(self, text: str, made: list[Call]) -> list[Event]: ...


def as_json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def whole_calls(made: list[Call]) -> list[Call]:
    """Those that a vendor sends which reads the arguments itself."""
    return [call for call in made if not isinstance(call[2], str)]


def halves(text: str) -> list[str]:
    return [half for half in (text[: len(text) // 2], text[len(text) // 2 :]) if half]


class OpenAIVendor(Vendor):
    name = "openai"

    def messages(self, body: Json) -> list[Json]:
        return list(body["messages"])

    def seen(self, body: Json) -> Request:
        tools = tuple(tool["function"]["name"] for tool in body.get("tools", []))
        match body.get("tool_choice"):
            case {"allowed_tools": {"tools": only}}:
                allowed = tuple(tool["function"]["name"] for tool in only)
            case choice:
                allowed = () if choice == "none" else tools
        results = {message["tool_call_id"]: message["content"] for message in body["messages"] if message["role"] == "tool"}
        return Request(as_json(body.get("tools", [])), tools, allowed, as_json(body["messages"]), results)

    @property
    def model(self) -> Model:
        return Chat(OpenAI(api_key="none", http_client=self.client, max_retries=0), model="gpt-5.4")

    @property
    def async_model(self) -> AsyncModel:
        return AsyncChat(AsyncOpenAI(api_key="none", http_client=self.async_client, max_retries=0), model="gpt-5.4")

    def whole(self, text: str, made: list[Call]) -> Json:
        calls = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": as_json(arguments)}} for id, name, arguments in made
        ]
        message = {"role": "assistant", "content": text or None, "refusal": None, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-5.4", "choices": [choice]}

    def events(self, text: str, made: list[Call]) -> list[Event]:
        deltas: list[Json] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": half} for half in halves(text)]
        for index, (id, name, arguments) in enumerate(made):
            deltas.append({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]})
            deltas += [{"tool_calls": [{"index": index, "function": {"arguments": half}}]} for half in halves(as_json(arguments))]
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.4"}
        chunks: list[Json] = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if made else "stop"}]})
        chunks.append({**head, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
        return [("", chunk) for chunk in chunks]


class ResponsesVendor(Vendor):
    name = "openai-responses"

    def messages(self, body: Json) -> list[Json]:
        return list(body["input"])

    def seen(self, body: Json) -> Request:
        tools = tuple(tool["name"] for tool in body.get("tools", []))
        match body.get("tool_choice"):
            case {"type": "allowed_tools", "tools": only}:
                allowed = tuple(tool["name"] for tool in only)
            case choice:
                allowed = () if choice == "none" else tools
        results = {item["call_id"]: item["output"] for item in body["input"] if item["type"] == "function_call_output"}
        return Request(as_json(body.get("tools", [])), tools, allowed, as_json(body["input"]), results)

    @property
    def model(self) -> Model:
        return Responses(OpenAI(api_key="none", http_client=self.client, max_retries=0), model="gpt-5.4")

    @property
    def async_model(self) -> AsyncModel:
        return AsyncResponses(AsyncOpenAI(api_key="none", http_client=self.async_client, max_retries=0), model="gpt-5.4")

    def whole(self, text: str, made: list[Call]) -> Json:
        output: list[Json] = [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}]
        if text:
            content = [{"type": "output_text", "text": text, "annotations": []}]
            output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
        output += [
            {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": as_json(arguments), "status": "completed"}
            for id, name, arguments in made
        ]
        head = {"id": "r1", "object": "response", "created_at": 1, "model": "gpt-5.4", "status": "completed"}
        return {**head, "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}

    def events(self, text: str, made: list[Call]) -> list[Event]:
        place = {"item_id": "msg_1", "output_index": 1, "content_index": 0, "logprobs": []}
        events: list[Json] = [{"type": "response.output_text.delta", "delta": half, **place} for half in halves(text)]
        events.append({"type": "response.completed", "response": self.whole(text, made)})
        return [(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)]


@dataclass(frozen=True)
class DeferringRequest(Request):
    """A tool that is deferred is declared, but `read` only once it is added."""

    read: str = ""

    @property
    def all(self) -> str:
        return self.read + self.text


class AnthropicVendor(Vendor):
    name = "anthropic"

    def messages(self, body: Json) -> list[Json]:
        return list(body["messages"])

    def seen(self, body: Json) -> Request:
        blocks = [block for message in body["messages"] for block in message["content"]]
        loaded = [tool["name"] for tool in body.get("tools", []) if "defer_loading" not in tool]
        for block in blocks:
            if block["type"] == "tool_addition":
                loaded.append(block["tool"]["name"])
            elif block["type"] == "tool_removal":
                loaded.remove(block["tool"]["name"])
        allowed = () if body.get("tool_choice") == {"type": "none"} else tuple(loaded)
        results = {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}
        tools = body.get("tools", [])
        read = as_json([tool for tool in tools if tool["name"] in loaded])
        return DeferringRequest(as_json(tools), tuple(tool["name"] for tool in tools), allowed, as_json(body["messages"]), results, read)

    @property
    def model(self) -> Model:
        return Messages(Anthropic(api_key="none", http_client=self.client, max_retries=0), **THINKING)

    @property
    def async_model(self) -> AsyncModel:
        return AsyncMessages(AsyncAnthropic(api_key="none", http_client=self.async_client, max_retries=0), **THINKING)

    def _blocks(self, text: str, made: list[Call]) -> list[Json]:
        blocks: list[Json] = [{"type": "thinking", "thinking": "hm", "signature": "sealed"}]
        blocks += [{"type": "text", "text": text}] if text else []
        blocks += [{"type": "tool_use", "id": id, "name": name, "input": arguments} for id, name, arguments in whole_calls(made)]
        return blocks

    def whole(self, text: str, made: list[Call]) -> Json:
        head = {"id": "m1", "type": "message", "role": "assistant", "model": "claude-opus-5", "stop_sequence": None}
        stop = "tool_use" if made else "end_turn"
        return {**head, "content": self._blocks(text, made), "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1}}

    def events(self, text: str, made: list[Call]) -> list[Event]:
        events: list[Json] = [{"type": "message_start", "message": {**self.whole(text, made), "content": [], "stop_reason": None}}]
        for index, block in enumerate(self._blocks(text, made)):
            empty, deltas = self._pieces(block)
            events.append({"type": "content_block_start", "index": index, "content_block": empty})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        stop = {"stop_reason": self.whole(text, made)["stop_reason"], "stop_sequence": None}
        events += [{"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
        return [(event["type"], event) for event in events]

    def _pieces(self, block: Json) -> tuple[Json, list[Json]]:
        match block:
            case {"type": "thinking"}:
                thought = {"type": "thinking_delta", "thinking": block["thinking"]}
                return {**block, "thinking": "", "signature": ""}, [thought, {"type": "signature_delta", "signature": block["signature"]}]
            case {"type": "text"}:
                return {**block, "text": ""}, [{"type": "text_delta", "text": half} for half in halves(block["text"])]
            case _:
                halved = halves(as_json(block["input"]))
                return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": half} for half in halved]


class GeminiVendor(Vendor):
    name = "gemini"

    def messages(self, body: Json) -> list[Json]:
        return list(body["contents"])

    def seen(self, body: Json) -> Request:
        declared = [tool for tools in body.get("tools", []) for tool in tools["functionDeclarations"]]
        tools = tuple(tool["name"] for tool in declared)
        match body.get("toolConfig"):
            case {"functionCallingConfig": {"allowedFunctionNames": only}}:
                allowed = tuple(only)
            case {"functionCallingConfig": {"mode": "NONE"}}:
                allowed = ()
            case _:
                allowed = tools
        answered = [part["functionResponse"] for content in body["contents"] for part in content["parts"] if "functionResponse" in part]
        results = {response.get("id", ""): next(iter(response["response"].values())) for response in answered}
        return Request(as_json(declared), tools, allowed, as_json(body["contents"]), results)

    with_ids = True

    @property
    def _client(self) -> genai.Client:
        options = HttpOptions(httpx_client=self.client, httpx_async_client=self.async_client)
        return genai.Client(api_key="none", http_options=options)

    @property
    def model(self) -> Model:
        return Contents(self._client, "gemini-3.8-flash", system_instruction="Be brief.")

    @property
    def async_model(self) -> AsyncModel:
        return AsyncContents(self._client, "gemini-3.8-flash", system_instruction="Be brief.")

    def _parts(self, text: str, made: list[Call]) -> list[Json]:
        parts: list[Json] = [{"text": "hm", "thought": True}]
        parts += [{"text": half} for half in halves(text)]
        for number, (id, name, arguments) in enumerate(whole_calls(made)):
            called = {"functionCall": {"name": name, "args": arguments, **({"id": id} if self.with_ids else {})}}
            parts.append({**called, "thoughtSignature": "c2VhbGVk"} if not number else called)
        return parts

    def whole(self, text: str, made: list[Call]) -> Json:
        return self._answer(self._parts(text, made))

    def events(self, text: str, made: list[Call]) -> list[Event]:
        return [("", self._answer([part])) for part in self._parts(text, made)]

    def _answer(self, parts: list[Json]) -> Json:
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}]}


VENDORS: dict[Provider, type[Vendor]] = {vendor.name: vendor for vendor in (OpenAIVendor, ResponsesVendor, AnthropicVendor, GeminiVendor)}


class VendorRun:
    """One conversation with an agent over the client of a vendor."""

    def __init__(self, setting: Setting, vendor: Vendor, guide: Guide, messages: list[Json]) -> None:
        self.setting, self.vendor, self.guide, self.model = setting, vendor, guide, vendor.scripted
        self.executed = Executed()
        tools = {name: _by_name(run) for name, run in self.executed.wrapped(setting.tools).items()}
        self.agent = (
            AsyncAgent(vendor.async_model, guide, tools, messages=messages)
            if setting.asynchronous
            else Agent(vendor.model, guide, tools, messages=messages)
        )

    def user(self, text: str | None) -> str:
        agent = self.agent
        if isinstance(agent, Agent):
            return "".join(agent.stream(text)) if self.setting.streaming else agent.turn(text)
        return asyncio.run(self.auser(text))

    async def auser(self, text: str | None) -> str:
        assert isinstance(self.agent, AsyncAgent)
        if not self.setting.streaming:
            return await self.agent.turn(text)
        return "".join([piece async for piece in self.agent.stream(text)])

    def approve(self, answer: bool) -> str:
        self.guide.gate.answer(answer)
        return self.user(None)

    def save(self) -> str:
        return json.dumps({"guide": self.guide.snapshot(), "messages": self.agent.messages})


def _by_name(run: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    return lambda **arguments: run(arguments)


class VendorHost:
    """Starts agents over the client of `vendor`."""

    def __init__(self, vendor: type[Vendor], strategies: tuple[Strategy, ...], cannot: Mapping[str, str]) -> None:
        self.name, self.strategies, self.cannot, self._vendor = vendor.name, strategies, cannot, vendor

    def start(self, setting: Setting) -> VendorRun:
        return VendorRun(setting, self._scripted(setting), Guide.of(setting.gate(), self._vendor.name, strategy=setting.strategy), [])

    def resume(self, setting: Setting, saved: str) -> VendorRun:
        kept = json.loads(saved)
        guide = Guide.restore(setting.gate(session_in(kept["guide"])), self._vendor.name, kept["guide"])
        return VendorRun(setting, self._scripted(setting), guide, kept["messages"])

    def _scripted(self, setting: Setting) -> Vendor:
        scripted = Scripted(setting.script)
        return self._vendor(scripted, scripted.new_id)
