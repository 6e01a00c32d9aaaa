"""Recall: the registry of 61 tools is what it says, runs end as they should, and the tables count what was shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

import toolplan
from toolplan.bench.recall import assistant, livemcp
from toolplan.bench.recall.figures import Outcome, Recall, recall
from toolplan.bench.recall.following import Followed, Menu, follow, what_is_said
from toolplan.bench.recall.measuring import Case, Runs, everything, promises, runs
from toolplan.bench.recall.readers import Comparison, Overlap, readable
from toolplan.goals.rankers.lexical import Lexical
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.language.formatter import format_source
from toolplan.language.source import Source
from toolplan.retrieval import Document, overlap, scorer

DATA = Path(__file__).parent / "data" / "livemcpbench"
OVERLAP = Comparison("token overlap", overlap, Overlap())
BM25 = Comparison("BM25", scorer("bm25"), Lexical())


# The 61 tools


def test_the_registry_has_61_tools_and_30_requests_half_of_them_direct() -> None:
    assert len(assistant.registry().tools) == 61
    assert len(assistant.cases()) == 30
    assert [case.phrasing for case in assistant.cases()].count("direct") == 15


def test_the_registry_is_laid_out_as_the_formatter_does_it() -> None:
    text = (files("toolplan.bench.recall") / "assistant.toolplan").read_text("utf-8")
    assert format_source(Source("assistant.toolplan", text)) == text


@pytest.mark.parametrize("case", assistant.cases(), ids=lambda case: case.text)
def test_a_best_plan_for_what_is_meant_ends_with_the_tool_that_is_wanted(case: Case) -> None:
    [(goal, tool)] = case.meant.items()
    assert toolplan.plan(assistant.registry(), state=what_is_said(assistant.registry()), goal=goal).steps[-1].action == tool


def test_an_indirect_request_does_not_name_its_tool() -> None:
    for case in assistant.cases():
        [tool] = case.wanted
        assert case.phrasing == "direct" or not set(case.text.lower().split()).issuperset(tool.split("_"))


@pytest.fixture(scope="module")
def measured() -> list[Runs]:
    return [runs(assistant.suite(), comparison) for comparison in (OVERLAP, BM25)]


def test_the_frontier_keeps_what_is_promised_by_overlap_and_by_bm25(measured: list[Runs]) -> None:
    kept = list(promises(measured))
    assert [promise.kept for promise in kept] == [True] * 4
    assert [promise.promise for promise in kept[:2]] == [
        "shown: token overlap, causal, lists of 30",
        "characters: token overlap, causal, lists of 30",
    ]
    longest = measured[0].listed[-1].row
    assert (longest.k, longest.wanted, longest.shown) == (30, 30, 22)
    assert everything(assistant.suite()).row.characters > 2 * longest.characters


def test_users_are_asked_for_their_goal_only_where_it_says_so(measured: list[Runs]) -> None:
    assert all(one.row.questions == 0 for run in measured for one in (*run.listed, *run.unasked))
    assert all(one.row.questions > 0 for run in measured for one in run.asked)


def test_there_is_a_table_of_all_requests_and_one_of_each_phrasing(measured: list[Runs]) -> None:
    tables = dict(assistant.tables([OVERLAP]))
    every, direct, indirect = list(tables.values())[:3]
    assert every == [everything(assistant.suite()).row, *(one.row for one in (*measured[0].listed, *measured[0].asked))]
    for row, *parts in zip(every, direct, indirect, strict=True):
        assert row.shown == sum(part.shown for part in parts)
        assert {part.wanted for part in parts} == {15}


# A request, step by step

OFFICE = toolplan.loads(
    """
domain office
fact words
fact found
fact moved
fact removed
tool look { "Look." requires words produces found risk read }
tool move { "Move it." requires found produces moved risk write }
tool remove { "Remove it." requires found produces removed risk write }
goal moving { "Move it." achieves moved given words }
goal removing { "Remove it." achieves removed given words }
goal finding { "Find it." achieves found given words }
"""
)
MENU = Menu(OFFICE, {"look": 1, "move": 10, "remove": 100}, {"look": "look", "move": "move", "remove": "remove"})


def read(*weights: tuple[Goals, float]) -> Reading:
    return reading_of("do it", weights)


def question(*goals: str) -> int:
    """The characters of the question which of `goals` is meant."""
    text = "Is this what you mean?" if len(goals) == 1 else "Which of these do you mean?"
    return sum(map(len, (text, *(OFFICE.goals[goal].description.rstrip(".") for goal in goals), "none of these")))


def test_what_leads_to_the_tool_is_shown_before_it_and_counted() -> None:
    assert follow(MENU, {"moving": "move"}, read((("moving",), 0.9))) == Followed(frozenset({"move"}), (1, 10))


def test_a_wrong_call_ends_the_run() -> None:
    assert follow(MENU, {"finding": "look"}, read((("removing",), 0.9))) == Followed(frozenset({"look"}), (1,))
    assert follow(MENU, {"moving": "move"}, read((("removing",), 0.9))) == Followed(frozenset(), (1, 100))


def test_the_user_says_which_goal_is_meant_once_the_ways_part() -> None:
    followed = follow(MENU, {"removing": "remove"}, read((("moving",), 0.5), (("removing",), 0.45)))
    assert followed == Followed(frozenset({"remove"}), (1, question("moving", "removing"), 100), questions=1)


def test_a_user_who_is_not_asked_is_left_to_retrieval() -> None:
    followed = follow(MENU, {"removing": "remove"}, read((("moving",), 0.5), (("removing",), 0.45)), most_questions=0)
    assert followed == Followed(frozenset(), (1,), explores=True)


def test_what_the_user_has_declined_is_in_no_list() -> None:
    followed = follow(MENU, {"removing": "remove"}, read((("moving",), 0.4), (("finding", "moving"), 0.3)))
    assert (followed.questions, followed.explores) == (1, True)
    assert followed.passed == {"move"}


def test_where_no_goal_fits_retrieval_goes_on() -> None:
    assert follow(MENU, {"removing": "remove"}, read()) == Followed(explores=True)


def test_the_user_asks_for_the_rest_when_one_is_reached() -> None:
    followed = follow(MENU, {"moving": "move", "removing": "remove"}, read((("moving",), 0.5), (("removing",), 0.45)))
    assert followed.shown == {"move", "remove"}
    assert followed.sent[0] == 1
    assert {10, 100} <= set(followed.sent)


def test_whoever_asks_for_the_rest_is_not_asked_for_what_has_a_goal_in_it_that_is_reached() -> None:
    together, other = ("finding", "moving"), ("moving", "removing")
    followed = follow(MENU, {"finding": "look", "moving": "move", "removing": "remove"}, read((together, 0.5), (other, 0.4)))
    assert followed.shown == {"look", "move"}
    assert (followed.questions, followed.explores) == (1, True)
    assert followed.passed == {"look", "move"}


# Readings


def test_goals_can_be_read_by_the_words_of_their_tools() -> None:
    ranker = Overlap()
    documents = [Document("look", "peruse the drawers"), Document("move", "shift it"), Document("remove", "scrap it")]
    state = what_is_said(OFFICE)
    assert not ranker.rank("peruse drawers", OFFICE, state).candidates
    assert ranker.rank("peruse drawers", readable(OFFICE, documents), state).candidates[0].goals == ("finding",)


# Figures


def test_a_row_counts_tools_and_means_characters() -> None:
    row = recall("a list", 3, [Outcome(2, 1, (100, 300), 2), Outcome(1, 1, (50,), 1), Outcome(1, 0, ())])
    assert row == Recall("a list", 3, 4, 2, "50.0 (15.0-85.0)", 83, 150, 3)


# Real servers


def records(name: str) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return found


def test_tools_of_one_name_are_told_apart_by_their_servers_and_any_of_them_counts() -> None:
    suite = livemcp.suite(records("servers"), records("tasks"))
    names = [document.name for document in suite.documents]
    assert len(names) == len(set(names)) == 46
    assert {"ArXiv MCP Server/search_papers", "mcp-simple-arxiv/search_papers"} <= set(names)
    arxiv = next(case for case in suite.cases if "arXiv" in case.text)
    assert arxiv.wanted == {"search_papers", "get_paper_data"}
    assert len(arxiv.meant) == 3


def test_a_needed_tool_that_no_server_has_is_left_out() -> None:
    suite = livemcp.suite(records("servers"), records("tasks"))
    [case] = [case for case in suite.cases if "NCT04280705" in case.text]
    assert case.wanted == {"write_file"}


def test_longer_lists_of_real_tools_show_no_less_and_the_frontier_sends_less() -> None:
    measured = runs(livemcp.suite(records("servers"), records("tasks")), BM25)
    shown = [one.row.shown for one in measured.listed]
    assert shown == sorted(shown)
    assert shown[0] < shown[-1]
    assert measured.asked[0].row.characters < measured.listed[-1].row.characters / 3
    assert measured.asked[0].row.shown > measured.listed[0].row.shown


def test_an_agent_finds_more_with_words_of_its_own() -> None:
    suite = livemcp.suite(records("servers"), records("tasks"))
    searched = livemcp.searches(records("claude_sonnet4_trajectories"))
    words = [searched[str(task["task_id"])] for task in records("tasks")]
    rows = list(livemcp.discoveries(suite, words, [BM25]))
    assert [row.k for row in rows] == [1, 3, 5]
    assert rows[2].shown > runs(suite, BM25).listed[1].row.shown
