"""A hand-written loop over the client of Google: what can be called is an allow-list, under which Gemini may still answer in words.

Run it: python examples/gemini_agent.py
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
from google.genai import Client
from google.genai.types import HttpOptions

import toolplan
from toolplan.adapters.gemini import Contents
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
    options = HttpOptions(httpx_client=httpx2.Client(transport=httpx2.MockTransport(scripted)))
    client = Client(api_key="none", http_options=options)  # or Client()
    agent = Agent(Contents(client, "gemini-3.8-flash"), Guide.of(gate, "gemini"), TOOLS)
    print(agent.turn("Move tomorrow's dentist appointment to 4 PM"))


def scripted(request: httpx2.Request) -> httpx2.Response:
    """Where the vendor would answer. This model wants to delete first, and is told what it can call instead."""
    sent: dict[str, Any] = json.loads(request.content)
    config = sent["toolConfig"]["functionCallingConfig"]
    print(f"{config['mode']}: {', '.join(config['allowedFunctionNames'])}")
    for part in sent["contents"][-2]["parts"]:
        if "functionResponse" in part:
            print(f"  it got: {part['functionResponse']['response']}")
    match next(SCRIPT, None):
        case (name, arguments):
            print(f"the model calls {name}")
            said = {"functionCall": {"name": name, "args": arguments}}
        case None:
            said = {"text": "Your appointment is moved."}
    return httpx2.Response(200, json={"candidates": [{"content": {"role": "model", "parts": [said]}}]})


if __name__ == "__main__":
    main()
