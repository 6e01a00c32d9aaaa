"""The gate: what may run, once, in which order, and what is remembered of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool, prefixed, real_tools
from toolplan.domain import Domain, Principal
from toolplan.frontier import Act, CallQuestion, Clarify, Done, Explore
from toolplan.gate import Allow, Gate, Hold, Mode, Permit, Ran, Refuse, ToolCall
from toolplan.language.diagnostics import DomainError
from toolplan.receipts import FileReceipts, Kind
from toolplan.session import Outcome, Session, Settings

SHOP = """
domain shop "Refunds"
type order
fact charged(order): decimal "what was paid"
fact amount: decimal "how much is to be given back"
fact refunded(order)
fact told(order)
tool look_up(o: order) calls "orders.get" {
  "Look an order up."
  produces charged(o)
  returns charged(o) = $.charged
  risk read
}
tool refund(o: order) calls "orders.refund" {
  "Give money back."
  requires charged(o), amount
  passes   order = o, amount = amount
  checks   amount <= charged(o), amount > 0
  key      idempotency_key
  produces refunded(o)
  scopes   "orders:write"
  risk write
}
tool tell(o: order) calls "mail.send" {
  "Tell the customer."
  requires refunded(o)
  passes   order = o, text free
  produces told(o)
  risk send
}
goal refunds(o: order) { "Give money back" achieves refunded(o) given amount phrases "refund my order" }
goal informs(o: order) { "Tell them of the refund" achieves told(o) given amount phrases "let them know" }
policy { uncontracted explore }
"""
DOMAIN = toolplan.loads(SHOP)
REFUND_SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"type": "string"},
        "amount": {"type": "number", "maximum": 100},
        "idempotency_key": {"type": "string"},
    },
    "required": ["order", "amount", "idempotency_key"],
    "additionalProperties": False,
}
LISTED = [
    {"name": "orders.get", "inputSchema": {"type": "object"}},
    {"name": "orders.refund", "inputSchema": REFUND_SCHEMA},
    {"name": "mail.send", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
    {"name": "weather", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    {"name": "clock", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]
CATALOG = Catalog(real_tools(LISTED, "shop"))


def talk(
    amount: object = 5, *, domain: Domain = DOMAIN, catalog: Catalog = CATALOG, goal: str = "refunds(o1)", **settings: object
) -> Session:
    session = Session(domain, state={"amount": amount}, catalog=catalog, settings=Settings(**settings))  # type: ignore[arg-type]
    session.want(goal)
    return session


def allowed(gate: Gate, call: ToolCall) -> Permit:
    verdict = gate.check(call)
    assert isinstance(verdict, Allow), verdict
    return verdict.permit


def refused(gate: Gate, tool: str, arguments: object = None, *, id: str = "x") -> str:
    verdict = gate.check(ToolCall(id, tool, {} if arguments is None else arguments))
    assert isinstance(verdict, Refuse), verdict
    return verdict.message


def looked_up(gate: Gate, charged: object = 10) -> None:
    ran = gate.run(ToolCall("look", "orders.get", {}), lambda _: {"charged": charged})
    assert isinstance(ran, Ran) and ran.outcome is Outcome.DONE


def test_a_call_that_is_not_next_is_refused_and_names_only_what_is() -> None:
    gate = Gate(talk())
    assert refused(gate, "orders.refund") == "`orders.refund` cannot be called now; what can be called now: `orders.get`."
    assert "refund" not in refused(gate, "delete_everything", id="y")


def test_a_tool_runs_with_the_arguments_of_its_permit() -> None:
    gate = Gate(talk())
    looked_up(gate)
    seen: list[Mapping[str, object]] = []
    ran = gate.run(ToolCall("pay", "orders.refund", {"order": "o1"}), seen.append)
    assert isinstance(ran, Ran)
    assert seen[0]["order"] == "o1" and seen[0]["amount"] == 5 and seen[0]["idempotency_key"]
    assert isinstance(gate.next().decision, Done)


def test_what_was_agreed_to_has_no_id_of_a_call_that_was_refused() -> None:
    gate = Gate(talk(domain=toolplan.loads(SHOP.replace("  risk write\n", "  risk write\n  confirm\n"))))
    for number in range(1, 4):
        refused(gate, "orders.refund", id=f"call_{number}")
    looked_up(gate)
    assert isinstance(gate.next().decision, Clarify)
    gate.answer(True)
    decision = gate.next().decision
    assert isinstance(decision, Act) and decision.ready is not None
    ready = decision.ready
    assert isinstance(gate.run(ToolCall(ready.id, ready.tool, ready.values), lambda _: "ok"), Ran)


def test_a_permit_opens_one_execution_and_the_second_gets_its_result() -> None:
    gate = Gate(talk())
    first, second = (allowed(gate, ToolCall("a", "orders.get", {})) for _ in range(2))
    assert first is second
    assert first.open() and not second.open()
    gate.observe(first, {"charged": 10})
    pay = ToolCall("pay", "orders.refund", {})
    times = [gate.run(pay, lambda _: object()) for _ in range(3)]
    assert times[0] == times[1] == times[2]


def by_hand(permit: Permit) -> Permit:
    """As hosts make it that know only the call of a result."""
    return Permit(ToolCall(permit.id, permit.tool, permit.arguments), permit.call)


@pytest.mark.parametrize("opened", [lambda permit: permit.open(), lambda permit: None], ids=["opened", "unopened"])
@pytest.mark.parametrize("held", [lambda permit: permit, by_hand], ids=["the permit", "another permit"])
def test_what_was_observed_by_hand_has_run(opened: Callable[[Permit], object], held: Callable[[Permit], Permit]) -> None:
    gate, look = Gate(talk()), ToolCall("a", "orders.get", {})
    permit = allowed(gate, look)
    opened(permit)
    gate.observe(held(permit), {"charged": 10})
    assert not permit.open()
    assert _run_apart(gate, look) == Ran({"charged": 10}, Outcome.DONE)
    pay = ToolCall("b", "orders.refund", {})
    permit = allowed(gate, pay)
    opened(permit)
    gate.observe(held(permit), RuntimeError("declined"))
    with pytest.raises(RuntimeError, match="declined"):
        _run_apart(gate, pay)


def test_who_waits_for_a_result_that_cannot_be_taken_in_hears_why() -> None:
    class Full:
        def write(self, session: str, kind: Kind, content: Mapping[str, object]) -> None:
            if kind == "outcome":
                raise OSError("no space left")

    gate, look = Gate(talk(), receipts=Full()), ToolCall("a", "orders.get", {})
    permit = allowed(gate, look)
    permit.open()
    with pytest.raises(OSError, match="no space left"):
        gate.observe(permit, {"charged": 10})
    with pytest.raises(OSError, match="no space left"):
        _run_apart(gate, look)


def _run_apart(gate: Gate, call: ToolCall) -> object:
    """What a second run of `call` gives, which nobody may have to wait for."""

    async def again(_: object) -> object:
        raise AssertionError("it ran twice")

    async def soon() -> object:
        return await asyncio.wait_for(gate.arun(call, again), 10)

    return asyncio.run(soon())


def test_nobody_borrows_the_verdict_on_another_call() -> None:
    gate = Gate(talk())
    allowed(gate, ToolCall("a", "orders.get", {}))
    assert "another call has this id" in refused(gate, "orders.refund", id="a")
    refusal = refused(gate, "orders.refund", {"order": "o1"}, id="b")
    assert refused(gate, "orders.refund", {"order": "o1"}, id="b") == refusal
    assert "another call has this id" in refused(gate, "orders.refund", {"order": "o2"}, id="b")


def test_a_refusal_outlives_the_process() -> None:
    session = talk()
    refusal = refused(Gate(session), "orders.refund", id="b")
    copy = Session.restore(DOMAIN, session.snapshot(), catalog=CATALOG)
    looked_up(Gate(copy))
    assert refused(Gate(copy), "orders.refund", id="b") == refusal
    assert copy.id == session.id


def test_a_call_that_was_let_through_elsewhere_does_not_run_twice() -> None:
    session = talk()
    allowed(Gate(session), ToolCall("a", "orders.get", {}))
    copy = Session.restore(DOMAIN, session.snapshot(), catalog=CATALOG)
    assert "let through elsewhere" in refused(Gate(copy), "orders.get", id="a")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"order": "o2"}, "must be what is known"),
        ({"amount": 7}, "must be what is known"),
        ({"nonsense": 1}, "must be what is known"),
        ([], "no JSON object"),
        ("{", "no JSON object"),
        ({"order": float("nan")}, "no JSON values"),
        ({True: True}, "no JSON values"),
        ({"order": "o" * 2_000_000}, "more than 1000000 bytes"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments: object, reason: str) -> None:
    gate = Gate(talk())
    looked_up(gate)
    assert reason in refused(gate, "orders.refund", arguments)


def test_deep_arguments_are_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    gate = Gate(talk())
    assert "no JSON values" in refused(gate, "orders.get", {"a": deep})


def test_arguments_are_checked_against_the_real_schema() -> None:
    gate = Gate(talk(101))
    looked_up(gate, 1000)
    assert "101 is greater than the maximum of 100" in refused(gate, "orders.refund")
    assert isinstance(gate.next().decision, Act) and gate.next().decision.ready is None  # type: ignore[union-attr]


def test_a_check_that_does_not_hold_refuses_and_so_does_an_unknown_value() -> None:
    gate = Gate(talk(11))
    looked_up(gate)
    assert "`amount <= charged(o)` is not known to hold" in refused(gate, "orders.refund")
    unknown = Gate(talk(0))
    looked_up(unknown)
    assert "`amount > 0` is not known to hold" in refused(unknown, "orders.refund")
    without = Session(DOMAIN, state={"charged(o1)", "amount"}, catalog=CATALOG)
    without.want("refunds(o1)")
    assert "`amount <= charged(o)`" in refused(Gate(without), "orders.refund", {"amount": 5})


def test_the_idempotency_key_is_the_same_on_retry_and_another_for_every_other_request() -> None:
    session = Session(DOMAIN, state={"charged(o1)": 10, "amount": 5}, catalog=CATALOG)
    gate = Gate(session)
    keys = []
    for request in range(2):
        session.want("refunds(o1)")
        for attempt in range(2):
            call = ToolCall(f"{request}{attempt}", "orders.refund", {"idempotency_key": "of the model"})
            permit = allowed(gate, call)
            keys.append(permit.arguments["idempotency_key"])
            gate.withdraw(permit)
        gate.session.hear("stop")
    assert keys[0] == keys[1] and keys[2] == keys[3] and keys[0] != keys[2] and "of the model" not in keys


def test_calls_of_one_turn_wait_for_those_before_them() -> None:
    gate = Gate(talk())
    gate.turn(["first", "second"])
    begun: list[str] = []
    together = threading.Barrier(2)

    def first() -> None:
        together.wait()
        gate.run(ToolCall("first", "orders.get", {}), lambda _: begun.append("first") or {"charged": 10})

    def second() -> None:
        together.wait()
        gate.run(ToolCall("second", "orders.refund", {}), lambda _: begun.append("second"))

    threads = [threading.Thread(target=work) for work in (second, first)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert begun == ["first", "second"]
    assert isinstance(gate.next().decision, Done)


def test_tasks_of_one_turn_wait_without_blocking_the_loop() -> None:
    async def scenario() -> list[str]:
        gate = Gate(talk())
        identities = [f"{number}" for number in range(20)]
        gate.turn(identities)
        begun: list[str] = []

        async def execute(_: Mapping[str, object], name: str) -> object:
            begun.append(name)
            await asyncio.sleep(0)
            return {"charged": 10}

        calls = [ToolCall(name, "orders.get" if name == "0" else "orders.refund", {}) for name in identities]
        done = await asyncio.gather(*(gate.arun(call, lambda a, n=call.id: execute(a, n)) for call in reversed(calls)))  # type: ignore[misc]
        assert sum(isinstance(one, Ran) for one in done) == 2
        return begun

    assert asyncio.run(scenario()) == ["0", "1"]


def test_who_never_gets_a_result_is_waited_for_only_so_long() -> None:
    gate = Gate(talk(), patience=0.05)
    gate.turn(["lost", "second", "third"])
    assert "no result yet" in refused(gate, "orders.get", id="second")
    gate.skip("lost")
    allowed(gate, ToolCall("third", "orders.get", {}))


def test_what_a_tool_raises_is_observed_and_raised() -> None:
    gate = Gate(talk())

    def broken(_: object) -> object:
        raise RuntimeError("no such order")

    with pytest.raises(RuntimeError, match="no such order"):
        gate.run(ToolCall("a", "orders.get", {}), broken)
    assert gate.session.memory.outcomes["a"] is Outcome.RETRY

    def lost(_: object) -> object:
        raise TimeoutError

    sure = Gate(talk())
    looked_up(sure)
    with pytest.raises(TimeoutError):
        sure.run(ToolCall("pay", "orders.refund", {}), lost)
    assert sure.session.memory.outcomes["pay"] is Outcome.IN_DOUBT
    assert "cannot be called now" in refused(sure, "orders.refund")


def test_a_pause_is_no_outcome() -> None:
    class Paused(Exception):
        pass

    gate = Gate(talk())
    call = ToolCall("a", "orders.get", {})

    def pause(_: object) -> object:
        raise Paused

    with pytest.raises(Paused):
        gate.run(call, pause, pauses=(Paused,))
    assert not gate.session.running
    assert isinstance(gate.run(call, lambda _: {"charged": 10}), Ran)


def test_a_hold_shows_the_call_and_on_yes_that_call_runs() -> None:
    session = Session(DOMAIN, state=["refunded(o1)", ("amount")], catalog=CATALOG)
    session.want("informs(o1)")
    gate = Gate(session)
    call = ToolCall("a", "mail.send", {"text": "It is on its way."})
    held = gate.check(call)
    assert isinstance(held, Hold) and held.call.values == {"order": "o1", "text": "It is on its way."}
    assert gate.check(call) == held
    decision = gate.next().decision
    assert isinstance(decision, Clarify) and isinstance(decision.question, CallQuestion)
    gate.answer(True)
    ready = gate.next().decision
    assert isinstance(ready, Act) and ready.ready == held.call
    assert isinstance(gate.run(call, lambda _: "sent"), Ran)


def test_what_is_agreed_to_is_a_call_of_the_tool_that_was_shown() -> None:
    session = Session(DOMAIN, state=["refunded(o1)", "amount"], catalog=CATALOG)
    session.want("informs(o1)")
    gate = Gate(session)
    call = ToolCall("a", "mail.send", {"text": "Hello"})
    assert isinstance(gate.check(call), Hold)
    gate.answer(True)
    swapped = [RealTool(t.name, "Sends it to everybody.", t.schema, t.origin) if t.name == "mail.send" else t for t in CATALOG.values()]
    session.offer(Catalog(swapped))
    now = gate.next().decision
    assert isinstance(now, Act) and now.ready is None
    assert isinstance(gate.check(call), Hold)


def test_tools_without_a_contract_are_opened_where_contracts_end() -> None:
    gate = Gate(talk())
    assert "cannot be called now" in refused(gate, "weather", {"city": "Rome"})
    looked_up(gate)
    gate.run(ToolCall("pay", "orders.refund", {}), lambda _: None)
    assert isinstance(gate.next().decision, Done)
    gate.hear("What is the weather in Rome?")
    decision = gate.next().decision
    assert isinstance(decision, Explore) and decision.tools == ("weather", "clock")
    assert "'city' is a required property" in refused(gate, "weather", {}, id="y")
    call = ToolCall("rome", "weather", {"city": "Rome"})
    assert isinstance(gate.check(call), Hold)
    gate.hear("yes")
    assert isinstance(gate.run(call, lambda _: "rain"), Ran)
    assert "made for this request already" in refused(gate, "weather", {"city": "Rome"}, id="again")


def test_hints_lower_a_risk_only_for_servers_that_are_trusted() -> None:
    for trusted, expected in (((), Hold), (("shop",), Allow)):
        session = Session(DOMAIN, catalog=CATALOG, settings=Settings(trusted=trusted))
        session.hear("What time is it?")
        assert isinstance(Gate(session).check(ToolCall("a", "clock", {})), expected)


def test_hidden_tools_without_a_contract_stay_hidden() -> None:
    hiding = toolplan.loads(SHOP.replace("uncontracted explore", "uncontracted hide"))
    session = Session(hiding, catalog=CATALOG)
    session.hear("What time is it?")
    gate = Gate(session)
    assert gate.next().decision == Explore((), "no goal fits")
    assert refused(gate, "clock") == "`clock` cannot be called now; nothing can be called now: answer in words."


def test_policy_is_checked_again_at_dispatch() -> None:
    who = [Principal(scopes=frozenset({"orders:write"}))]
    gate = Gate(talk(domain=DOMAIN.for_principal(who[0])), principal=lambda: who[0])
    looked_up(gate)
    who[0] = Principal()
    assert "cannot be called now" in refused(gate, "orders.refund", id="a")
    who[0] = Principal(scopes=frozenset({"orders:write"}))
    allowed(gate, ToolCall("b", "orders.refund", {}))


def test_shadow_records_what_would_have_been_refused_and_lets_it_run(tmp_path: Path) -> None:
    gate = Gate(talk(), mode=Mode.SHADOW, receipts=FileReceipts(tmp_path))
    seen: list[object] = []
    assert isinstance(gate.run(ToolCall("a", "orders.refund", {"order": "o1", "amount": 99}), seen.append), Ran)
    assert seen == [{"order": "o1", "amount": 99}]
    assert isinstance(gate.run(ToolCall("b", "orders.get", {}), lambda _: {"charged": 10}), Ran)
    assert gate.next().tools == ("refund",)
    (file,) = tmp_path.glob("*.jsonl")
    verdicts = [json.loads(line)["content"].get("verdict") for line in file.read_text("utf-8").splitlines()]
    assert [verdict for verdict in verdicts if verdict] == ["would-refuse", "allow"]


def test_off_lets_all_run_as_it_came() -> None:
    gate = Gate(talk(), mode=Mode.OFF)
    seen: list[object] = []
    gate.run(ToolCall("a", "anything", {"b": 1}), seen.append)
    assert seen == [{"b": 1}]


def test_every_decision_verdict_answer_and_outcome_has_a_receipt(tmp_path: Path) -> None:
    gate = Gate(talk(), receipts=FileReceipts(tmp_path))
    gate.next()
    refused(gate, "orders.refund")
    looked_up(gate)
    gate.next()
    gate.hear("thank you, Zebulon")
    (file,) = tmp_path.glob("*.jsonl")
    text = file.read_text("utf-8")
    kinds = [json.loads(line).get("kind") for line in text.splitlines()]
    assert [kind for kind in kinds if kind] == ["decision", "verdict", "verdict", "outcome", "decision", "answer"]
    assert "Zebulon" not in text


def test_two_tools_of_one_name_are_reported_with_both_origins() -> None:
    tools = [RealTool("search", origin="mail"), RealTool("search", origin="files")]
    with pytest.raises(DomainError, match="`mail` and `files`"):
        Catalog(tools)
    both = Catalog([*prefixed(tools[:1], "mail_"), *prefixed(tools[1:], "files_")])
    assert list(both) == ["mail_search", "files_search"]


def test_patterns_of_a_schema_take_linear_time_and_nothing_is_fetched_for_it() -> None:
    evil = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^(a+)+$"}}}
    remote = {"type": "object", "properties": {"city": {"$ref": "https://example.org/city.json"}}}
    for schema, reason in ((evil, "does not match"), (remote, "cannot be used")):
        session = Session(DOMAIN, catalog=Catalog([RealTool("weather", schema=schema)]))
        session.hear("weather")
        assert reason in refused(Gate(session), "weather", {"city": "a" * 50_000 + "!"})


def test_a_tool_that_no_server_offers_is_not_planned_with() -> None:
    gate = Gate(talk())
    assert gate.next().tools == ("look_up",)
    gate.session.offer(Catalog([tool for tool in CATALOG.values() if tool.name != "orders.refund"]))
    assert "orders.get" not in refused(gate, "orders.refund")
    assert not isinstance(gate.next().decision, Act)
    gate.session.offer(CATALOG)
    assert gate.next().tools == ("look_up",)
