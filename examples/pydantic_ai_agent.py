"""An agent of Pydantic AI that moves an appointment: of a hundred contracts, its model is shown the one that is next.

Run it: python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

import toolplan
from toolplan.adapters.guide import Guide
from toolplan.adapters.pydantic_ai import Toolplan, catalog_of
from toolplan.gate import Gate

calendar: FunctionToolset[None] = FunctionToolset()


@calendar.tool_plain
def search_events(date: str, query: str) -> dict[str, object]:
    """Search the calendar."""
    return {"items": [{"id": "evt_17", "title": query}]}


@calendar.tool_plain
def update_event(event_id: str, start: str) -> str:
    """Move an event."""
    print(f"  {event_id} moved to {start}")
    return "ok"


@calendar.tool_plain
def delete_event(event_id: str) -> str:
    """Delete an event."""
    raise AssertionError("nobody asked for this")


def main() -> None:
    session = toolplan.Session(toolplan.load("workspace"), catalog=catalog_of(calendar))
    guide = Guide.of(Gate(session), "openai")
    agent = Agent(FunctionModel(scripted), toolsets=[calendar], capabilities=[Toolplan(guide)])  # or Agent("openai:gpt-5", ...)
    print(agent.run_sync("Move tomorrow's dentist appointment to 4 PM").output)


SCRIPT = iter(["delete_event", "search_events", "update_event"])


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Where a model would choose; this one wants to delete first, and is told what it can call instead."""
    name = next(SCRIPT, None)
    for part in messages[-1].parts:
        if isinstance(part, ToolReturnPart):
            print(f"  it gets: {part.content}")
    if name is None:
        return ModelResponse(parts=[TextPart("Your appointment is moved.")])
    print(f"the model calls {name}")
    return ModelResponse(parts=[ToolCallPart(name, {"event_id": "evt_17"} if name == "delete_event" else {})])


if __name__ == "__main__":
    main()
