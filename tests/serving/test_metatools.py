"""The constant tools over conversations, in front of a real server in this process, and without one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from mcp_types import ElicitResult
from serving.bank import (
    ADMIN,
    ANN,
    AWAY,
    BANK,
    BOB,
    CONTRACTS,
    NO,
    PAY,
    SECRET,
    SUPERVISED,
    YES,
    Counter,
    Ledger,
    Teller,
    Words,
    alone,
    bank,
    callable_in,
    run,
    told,
    wrong,
)

import toolplan
from toolplan.domain import Principal
from toolplan.language.diagnostics import DomainError
from toolplan.receipts import FileReceipts
from toolplan.serving.desk import Desk, NotFound
from toolplan.serving.handles import Handles
from toolplan.serving.metatools import MetaTools, Passed, Told
from toolplan.session.stores import MemoryStore, SQLiteStore

FACTS = ElicitResult(action="accept", content={"account": "DE12"})


# A request, from its words to its end


def test_a_request_goes_from_words_to_done(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            assert callable_in(told(await ann.begin())) == ["get-balance"]
            seen = await ann.use("call", tool="get-balance")
            assert isinstance(seen, Passed)
            assert seen.data["outcome"] == "done" and callable_in(seen.data["next"]) == ["pay-bill"]
            user = Teller([YES])
            paid = told(await ann.use("call", user, tool="pay-bill"))
            assert paid["outcome"] == "done"
            assert "DE12" in user.forms[0] and "30" in user.forms[0]
            assert user.told == [(1, 2, "half")]

    run(test)
    assert ledger.paid == [("DE12", 30)]


def test_what_is_asked_of_the_user_is_asked_by_a_form_and_answered_there(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            user = Teller([FACTS])
            assert callable_in(told(await Counter(desk).begin("pay 30", user))) == ["get-balance"]
            assert len(user.forms) == 1

    run(test)


def test_without_a_form_the_model_passes_the_answer_on_and_a_person_sees_it_before_anything_is_paid(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            asked = told(await ann.begin("pay 30"))
            assert asked["decision"] == "clarify" and "account" in str(asked["question"])
            assert callable_in(told(await ann.use("answer", answer="DE99"))) == ["get-balance"]
            await ann.use("call", tool="get-balance")
            assert "waits for the user" in wrong(await ann.use("call", tool="pay-bill"))

    run(test)
    assert not ledger.paid


def test_an_answer_to_nothing_is_refused(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin()
            assert "no question is open" in wrong(await ann.use("answer", answer="DE12"))

    run(test)


# Permissions


@pytest.mark.parametrize("answer", [NO, AWAY, ElicitResult(action="accept", content={"answer": False}), ElicitResult(action="accept")])
def test_a_call_that_nobody_agreed_to_stays_closed(answer: ElicitResult, tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            assert wrong(await ann.use("call", Teller([answer]), tool="pay-bill"))
            assert wrong(await ann.use("call", tool="pay-bill"))

    run(test)
    assert not ledger.paid


def test_a_client_that_cannot_ask_leaves_risky_steps_closed_and_says_so(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            for _ in range(3):
                assert "stays closed" in wrong(await ann.use("call", tool="pay-bill"))

    run(test)
    assert not ledger.paid


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("answer", {"answer": True}),
        ("answer", {"answer": "yes"}),
        ("frontier", {"said": "yes, I agree, go on"}),
        ("frontier", {"said": "yes"}),
        ("call", {"tool": "pay-bill", "arguments": {"confirmed": True}}),
        ("call", {"tool": "pay-bill", "arguments": {"to": "DE12", "sum": 30}}),
        ("call", {"tool": "answer", "arguments": {"answer": True}}),
        ("report", {"call": "call 3", "result": {"paid": True}}),
    ],
)
def test_the_model_cannot_agree_for_the_user(tool: str, arguments: dict[str, object], tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            wrong(await ann.use("call", tool="pay-bill"))
            await ann.use(tool, **arguments)
            wrong(await ann.use("call", tool="pay-bill"))

    run(test)
    assert not ledger.paid


def test_what_was_agreed_to_is_that_call_alone(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            assert wrong(await ann.use("call", Teller([YES]), tool="pay-bill", arguments={"to": "DE66", "sum": 30}))
            told(await ann.use("call", Teller([YES]), tool="pay-bill"))
            assert wrong(await ann.use("call", Teller([YES]), tool="pay-bill"))

    run(test)
    assert ledger.paid == [("DE12", 30)]


def test_an_operator_decides_once_and_only_in_their_role(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger, contracts=SUPERVISED) as desk:
            ann, user = Counter(desk), Teller([YES])
            await ann.begin()
            await ann.use("call", tool="get-balance")
            assert "supervisor" in wrong(await ann.use("call", user, tool="pay-bill"))
            assert not user.forms
            (live,) = desk.live()
            assert live.pending is not None and live.pending.by == "supervisor" and live.principal == ANN
            with pytest.raises(DomainError, match="supervisor"):
                desk.approve(live.session, live.pending.question, "", yes=True)
            with pytest.raises(NotFound):
                desk.approve(live.session, "another", "supervisor", yes=True)
            desk.approve(live.session, live.pending.question, "supervisor", yes=True)
            with pytest.raises(NotFound):
                desk.approve(live.session, live.pending.question, "supervisor", yes=False)
            now = told(await ann.use("frontier"))
            assert now["ready"] == {"tool": "pay-bill", "arguments": {"to": "DE12", "sum": 30}}
            assert told(await ann.use("call", tool="pay-bill"))["outcome"] == "done"

    run(test)
    assert ledger.paid == [("DE12", 30)]


# Handles


def test_the_handle_of_another_is_not_found_in_the_words_for_none_at_all(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin()
            others = [BOB, Principal("ann", tenant="other"), Principal("ann", roles=frozenset({"admin"})), Principal()]
            for tool in ("frontier", "call", "answer", "explain", "discover"):
                arguments = {"call": {"tool": "get-balance"}, "answer": {"answer": 1}, "explain": {"tool": "x"}, "discover": {"query": "x"}}
                said = set()
                for principal in others:
                    bob = Counter(desk, principal)
                    bob.handle = ann.handle
                    said.add(wrong(await bob.use(tool, **arguments.get(tool, {}))))
                for handle in ("", "no handle", ann.handle[:-1], ann.handle + "\0", "ü" * 5_000):
                    none = Counter(desk)
                    none.handle = handle
                    said.add(wrong(await none.use(tool, **arguments.get(tool, {}))))
                assert said == {str(NotFound())}

    run(test)


def test_handles_differ_and_need_a_secret() -> None:
    handles = Handles(SECRET)
    assert len({handles.new() for _ in range(100)}) == 100
    assert handles.session("one", ANN) == Handles(SECRET).session("one", ANN) != Handles(SECRET[::-1]).session("one", ANN)
    assert handles.session("one", Principal("a", "b")) != handles.session("one", Principal("a\0b"))
    with pytest.raises(DomainError, match="32 bytes"):
        Handles(b"short")


def test_any_process_takes_a_conversation_up(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with (
            bank(tmp_path, ledger, store=SQLiteStore(tmp_path / "store.db")) as one,
            bank(tmp_path, ledger, store=SQLiteStore(tmp_path / "store.db")) as other,
        ):
            ann, later = Counter(one), Counter(other)
            await ann.begin()
            later.handle = ann.handle
            await later.use("call", tool="get-balance")
            assert callable_in(told(await ann.use("frontier"))) == ["pay-bill"]
            told(await later.use("call", Teller([YES], call_id="p"), tool="pay-bill"))
            assert wrong(await ann.use("call", Teller([YES], call_id="q"), tool="pay-bill"))

    run(test)
    assert ledger.paid == [("DE12", 30)]


def test_the_conversations_used_last_are_at_hand_and_the_others_are_taken_up_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger(), most=2) as desk:
            callers = [Counter(desk) for _ in range(3)]
            for caller in callers:
                await caller.begin()
            assert len(desk.live()) == 2
            told(await callers[0].use("call", tool="get-balance"))
            assert callable_in(told(await callers[0].use("frontier"))) == ["pay-bill"]

    run(test)


# Calls that do not end well


def test_a_call_that_is_cut_off_is_in_doubt_and_not_made_again(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            ledger.open.clear()
            call = asyncio.create_task(ann.use("call", Teller([YES]), tool="pay-bill"))
            await ledger.began.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert not desk.find(ann.handle, ANN).session.running
            assert "pay-bill" not in callable_in(told(await ann.use("frontier")))

    run(test)
    assert not ledger.paid


def test_a_call_of_a_process_that_was_lost_is_given_up_in_time(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            bank(tmp_path, Ledger(), store=SQLiteStore(tmp_path / "store.db")) as lost,
            bank(tmp_path, Ledger(), store=SQLiteStore(tmp_path / "store.db"), patience=0.0) as other,
        ):
            ann, later = Counter(lost), Counter(other)
            await ann.begin()
            lost.find(ann.handle, ANN).session.propose("get-balance", id="begun and never ended")
            later.handle = ann.handle
            assert callable_in(told(await later.use("frontier"))) == ["get-balance"]

    run(test)


def test_the_same_call_sent_twice_runs_once(tmp_path: Path) -> None:
    ledger = Ledger()

    async def test() -> None:
        async with bank(tmp_path, ledger) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            (first, second) = [Teller([YES], call_id="mine"), Teller([YES], call_id="mine")]
            wrong(await ann.use("call", Teller(call_id="mine"), tool="pay-bill"))
            (live,) = desk.live()
            assert live.pending is not None
            desk.approve(live.session, live.pending.question, "", yes=True)
            both = await asyncio.gather(ann.use("call", first, tool="pay-bill"), ann.use("call", second, tool="pay-bill"))
            assert [told(answer)["outcome"] for answer in both] == ["done", "done"]

    run(test)
    assert ledger.paid == [("DE12", 30)]


# Explaining and searching


def test_explain_says_why_a_tool_is_hidden_and_what_would_open_it(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin()
            (reason,) = told(await ann.use("explain", tool="pay-bill"))["reasons"]  # type: ignore[misc]  # JSON, whose shape the test expects
            assert reason["reason"] == "on_best_plan_later" and "get_balance" in reason["remedy"]
            assert told(await ann.use("explain", tool="get-balance"))["callable"] is True

    run(test)


def test_what_the_principal_may_not_use_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann, ada = Counter(desk), Counter(desk, ADMIN)
            await ann.begin("close the account")
            await ada.begin("close the account")
            hidden, none = [wrong(await ann.use("explain", tool=name)) for name in ("close-account", "nosuch-account")]
            assert hidden == none.replace("nosuch-account", "close-account")
            assert "close" not in json.dumps(told(await ann.use("discover", query="close account")))
            assert "close-account" in wrong(await ann.use("call", tool="close-account"))
            assert told(await ada.use("explain", tool="close-account"))["callable"] is True

    run(test)


def test_explain_without_a_goal_says_that_there_is_none(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin("good morning")
            (reason,) = told(await ann.use("explain", tool="pay-bill"))["reasons"]  # type: ignore[misc]  # JSON, whose shape the test expects
            assert reason["reason"] == "no_goal"

    run(test)


def test_discover_shows_the_schema_of_what_can_be_called_and_the_reason_for_what_cannot(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin()
            first, second = told(await ann.use("discover", query="SEND money"))["tools"]  # type: ignore[misc]  # JSON, whose shape the test expects
            assert first["name"] == "pay-bill" and not first["callable"] and "schema" not in first and first["reasons"]
            assert second["name"] == "get-balance" and second["callable"] and second["schema"]["type"] == "object"
            assert told(await ann.use("discover", query="aeroplane"))["tools"] == []

    run(test)


def test_a_tool_without_a_contract_that_was_found_may_be_called_from_then_on(tmp_path: Path) -> None:
    contracts = """
        domain d "A bank without contracts" fact seen
        tool look calls "get-balance" { "Show the money." produces seen risk read }
        goal see { achieves seen phrases "show the money" }
        policy { risk read 0 safe uncontracted explore budget 1 }
    """

    async def test() -> None:
        async with bank(tmp_path, Ledger(), contracts=toolplan.loads(contracts)) as desk:
            ann, other = Counter(desk), Counter(desk)
            for counter in (ann, other):
                assert callable_in(told(await counter.begin("close the account"))) == []
            (found,) = told(await ann.use("discover", query="close account"))["tools"]  # type: ignore[misc]  # JSON, whose shape the test expects
            assert found["name"] == "close-account" and found["callable"]
            assert callable_in(told(await ann.use("frontier"))) == ["close-account"]
            assert callable_in(told(await other.use("frontier"))) == []
            # It is open, and nobody has agreed to it.
            assert "waits for the user" in wrong(await ann.use("call", tool="close-account"))

    run(test)


def test_of_versions_of_a_tool_the_newest_is_found_with_when_not_to_use_it() -> None:
    avoid = 'do not use when "the money is needed for the rent"'
    older = 'tool pay_old calls "pay-old" { "Send money to an account." produces paid risk send }\n'
    text = CONTRACTS.replace("produces paid\n", f"produces paid supersedes `pay-old` {avoid}\n").replace("goal pay", f"{older}goal pay", 1)

    async def test() -> None:
        ann = Counter(alone(toolplan.loads(text)))
        await ann.begin()
        answer = await ann.use("discover", query="send money to an account")
        first, second = told(answer)["tools"]  # type: ignore[misc]  # JSON, whose shape the test expects
        assert (first["name"], second["name"]) == ("pay-bill", "get-balance")
        assert first["avoid"] == ["the money is needed for the rent"] and "avoid" not in second
        assert isinstance(answer, Told) and "Do not use it when the money is needed for the rent." in answer.text

    run(test)


# Results that are reported


def test_without_servers_a_call_is_let_through_and_its_result_is_reported() -> None:
    async def test() -> None:
        ann = Counter(alone())
        await ann.begin()
        let = told(await ann.use("call", tool="get-balance"))
        assert let["tool"] == "get-balance" and let["arguments"] == {}
        assert "no call of this id" in wrong(await ann.use("report", call="another", result={}))
        await ann.use("report", call=let["call"], result={"balance": 100})
        assert "no call of this id" in wrong(await ann.use("report", call=let["call"], result={"balance": 1_000_000}))

    run(test)


def test_a_call_that_was_reported_is_not_let_through_again_under_its_id_in_any_process() -> None:
    async def test() -> None:
        store = MemoryStore()
        ann, later = (Counter(Desk(BANK, store=store, secret=SECRET, reader=Words())) for _ in range(2))
        await ann.begin()
        later.handle = ann.handle
        let = told(await ann.use("call", Teller(call_id="mine"), tool="get-balance"))
        assert told(await ann.use("call", Teller(call_id="mine"), tool="get-balance")) == let  # nobody may have heard it
        await later.use("report", call="mine", result={"balance": 100})
        assert "has been made" in wrong(await ann.use("call", Teller(call_id="mine"), tool="get-balance"))
        assert "has been made" in wrong(await later.use("call", Teller(call_id="mine"), tool="get-balance"))

    run(test)


def test_what_is_reported_is_uncertain_so_that_nothing_above_safe_rests_on_it() -> None:
    async def test() -> None:
        desk = alone()
        ann = Counter(desk)
        await ann.begin()
        let = told(await ann.use("call", tool="get-balance"))
        now = told(await ann.use("report", call=let["call"], result={"balance": 100}))
        assert "pay-bill" not in callable_in(now)
        frame = desk.find(ann.handle, ANN).session.memory
        assert "balance" in {atom.fact for atom in frame.state(desk.domain, 2e9, frame.active).uncertain}

    run(test)


def test_report_is_there_only_where_nobody_else_sees_results(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            assert [tool.name for tool in MetaTools(desk).listed] == ["frontier", "call", "answer", "explain", "discover"]
        assert [tool.name for tool in MetaTools(alone()).listed][5:] == ["report"]

    run(test)


# Garbage and secrets


@pytest.mark.parametrize("tool", ["frontier", "call", "answer", "explain", "discover", "report", "nosuch", ""])
def test_garbage_gets_an_answer(tool: str, tmp_path: Path) -> None:
    garbage: list[dict[str, object]] = [
        {},
        {"conversation": 5},
        {"conversation": None},
        {"conversation": "x", "tool": ["a"], "answer": {"\ud800": float("inf")}, "query": {}, "said": 3},
        {"more": "x" * 100_000},
    ]

    async def test() -> None:
        ann = Counter(alone())
        await ann.begin()
        for arguments in garbage:
            await ann.tools.use(tool, arguments, ANN, Teller(call_id="g"))
        deep: object = 1
        for _ in range(500):
            deep = [deep]
        for value in ("", "\0", deep, "x" * 100_000, {"a": float("nan")}, None, -1):
            await ann.use("answer", answer=value)
            await ann.use("call", tool="get-balance", arguments={"x": value})
            await ann.use("discover", query=str(value))
            await ann.use("explain", tool=str(value))
            await ann.use("report", call="call 1", result=value)

    run(test)


def test_no_handle_is_in_the_store_or_in_receipts(tmp_path: Path) -> None:
    store = MemoryStore()

    async def test() -> None:
        async with bank(tmp_path, Ledger(), store=store, receipts=FileReceipts(tmp_path / "receipts")) as desk:
            ann = Counter(desk)
            await ann.begin()
            await ann.use("call", tool="get-balance")
            await ann.use("call", Teller([YES]), tool="pay-bill")
            session = desk.find(ann.handle, ANN).session.id
            kept = "\n".join([*store.events(session), *(file.read_text("utf-8") for file in (tmp_path / "receipts").iterdir())])
            assert session in kept and ann.handle not in kept and SECRET.decode() not in kept
            bob = Counter(desk, BOB)
            bob.handle = ann.handle
            assert ann.handle not in wrong(await bob.use("frontier"))

    run(test)


def test_what_a_server_breaks_down_with_is_not_told(tmp_path: Path) -> None:
    class Broken:
        def __init__(self, whole: Desk) -> None:
            assert whole.upstreams is not None
            self.catalog = whole.upstreams.catalog

        async def call(self, *_: object) -> object:
            raise RuntimeError("token=hunter2")

    async def test() -> None:
        async with bank(tmp_path, Ledger()) as whole:
            desk = Desk(whole.domain, store=MemoryStore(), secret=SECRET, upstreams=Broken(whole), reader=Words())
            ann = Counter(desk)
            await ann.begin()
            assert "hunter2" not in wrong(await ann.use("call", tool="get-balance"))

    run(test)


def test_what_the_user_said_is_taken_up_once_when_a_request_comes_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with bank(tmp_path, Ledger()) as desk:
            ann = Counter(desk)
            await ann.begin()
            before = len(desk.find(ann.handle, ANN).session.snapshot().splitlines())
            again = await ann.tools.use("frontier", {"said": PAY}, ANN, Teller(resumes=ann.handle))
            assert told(again)["conversation"] == ann.handle
            assert len(desk.find(ann.handle, ANN).session.snapshot().splitlines()) == before

    run(test)
