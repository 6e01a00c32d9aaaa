"""An agent of LangChain that moves an appointment: of a hundred contracts, its model is shown the one that is next.

Run it: python examples/langchain_agent.py
"""

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

import toolplan
from toolplan.adapters.langchain import Toolplan


def search_events(date: str, query: str) -> str:
    """Search the calendar."""
    return json.dumps({"items": [{"id": "evt_17", "title": query}]})


def update_event(event_id: str, start: str) -> str:
    """Move an event."""
    print(f"  {event_id} moved to {start}")
    return "ok"


def delete_event(event_id: str) -> str:
    """Delete an event."""
    raise AssertionError("nobody asked for this")


def main() -> None:
    guarded = Toolplan(toolplan.load("workspace"), [search_events, update_event, delete_event])
    agent: Any = create_agent(Scripted(), middleware=[guarded], checkpointer=InMemorySaver())  # or create_agent("openai:gpt-5", ...)
    said: Any = {"messages": [{"role": "user", "content": "Move tomorrow's dentist appointment to 4 PM"}]}
    print(agent.invoke(said, {"configurable": {"thread_id": "alice"}})["messages"][-1].text)


SCRIPT = iter(["delete_event", "search_events", "update_event"])


class Scripted(BaseChatModel):
    """Where a model would choose; this one wants to delete first, and is told what it can call instead."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **settings: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **settings: Any) -> ChatResult:
        for message in [message for message in messages if isinstance(message, ToolMessage)][-1:]:
            print(f"  it gets: {message.text}")
        name = next(SCRIPT, None)
        if name is None:
            return _answer(AIMessage("Your appointment is moved."))
        print(f"the model calls {name}")
        arguments = {"event_id": "evt_17"} if name == "delete_event" else {}
        return _answer(AIMessage("", tool_calls=[ToolCall(name=name, args=arguments, id=name, type="tool_call")]))


def _answer(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


if __name__ == "__main__":
    main()
