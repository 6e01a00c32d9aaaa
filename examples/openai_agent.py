"""A hand-written loop over the client of OpenAI: a hundred tools are declared, and the request says which can be called.

Run it: python examples/openai_agent.py
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
from openai import OpenAI

import toolplan
from toolplan.adapters.guide import Guide
from toolplan.adapters.openai import Chat
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
    client = OpenAI(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(scripted)))  # or OpenAI()
    agent = Agent(Chat(client, model="gpt-5.4"), Guide.of(gate, "openai"), TOOLS)
    print(agent.turn("Move tomorrow's dentist appointment to 4 PM"))


def scripted(request: httpx2.Request) -> httpx2.Response:
    """Where the vendor would answer. This model wants to delete first, and is told what it can call instead."""
    sent: dict[str, Any] = json.loads(request.content)
    allowed = [tool["function"]["name"] for tool in sent["tool_choice"]["allowed_tools"]["tools"]]
    print(f"{len(sent['tools'])} tools, {len(allowed)} can be called: {', '.join(allowed)}")
    if sent["messages"][-2]["role"] == "tool":
        print(f"  it got: {sent['messages'][-2]['content']}")
    match next(SCRIPT, None):
        case (name, arguments):
            print(f"the model calls {name}")
            function = {"name": name, "arguments": json.dumps(arguments)}
            message = {
                "role": "assistant",
                "tool_calls": [{"id": f"call_{len(sent['messages'])}", "type": "function", "function": function}],
            }
        case None:
            message = {"role": "assistant", "content": "Your appointment is moved."}
    return httpx2.Response(200, json={"choices": [{"index": 0, "message": message}]})


if __name__ == "__main__":
    main()
