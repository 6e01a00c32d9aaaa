"""The conversation in the state of the graph. So a checkpointer keeps it with the messages, and a fork of these is a fork of the conversation."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from langchain.agents import AgentState
from langchain.agents.middleware import ExtendedModelResponse, ModelRequest, ModelResponse, ToolCallRequest
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from toolplan.adapters.guide import Guide, Ready, merged, session_in
from toolplan.adapters.langchain.calls import Result
from toolplan.adapters.langchain.requests import Listed, provider_of, real_tool, same_tools, wish_for
from toolplan.adapters.langchain.visits import MARK
from toolplan.catalog import Catalog
from toolplan.domain import Domain
from toolplan.exposure import Provider, Strategy
from toolplan.frontier.at_once import takes_long
from toolplan.gate import Gate
from toolplan.session import Session

Conversation = Callable[[str | None, Catalog, Any], Gate]
"""Makes the gate of a new conversation, or of the one of a session's snapshot. The last argument is the context that the host gave the run."""
Place = tuple[str, str]
"""A thread, and what its state holds."""
MOST_LIVE = 256


class Kept(TypedDict):
    """What the state of a graph holds: a snapshot of the guide, and the provider whose names it uses."""

    provider: Provider
    conversation: str


def both(one: Kept, other: Kept) -> Kept:
    """What two calls of one step have left, as one. Before the first step there is nothing."""
    return Kept(provider=other["provider"], conversation=merged(one["conversation"], other["conversation"])) if one else other


class ToolplanState(AgentState[Any]):
    """The state of an agent, with the conversation."""

    toolplan: NotRequired[Annotated[dict[str, Any], PrivateStateAttr, both]]


class Keeper:
    """Finds the guide of a conversation, and keeps it. `known` are tools whose origins are known."""

    def __init__(
        self,
        conversation: Domain | Conversation,
        known: Catalog,
        provider: Provider | None,
        strategy: Strategy | Literal["auto"],
        ready: Ready,
    ) -> None:
        self._conversation = _of_domain(conversation) if isinstance(conversation, Domain) else conversation
        self._known, self._provider, self._strategy, self._ready = known, provider, strategy, ready
        self._listed: tuple[Listed, Catalog] = ((), Catalog())
        self._live = _Live()

    def begun(self, request: ModelRequest[Any]) -> Guide:
        """The guide of the conversation that the state holds, with the tools that there are now."""
        kept = cast(Kept | None, request.state.get(MARK) or None)
        provider, context = self._provider or provider_of(request), request.runtime.context
        catalog = self._catalog(request.tools)
        if kept is None:
            wish = wish_for(self._strategy, provider, request)
            return Guide.of(self._gate(None, catalog, context), provider, strategy=wish, ready=self._ready)
        guide = self._live.take(_place(request.runtime, kept))
        # One that is ahead of the state belongs to what was left: the graph goes on from an older checkpoint.
        if guide is None or guide.exposure.provider != provider or guide.snapshot() != kept["conversation"]:
            return self._restored(kept, provider, catalog, context)
        if catalog is not guide.session.catalog and catalog != guide.session.catalog:
            guide.offer(catalog)
        return guide

    async def abegun(self, request: ModelRequest[Any]) -> Guide:
        """As `begun`, without blocking the event loop."""
        guide = self.live(request)
        begin = partial(self.begun, request)
        return await (asyncio.to_thread(begin) if guide is None else guide.gate.soon(begin))

    def live(self, request: ModelRequest[Any] | ToolCallRequest) -> Guide | None:
        """The guide of the conversation, if it is at hand."""
        kept = cast(Kept | None, request.state.get(MARK) or None)
        return None if kept is None else self._live.get(_place(request.runtime, kept))

    def shared(self, request: ToolCallRequest) -> Guide:
        """The guide that all calls of one step share: the state knows of none of them before all are done."""
        kept: Kept = request.state[MARK]

        def restored() -> Guide:
            return self._restored(kept, kept["provider"], self._catalog(request.runtime.tools), request.runtime.context)

        return self._live.share(_place(request.runtime, kept), restored)

    async def ashared(self, request: ToolCallRequest) -> Guide:
        """As `shared`, without blocking the event loop."""
        guide = self.live(request)
        return await asyncio.to_thread(self.shared, request) if guide is None else guide

    def with_answer(self, guide: Guide, request: ModelRequest[Any], answer: ModelResponse[Any]) -> Any:
        """`answer` of a visit, and the command that keeps what is known after it; none where the state has that already."""
        kept = self._kept(guide, request.runtime)
        return answer if kept == request.state.get(MARK) else ExtendedModelResponse(answer, Command(update={MARK: kept}))

    def with_result(self, guide: Guide, request: ToolCallRequest, result: Result) -> Any:
        """`result` of a call, and the command that keeps what is known of it."""
        update = {MARK: self._kept(guide, request.runtime)}
        match result:
            case ToolMessage():
                return Command(update={"messages": [result], **update})
            case Command(update=dict(more), graph=None):
                return replace(result, update={**more, **update})
            case _:
                return [result, Command(update=update)]

    def _kept(self, guide: Guide, runtime: Any) -> Kept:
        """What the state is to hold, where `guide` is from now on."""
        kept = Kept(provider=guide.exposure.provider, conversation=guide.snapshot())
        self._live.keep(_place(runtime, kept), guide)
        return kept

    def _restored(self, kept: Kept, provider: Provider, catalog: Catalog, context: object) -> Guide:
        gate = self._gate(session_in(kept["conversation"]), catalog, context)
        return Guide.restore(gate, provider, kept["conversation"], ready=self._ready)

    def _gate(self, snapshot: str | None, catalog: Catalog, context: object) -> Gate:
        """A gate whose session knows the tools as they are here, whatever the host has given it."""
        takes_long()
        gate = self._conversation(snapshot, catalog, context)
        if gate.session.catalog is not catalog:
            gate.session.offer(catalog)
        return gate

    def _catalog(self, tools: Listed) -> Catalog:
        """The catalog of `tools`; that of the last time, where they are the same."""
        listed, catalog = self._listed
        if not same_tools(listed, tools):
            takes_long()
            ours = [one for one in tools if isinstance(one, BaseTool)]
            catalog = Catalog(real_tool(one, self._known[one.name].origin if one.name in self._known else "") for one in ours)
            self._listed = (tuple(tools), catalog)
        return catalog


class _Live:
    """The guides of this process, by where they have left the conversation."""

    def __init__(self) -> None:
        self._guides: OrderedDict[Place, Guide] = OrderedDict()
        self._lock = Lock()

    def take(self, place: Place) -> Guide | None:
        """The guide at `place`. It goes on from there, so it is no longer where it has been."""
        with self._lock:
            guide = self._guides.get(place)
            for passed in [passed for passed, other in self._guides.items() if other is guide]:
                del self._guides[passed]
            return guide

    def get(self, place: Place) -> Guide | None:
        """The guide at `place`."""
        with self._lock:
            return self._guides.get(place)

    def share(self, place: Place, make: Callable[[], Guide]) -> Guide:
        """The guide at `place`, the same for all who ask."""
        with self._lock:
            if place not in self._guides:
                self._guides[place] = make()
            return self._guides[place]

    def keep(self, place: Place, guide: Guide) -> None:
        """`guide` has left the conversation at `place`."""
        with self._lock:
            self._guides[place] = guide
            self._guides.move_to_end(place)
            if len(self._guides) > MOST_LIVE:
                self._guides.popitem(last=False)


def _of_domain(domain: Domain) -> Conversation:
    def gate(snapshot: str | None, catalog: Catalog, _: object) -> Gate:
        return Gate(Session(domain, catalog=catalog) if snapshot is None else Session.restore(domain, snapshot, catalog=catalog))

    return gate


def _place(runtime: Any, kept: Kept) -> Place:
    info = runtime.execution_info
    return (info.thread_id if info is not None else None) or "", kept["conversation"]
