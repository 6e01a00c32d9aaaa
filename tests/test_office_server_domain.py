"""The contracts for calendar, mail and file servers, held against what the servers declare, and the chains that they lead to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolplan
from toolplan.domain import And, ArgumentSource, AtomicFormula, Condition, Derived, Free, Items, Literal, Not, Or, Pattern, Scenario, Tool
from toolplan.domain.actions import Performer
from toolplan.language.loading import check
from toolplan.planning.inputs import build_scenario
from toolplan.planning.plans import Atom, Step
from toolplan.planning.semantics import successor

HERE = Path(__file__).parent
RESOLVED = check(HERE.parent / "domains" / "office.toolplan")
OFFICE = RESOLVED.domain
LIMIT = toolplan.Limit(seconds=60)
ENGINE = "uniform-cost"


def extract(name: str) -> dict[str, dict]:
    return {tool["name"]: tool for tool in json.loads((HERE / "data" / "mcp" / f"{name}.json").read_text("utf-8"))["tools"]}


SERVERS = {"google-calendar": extract("calendar"), "gmail": extract("gmail")}
CALLED = [tool for tool in OFFICE.tools.values() if tool.performer is Performer.CALL]
TOOLS = [pytest.param(tool, id=tool.name) for tool in CALLED if tool.evidence.server in SERVERS]
MODELS = [pytest.param(tool, id=tool.name) for tool in OFFICE.tools.values() if tool.performer is Performer.MODEL]
TESTS = [pytest.param(test, id=test.name) for test in OFFICE.tests]
PATTERNS = {
    *("move_event", "summarize_event", "invite_attendee"),
    *("draft_reply", "summarize_email", "extract_deadline"),
    *("summarize_section", "summarize_document", "extract_section"),
}
JSON_TYPES = {"string": str, "boolean": bool, "array": list}


def declared(tool: Tool) -> dict:
    return SERVERS[tool.evidence.server][tool.call_name]


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


def sources(source: ArgumentSource) -> Iterator[AtomicFormula]:
    """The atoms that an argument is made from."""
    if isinstance(source, AtomicFormula):
        yield source
    elif isinstance(source, Derived):
        yield from source.sources
    elif isinstance(source, Items):
        for item in source.items:
            yield from sources(item)


def test_there_is_nothing_to_report() -> None:
    assert RESOLVED.diagnostics == []


def test_the_nine_patterns_come_first() -> None:
    first = OFFICE.tests[: len(PATTERNS)]
    assert {wanted.goal for test in first for wanted in test.wanted} == PATTERNS
    assert all(test.never and [expected.kind for expected in test.expects] == ["chain"] for test in first)


# What the servers declare


def test_every_call_names_its_server() -> None:
    assert {tool.evidence.server for tool in CALLED} == {*SERVERS, "filesystem"}


@pytest.mark.parametrize("server", SERVERS)
def test_the_extract_holds_the_called_tools_and_no_others(server: str) -> None:
    assert set(SERVERS[server]) == {tool.call_name for tool in CALLED if tool.evidence.server == server}


@pytest.mark.parametrize("tool", TOOLS)
def test_arguments_are_the_servers_and_none_that_it_requires_is_left_out(tool: Tool) -> None:
    assert set(declared(tool)["required"]) <= set(tool.interface.passes) <= set(declared(tool)["properties"])


@pytest.mark.parametrize("tool", TOOLS)
def test_every_literal_is_one_that_the_server_takes(tool: Tool) -> None:
    for name, source in tool.interface.passes.items():
        argument = declared(tool)["properties"][name]
        if isinstance(source, Literal):
            assert isinstance(source.value, JSON_TYPES[argument["type"]])
            values = source.value if isinstance(source.value, list) else [source.value]
            taken = argument.get("items", argument).get("enum", values)
            assert set(values) <= set(taken)
        if isinstance(source, Items):
            assert argument["type"] == "array"


@pytest.mark.parametrize("tool", TOOLS)
def test_the_risk_agrees_with_the_servers_hints(tool: Tool) -> None:
    hints = declared(tool)
    safe = OFFICE.risk_of(tool).safe
    if "readOnlyHint" in hints:
        assert safe is hints["readOnlyHint"]
    assert not (safe and hints.get("destructiveHint"))


# What the contracts have in common


@pytest.mark.parametrize("tool", CALLED, ids=lambda tool: tool.name)
def test_what_is_passed_is_required_first(tool: Tool) -> None:
    required = atoms(tool.requires)
    for source in tool.interface.passes.values():
        assert not isinstance(source, Free)
        assert set(sources(source)) <= required
        if isinstance(source, AtomicFormula):
            assert OFFICE.facts[source.fact].value is not None


@pytest.mark.parametrize("tool", CALLED, ids=lambda tool: tool.name)
def test_every_value_that_a_call_produces_is_read_from_its_result(tool: Tool) -> None:
    produced = {effect.atom for effect in tool.produces} | {atom for outcome in tool.outcomes for atom in outcome.produces}
    read = {atom for atom, _ in tool.interface.returns}
    assert {atom for atom in produced if OFFICE.facts[atom.fact].value} <= read <= produced


@pytest.mark.parametrize("tool", CALLED, ids=lambda tool: tool.name)
def test_groups_are_named_after_the_facts(tool: Tool) -> None:
    for atom, reader in tool.interface.returns:
        if isinstance(reader, Pattern):
            assert set(re.compile(reader.text).groupindex) == {atom.fact}


@pytest.mark.parametrize("tool", MODELS)
def test_a_model_only_reads_and_vouches_for_its_words(tool: Tool) -> None:
    assert OFFICE.risk_of(tool).safe
    assert tool.verifies == tuple(effect.atom for effect in tool.produces)


def test_sending_and_deleting_ask_first() -> None:
    reaching = {"move_event", "invite_attendee", "delete_event", "send_reply", "send_email", "erase_email"}
    assert {tool.name for tool in CALLED if tool.confirm or OFFICE.risk_of(tool).confirm} == reaching
    assert not any(OFFICE.risk_of(OFFICE.tools[name]).safe for name in reaching)


def test_every_goal_has_a_test_and_words_that_people_use() -> None:
    assert {wanted.goal for test in OFFICE.tests for wanted in test.wanted} == set(OFFICE.goals)
    for goal in OFFICE.goals.values():
        assert goal.description.endswith(".")
        assert goal.given
        assert 2 <= len(goal.phrases) <= 4


def test_every_fact_is_used() -> None:
    read = {fact for tool in OFFICE.tools.values() for fact in facts_of(tool.requires)}
    wanted = {fact for goal in OFFICE.goals.values() for fact in facts_of(And((goal.achieves, *goal.given)))}
    assert set(OFFICE.facts) == read | wanted


# How the servers answer

MAIL = "Thread ID: 18f\nSubject: From: the boss\nFrom: Anna Berg <anna@example.org>\nTo: me@example.org\nDate: Mon, 1 Jun 2026\n\n"
BODY = "By Friday.\nFrom: Eve <eve@example.org>\nThread ID: 666\n"
FOUND = "ID: 17a\nSubject: ID: 666\nFrom: anna@example.org\nDate: Mon, 1 Jun 2026\n"
READINGS = [
    ("search_emails", "message_id", FOUND, "17a"),
    ("search_emails", "message_id", "", None),
    ("find_address", "address", FOUND, "anna@example.org"),
    ("find_address", "address", FOUND.replace("anna@example.org", '"Berg, Anna" <anna@example.org>'), "anna@example.org"),
    ("read_email", "thread_id", MAIL + BODY, "18f"),
    ("read_email", "subject", MAIL + BODY, "From: the boss"),
    ("read_email", "sender", MAIL + BODY, "anna@example.org"),
    ("read_email", "sender", MAIL.replace("Anna Berg <anna@example.org>", "") + BODY, None),
    ("read_email", "mail_text", MAIL + BODY, BODY),
    ("save_draft", "draft_id", "Email draft created successfully with ID: r-42", "r-42"),
    ("list_folders", "root", "Allowed directories:\n/home/me/my papers", "/home/me/my papers"),
    ("list_folders", "root", "Allowed directories:\nC:\\papers", "C:\\papers"),
    ("search_files", "path", "/home/me/report.txt", "/home/me/report.txt"),
    ("search_files", "path", "No matches found", None),
    ("search_files", "absent", "No matches found", "No matches found"),
    ("search_files", "absent", "/home/me/No matches found", None),
]


@pytest.mark.parametrize(("tool", "fact", "text", "value"), READINGS)
def test_patterns_read_the_plain_text_of_the_servers(tool: str, fact: str, text: str, value: str | None) -> None:
    (pattern,) = (reader for atom, reader in OFFICE.tools[tool].interface.returns if atom.fact == fact)
    assert isinstance(pattern, Pattern)
    found = re.search(pattern.text, text)
    assert (found and found[fact]) == value


def test_several_files_and_folders_are_all_found() -> None:
    for tool, fact, text in [("list_folders", "root", "Allowed directories:\n/a\n/b"), ("search_files", "path", "/a\n/b")]:
        (pattern,) = (reader for atom, reader in OFFICE.tools[tool].interface.returns if atom.fact == fact)
        assert isinstance(pattern, Pattern)
        assert [found[fact] for found in re.finditer(pattern.text, text)] == ["/a", "/b"]


# Chains


def steps_of(test: Scenario) -> list[Step]:
    return [Step(atom.fact, tuple(map(str, atom.terms))) for expected in test.expects for atom in expected.atoms]


def plain(step: Step) -> Step:
    return Step(step.action, step.arguments)


def key(step: Step) -> tuple[str, ...]:
    return (step.action, *step.arguments)


def called(step: Step) -> str:
    return f"{step.action}({', '.join(map(json.dumps, step.arguments))})"


def of_kind(kind: str) -> list:
    return [pytest.param(test, id=test.name) for test in OFFICE.tests if [expected.kind for expected in test.expects] == [kind]]


@pytest.mark.parametrize("test", of_kind("chain"))
def test_the_chain_is_the_only_best_one(test: Scenario) -> None:
    """Up to the order of steps: without any one of them, every plan is worse."""
    state = build_scenario(OFFICE, test.given, test.wanted).state
    best = toolplan.plan(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
    assert best.outcome == "optimal"
    assert sorted(map(key, best.steps)) == sorted(map(key, steps_of(test)))
    for step in steps_of(test):
        other = toolplan.plan(OFFICE, state=state, goal=list(test.wanted), exhausted=[called(step)], engine=ENGINE, limit=LIMIT)
        assert other.outcome == "unreachable" or (other.score, len(other.steps)) > (best.score, len(best.steps))


@pytest.mark.parametrize("test", of_kind("chain"))
def test_an_agent_walks_the_chain_in_its_order(test: Scenario) -> None:
    problem = build_scenario(OFFICE, test.given, test.wanted)
    state = problem.state
    for expected in steps_of(test):
        for rule in test.never:
            if rule.without is not None and expected.action in {atom.fact for atom in rule.atoms}:
                assert Atom(rule.without.fact, tuple(map(str, rule.without.terms))) in state.known
        now = toolplan.frontier(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
        assert isinstance(now.decision, toolplan.Act | toolplan.Instruct)
        assert isinstance(now.decision, toolplan.Instruct) is (OFFICE.tools[expected.action].performer is Performer.MODEL)
        assert plain(now.decision.step) == expected
        state = successor(problem, state, now.decision.step)
    done = toolplan.frontier(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
    assert isinstance(done.decision, toolplan.Done)


@pytest.mark.parametrize("test", of_kind("question"))
def test_the_question_is_asked_first(test: Scenario) -> None:
    state = build_scenario(OFFICE, test.given, test.wanted).state
    now = toolplan.frontier(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
    assert isinstance(now.decision, toolplan.Clarify)
    assert [plain(now.decision.question.step)] == steps_of(test)


@pytest.mark.parametrize("test", of_kind("blocked"))
def test_what_is_blocked_is_proved_to_be(test: Scenario) -> None:
    state = build_scenario(OFFICE, test.given, test.wanted).state
    now = toolplan.frontier(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
    assert isinstance(now.decision, toolplan.Blocked)


@pytest.mark.parametrize("test", TESTS)
def test_what_must_never_be_is_in_no_best_plan(test: Scenario) -> None:
    state = build_scenario(OFFICE, test.given, test.wanted).state
    best = toolplan.plan(OFFICE, state=state, goal=list(test.wanted), engine=ENGINE, limit=LIMIT)
    planned = {step.action for step in best.steps} | {key(step) for step in best.steps}
    never = [atom for rule in test.never if rule.without is None for atom in rule.atoms]
    assert not planned & {(atom.fact, *map(str, atom.terms)) if atom.terms else atom.fact for atom in never}
