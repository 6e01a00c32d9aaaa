"""The contracts for the GitHub MCP server, held against what the server itself declares, and the chains that they lead to."""

from __future__ import annotations

from pathlib import Path

import pytest
from chains import Chains, in_any_order, steps_of
from contracts import badly_worded, extract, unfit, unfounded, used_facts, wanted_goals

from toolplan.domain import Literal, Scenario, Tool
from toolplan.language.codes import Severity
from toolplan.language.loading import check

RESOLVED = check(Path(__file__).parents[1] / "domains" / "github.toolplan")
GITHUB = RESOLVED.domain
CHAINS = Chains(GITHUB)
SERVER = extract("github")
TOOLS = [pytest.param(tool, id=tool.name) for tool in GITHUB.tools.values()]


def test_there_is_nothing_to_report() -> None:
    assert [finding for finding in RESOLVED.diagnostics if finding.severity is not Severity.NOTE] == []


def test_the_domain_is_of_some_size() -> None:
    assert len(GITHUB.tools) >= 40
    assert len(GITHUB.goals) >= 8


def test_the_extract_holds_the_called_tools_and_no_others() -> None:
    assert set(SERVER) == {tool.call_name for tool in GITHUB.tools.values()}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_argument_is_one_of_the_servers(tool: Tool) -> None:
    assert set(tool.interface.passes) <= set(SERVER[tool.call_name].properties)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_required_argument_is_passed(tool: Tool) -> None:
    assert set(SERVER[tool.call_name].required) <= set(tool.interface.passes)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_literal_is_one_that_the_server_takes(tool: Tool) -> None:
    assert unfit(tool, SERVER[tool.call_name]) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_passed_is_required_first(tool: Tool) -> None:
    assert unfounded(GITHUB, tool) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_the_method_is_fixed(tool: Tool) -> None:
    if "method" in SERVER[tool.call_name].properties:
        assert isinstance(tool.interface.passes["method"], Literal)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_risk_agrees_with_the_servers_hints(tool: Tool) -> None:
    server = SERVER[tool.call_name]
    assert tool.risk is not None
    safe = GITHUB.risk_of(tool).safe
    assert safe is bool(server.hints.get("readOnlyHint"))
    if server.hints.get("destructiveHint") and "method" not in server.properties:
        assert not safe
    if tool.risk == "delete":
        assert tool.confirm is not None


def test_every_goal_has_a_test_and_words_that_people_use() -> None:
    assert wanted_goals(GITHUB) == set(GITHUB.goals)
    assert badly_worded(GITHUB) == []
    assert all(goal.given for goal in GITHUB.goals.values())


def test_every_fact_is_used() -> None:
    assert set(GITHUB.facts) == used_facts(GITHUB)


@pytest.mark.parametrize("test", CHAINS.of_kind("chain"))
def test_the_chain_is_the_only_best_one(test: Scenario) -> None:
    """Up to the order of steps: without any one of them, every plan is worse."""
    best = CHAINS.plan(test)
    assert best.outcome == "optimal"
    assert in_any_order(best.steps) == in_any_order(steps_of(test))
    assert CHAINS.spare(test, best) == []
