"""The office domains that ship: 32 tools of an assistant, 68 distractors, and what all of their contracts have in common."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplan.domain import And, AtomicFormula, Condition, Domain, Equal, Exists, ForAll, Not, Or, Tool
from toolplan.language.codes import Severity
from toolplan.language.loading import check

DOMAINS = Path(__file__).parents[1] / "domains"
CORE = ("contacts", "calendar", "email", "files", "authorization")
FILES = (*CORE, "distractors", "workspace")
CONFUSERS: frozenset[str] = frozenset()
"""Tools of the core files that no goal needs, kept on purpose."""
ENTRIES = {"account_name", "currency", "form_values", "metric_name", "customer_name", "system_name", "database_name"}
"""What a user would have to say for a chain of distractors that no office task starts."""

WORKSPACE = check(DOMAINS / "workspace.toolplan")


def declared_in(*files: str) -> dict[str, Tool]:
    """The tools of the workspace that `files` declare."""
    return {name: tool for name, tool in WORKSPACE.domain.tools.items() if Path(WORKSPACE.places["action", name].source.name).stem in files}


def facts_in(*files: str) -> set[str]:
    return {name for name in WORKSPACE.domain.facts if Path(WORKSPACE.places["fact", name].source.name).stem in files}


def literals(condition: Condition, *, wanted: bool = True) -> Iterator[tuple[str, bool]]:
    """The facts in `condition`, each with whether it should be true."""
    if isinstance(condition, AtomicFormula):
        yield condition.fact, wanted
    elif isinstance(condition, Not):
        yield from literals(condition.condition, wanted=not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from literals(part, wanted=wanted)
    elif isinstance(condition, ForAll | Exists):
        yield from literals(condition.condition, wanted=wanted)
    else:
        assert isinstance(condition, Equal)


def changes(tool: Tool) -> set[tuple[str, bool]]:
    return {(effect.atom.fact, True) for effect in tool.produces} | {(effect.atom.fact, False) for effect in tool.removes}


def useful(domain: Domain) -> set[str]:
    """The tools that some goal needs, at once or for what another useful tool requires."""
    needed = {literal for goal in domain.goals.values() for literal in literals(And((goal.achieves, *goal.given)))}
    found: set[str] = set()
    while new := {name for name, tool in domain.tools.items() if name not in found and changes(tool) & needed}:
        found |= new
        needed |= {literal for name in new for literal in literals(domain.tools[name].requires)}
    return found


@pytest.mark.parametrize("name", FILES)
def test_each_file_loads_alone_without_findings(name):
    resolved = check(DOMAINS / f"{name}.toolplan")
    assert [str(finding) for finding in resolved.diagnostics if finding.severity is not Severity.NOTE] == []
    assert resolved.domain.name == name
    assert resolved.domain.tests


def test_workspace_has_100_tools():
    assert len(WORKSPACE.domain.tools) == 100
    assert len(declared_in(*CORE)) == 32
    assert len(declared_in("distractors")) == 68
    assert not declared_in("workspace")


@pytest.mark.parametrize("name", FILES)
def test_all_files_have_one_policy(name):
    policy = check(DOMAINS / f"{name}.toolplan").domain.policy
    whole = WORKSPACE.domain.policy
    assert (policy.confidence, policy.margin, policy.plausible) == (whole.confidence, whole.margin, whole.plausible)
    assert (policy.risk_factor, policy.clarify, policy.risk) == (whole.risk_factor, whole.clarify, whole.risk)
    assert policy.always_visible == (("request_human", "cancel_run") if name in ("authorization", "workspace") else ())


def test_nine_patterns_are_goals_with_tests():
    patterns = {
        *("move_event", "summarize_event", "invite_attendee"),
        *("draft_reply", "summarize_email", "extract_deadline"),
        *("summarize_section", "summarize_document", "extract_section"),
    }
    own = {name for kind, name in WORKSPACE.places if kind.startswith("test in ") and Path(kind).stem == "workspace"}
    workspace_tests = [test for test in WORKSPACE.domain.tests if test.name in own]
    assert {test.wanted[0].goal for test in workspace_tests} == patterns
    assert all(test.given and test.never and [expect.kind for expect in test.expects] == ["chain"] for test in workspace_tests)


@pytest.mark.parametrize("tool", WORKSPACE.domain.tools.values(), ids=lambda tool: tool.name)
def test_every_tool_is_described_and_rated(tool):
    assert tool.description.endswith(".")
    assert tool.risk is not None
    if tool.risk not in ("read", "draft"):
        assert tool.interface.passes, "what a write is called with comes from facts"


@pytest.mark.parametrize("tool", WORKSPACE.domain.tools.values(), ids=lambda tool: tool.name)
def test_every_value_that_a_tool_produces_is_read_from_its_result(tool):
    read = {atom.fact for atom, _ in tool.interface.returns}
    assert read == {effect.atom.fact for effect in tool.produces if WORKSPACE.domain.facts[effect.atom.fact].value}


def test_descriptions_are_no_copies():
    descriptions = [tool.description for tool in WORKSPACE.domain.tools.values()]
    assert len(set(descriptions)) == len(descriptions)


@pytest.mark.parametrize("goal", WORKSPACE.domain.goals.values(), ids=lambda goal: goal.name)
def test_every_goal_has_a_description_and_phrases(goal):
    assert goal.description.endswith(".")
    assert len(goal.phrases) >= 2


def test_no_tool_of_the_core_is_useless():
    assert set(declared_in(*CORE)) - useful(WORKSPACE.domain) == CONFUSERS


def test_distractors_lead_to_no_office_goal():
    assert not useful(WORKSPACE.domain) & set(declared_in("distractors"))
    office = facts_in(*CORE)
    assert {fact for tool in declared_in("distractors").values() for fact, _ in changes(tool)} & office == set()


def test_distractors_chain():
    tools = declared_in("distractors").values()
    produced = {effect.atom.fact for tool in tools for effect in tool.produces}
    required = {fact for tool in tools for fact, _ in literals(tool.requires)}
    assert all(list(literals(tool.requires)) for tool in tools)
    assert required - produced - facts_in(*CORE) == ENTRIES
    assert required & facts_in(*CORE) == {"date", "event_description", "email_description", "email_id", "described", "found", "named"}
