"""The benchmark of inertia, on extracts of its data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import toolplan
from toolplan.bench.learning import questions_livemcpbench, ready_airline, ready_bfcl, ready_livemcpbench, ready_retail, ready_scienceworld
from toolplan.bench.learning.datasets import DATASETS
from toolplan.bench.learning.growth import growth
from toolplan.bench.learning.inertia import tables
from toolplan.bench.learning.ready import Conversation, Request, Turn, Verdict, played, played_apart
from toolplan.bench.learning.replays import Replayer
from toolplan.bench.learning.saved import saved
from toolplan.learning.selection import Fixed, Settings
from toolplan.learning.traces import Ended, Execution, Failed, Record, Returned, Unknown

DATA = Path(__file__).parent / "data" / "learning"


def test_the_published_runs_are_read() -> None:
    read = {dataset.name: [*dataset.read(DATA / dataset.folder)] for dataset in DATASETS}
    calls = {name: sum(isinstance(record, Execution) for record in records) for name, records in read.items()}
    assert calls == {"scienceworld": 138, "tau1 airline": 44, "tau1 retail": 9, "bfcl": 30, "livemcpbench": 27}
    assert all(records and isinstance(records[-1], Ended) for records in read.values())
    assert any(record.thought for record in read["tau1 airline"] if isinstance(record, Execution))
    assert any(isinstance(record.result, Failed) for record in read["tau1 airline"] if isinstance(record, Execution))


def test_every_table_has_rows_and_every_row_is_json() -> None:
    shown = {titled.title: [row.to_dict() for row in titled.rows] for titled in tables(DATA, sizes=(200,))}
    assert len(shown) == 8
    assert all(shown.values())


def run(name: str, tools: str) -> list[Record]:
    return [*(Execution(name, tool, {}, Returned(None)) for tool in tools), Ended(name, True)]


def test_a_replay_learns_only_from_what_is_past() -> None:
    records = [record for number in range(20) for record in run(str(number), "abcdefghij")]
    first = Replayer(Settings(), counted=lambda name: name == "0").play(records)
    last = Replayer(Settings(), counted=lambda name: name == "19").play(records)
    assert (first.calls, first.acted) == (10, 0)
    assert (last.calls, last.acted, last.right_calls) == (10, 3, 3)


def test_a_wrong_prediction_is_told_from_one_in_another_order_and_saves_nothing() -> None:
    learned = [record for number in range(9) for record in run(str(number), "aabc")]
    settings = Settings(rule=Fixed(cap=0.5))
    later = Replayer(settings, counted="x".__eq__).play([*learned, *run("x", "aacb")])
    assert (later.acted, later.right_calls, later.later, later.wrong) == (1, 0, 1, 0)
    never = Replayer(settings, counted="x".__eq__).play([*learned, *run("x", "aacc")])
    assert (never.acted, never.right_calls, never.later, never.wrong) == (1, 0, 0, 1)
    assert never.saved == (0, 0)
    assert never.tokens.written > 0


SHOP = """
domain shop
fact name: text
fact item: text lasting
fact stock lasting
policy { risk read 0 safe, write 1 }
tool find { requires name passes name = name produces item returns item = $.id risk read }
tool count { requires item passes id = item produces stock risk read }
"""


def shop(*calls: Execution) -> Conversation:
    requests = (Request(("stock",), ((calls[-1].tool, calls[-1].arguments),), calls[-1]),)
    return Conversation("c", toolplan.loads(SHOP), {"name": "lamp"}, (Turn(requests, calls),), lambda call: call.tool)


FIND = Execution("c", "find", {"name": "lamp"}, Returned({"id": "i7"}))
COUNT = Execution("c", "count", {"id": "i7"}, Returned({}))
GREET = Execution("c", "greet", {}, Returned({}))


@pytest.mark.parametrize(
    ("calls", "verdicts"),
    [
        ((FIND, COUNT), ["next", "next"]),
        ((GREET, FIND, COUNT), ["later", "later"]),
        (
            (Execution("c", "find", {"name": "sofa"}, Returned({"id": "i8"})), Execution("c", "count", {"id": "i8"}, Returned({}))),
            ["wrong", "next"],
        ),
    ],
)
def test_a_call_that_is_ready_is_judged_by_the_calls_of_the_turn(calls: tuple[Execution, ...], verdicts: list[str]) -> None:
    judged = list(played(shop(*calls)))
    assert [one.verdict.value for one in judged] == verdicts
    assert [one.named for one in judged] == [False, True]


def test_a_block_is_watched_until_it_is_down() -> None:
    conversations = {each.name: each for each in ready_scienceworld.conversations(DATA / "scienceworld")}
    planes = conversations["inclined-plane-friction-named-surfaces:1"]
    judged = [*played(planes)]
    assert Counter(one.verdict for one in judged) == {Verdict.NEXT: 46}
    assert Counter(one.call.tool for one in judged)["look at OBJ"] == 39
    assert [name for name, each in conversations.items() if not each.turns[0].requests] == ["lifespan-shortest-lived:0", "find-animal:3"]
    assert ready_scienceworld.test_part(DATA / "scienceworld") == {"inclined-plane-determine-angle:127"}


def test_the_engine_is_started_without_a_model() -> None:
    judged = [one for each in ready_bfcl.by_oracle(DATA / "bfcl") for one in played(each)]
    assert {(one.call.tool, one.named) for one in judged} >= {("lockDoors", False), ("pressBrakePedal", False), ("startEngine", True)}
    wrong = [one.call.values for one in judged if one.verdict is Verdict.WRONG]
    assert wrong == [{"cityA": "83214", "cityB": "94016"}]


def test_what_a_customer_wants_is_looked_at_before_it_is_cancelled() -> None:
    judged = [one for each in ready_airline.conversations(DATA / "tau1") if each.name == "28:0" for one in played(each)]
    assert judged[0].call.tool == "get_user_details"
    assert Counter(one.call.tool for one in judged) == {"get_reservation_details": 7, "cancel_reservation": 3, "get_user_details": 1}


def test_what_a_customer_says_is_read_by_patterns() -> None:
    judged = {each.name: [one.call.values for one in played(each)] for each in ready_retail.conversations(DATA / "tau1")}
    assert [values for calls in judged.values() for values in calls] == [
        {"order_id": "#W5765741", "reason": "ordered by mistake"},
        {"order_id": "#W7425646", "payment_method_id": "credit_card_1199336"},
        {"order_id": "#W9318778", "payment_method_id": "credit_card_7862034"},
    ]


def test_turns_are_read_by_rules_without_an_oracle() -> None:
    judged = [one for each in ready_bfcl.conversations(DATA / "bfcl") for one in played(each)]
    assert {one.call.tool for one in judged if one.verdict is Verdict.NEXT} >= {"lockDoors", "pressBrakePedal", "startEngine"}
    assert not any(one.named for one in judged)


def test_an_answer_is_read_out_of_what_was_printed_of_it() -> None:
    dataset = next(dataset for dataset in DATASETS if dataset.name == "livemcpbench")
    results = {record.tool: record.result for record in dataset.read(DATA / "livemcpbench") if isinstance(record, Execution)}
    assert results["music-analysis/load"] == Unknown()
    assert results["searxng/excel_read"] == Failed("Unknown tool: excel_read")
    described = results["excel/excel_describe_sheets"]
    assert isinstance(described, Returned)
    assert str(described.value).startswith('{\n  "backend": "excelize"')


def test_what_a_question_names_is_looked_up_and_what_comes_of_it_is_not() -> None:
    conversations = list(ready_livemcpbench.conversations(DATA / "livemcpbench"))
    judged = [[(one.verdict.value, one.call.tool) for one in played_apart(each)] for each in conversations]
    assert judged[0] == [("next", "load")] * 3
    assert judged[3] == [("later", "excel_describe_sheets"), ("later", "excel_read_sheet")]
    assert judged[4] == [("next", "get_card_by_id"), ("next", "get_card_image")]


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ("Create a chart from the data in /d/x.xlsx and save it to /d/a.png", ["rows(workbook_1)"]),
        ("Convert /d/a.docx to PDF and save it as /d/a.pdf", ["converted(document_1)"]),
        ("Read /d/a.docx, then put a summary into /d/b.docx.", ["document_text(document_1)"]),
        ("Which trains go from Beijing to Shanghai?", ["today", "station_codes"]),
        ("How will the weather be in Paris?", ["weather"]),
        ("How did Tesla's stock do in the past year?", ["year_of_prices(company_1)", "profile(company_1)"]),
        ("Cook a dinner for three people", ["recipe"]),
        ("My hotel is located at 1 Main Street, Springfield.", ["position(address_1)"]),
        ("Write a poem", []),
    ],
)
def test_a_question_is_read_by_patterns(text: str, wants: list[str]) -> None:
    assert questions_livemcpbench.read(text).wants == tuple(dict.fromkeys([*wants, *questions_livemcpbench.FOUND]))


def test_contracts_save_at_least_what_inertia_saves_and_err_less() -> None:
    rows = [row for row in saved(DATA) if row.rule == "ready" and row.read_by == "rules" and row.data in ("scienceworld", "bfcl")]
    assert len(rows) == 2
    assert all(row.as_many_saved for row in rows)


def test_shards_of_synthetic_runs_add_up() -> None:
    rows = list(growth((200, 1_000)))
    assert [row.steps for row in rows] == [200, 1_000]
    assert all(row.merged_is_whole for row in rows)
    assert rows[1].bytes_an_edge < 600
