"""A hand-written loop over the client of Anthropic: a hundred tools are deferred, and added when they can be called.

Run it: python examples/anthropic_agent.py
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
from anthropic import Anthropic

import toolplan
from toolplan.adapters.anthropic import Messages
from toolplan.adapters.guide import Guide
from toolplan.adapters.turns import Agent
from toolplan.gate import Gate


def search_events(date: str, query: str) -> dict[str, object]:
    return {"items": [{"id": "evt_17", "title": query}]}


def update_event(event_id: str, start: str) -> str:
    print(f"  {event_id} moved to {start}")
    return "ok"


def delete_event(event_id: str) -> str:
    raise AssertionError("nobody asked for this")


TOOLS = {"search_events": search_events, "update_event": update_event, "delete_event": delete_event}
SCRIPT = iter([("delete_event", {"event_id": "evt_17"}), ("search_events", {}), ("update_event", {})])


def main() -> None:
    gate = Gate(toolplan.Session(toolplan.load("workspace")))
    client = Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(scripted)))  # or Anthropic()
    guide = Guide.of(gate, "anthropic", model="claude-opus-5")
    agent = Agent(Messages(client, model="claude-opus-5", max_tokens=1024), guide, TOOLS)
    print(agent.turn("Move tomorrow's dentist appointment to 4 PM"))


def scripted(request: httpx2.Request) -> httpx2.Response:
    """Where the vendor would answer. This model wants to delete first, and is told what it can call instead."""
    sent: dict[str, Any] = json.loads(request.content)
    for block in (block for message in sent["messages"][-3:] for block in message["content"]):
        match block:
            case {"type": "tool_result", "content": told}:
                print(f"  it got: {told}")
            case {"type": "tool_addition" | "tool_removal" as change, "tool": {"name": name}}:
                print(f"  {change}: {name}")
    match next(SCRIPT, None):
        case (name, arguments):
            print(f"the model calls {name}")
            content = {"type": "tool_use", "id": f"toolu_{len(sent['messages'])}", "name": name, "input": arguments}
        case None:
            content = {"type": "text", "text": "Your appointment is moved."}
    return httpx2.Response(200, json={"role": "assistant", "content": [content]})


if __name__ == "__main__":
    main()
