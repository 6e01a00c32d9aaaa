"""Microsoft Agent Framework in the conformance suite: an agent with the `Toolplan` provider, whose calls wait as approval requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from adapters.hosting import Calls, Executed, Host, Request, Run, Says, Scripted, Setting, Turn
from agent_framework import (
    Agent,
    AgentResponse,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    ResponseStream,
)

from toolplan.adapters.agent_framework import Toolplan
from toolplan.adapters.guide import Guide, session_in
from toolplan.catalog import ANY_ARGUMENTS, RealTool
from toolplan.exposure import Strategy

BUTTONS = {"yes": True, "no": False}


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A client of a model that answers as it is told."""

    def __init__(self, answer: Callable[[Sequence[Message], Mapping[str, Any]], list[Content]]) -> None:
        super().__init__()
        self.answer = answer

    def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any) -> Any:
        contents = self.answer(messages, options)

        async def updates() -> AsyncIterator[ChatResponseUpdate]:
            for content in contents:
                yield ChatResponseUpdate(role="assistant", contents=[content])

        async def response() -> ChatResponse[Any]:
            return ChatResponse(messages=[Message("assistant", contents)])

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates) if stream else response()


class FrameworkRun:
    """A conversation. What is kept between its turns is the session of the agent, and the requests that somebody has to answer."""

    def __init__(self, setting: Setting, session: AgentSession, pending: Sequence[Content]) -> None:
        self.model, self.executed = Scripted(setting.script), Executed()
        self._setting, self._session, self._pending = setting, session, list(pending)
        self._guide: Guide | None = None
        provider = Toolplan(self._conversation, asks="approval")
        self._agent: Agent[Any] = Agent(ScriptedClient(self._answer), tools=self._tools(), context_providers=[provider])

    def user(self, text: str) -> str:
        return asyncio.run(self.auser(text))

    async def auser(self, text: str) -> str:
        message = self._message(text)
        if not self._setting.streaming:
            return self._seen(await self._agent.run(message, session=self._session))
        stream = self._agent.run(message, session=self._session, stream=True)
        async for _ in stream:
            pass
        return self._seen(await stream.get_final_response())

    def approve(self, answer: bool) -> str:
        return self.user("yes" if answer else "no")

    def save(self) -> str:
        return json.dumps([self._session.to_dict(), [request.to_dict() for request in self._pending]])

    def _message(self, text: str) -> Message:
        """What the user says, as the button that it is where a call waits for one."""
        pressed = BUTTONS.get(text.lower())
        if not self._pending or pressed is None:
            return Message("user", [text])
        return Message("user", [request.to_function_approval_response(pressed) for request in self._pending])

    def _seen(self, response: AgentResponse[Any]) -> str:
        self._pending = list(response.user_input_requests)
        calls = [request.function_call for request in self._pending]
        return "\n".join(f"{call.name} {call.arguments}" for call in calls if call is not None) or response.messages[-1].text

    def _conversation(self, snapshot: str) -> Guide:
        if self._guide is None:
            setting = self._setting
            if snapshot:
                self._guide = Guide.restore(setting.gate(session_in(snapshot)), "openai", snapshot)
            else:
                self._guide = Guide.of(setting.gate(), "openai", strategy=setting.strategy)
        return self._guide

    def _tools(self) -> list[FunctionTool]:
        counted = self.executed.wrapped(self._setting.tools)
        names = dict.fromkeys([*self._setting.catalog, *self._setting.tools])
        real = [self._setting.catalog.get(name, RealTool(name, schema=ANY_ARGUMENTS)) for name in names]
        return [
            FunctionTool(name=tool.name, description=tool.description, func=_function(tool.name, counted), input_model=tool.schema)
            for tool in real
        ]

    # The model

    def _answer(self, messages: Sequence[Message], options: Mapping[str, Any]) -> list[Content]:
        turn: Turn = self.model.answer(_request(messages, options))
        if isinstance(turn, Says):
            return [Content.from_text(turn.text)]
        return [Content.from_function_call(self.model.new_id(), name, arguments=arguments) for name, arguments in _calls(turn)]


class AgentFramework:
    """Microsoft Agent Framework."""

    name = "agent_framework"
    strategies: tuple[Strategy, ...] = ("allow", "dispatch", "trim")
    cannot: Mapping[str, str] = {}

    def start(self, setting: Setting) -> Run:
        return FrameworkRun(setting, AgentSession(), [])

    def resume(self, setting: Setting, saved: str) -> Run:
        session, pending = json.loads(saved)
        return FrameworkRun(setting, AgentSession.from_dict(session), [Content.from_dict(request) for request in pending])


HOST: Host = AgentFramework()


def _request(messages: Sequence[Message], options: Mapping[str, Any]) -> Request:
    tools: list[FunctionTool] = options.get("tools") or []
    choice = options.get("tool_choice")
    names = tuple(tool.name for tool in tools)
    allowed = () if choice == "none" or choice == {"mode": "none"} else tuple(choice.get("allowed_tools", names)) if choice else names
    declared = json.dumps([[tool.name, tool.description, tool.parameters()] for tool in tools])
    contents = [content for message in messages for content in message.contents]
    results = {str(content.call_id): str(content.result) for content in contents if content.type == "function_result"}
    text = "\n".join(content.text or f"{content.name} {content.arguments} {content.result}" for content in contents)
    return Request(declared, names, allowed, text, results)


def _calls(turn: Calls) -> list[tuple[str, Any]]:
    return [(name, arguments if isinstance(arguments, str) else dict(arguments)) for name, arguments in turn.calls]


def _function(name: str, tools: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[..., Awaitable[Any]]:
    async def run(**arguments: Any) -> Any:
        return await asyncio.to_thread(tools[name], arguments)

    return run
