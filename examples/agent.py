"""A toy agent: it asks `frontier` before every step, calls the one tool it is shown, and stops when the goal is reached.

Run it: python examples/agent.py
"""

from __future__ import annotations

import toolplan

CALENDAR = [
    {"id": "evt_17", "date": "2026-12-01", "title": "dentist", "start": "2026-12-01T10:00"},
    {"id": "evt_18", "date": "2026-12-01", "title": "lunch with Ana", "start": "2026-12-01T12:30"},
]


def search_events(facts: dict[str, object]) -> dict[str, object]:
    found = [event for event in CALENDAR if event["date"] == facts["date"] and event["title"] == facts["event_description"]]
    return {"event_id": found[0]["id"]}


def update_event(facts: dict[str, object]) -> dict[str, object]:
    event = next(event for event in CALENDAR if event["id"] == facts["event_id"])
    event["start"] = str(facts["new_time"])
    return {"event_updated": True}


TOOLS = {"search_events": search_events, "update_event": update_event}


def ask_user(question: str) -> str:
    """A user who answers the one question that this task leaves open."""
    print(f"  asks: {question}")
    return "2026-12-01T16:00"


def choose(tools: tuple[str, ...]) -> str:
    """Where a model would choose among the visible tools; here there is one."""
    (only,) = tools
    return only


def main() -> None:
    domain = toolplan.load("workspace")
    facts: dict[str, object] = {"date": "2026-12-01", "event_description": "dentist"}
    for number in range(1, 10):
        now = toolplan.frontier(domain, state=facts, goal="move_event")
        match now.decision:
            case toolplan.Act(tools, step, _, reason):
                print(f"{number}. {len(domain.tools)} tools, visible: {', '.join(tools)} ({reason.replace('`', '')})")
                facts |= TOOLS[choose(tools)](facts)
                print(f"  called {step}")
            case toolplan.Clarify(question, _):
                print(f"{number}. nothing may be called yet")
                facts["new_time"] = ask_user(question.text)
            case toolplan.Done():
                print(f"{number}. done: the appointment starts at {CALENDAR[0]['start']}")
                return
            case other:
                raise SystemExit(f"stuck: {other}")


if __name__ == "__main__":
    main()
