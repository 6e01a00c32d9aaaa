"""`Toolplan`: the hooks of an agent, sync and async."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from langchain.agents.middleware import (
    AgentMiddleware,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
    TracePolicy,
    omit_payload,
)
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt

from toolplan.adapters.guide import Guide, Ready
from toolplan.adapters.langchain.calls import Result, cut_off, executed, failed, give_up, identity_of, raw_of, said_of
from toolplan.adapters.langchain.keeping import Conversation, Keeper, ToolplanState
from toolplan.adapters.langchain.requests import Declaring, Tools, base_tool, real_tool
from toolplan.adapters.langchain.reviews import ASK_USER, Asked, answered, asked, review
from toolplan.adapters.langchain.visits import Questions, Visit
from toolplan.catalog import Catalog
from toolplan.domain import Domain
from toolplan.exposure import Provider, Strategy

H = TypeVar("H", bound=Callable[..., object])


def _traced(hook: H) -> H:
    """`hook` with its signature, which LangChain would work out anew whenever it calls one."""
    hook.__signature__ = inspect.signature(hook)  # type: ignore[attr-defined]
    return hook


class Toolplan(AgentMiddleware[Any, Any, Any]):
    """Guards all tools of an agent. `conversation` makes its gates, or is the domain of sessions that nothing more is said of.

    `tools` become tools of the agent, which need not be given them again; where they are of several servers, by their names. `provider` is
    that of the model, where LangChain does not tell. `questions` become what the agent says, or interrupts. It is to be the last of the
    middleware, so that the gate sees what will run; one that retries calls may follow. Raises DomainError, with both origins, where two of
    `tools` have one name.
    """

    state_schema = ToolplanState
    # What a session knows is not for traces.
    trace_policy = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)

    def __init__(
        self,
        conversation: Domain | Conversation,
        tools: Tools | Mapping[str, Tools] = (),
        *,
        provider: Provider | None = None,
        strategy: Strategy | Literal["auto"] = "auto",
        questions: Questions = "text",
        ready: Ready = "agreed",
    ) -> None:
        super().__init__()
        servers = tools if isinstance(tools, Mapping) else {"": tools}
        listed = [(base_tool(one), origin) for origin, offered in servers.items() for one in offered]
        self.tools = [one for one, _ in listed]
        known = Catalog(real_tool(one, origin) for one, origin in listed)
        self._keeper, self._questions = Keeper(conversation, known, provider, strategy, ready), questions
        self._declaring = Declaring()

    @_traced
    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]) -> Any:
        """Hear what is new, then ask the user, make a call, or let the model choose."""
        guide = self._keeper.begun(request)
        give_up(guide, cut_off(request.state["messages"]))
        for identity, text in _turns(request, guide):
            guide.heard(identity, text)
        visit = Visit(guide, request, self._questions, self._declaring)
        now = visit.step()
        while isinstance(now, ModelRequest):
            visit.take(handler(now))
            now = visit.step() if visit.goes_on() else visit.end()
        return self._keeper.with_answer(guide, request, now)

    # LangChain traces a function that gives a coroutine at once, and a coroutine function by two ways to a thread.
    @_traced
    def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> Coroutine[Any, Any, Any]:
        """As `wrap_model_call`, without blocking the event loop."""
        return self._visited(request, handler)

    async def _visited(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]) -> Any:
        guide = await self._keeper.abegun(request)
        soon = guide.gate.soon
        if given_up := cut_off(request.state["messages"]):
            await asyncio.to_thread(give_up, guide, given_up)
        for identity, text in _turns(request, guide):
            await guide.aheard(identity, text)
        visit = Visit(guide, request, self._questions, self._declaring)
        now = await soon(visit.step)
        while isinstance(now, ModelRequest):
            visit.take(await handler(now))
            now = await soon(visit.step) if await visit.agoes_on() else visit.end()
        return await soon(partial(self._keeper.with_answer, guide, request, now))

    @_traced
    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Any:
        """What the gate says of the call: its result, or why there is none. What a tool raises is a result that says so."""
        guide = self._keeper.shared(request)
        if self._is_question(request) and (found := asked(guide, request)) is not None:
            if isinstance(found, Asked):
                found = answered(guide, request, found, interrupt(review(found.question)))
            return self._keeper.with_result(guide, request, found)
        call = guide.call(identity_of(request), request.tool_call["name"], request.tool_call["args"])

        def execute(arguments: dict[str, object]) -> Result:
            return handler(executed(request, call.tool, arguments))

        try:
            result = said_of(request, guide.gate.run(call, execute, raw=raw_of, pauses=(GraphBubbleUp,)))
        except GraphBubbleUp:
            raise
        except Exception as error:
            result = failed(request, error)
        return self._keeper.with_result(guide, request, result)

    @_traced
    def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Coroutine[Any, Any, Any]:
        """As `wrap_tool_call`, without blocking the event loop."""
        return self._called(request, handler)

    async def _called(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]) -> Any:
        guide = await self._keeper.ashared(request)
        if self._is_question(request) and (found := await asyncio.to_thread(asked, guide, request)) is not None:
            if isinstance(found, Asked):
                found = await asyncio.to_thread(answered, guide, request, found, interrupt(review(found.question)))
            return await asyncio.to_thread(self._keeper.with_result, guide, request, found)
        call = guide.call(identity_of(request), request.tool_call["name"], request.tool_call["args"])

        async def execute(arguments: dict[str, object]) -> Result:
            return await handler(executed(request, call.tool, arguments))

        try:
            result = said_of(request, await guide.gate.arun(call, execute, raw=raw_of, pauses=(GraphBubbleUp,)))
        except GraphBubbleUp:
            raise
        except Exception as error:
            result = failed(request, error)
        return await guide.gate.soon(partial(self._keeper.with_result, guide, request, result))

    def _is_question(self, request: ToolCallRequest) -> bool:
        return self._questions == "interrupt" and request.tool_call["name"] == ASK_USER


def _turns(request: ModelRequest[Any], guide: Guide) -> list[tuple[str, str]]:
    """What the user has said since, without what hosts have added in their place: notes, summaries."""
    said = [message for message in request.state["messages"] if message.type == "human"]
    new = [message for message in said if "lc_source" not in message.additional_kwargs and not guide.has_heard(message.id or "")]
    return [(message.id or "", message.text) for message in new if message.text]
