"""LangChain in the conformance suite: an agent of `create_agent` with the `Toolplan` middleware, a checkpointer, and questions as interrupts."""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adapters.hosting import Executed, Host, Request, Run, Says, Scripted, Setting
from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, InvalidToolCall, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import PrivateAttr

from toolplan.adapters.langchain import Toolplan
from toolplan.catalog import ANY_ARGUMENTS, Catalog, RealTool
from toolplan.exposure import Strategy
from toolplan.gate import Gate

THREAD: Any = {"configurable": {"thread_id": "one"}}


class ScriptedModel(BaseChatModel):
    """A chat model that follows a script."""

    streams: bool = False
    _script: Scripted = PrivateAttr()

    def __init__(self, script: Scripted, *, streams: bool = False) -> None:
        super().__init__(streams=streams)
        self._script = script

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages, **kwargs))])

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._answer(messages, **kwargs)
        for letter in answer.text:
            yield ChatGenerationChunk(message=AIMessageChunk(letter))
        made = [(call["name"], json.dumps(call["args"]), call["id"]) for call in answer.tool_calls]
        made += [(call["name"], call["args"], call["id"]) for call in answer.invalid_tool_calls]
        for number, (name, arguments, identity) in enumerate(made):
            chunk: Any = {"name": name, "args": arguments, "id": identity, "index": number, "type": "tool_call_chunk"}
            yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[chunk]))

    def _answer(self, messages: list[BaseMessage], tools: Sequence[Any] = (), tool_choice: Any = None, **_: Any) -> AIMessage:
        names = tuple(tool["function"]["name"] for tool in tools)
        results = {message.tool_call_id: message.text for message in messages if isinstance(message, ToolMessage)}
        text = "\n".join(map(_read, messages))
        turn = self._script.answer(Request(json.dumps(tools), names, _allowed(names, tool_choice), text, results))
        if isinstance(turn, Says):
            return AIMessage(turn.text)
        answer = AIMessage("")
        for name, arguments in turn.calls:
            identity = self._script.new_id()
            if isinstance(arguments, str):
                answer.invalid_tool_calls.append(
                    InvalidToolCall(name=name, args=arguments, id=identity, error=None, type="invalid_tool_call")
                )
            else:
                answer.tool_calls.append(ToolCall(name=name, args=dict(arguments), id=identity, type="tool_call"))
        return answer


class LangChainRun:
    """A conversation in a thread."""

    def __init__(self, setting: Setting, saver: InMemorySaver) -> None:
        self.model, self.executed = Scripted(setting.script), Executed()
        self._setting, self._saver = setting, saver
        self.agent: Any = create_agent(
            ScriptedModel(self.model, streams=setting.streaming),
            self._tools(),
            middleware=[Toolplan(self._gate, provider="openai", strategy=setting.strategy, questions="interrupt")],
            checkpointer=saver,
        )

    def user(self, text: str) -> str:
        if self._setting.asynchronous:
            return asyncio.run(self.auser(text))
        given = self._given(self.agent.get_state(THREAD), {"type": "respond", "message": text}, text)
        if not self._setting.streaming:
            return self._seen(self.agent.invoke(given, THREAD))
        *_, (_, last) = self.agent.stream(given, THREAD, stream_mode=["messages", "values"])
        return self._seen(last)

    async def auser(self, text: str) -> str:
        given = self._given(await self.agent.aget_state(THREAD), {"type": "respond", "message": text}, text)
        if not self._setting.streaming:
            return self._seen(await self.agent.ainvoke(given, THREAD))
        *_, (_, last) = [part async for part in self.agent.astream(given, THREAD, stream_mode=["messages", "values"])]
        return self._seen(last)

    def approve(self, answer: bool) -> str:
        decision = {"type": "approve" if answer else "reject"}
        return self._seen(self.agent.invoke(self._given(self.agent.get_state(THREAD), decision, ""), THREAD))

    def save(self) -> str:
        kept = {"storage": _plain(self._saver.storage), "writes": dict(self._saver.writes), "blobs": dict(self._saver.blobs)}
        return base64.b64encode(pickle.dumps(kept)).decode()

    def _given(self, state: Any, decision: Mapping[str, Any], text: str) -> Any:
        """A decision where the graph waits for one, else a message of the user."""
        if state.interrupts:
            return Command(resume={"decisions": [decision]})
        return {"messages": [{"role": "user", "content": text}]}

    def _seen(self, values: Any) -> str:
        interrupts = self.agent.get_state(THREAD).interrupts
        if interrupts:
            return "\n".join(str(action["description"]) for action in interrupts[0].value["action_requests"])
        return str(values["messages"][-1].text)

    def _gate(self, snapshot: str | None, catalog: Catalog, _: object) -> Gate:
        return self._setting.gate(snapshot or "")

    def _tools(self) -> list[BaseTool]:
        counted = self.executed.wrapped(self._setting.tools)
        names = dict.fromkeys([*self._setting.catalog, *self._setting.tools])
        real = [self._setting.catalog.get(name, RealTool(name, schema=ANY_ARGUMENTS)) for name in names]
        return [
            StructuredTool(
                name=tool.name, description=tool.description or tool.name, args_schema=dict(tool.schema), func=_function(tool.name, counted)
            )
            for tool in real
        ]


class LangChain:
    """LangChain."""

    name = "langchain"
    strategies: tuple[Strategy, ...] = ("allow", "dispatch", "trim")
    cannot: Mapping[str, str] = {}

    def start(self, setting: Setting) -> Run:
        return LangChainRun(setting, InMemorySaver())

    def resume(self, setting: Setting, saved: str) -> Run:
        kept, saver = pickle.loads(base64.b64decode(saved)), InMemorySaver()
        for thread, spaces in kept["storage"].items():
            for space, checkpoints in spaces.items():
                saver.storage[thread][space].update(checkpoints)
        saver.writes.update(kept["writes"])
        saver.blobs.update(kept["blobs"])
        return LangChainRun(setting, saver)


HOST: Host = LangChain()


def _plain(storage: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    return {thread: {space: dict(checkpoints) for space, checkpoints in spaces.items()} for thread, spaces in storage.items()}


def _function(name: str, tools: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[..., Any]:
    def run(**arguments: Any) -> Any:
        match tools[name](arguments):
            case {"content": [*blocks]}:  # LangChain's adapters of MCP servers give what is in a result.
                return blocks
            case result:
                return json.dumps(result)

    return run


def _allowed(names: tuple[str, ...], choice: Any) -> tuple[str, ...]:
    match choice:
        case "none":
            return ()
        case {"type": "allowed_tools", "allowed_tools": {"tools": allowed}}:
            return tuple(one["function"]["name"] for one in allowed)
        case _:
            return names


def _read(message: BaseMessage) -> str:
    """What a model reads of it."""
    made = [*message.tool_calls, *message.invalid_tool_calls] if isinstance(message, AIMessage) else []
    return "\n".join([message.text, *(f"{call['name']} {call['args']}" for call in made)])
