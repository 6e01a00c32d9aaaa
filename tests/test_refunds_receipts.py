"""The refund of a duplicate charge from the request to the money, through the gate, and what its receipts say afterwards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commands import run

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.cli.exits import Exit
from toolplan.domain import Principal, enabled
from toolplan.gate import Gate, Refuse, ToolCall
from toolplan.goals.readings import reading_of
from toolplan.receipts import FileReceipts
from toolplan.receipts.files import Redaction
from toolplan.session import Session
from toolplan.session.turns import TurnReading

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
REQUEST = "Refund the duplicate annual charge"
GOAL = "refund_duplicate(acme, annual)"
STATE = {"described(acme)": "Acme Ltd", "described_of(annual, acme)": "the second annual charge"}
REFUNDS = toolplan.load("refunds")
CATALOG = Catalog(RealTool(name) for name in dict.fromkeys(tool.call_name for tool in REFUNDS.tools.values()))
ANN = Principal(
    "ann",
    roles=frozenset({"refund_agent"}),
    scopes=frozenset(scope for tool in REFUNDS.tools.values() for scope in tool.evidence.scopes),
    clearances=frozenset({"personal", "payment"}),
)
EUROS = {"amount_minor": 24000, "currency": "EUR"}
ANSWERS: Mapping[str, object] = {
    "search_customers": {"customers": [{"id": "cus_1"}]},
    "list_charges": {"charges": [{"id": "ch_2", **EUROS}]},
    "find_original": {"same_purpose": [{"id": "ch_1"}]},
    "read_payment_events": {"event": {"state": "settled"}},
    "read_refund_policy": {"refund_window_days": 30},
    "check_eligibility": {"status": "eligible", "refundable": EUROS},
    "billing-refunds-propose": {"refund": {"id": "re_1"}},
    "billing-refunds-execute": {},
    "billing-refunds-get": {"refund": {"status": "succeeded"}},
}
SAID: Mapping[str, Mapping[str, object]] = {"list_charges": {"filter": "annual"}}
"""The arguments that only a model can say."""


class Walked(NamedTuple):
    """What an agent did: each call that ran, with its arguments, and the receipts of all, by kind and content, in their file."""

    ran: list[tuple[str, Mapping[str, object]]]
    receipts: list[tuple[str, dict[str, Any]]]
    file: Path

    def of(self, kind: str, **content: object) -> list[dict[str, Any]]:
        """What the receipts of a kind say that say this."""
        return [said for is_a, said in self.receipts if is_a == kind and content.items() <= said.items()]

    @property
    def decided(self) -> str:
        """The last decision."""
        decision: str = self.of("decision")[-1]["decision"]
        return decision


def walk(folder: Path, answers: Mapping[str, object] = ANSWERS, *, approved: bool = True, redact: Redaction = "none") -> Walked:
    """An agent calls what is next, and an approver answers what is put to that role, until nothing is next or a call is refused."""
    contracts = REFUNDS.for_principal(ANN, lambda tool: enabled(tool, {"billing-prod": "3.2.4"}))
    session = Session(contracts, state=STATE, catalog=CATALOG, clock=lambda: NOON, id="refund")
    gate = Gate(session, principal=ANN, receipts=FileReceipts(folder, redact=redact))
    gate.hear(REQUEST, TurnReading(REQUEST, reading_of(REQUEST, [((GOAL,), 1.0)])))
    ran: list[tuple[str, Mapping[str, object]]] = []

    def answered(tool: str, arguments: Mapping[str, object]) -> object:
        ran.append((tool, arguments))
        answer = answers[tool]
        if isinstance(answer, Exception):
            raise answer
        return answer

    verdict: object = None
    while not isinstance(verdict, Refuse):
        match gate.next().decision:
            case toolplan.Act(step=step):
                tool = contracts.tools[step.action].call_name
                with suppress(TimeoutError):
                    verdict = gate.run(ToolCall(f"call-{len(ran)}", tool, SAID.get(tool, {})), partial(answered, tool))
            case toolplan.Clarify():
                gate.answer(approved, by="payments_approver")
            case _:
                break
    [file] = folder.glob("*.jsonl")
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return Walked(ran, [(line["kind"], line["content"]) for line in lines], file)


def test_each_step_is_a_decision_a_verdict_and_an_outcome_and_the_money_is_read(tmp_path: Path) -> None:
    walked = walk(tmp_path)
    assert [tool for tool, _ in walked.ran] == [
        "search_customers",
        "list_charges",
        "find_original",
        "read_payment_events",
        "read_payment_events",
        "read_refund_policy",
        "check_eligibility",
        "billing-refunds-propose",
        "billing-refunds-execute",
        "billing-refunds-get",
    ]
    allowed, done = walked.of("verdict", verdict="allow"), walked.of("outcome", outcome="done")
    assert [said["tool"] for said in allowed] == [said["tool"] for said in done] == [tool for tool, _ in walked.ran]
    assert [said["call"] for said in allowed] == [said["call"] for said in done]
    # What has been done is told by whoever can know it.
    assert [said["tool"] for said in done if said["verifies"] == ["refunded(x)"]] == ["billing-refunds-get"]
    assert walked.decided == "done"


def test_the_receipt_of_a_call_says_what_was_shown_chosen_and_allowed_and_for_whom(tmp_path: Path) -> None:
    walked = walk(tmp_path)
    before = next(said for said in walked.of("decision") if "billing-refunds-propose" in said["callable"])
    assert before["domain"] == {"name": "refunds", "digest": walked.of("decision")[0]["domain"]["digest"]}
    assert (before["principal"]["subject"], before["principal"]["roles"]) == ("ann", ["refund_agent"])
    assert before["reading"]["request"] == REQUEST
    assert before["goal"] == [GOAL]
    assert before["callable"] == ["billing-refunds-propose", "read_refund_policy", "request_human", "cancel_run"]
    [proposal] = walked.of("verdict", tool="billing-refunds-propose")
    assert (proposal["risk"], proposal["owner"], proposal["version"]) == ("proposal", "payments-platform", "3.2.1")
    assert proposal["schema"] == CATALOG["billing-refunds-propose"].digest
    made = dict(walked.ran)["billing-refunds-propose"]
    assert {name: said["value"] for name, said in proposal["arguments"].items()} == made
    assert (made["charge_id"], made["duplicate_of"], made["amount_minor"]) == ("ch_2", "ch_1", 24000)
    assert {name: said["source"] for name, said in proposal["arguments"].items() if said["source"] != "observed"} == {
        "reason": "caller",
        "idempotency_key": "caller",
    }


def test_an_approver_sees_the_call_and_the_receipt_says_who_agreed(tmp_path: Path) -> None:
    walked = walk(tmp_path)
    [answer] = walked.of("answer", answer=True)
    made = dict(walked.ran)["billing-refunds-execute"]
    assert answer["by"] == "payments_approver"
    assert all(f"{name} = {json.dumps(value)}" in answer["question"] for name, value in made.items())


def test_what_an_approver_refuses_does_not_run_and_is_not_proposed_again(tmp_path: Path) -> None:
    walked = walk(tmp_path, approved=False)
    assert [tool for tool, _ in walked.ran][-1:] == ["billing-refunds-propose"]
    assert len(walked.of("verdict", tool="billing-refunds-propose")) == 1
    assert [said["by"] for said in walked.of("answer", answer=False)] == ["payments_approver"]
    assert walked.decided == "blocked"


@pytest.mark.parametrize(
    ("answers", "last", "decided"),
    [
        ({"search_customers": {"customers": []}}, "search_customers", "blocked"),
        ({"find_original": {"same_purpose": []}}, "find_original", "blocked"),
        ({"read_payment_events": {"event": {"state": "authorized"}}}, "read_payment_events", "blocked"),
        ({"check_eligibility": {"status": "window_over"}}, "check_eligibility", "blocked"),
    ],
)
def test_where_a_refund_fails_the_receipts_say_at_which_step(answers: dict[str, object], last: str, decided: str, tmp_path: Path) -> None:
    walked = walk(tmp_path, {**ANSWERS, **answers})
    assert walked.of("outcome")[-1]["tool"] == walked.ran[-1][0] == last
    assert walked.decided == decided


def test_an_amount_above_the_charge_is_refused_with_the_rule(tmp_path: Path) -> None:
    walked = walk(tmp_path, {**ANSWERS, "check_eligibility": {"status": "eligible", "refundable": {**EUROS, "amount_minor": 24001}}})
    [refused] = walked.of("verdict", verdict="refuse")
    assert refused["tool"] == "billing-refunds-propose"
    assert "amount(x) <= charged(x)" in refused["detail"]
    assert "billing-refunds-propose" not in dict(walked.ran)


def test_an_order_that_gets_no_answer_is_in_doubt_and_read_and_not_given_again(tmp_path: Path) -> None:
    walked = walk(tmp_path, {**ANSWERS, "billing-refunds-execute": TimeoutError()})
    assert [said["outcome"] for said in walked.of("outcome", tool="billing-refunds-execute")] == ["in doubt"]
    assert [tool for tool, _ in walked.ran][-2:] == ["billing-refunds-execute", "billing-refunds-get"]
    assert walked.decided == "done"


def test_the_file_is_whole_and_holds_no_value_as_it_is_written_by_default(tmp_path: Path) -> None:
    walked = walk(tmp_path, redact="digests")
    text = walked.file.read_text("utf-8")
    assert not [value for value in ("Acme Ltd", "cus_1", "ch_2", "24000", REQUEST) if value in text]
    ran = run("audit", str(walked.file), "--json")
    assert ran.returncode == Exit.OK
    assert json.loads(ran.stdout)["outcomes"] == {"done": 10}
