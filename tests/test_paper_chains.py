"""The chains of the CMTF paper's table 1 on the registry of 100 tools, planned by Fast Downward through unified-planning."""

from __future__ import annotations

import pytest

import toolplan
from toolplan.planning.engines import solve
from toolplan.planning.inputs import build_scenario
from toolplan.planning.plans import Optimal
from toolplan.planning.problem import ground

LIMIT = toolplan.Limit(seconds=60)
WORKSPACE = toolplan.load("workspace")

PAPER = {
    "move_event": ["search_events", "update_event"],
    "draft_reply": ["search_emails", "read_email", "create_draft"],
    "summarize_section": ["search_files", "read_file", "summarize_section"],
}
"""The example gold chains that the paper prints."""
PATTERNS = [*PAPER, "summarize_event", "invite_attendee", "summarize_email", "extract_deadline", "summarize_document", "extract_section"]
"""Its nine task patterns, three for each of its three domains."""


def scenario_of(goal: str) -> toolplan.domain.Scenario:
    """The test block of the workspace itself, which stands after those of its imports."""
    return next(test for test in reversed(WORKSPACE.tests) if [wanted.goal for wanted in test.wanted] == [goal])


def chain_of(goal: str) -> list[str]:
    return [step.fact for expected in scenario_of(goal).expects if expected.kind == "chain" for step in expected.atoms]


def test_the_registry_has_a_hundred_tools() -> None:
    assert len(WORKSPACE.tools) == 100


@pytest.mark.parametrize("goal", PATTERNS)
def test_fast_downward_finds_the_written_chain(goal: str) -> None:
    scenario = scenario_of(goal)
    problem = build_scenario(WORKSPACE, scenario.given, scenario.wanted)
    solution = solve(problem, "fast-downward", LIMIT)
    assert isinstance(solution, Optimal)
    assert solution.engine == "fast-downward"
    found = [step.action for step in solution.plan.steps]
    assert sorted(found) == sorted(chain_of(goal))
    assert found == PAPER.get(goal, found)
    never = {atom.fact for rule in scenario.never for atom in rule.atoms}
    assert never
    assert not never & set(found)


@pytest.mark.parametrize("goal", PATTERNS)
def test_one_tool_is_visible_at_every_step(goal: str) -> None:
    """The agent's loop: what each tool produces becomes known, and the next frontier follows the chain to the end."""
    scenario = scenario_of(goal)
    problem = build_scenario(WORKSPACE, scenario.given, scenario.wanted)
    state = problem.state
    called = []
    while True:
        now = toolplan.frontier(WORKSPACE, state=state, goal=scenario.wanted[0], engine="uniform-cost", limit=LIMIT)
        if isinstance(now.decision, toolplan.Done):
            break
        assert isinstance(now.decision, toolplan.Act)
        assert len(now.tools) == 1
        called.append(now.tools[0])
        step = now.decision.step
        tool, binding = WORKSPACE.tools[step.action], problem.binding(step)
        state = toolplan.State(state.known | {ground(effect.atom, binding) for effect in tool.produces})
    assert sorted(called) == sorted(chain_of(goal))


def test_the_running_example_step_by_step() -> None:
    given = {"date", "event_description", "new_time"}
    assert toolplan.frontier(WORKSPACE, state=given, goal="move_event", limit=LIMIT).tools == ("search_events",)
    assert toolplan.frontier(WORKSPACE, state={*given, "event_id"}, goal="move_event", limit=LIMIT).tools == ("update_event",)
    done = toolplan.frontier(WORKSPACE, state={*given, "event_id", "event_updated"}, goal="move_event", limit=LIMIT)
    assert done.tools == ()
    assert isinstance(done.decision, toolplan.Done)
