"""The contracts for calendar, mail and file servers, held against what the servers declare, and the chains that they lead to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chains import Chains, banned, in_any_order, plain, steps_of, too_early
from contracts import badly_worded, extract, unfit, unfounded, used_facts, wanted_goals

import toolplan
from toolplan.catalog import RealTool
from toolplan.domain import Free, Pattern, Scenario, Tool
from toolplan.domain.actions import Performer
from toolplan.language.loading import check

RESOLVED = check(Path(__file__).parents[1] / "domains" / "office.toolplan")
OFFICE = RESOLVED.domain
CHAINS = Chains(OFFICE, "uniform-cost")
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


def declared(tool: Tool) -> RealTool:
    return SERVERS[tool.evidence.server][tool.call_name]


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
    assert set(declared(tool).required) <= set(tool.interface.passes) <= set(declared(tool).properties)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_literal_is_one_that_the_server_takes(tool: Tool) -> None:
    assert unfit(tool, declared(tool)) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_the_risk_agrees_with_the_servers_hints(tool: Tool) -> None:
    hints = declared(tool).hints
    safe = OFFICE.risk_of(tool).safe
    if "readOnlyHint" in hints:
        assert safe is hints["readOnlyHint"]
    assert not (safe and hints.get("destructiveHint"))


# What the contracts have in common


@pytest.mark.parametrize("tool", CALLED, ids=lambda tool: tool.name)
def test_what_is_passed_is_required_first(tool: Tool) -> None:
    assert not any(isinstance(source, Free) for source in tool.interface.passes.values())
    assert unfounded(OFFICE, tool) == []


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
    assert wanted_goals(OFFICE) == set(OFFICE.goals)
    assert badly_worded(OFFICE) == []
    assert all(goal.given for goal in OFFICE.goals.values())


def test_every_fact_is_used() -> None:
    assert set(OFFICE.facts) == used_facts(OFFICE)


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


@pytest.mark.parametrize("test", CHAINS.of_kind("chain"))
def test_the_chain_is_the_only_best_one(test: Scenario) -> None:
    """Up to the order of steps: without any one of them, every plan is worse."""
    best = CHAINS.plan(test)
    assert best.outcome == "optimal"
    assert in_any_order(best.steps) == in_any_order(steps_of(test))
    assert CHAINS.spare(test, best) == []


@pytest.mark.parametrize("test", CHAINS.of_kind("chain"))
def test_an_agent_walks_the_chain_in_its_order(test: Scenario) -> None:
    *stops, last = CHAINS.walk(test)
    assert [stop.step for stop in stops] == steps_of(test)
    assert isinstance(last.now.decision, toolplan.Done)
    assert too_early(test, stops) == []
    for stop in stops:
        by_model = OFFICE.tools[stop.step.action].performer is Performer.MODEL
        assert isinstance(stop.now.decision, toolplan.Instruct if by_model else toolplan.Act)


@pytest.mark.parametrize("test", CHAINS.of_kind("question"))
def test_the_question_is_asked_first(test: Scenario) -> None:
    decision = CHAINS.frontier(test).decision
    assert isinstance(decision, toolplan.Clarify)
    assert [plain(decision.question.step)] == steps_of(test)


@pytest.mark.parametrize("test", CHAINS.of_kind("blocked"))
def test_what_is_blocked_is_proved_to_be(test: Scenario) -> None:
    assert isinstance(CHAINS.frontier(test).decision, toolplan.Blocked)


@pytest.mark.parametrize("test", TESTS)
def test_what_must_never_be_is_in_no_best_plan(test: Scenario) -> None:
    assert banned(test, CHAINS.plan(test)) == set()
