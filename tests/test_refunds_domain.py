"""The contracts for refunds and for what only sounds like them: their metadata, and the chains that they lead to."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from chains import LIMIT, Chains, banned, in_any_order, plain, steps_of, too_early
from contracts import badly_worded, facts_of, used_facts, wanted_goals

import toolplan
from toolplan.domain import Budget, HighRisk, Literal, Principal, Scenario, Stopping, Tool, Widening, enabled, superseders
from toolplan.language.loading import check

RESOLVED = check(Path(__file__).parents[1] / "domains" / "refunds.toolplan")
REFUNDS = RESOLVED.domain
ENGINE = "uniform-cost"
CHAINS = Chains(REFUNDS, ENGINE)
NEGATIVES = {"propose_credit_memo", "correct_invoice", "cancel_subscription", "accept_dispute", "answer_dispute"}
SERVED = [pytest.param(tool, id=tool.name) for tool in REFUNDS.tools.values() if tool.name not in ("request_human", "cancel_run")]


def test_there_is_nothing_to_report() -> None:
    assert RESOLVED.diagnostics == []


# Evidence


@pytest.mark.parametrize("tool", SERVED)
def test_every_tool_says_what_it_is_and_who_answers_for_it(tool: Tool) -> None:
    evidence = tool.evidence
    assert tool.description.endswith(".")
    assert evidence.capability
    assert evidence.server
    assert evidence.scopes
    assert evidence.owner
    assert evidence.version.count(".") == 2


def test_no_two_tools_have_one_capability_unless_one_replaces_the_other() -> None:
    old = superseders(REFUNDS.tools)
    capabilities = [name for tool in REFUNDS.tools.values() if tool.name not in old for name in tool.evidence.capability]
    assert len(set(capabilities)) == len(capabilities)
    assert old == {"propose_refund_v2": ("propose_refund",)}


def test_the_contract_of_a_refund_says_all_that_an_evidence_contract_can() -> None:
    new, old = REFUNDS.tools["propose_refund"].evidence, REFUNDS.tools["propose_refund_v2"].evidence
    assert (new.id, new.version, new.supersedes) == ("billing.refunds.propose.v3", "3.2.1", ("billing.refunds.propose.v2",))
    assert (old.id, old.capability, old.owner) == ("billing.refunds.propose.v2", new.capability, new.owner)
    assert new.do_not_use_when == old.do_not_use_when
    assert new.side_effect == "a proposal that an approver sees"
    classes = {name: tool.evidence.data for name, tool in REFUNDS.tools.items() if tool.evidence.data}
    assert classes == {"search_customers": ("personal",), "list_charges": ("payment",)}


@pytest.mark.parametrize(
    ("version", "proposing"),
    [("3.2.9", "propose_refund"), ("3.3", "propose_refund"), ("3.1", "propose_refund_v2"), ("2.9", "propose_refund_v2"), ("4.0", None)],
)
def test_the_version_of_the_server_says_which_contract_is_planned_with(version: str, proposing: str | None) -> None:
    everything = {name for tool in REFUNDS.tools.values() for name in (*tool.evidence.scopes, *tool.evidence.roles, *tool.evidence.data)}
    principal = Principal(roles=frozenset(everything), scopes=frozenset(everything), clearances=frozenset(everything))
    left = REFUNDS.for_principal(principal, also=lambda tool: enabled(tool, {"billing-prod": version}))
    best = toolplan.plan(left, state=known_charge("annual") | SHARED, goal="propose_refund(acme, annual)", engine=ENGINE, limit=LIMIT)
    assert [step.action for step in best.steps] == ([proposing] if proposing else [])
    assert best.outcome == ("optimal" if proposing else "unreachable")


def test_the_budget_is_the_one_of_the_policy() -> None:
    assert REFUNDS.policy.budget == Budget(
        4,
        12,
        Widening(Fraction("0.72"), Fraction("0.08"), missing_capability=True, empty_choice=True),
        Stopping(2, 6_000, 2_500),
        HighRisk(5, exact_capability=True, confirm=True),
    )
    assert set(REFUNDS.policy.always_visible) == {"read_refund_policy", "request_human", "cancel_run"}


@pytest.mark.parametrize("tool", SERVED)
def test_a_tool_is_idempotent_as_a_read_or_by_a_key(tool: Tool) -> None:
    safe = REFUNDS.risk_of(tool).safe
    assert tool.evidence.idempotent is safe
    assert (tool.interface.key is None) is safe
    assert bool(tool.evidence.side_effect) is not safe
    if not safe:
        assert tool.evidence.use_when
        assert tool.evidence.do_not_use_when


def test_money_is_approved_by_another_role() -> None:
    moving = {tool.name: tool for tool in REFUNDS.tools.values() if tool.risk == "money"}
    assert set(moving) == {"execute_refund", "accept_dispute", "answer_dispute"}
    for tool in moving.values():
        assert tool.confirm is not None
        assert tool.confirm.by == "payments_approver"
        level = REFUNDS.risk_of(tool)
        assert level.confirm == tool.confirm


@pytest.mark.parametrize("name", ["propose_refund", "execute_refund"])
def test_amount_and_currency_are_checked_at_the_gate(name: str) -> None:
    tool = REFUNDS.tools[name]
    written = {(str(check.left), check.operator, str(check.right)) for check in tool.interface.checks}
    assert ("amount(x)", "<=", "charged(x)") in written
    assert ("refund_currency(x)", "=", "currency(x)") in written
    assert ("amount(x)", ">", str(Literal(0))) in written
    compared = {"amount", "charged", "refund_currency", "currency"}
    assert compared <= facts_of(tool.requires), "the gate refuses what is not known, so it has to be found out before"


def test_the_way_out_stays_visible() -> None:
    assert {"request_human", "cancel_run"} < set(REFUNDS.policy.always_visible)
    assert all(REFUNDS.risk_of(REFUNDS.tools[name]).safe for name in REFUNDS.policy.always_visible)


def test_every_goal_has_a_test_and_words_that_people_use() -> None:
    assert wanted_goals(REFUNDS) == set(REFUNDS.goals)
    assert badly_worded(REFUNDS) == []


def test_every_fact_is_used() -> None:
    assert set(REFUNDS.facts) == used_facts(REFUNDS)


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
        assert isinstance(stop.now.decision, toolplan.Act)
        assert stop.now.tools == (stop.step.action,)


@pytest.mark.parametrize("test", CHAINS.of_kind("question"))
def test_the_question_is_asked_first(test: Scenario) -> None:
    decision = CHAINS.frontier(test).decision
    assert isinstance(decision, toolplan.Clarify)
    assert [plain(decision.question.step)] == steps_of(test)


@pytest.mark.parametrize("test", CHAINS.of_kind("blocked"))
def test_what_is_blocked_is_proved_to_be(test: Scenario) -> None:
    assert isinstance(CHAINS.frontier(test).decision, toolplan.Blocked)


@pytest.mark.parametrize("test", CHAINS.of_kind("chain") + CHAINS.of_kind("question"))
def test_what_must_never_be_is_in_no_best_plan(test: Scenario) -> None:
    assert banned(test, CHAINS.plan(test)) == set()


# Entities


def known_charge(name: str) -> set[str]:
    """All that a refund of the charge `name` rests on."""
    about = ["charged", "currency", "settled", "eligible", "amount", "refund_currency", "original_of"]
    of_customer = {f"described_of({name}, acme)", f"charge_id({name}, acme)"}
    return {f"{fact}({name})" for fact in about} | of_customer | {f"duplicates({name}, first)"}


SHARED = {"customer_id(acme)", "charge_id(first, acme)", "settled(first)", "refund_window"}


@pytest.mark.parametrize(("ready", "other"), [("charge_a", "charge_b"), ("charge_b", "charge_a")])
def test_a_charge_that_may_be_refunded_is_the_only_one(ready: str, other: str) -> None:
    state = known_charge(ready) | known_charge(other) | SHARED | {f"too_late({other})"}
    state.remove(f"eligible({other})")
    best = toolplan.plan(REFUNDS, state=state, goal=f"refund_duplicate(acme, {ready})", engine=ENGINE, limit=LIMIT)
    assert [step.action for step in best.steps] == ["propose_refund", "execute_refund", "read_refund"]
    assert not any(other in step.arguments for step in best.steps)
    refused = toolplan.plan(REFUNDS, state=state, goal=f"refund_duplicate(acme, {other})", engine=ENGINE, limit=LIMIT)
    assert refused.outcome == "unreachable"


@pytest.mark.parametrize("lost", sorted(known_charge("charge_b") - {"described_of(charge_b, acme)"}))
def test_nothing_known_of_one_charge_stands_for_another(lost: str) -> None:
    """Whatever is not known of one charge has to be found out of that one: no step of its refund speaks of the other."""
    state = known_charge("charge_a") | known_charge("charge_b") | SHARED
    best = toolplan.plan(REFUNDS, state=state - {lost}, goal="refund_duplicate(acme, charge_b)", engine=ENGINE, limit=LIMIT)
    assert not any("charge_a" in step.arguments for step in best.steps)
    assert not {step.action for step in best.steps} & NEGATIVES


@pytest.mark.parametrize(("stands", "original"), [*product(["pending", "disputed"], ["charge_a", "first"])])
def test_both_charges_have_to_be_settled(stands: str, original: str) -> None:
    state = (known_charge("charge_a") | SHARED) - {f"settled({original})"} | {f"{stands}({original})"}
    best = toolplan.plan(REFUNDS, state=state, goal="refund_duplicate(acme, charge_a)", engine=ENGINE, limit=LIMIT)
    assert best.outcome == "unreachable"
