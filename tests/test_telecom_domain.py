"""The contracts for a mobile operator's support, held against recorded tasks of tau2-bench: what their simulator did, and their plans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contracts import badly_worded, unfounded, used_facts, wanted_goals

import toolplan
from toolplan.bench.telecom import CLAIMS, Row, Task, call_of, read, rows, shares, state_of
from toolplan.domain import Performer, Tool
from toolplan.language.loading import check
from toolplan.planning.engines import AUTO, IN_PROCESS
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Optimal, Unreachable
from toolplan.planning.problem import Problem, State
from toolplan.planning.semantics import applicable, goal_reached, successor

RESOLVED = check(Path(__file__).parents[1] / "domains" / "telecom.toolplan")
TELECOM = RESOLVED.domain
FILE = Path(__file__).parent / "data" / "telecom" / "tasks.json"
DATA = json.loads(FILE.read_text("utf-8"))
TASKS = read(FILE)
RECORDS = {record["id"]: record for record in DATA["tasks"]}
MENDED = [pytest.param(task, id=task.id) for task in TASKS if not task.escalate]
ESCALATED = [pytest.param(task, id=task.id) for task in TASKS if task.escalate]
TOOLS = [pytest.param(tool, id=tool.name) for tool in TELECOM.tools.values()]
RESTART_DUE = Atom("restart_due")
LIMIT = toolplan.Limit(seconds=60)


@pytest.fixture(scope="module")
def planned() -> dict[str, Row]:
    return {row.task.id: row for row in rows(TELECOM, TASKS, AUTO, LIMIT)}


# The domain


def test_there_is_nothing_to_report() -> None:
    assert RESOLVED.diagnostics == []


def test_every_goal_has_a_test_and_words_that_people_use() -> None:
    assert wanted_goals(TELECOM) == set(TELECOM.goals)
    assert badly_worded(TELECOM) == []


def test_every_fact_is_used() -> None:
    read_by_an_effect = {"apn_reset_due"}
    assert set(TELECOM.facts) == used_facts(TELECOM) | read_by_an_effect


@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_tool_passes_it_requires(tool: Tool) -> None:
    assert unfounded(TELECOM, tool) == []


def test_the_user_is_bothered_for_twice_what_a_call_costs() -> None:
    assert {(tool.performer, int(tool.cost)) for tool in TELECOM.tools.values()} == {(Performer.CALL, 1), (Performer.USER, 2)}


def test_what_the_customer_pays_for_is_confirmed() -> None:
    paid = {tool.name for tool in TELECOM.tools.values() if TELECOM.risk_of(tool).confirm}
    assert paid == {"refuel_data", "make_payment"}


# The mechanism: what a contract does to a state is what the simulator did to the state that was mapped to it


def problem_of(task: Task) -> Problem:
    return build(TELECOM, task.state, task.goal)


def states_in_the_simulator(task: Task) -> Iterator[State]:
    """The simulator's states after each gold action."""
    record = RECORDS[task.id]
    keys: dict[str, Any] = DATA["base_state"] | record["state_diff"]
    for changed in record["gold_effects"]:
        keys |= changed["effect"]
        yield build(TELECOM, state_of(keys), task.goal).state


def states_by_contract(task: Task) -> Iterator[State]:
    """The states after each gold action, by the one contract for it that can be applied."""
    problem = problem_of(task)
    steps = [step for step in problem.steps() if step.action in TELECOM.tools]
    state = problem.state
    for call in task.gold:
        (step,) = (step for step in steps if call_of(problem, step) == call and applicable(problem, state, step))
        state = successor(problem, state, step)
        yield state


@pytest.mark.parametrize("task", MENDED)
def test_contracts_do_what_the_simulator_does(task: Task) -> None:
    """Except that a resumed line always waits for a restart, as the policy has it; in the simulator other changes have that effect."""
    for recorded, planned in zip(states_in_the_simulator(task), states_by_contract(task), strict=True):
        assert planned.known - {RESTART_DUE} == recorded.known - {RESTART_DUE}
        assert planned.denied == recorded.denied
        assert not planned.uncertain
        assert RESTART_DUE in planned.known or RESTART_DUE not in recorded.known


@pytest.mark.parametrize("task", MENDED)
def test_a_goal_holds_when_its_assertions_do(task: Task) -> None:
    problem = problem_of(task)
    *_, last = states_in_the_simulator(task)
    assert not goal_reached(problem, problem.state)
    assert goal_reached(problem, last)


# Plans


@pytest.mark.parametrize("task", MENDED)
def test_the_plan_is_the_gold_one_without_what_is_spare(task: Task, planned: dict[str, Row]) -> None:
    row = planned[task.id]
    assert isinstance(row.planned.solution, Optimal)
    assert row.replays
    assert row.no_longer
    assert row.same_set
    assert task.needed <= set(row.calls)
    assert len(set(row.calls)) == len(row.calls)


@pytest.mark.parametrize("task", ESCALATED)
def test_what_cannot_be_mended_is_proved_and_named(task: Task, planned: dict[str, Row]) -> None:
    solution = planned[task.id].planned.solution
    assert isinstance(solution, Unreachable)
    hopeless = {"sim_locked": "sim_locked", "contract_ended(L1002)": "contract_ended(L1002)", "data_used_up(L1002)": "refuelled(L1002)"}
    assert {str(fluent) for fluent in solution.missing} == {f"not {blamed}" for fault, blamed in hopeless.items() if task.state[fault]}


@pytest.mark.parametrize("task", ESCALATED)
def test_without_the_hopeless_fault_there_is_a_plan(task: Task) -> None:
    mended = {"sim_locked": False, "contract_ended(L1002)": False, "refuelled(L1002)": False}
    (row,) = rows(TELECOM, [Task(task.id, {**task.state, **mended}, task.goal, (), frozenset(), escalate=False)], AUTO, LIMIT)
    assert row.replays


def test_the_search_in_this_process_needs_no_other(planned: dict[str, Row]) -> None:
    for row in rows(TELECOM, TASKS, IN_PROCESS, LIMIT):
        assert row.planned.score == planned[row.task.id].planned.score


def test_every_change_that_the_domain_offers_is_made_in_some_task() -> None:
    offered = {tool.call_name for tool in TELECOM.tools.values() if not TELECOM.risk_of(tool).safe}
    assert offered == {call.tool for task in TASKS for call in task.gold}


def test_the_extract_has_tasks_for_every_claim(planned: dict[str, Row]) -> None:
    counted = {share.claim: share.tasks for share in shares(planned.values())}
    assert counted == {claim: len(ESCALATED) if claim.escalate else len(MENDED) for claim in CLAIMS}


def test_a_row_that_misses_is_an_exception(planned: dict[str, Row]) -> None:
    """Each claim can fail: held against a task whose outcome is another, it does."""
    mended = next(row for row in planned.values() if not row.task.escalate)
    blocked = next(row for row in planned.values() if row.task.escalate)
    for claim in CLAIMS:
        assert not claim.holds(mended if claim.escalate else blocked)
