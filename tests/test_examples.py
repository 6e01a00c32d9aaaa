"""Every file in `examples/` runs, and prints what it is there to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

SHOWS = {
    "agent.py": [
        "visible: search_events",
        "visible: update_event",
        "asks: What is the new time",
        "done: the appointment starts at 2026-12-01T16:00",
    ],
    "pydantic_ai_agent.py": ["`delete_event` cannot be called now", "evt_17 moved to", "Your appointment is moved."],
    "mcp_agent.py": ["model sees: run_checkov", "cannot be called now", "logs is there"],
    "fastmcp_agent.py": ["model sees: cloud_run_checkov", "user is asked:", "logs is there"],
    "openai_agent.py": ["`delete_event` cannot be called now", "evt_17 moved to", "Your appointment is moved."],
    "anthropic_agent.py": ["`delete_event` cannot be called now", "evt_17 moved to", "Your appointment is moved."],
    "gemini_agent.py": ["`delete_event` cannot be called now", "evt_17 moved to", "Your appointment is moved."],
    "langchain_agent.py": [
        "cannot be called now; what can be called now: `search_events`",
        "evt_17 moved to",
        "Your appointment is moved.",
    ],
    "openai_agents_agent.py": [
        "the model calls delete_event",
        "`delete_event` cannot be called now",
        "evt_17 moved to",
        "Your appointment is moved.",
    ],
    "agent_framework_agent.py": [
        "the model calls delete_event",
        "`delete_event` cannot be called now",
        "evt_17 moved to",
        "Your appointment is moved.",
    ],
    "demo.sh": ["tools:   100 in, 1 visible", "visible: search_events", "visible: update_event", "visible: rerun_failed_jobs"],
}


def test_every_example_is_here() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == set(SHOWS)


@pytest.mark.parametrize("name", sorted(SHOWS))
def test_example(name: str) -> None:
    scripts = str(Path(sys.executable).parent)
    command = [sys.executable] if name.endswith(".py") else ["sh"]
    environment = {"PATH": f"{scripts}:/usr/bin:/bin"}
    run = subprocess.run([*command, str(EXAMPLES / name)], capture_output=True, text=True, env=environment, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    for text in SHOWS[name]:
        assert text in run.stdout
    if name == "demo.sh":
        assert run.stdout.count("proved optimal by fast-downward") == 4
