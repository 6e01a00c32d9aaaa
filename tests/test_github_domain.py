"""The contracts for the GitHub MCP server, held against what the server itself declares, and the chains that they lead to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolplan
from toolplan.domain import And, AtomicFormula, Condition, Derived, Literal, Not, Or, Scenario, Tool
from toolplan.language.codes import Severity
from toolplan.language.loading import check
from toolplan.planning.inputs import build_scenario

HERE = Path(__file__).parent
RESOLVED = check(HERE.parent / "domains" / "github.toolplan")
GITHUB = RESOLVED.domain
SERVER = {tool["name"]: tool for tool in json.loads((HERE / "data" / "mcp" / "github.json").read_text("utf-8"))["tools"]}
TOOLS = [pytest.param(tool, id=tool.name) for tool in GITHUB.tools.values()]
LIMIT = toolplan.Limit(seconds=60)
CHAINS = [
    pytest.param(test, [(step.fact, *map(str, step.terms)) for expected in test.expects for step in expected.atoms], id=test.name)
    for test in GITHUB.tests
    if [expected.kind for expected in test.expects] == ["chain"]
]


def atoms(condition: Condition) -> set[AtomicFormula]:
    """The atoms that `condition` asks for; those it denies are left out."""
    if isinstance(condition, And | Or):
        return set().union(*(atoms(part) for part in condition.conditions))
    return {condition} if isinstance(condition, AtomicFormula) else set()


def facts_of(condition: Condition) -> set[str]:
    """The facts that `condition` reads, whether it asks for them or denies them."""
    if isinstance(condition, Not):
        return facts_of(condition.condition)
    if isinstance(condition, And | Or):
        return set().union(*(facts_of(part) for part in condition.conditions))
    return {condition.fact} if isinstance(condition, AtomicFormula) else set()


def test_there_is_nothing_to_report() -> None:
    assert [finding for finding in RESOLVED.diagnostics if finding.severity is not Severity.NOTE] == []


def test_the_domain_is_of_some_size() -> None:
    assert len(GITHUB.tools) >= 40
    assert len(GITHUB.goals) >= 8


def test_the_extract_holds_the_called_tools_and_no_others() -> None:
    assert set(SERVER) == {tool.call_name for tool in GITHUB.tools.values()}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_argument_is_one_of_the_servers(tool: Tool) -> None:
    assert set(tool.interface.passes) <= set(SERVER[tool.call_name]["properties"])


@pytest.mark.parametrize("tool", TOOLS)
def test_every_required_argument_is_passed(tool: Tool) -> None:
    assert set(SERVER[tool.call_name]["required"]) <= set(tool.interface.passes)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_literal_is_one_that_the_server_takes(tool: Tool) -> None:
    properties = SERVER[tool.call_name]["properties"]
    for name, source in tool.interface.passes.items():
        if isinstance(source, Literal):
            assert source.value in properties[name].get("enum", [source.value])
            assert isinstance(source.value, {"string": str, "boolean": bool}[properties[name]["type"]])


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_passed_is_required_first(tool: Tool) -> None:
    required = atoms(tool.requires)
    for source in tool.interface.passes.values():
        if isinstance(source, AtomicFormula):
            assert source in required
            assert GITHUB.facts[source.fact].value is not None
        if isinstance(source, Derived):
            assert set(source.sources) <= required


@pytest.mark.parametrize("tool", TOOLS)
def test_the_method_is_fixed(tool: Tool) -> None:
    if "method" in SERVER[tool.call_name]["properties"]:
        assert isinstance(tool.interface.passes["method"], Literal)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_risk_agrees_with_the_servers_hints(tool: Tool) -> None:
    server = SERVER[tool.call_name]
    assert tool.risk is not None
    safe = GITHUB.risk_of(tool).safe
    assert safe is bool(server.get("readOnlyHint"))
    if server.get("destructiveHint") and "method" not in server["properties"]:
        assert not safe
    if tool.risk == "delete":
        assert tool.confirm is not None


def test_every_goal_has_a_test_and_words_that_people_use() -> None:
    assert {wanted.goal for test in GITHUB.tests for wanted in test.wanted} == set(GITHUB.goals)
    for goal in GITHUB.goals.values():
        assert goal.description
        assert goal.given
        assert 2 <= len(goal.phrases) <= 4


def test_every_fact_is_used() -> None:
    read = {fact for tool in GITHUB.tools.values() for fact in facts_of(tool.requires)}
    wanted = {fact for goal in GITHUB.goals.values() for fact in facts_of(And((goal.achieves, *goal.given)))}
    assert set(GITHUB.facts) == read | wanted


@pytest.mark.parametrize(("test", "chain"), CHAINS)
def test_the_chain_is_the_only_best_one(test: Scenario, chain: list[tuple[str, ...]]) -> None:
    """Up to the order of steps: without any one of them, every plan is worse."""
    state = build_scenario(GITHUB, test.given, test.wanted).state
    best = toolplan.plan(GITHUB, state=state, goal=list(test.wanted), limit=LIMIT)
    assert best.outcome == "optimal"
    assert sorted((step.action, *step.arguments) for step in best.steps) == sorted(chain)
    for name, *arguments in chain:
        tried = f"{name}({', '.join(map(json.dumps, arguments))})"
        other = toolplan.plan(GITHUB, state=state, goal=list(test.wanted), exhausted=[tried], limit=LIMIT)
        assert other.outcome == "unreachable" or (other.score, len(other.steps)) > (best.score, len(best.steps))
