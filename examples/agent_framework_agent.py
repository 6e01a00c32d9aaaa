"""An agent of Microsoft Agent Framework that moves an appointment: of a hundred contracts, its model is shown the one that is next.

Run it: python examples/agent_framework_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatMiddlewareLayer, ChatResponse, Content, FunctionInvocationLayer, Message, tool

import toolplan
from toolplan.adapters.agent_framework import Toolplan, catalog_of
from toolplan.adapters.guide import Guide
from toolplan.gate import Gate


@tool
def search_events(date: str, query: str) -> dict[str, object]:
    """Search the calendar."""
    return {"items": [{"id": "evt_17", "title": query}]}


@tool
def update_event(event_id: str, start: str) -> str:
    """Move an event."""
    print(f"  {event_id} moved to {start}")
    return "ok"


@tool
def delete_event(event_id: str) -> str:
    """Delete an event."""
    raise AssertionError("nobody asked for this")


async def main() -> None:
    calendar = [search_events, update_event, delete_event]
    session = toolplan.Session(toolplan.load("workspace"), catalog=catalog_of(calendar))
    guide = Guide.of(Gate(session), "openai")
    agent = Agent(Scripted(), tools=calendar, context_providers=[Toolplan(guide)])  # or Agent(OpenAIChatClient(), ...)
    print((await agent.run("Move tomorrow's dentist appointment to 4 PM")).text)


SCRIPT = iter(["delete_event", "search_events", "update_event"])


class Scripted(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Where a model would choose; this one wants to delete first, and is told what it can call instead."""

    async def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any) -> Any:
        name = next(SCRIPT, None)
        for content in messages[-2].contents if len(messages) > 1 else ():
            if content.type == "function_result":
                print(f"  it gets: {content.result}")
        if name is None:
            return ChatResponse(messages=[Message("assistant", ["Your appointment is moved."])])
        print(f"the model calls {name}")
        arguments = {"event_id": "evt_17"} if name == "delete_event" else {}
        return ChatResponse(messages=[Message("assistant", [Content.from_function_call(f"call_{name}", name, arguments=arguments)])])


if __name__ == "__main__":
    asyncio.run(main())
