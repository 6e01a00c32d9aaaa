"""An agent of the OpenAI Agents SDK that moves an appointment: of a hundred contracts, its model is shown the one that is next.

Run it: python examples/openai_agents_agent.py
"""

from __future__ import annotations

from typing import Any

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

import toolplan
from toolplan.adapters.guide import Guide
from toolplan.adapters.openai_agents import catalog_of, guarded
from toolplan.gate import Gate


@function_tool
def search_events(date: str, query: str) -> dict[str, object]:
    """Search the calendar."""
    return {"items": [{"id": "evt_17", "title": query}]}


@function_tool
def update_event(event_id: str, start: str) -> str:
    """Move an event."""
    print(f"  {event_id} moved to {start}")
    return "ok"


@function_tool
def delete_event(event_id: str) -> str:
    """Delete an event."""
    raise AssertionError("nobody asked for this")


def main() -> None:
    set_tracing_disabled(True)
    calendar = [search_events, update_event, delete_event]
    session = toolplan.Session(toolplan.load("workspace"), catalog=catalog_of(calendar))
    guide = Guide.of(Gate(session), "openai-responses")
    agent = guarded(Agent(name="calendar", model=MODEL, tools=[*calendar]), guide)  # or model="gpt-5"
    print(Runner.run_sync(agent, "Move tomorrow's dentist appointment to 4 PM").final_output)


SCRIPT = iter(["delete_event", "search_events", "update_event"])


def scripted(call: ModelCall) -> list[Any]:
    """Where a model would choose; this one wants to delete first, and is told what it can call instead."""
    name = next(SCRIPT, None)
    for item in call.input[-2:]:
        if isinstance(item, dict) and item.get("type") == "function_call_output":
            print(f"  it gets: {item['output']}")
    if name is None:
        return [assistant_message("Your appointment is moved.")]
    print(f"the model calls {name}")
    return [function_call(name, {"event_id": "evt_17"} if name == "delete_event" else {}, call_id=f"call_{name}")]


MODEL = ScriptedModel([ModelStep.respond(scripted)] * 4)

if __name__ == "__main__":
    main()
