"""Readings: what is done about several candidates, what is doubtful in them, and which question is asked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import pytest
from typer.testing import CliRunner

import toolplan
from toolplan import Act, Blocked, Clarify, Domain, DomainError, Done, Frontier, Instruct, Limit, State, frontier, loads, plan
from toolplan.cli import app
from toolplan.domain import RiskLevel
from toolplan.frontier import MODES, Explore, GoalQuestion, Option, Question, frontier_of, steps_before_question
from toolplan.goals.ambiguity import DETECTORS, Doubt, Signal, confidence_for
from toolplan.goals.commitment import shared_leads, shared_prefix
from toolplan.goals.policies import LEAST_COMMITMENT, RISK_SENSITIVE, THRESHOLDED, TOP_GOAL, GoalPolicy, LeastCommitment
from toolplan.goals.prospects import Considered, Leaving, consider
from toolplan.goals.questions import NONE_OF_THESE, answer_goal
from toolplan.goals.readings import Candidate, Goals, Reading, reading_of
from toolplan.goals.solving import solver
from toolplan.planning.plans import Optimal, Plan, Step
from toolplan.planning.problem import Problem

OFFICE = """
fact date  fact event_id  fact new_time  fact moved  fact gone  fact mailed  fact noted
tool search { "Find the event." requires date produces event_id risk read }
tool update { "Move it." requires event_id, new_time produces moved risk write }
tool remove { "Delete it." requires event_id produces gone risk delete }
tool mail { "Send it." requires date produces mailed risk send }
tool note { "Note it." produces noted risk draft }
goal move { "Move an event." achieves moved given date, new_time phrases "reschedule" }
goal cancel { "Cancel an event." achieves gone given date phrases "call off" }
goal tell { "Tell people." achieves mailed given date }
goal jot { "Take a note." achieves noted }
"""
BY = {"engine": "in-process", "limit": Limit(seconds=60)}


def office(candidates: object, state: object = "date, new_time", domain: str = OFFICE, **options: object) -> Frontier:
    return frontier(loads(domain), state=state, candidates=candidates, **{**BY, **options})


def doubts(now: Frontier) -> set[Doubt]:
    return {signal.doubt for signal in now.signals}


def asked(now: Frontier) -> GoalQuestion:
    assert isinstance(now.decision, Clarify)
    assert isinstance(now.decision.question, GoalQuestion)
    return now.decision.question


# What callers give


def test_what_confidences_leave_over_belongs_to_none_and_is_never_scaled_up() -> None:
    now = office([("move", 0.6), (("move", "tell"), 0.2), (None, 0.1)])
    assert now.reading is not None
    assert now.reading.candidates == (Candidate(("move",), 0.6), Candidate(("move", "tell"), 0.2))
    assert now.reading.none == pytest.approx(0.2)


def test_a_mapping_and_any_kind_of_number_will_do() -> None:
    now = office({"move": Fraction(1, 2), ("move", "tell"): Decimal("0.25"), None: 0})
    assert now.reading is not None
    assert [candidate.p for candidate in now.reading.candidates] == [0.5, 0.25]


def test_what_can_be_read_only_once_is_enough() -> None:
    now = office(iter([("move", 0.5), ("cancel", 0.4)]), state=iter(["date", "new_time"]), forbid=iter(["mail"]), exhausted=iter(["note"]))
    assert now.tools == ("search",)


@pytest.mark.parametrize(
    ("candidates", "shown", "caret"),
    [
        ([("mvoe", 0.5)], "mvoe", "mvoe"),
        ([("move", 1.5)], "move=1.5", "1.5"),
        ([("move", -0.1)], "move=-0.1", "-0.1"),
        ([("move", math.nan)], "move=nan", "nan"),
        ([("move", "high")], "move=high", "high"),
        ([("move", True)], "move=True", "True"),
        ([(7, 0.5)], "7=0.5", "7"),
        ([("move", 0.6), ("cancel", 0.5)], "move=0.6, cancel=0.5", "move=0.6, cancel=0.5"),
        (["move"], "move", "move"),
        ("move", "move", "move"),
        (0.5, "0.5", "0.5"),
    ],
)
def test_a_bad_candidate_is_a_diagnostic_with_a_caret_and_a_hint(candidates: object, shown: str, caret: str) -> None:
    for call in (frontier, plan):
        with pytest.raises(DomainError) as raised:
            call(loads(OFFICE), candidates=candidates)
        (finding,) = raised.value.diagnostics
        assert finding.location is not None
        span = finding.location.span
        assert finding.location.source.text == shown
        assert shown[span.start : span.end] == caret
        assert finding.hint


def test_all_bad_candidates_are_said_at_once() -> None:
    with pytest.raises(DomainError) as raised:
        office([("mvoe", 0.1), ("move", 2), ("cancel", None)])
    assert [finding.code.number for finding in raised.value.diagnostics] == ["TP408", "TP408", "TP401"]


def test_confidences_may_be_off_by_rounding() -> None:
    assert office([("move", 0.7), ("cancel", 0.2), (None, 0.1)]).reading is not None
    assert office([("jot", 0.7), ("tell", 0.55 - 0.4)]).signals == () or Doubt.LOW_CONFIDENCE not in doubts(office([("jot", 0.7)]))


# Requests


class Fixed:
    """A ranker that always reads the same."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        assert str(sorted(state.known)[0]) == "date"
        return self.reading


def test_a_request_is_read_by_the_ranker() -> None:
    reading = reading_of("put it off", [(("move",), 0.9)])
    now = frontier(loads(OFFICE), state="date, new_time", request="put it off", ranker=Fixed(reading), **BY)
    assert (now.tools, now.reading, now.signals) == (("search",), reading, ())


@pytest.mark.parametrize(
    "reading",
    [
        reading_of("x", [(("delete_everything",), 0.9)]),
        Reading("x", (Candidate(("move",), 1.7),), 0.0),
        Reading("x", (Candidate(("move",), 0.9), Candidate(("cancel",), 0.9)), 0.0),
        Reading("x", (Candidate(("move",), 0.9), Candidate(("invented",), 0.05)), 0.05),
    ],
)
def test_what_a_ranker_makes_up_leads_to_a_question_and_to_no_tool(reading: Reading) -> None:
    now = frontier(loads(OFFICE), state="date, new_time", request="x", ranker=Fixed(reading), **BY)
    question = asked(now)
    assert now.tools == ()
    assert Doubt.UNUSABLE_READING in doubts(now)
    assert question.options[-1] == NONE_OF_THESE
    assert {option.goals for option in question.options} <= {("move",), ("cancel",), ()}


def test_an_implausible_goal_that_a_ranker_makes_up_does_no_harm() -> None:
    reading = reading_of("x", [(("move",), 0.9), (("invented",), 0.04)])
    now = frontier(loads(OFFICE), state="date, new_time", request="x", ranker=Fixed(reading), **BY)
    assert (now.tools, now.signals) == (("search",), ())
    assert now.reading is not None
    assert [finding.code.number for finding in now.reading.findings] == ["TP401"]


# Doubt


def test_a_clear_reading_has_no_signal() -> None:
    now = office([("move", 0.9), ("cancel", 0.05)])
    assert now.signals == ()
    assert isinstance(now.decision, Act)


@pytest.mark.parametrize(
    ("candidates", "state", "expected"),
    [
        ([("jot", 0.69)], "", Doubt.LOW_CONFIDENCE),
        ([("jot", 0.5), ("tell", 0.4)], "", Doubt.SMALL_MARGIN),
        ([("jot", 0.52), (None, 0.48)], "", Doubt.SMALL_MARGIN),
        ([("move", 0.95)], "date", Doubt.MISSING_FACT),
        ([("cancel", 0.8)], "date", Doubt.RISKY_PATH),
    ],
)
def test_each_doubt_has_its_reason(candidates: object, state: str, expected: Doubt) -> None:
    assert expected in doubts(office(candidates, state))


def test_a_threshold_that_is_met_exactly_is_met() -> None:
    only = "policy { confidence 0.70 margin 0.15 risk read 0 safe, draft 0, write 0, send 0, delete 0 }"
    assert office([("jot", 0.70)], domain=OFFICE + only).signals == ()
    assert Doubt.SMALL_MARGIN not in doubts(office([("jot", 0.45), ("tell", 0.3), ("move", 0.25)]))


def test_a_given_fact_that_a_tool_finds_more_cheaply_is_not_missing() -> None:
    found = OFFICE + "tool guess { requires date produces new_time cost 1 risk read }"
    assert doubts(office([("move", 0.95)], "date")) == {Doubt.MISSING_FACT}
    assert doubts(office([("move", 0.95)], "date", domain=found)) == set()


def test_a_missing_fact_alone_is_asked_for_and_not_the_goal() -> None:
    now = office([("move", 0.95), ("cancel", 0.05)], "date")
    assert isinstance(now.decision, Clarify)
    assert now.decision.question == Question("What is the new time?", "ask_new_time", Step("ask_new_time"))


def test_heavier_risk_takes_more_confidence() -> None:
    policy = loads(OFFICE).policy
    levels = [policy.level(name) for name in ("read", "draft", "write", "send", "delete", None)]
    assert [round(confidence_for(policy, level), 3) for level in levels] == [0.7, 0.715, 0.73, 0.79, 0.85, 0.85]
    flat = loads(OFFICE + "policy { risk read 0 safe, draft 0, write 0, send 0, delete 0 }").policy
    assert confidence_for(flat, RiskLevel("write", Fraction(0))) == 0.7


def vague(request: str, goals: tuple[str, ...] = ("cancel",), p: float = 0.95, domain: str = OFFICE) -> bool:
    now = frontier_of(loads(domain), reading_of(request, [(goals, p)]), state="date, new_time", **BY)
    return Doubt.VAGUE_VERB in doubts(now)


def test_a_vague_verb_is_a_doubt_as_whole_words() -> None:
    assert vague("Please HANDLE the meeting")
    assert vague("could you take\ncare of it")
    assert vague("sort it out") and vague("sort out the meeting")
    assert not vague("grab the door handles") and not vague("the manager") and not vague("sort the list by price and check it")


def test_a_vague_verb_is_none_where_the_goal_is_described_by_it_or_certain() -> None:
    fixing = OFFICE + 'fact fixed  tool repair { produces fixed risk read }  goal repair_it { "Fix the build." achieves fixed }'
    assert not vague("fix the build", ("repair_it",), domain=fixing)
    assert vague("fix the build", ("cancel",), domain=fixing)
    assert not vague("handle it", p=1.0)


def test_another_detector_counts_like_ours() -> None:
    class Learned:
        def detect(self, considered: Considered) -> Iterable[Signal]:
            yield Signal(Doubt.LEARNED, considered.reading.request)

    reading = reading_of("hm", [(("move",), 0.95)])
    policy = LeastCommitment((*DETECTORS, Learned()))
    state = "date, new_time, event_id"
    assert asked(frontier_of(loads(OFFICE), reading, state=state, policy=policy, **BY))
    assert frontier_of(loads(OFFICE), reading, state=state, **BY).tools == ("update",)


# Least commitment


def test_a_step_that_all_plausible_goals_share_is_taken_before_the_question() -> None:
    now = office([("move", 0.5), ("cancel", 0.45)])
    assert now.tools == ("search",)
    assert isinstance(now.decision, Act)
    assert [str(step) for step in now.decision.plan.steps] == ["search", "update"]
    assert asked(office([("move", 0.5), ("cancel", 0.45)], "date, new_time, event_id"))


def test_clarify_early_asks_at_once() -> None:
    now = office([("move", 0.5), ("cancel", 0.45)], domain=OFFICE + "policy { clarify early }")
    assert [option.goals for option in asked(now).options] == [("move",), ("cancel",), ()]


def test_two_goals_within_the_margin_are_asked_about_and_nothing_is_changed() -> None:
    now = office([("cancel", 0.5), ("tell", 0.45)])
    assert asked(now) == GoalQuestion(
        "Which of these do you mean?", (Option(("cancel",), "Cancel an event"), Option(("tell",), "Tell people"), NONE_OF_THESE)
    )
    assert (now.tools, now.steps) == ((), ())


def test_a_risky_step_is_not_shared_even_if_every_goal_needs_it() -> None:
    domain = "fact a fact b fact c  tool go { produces a risk write }  tool b1 { requires a produces b risk read }  tool c1 { requires a produces c risk read }"
    assert asked(office([("b", 0.5), ("c", 0.45)], "", domain))


def test_an_implausible_goal_has_no_say() -> None:
    assert office([("move", 0.6), ("tell", 0.04)]).tools == ("search",)
    assert asked(office([("move", 0.6), ("tell", 0.05)]))


def test_what_every_goal_asks_for_is_asked_before_the_goal_but_after_what_needs_no_user() -> None:
    now = office([("move", 0.5), ("cancel", 0.45)], "")
    assert isinstance(now.decision, Clarify)
    assert isinstance(now.decision.question, Question)
    assert now.decision.question.name == "ask_date"
    looking = OFFICE.replace("requires date produces event_id", "requires date, place produces event_id") + (
        "fact place  tool locate { produces place risk read }"
    )
    assert office([("move", 0.5), ("cancel", 0.45)], "", looking).tools == ("locate",)


def test_a_permission_and_what_the_user_does_by_hand_are_not_shared() -> None:
    permitted = "fact a fact b fact c  tool go { produces a risk read }  ask may { permits go }"
    ends = "  tool b1 { requires a produces b risk read }  tool c1 { requires a produces c risk read }"
    assert asked(office([("b", 0.5), ("c", 0.45)], "", permitted + ends))
    by_hand = "fact a trust user  fact b fact c  tool go by user { produces a risk read }"
    assert asked(office([("b", 0.5), ("c", 0.45)], "", by_hand + ends))
    by_model = "fact a fact b fact c  tool go by model { produces a verifies a risk read }"
    assert isinstance(office([("b", 0.5), ("c", 0.45)], "", by_model + ends).decision, Instruct)


EITHER = """
fact a fact b fact c
tool left { produces a risk read }  tool right { produces a risk read }
tool b1 { requires a produces b risk read }  tool c1 { requires a produces c risk read }
"""


def test_goals_share_what_starts_any_of_their_best_plans() -> None:
    first = {"b": Step("left"), "c": Step("right")}

    def by_heart(problem: Problem) -> Optimal:
        goal = problem.wanted[0].label
        rest = (Step(f"{goal}1"),)
        steps = rest if problem.state.known else (first[goal], *rest)
        return Optimal(Plan(steps, Fraction(len(steps))), "by heart")

    reading = reading_of("", [(("b",), 0.5), (("c",), 0.45)])
    considered = consider(loads(EITHER), reading, by_heart, state="")
    assert [leads[0].step.action for leads in shared_leads(considered.live)] == ["left", "right"]
    assert office([("b", 0.5), ("c", 0.45)], "", EITHER, mode="ties").tools == ("left", "right")


def test_achieved_and_unreachable_goals_leave_the_set_each_with_its_reason() -> None:
    now = office([("move", 0.4), ("cancel", 0.3), ("jot", 0.3)], "date, new_time, noted, not event_id", forbid=["remove"])
    assert now.tools == ("search",)
    assert [(left.candidate.goals, left.why) for left in now.left] == [(("cancel",), Leaving.UNREACHABLE), (("jot",), Leaving.ACHIEVED)]
    assert now.left[0].detail == "nothing can add gone"


def test_where_no_goal_is_left_the_most_probable_one_says_so() -> None:
    blocked = office([("move", 0.5), ("cancel", 0.4)], "date", forbid=["update", "remove"])
    assert isinstance(blocked.decision, Blocked)
    assert [str(fluent) for fluent in blocked.decision.missing] == ["moved"]
    assert isinstance(office([("jot", 0.5), ("cancel", 0.4)], "date, noted", forbid=["remove"]).decision, Done)


def test_one_goal_that_is_left_is_confirmed_before_a_risky_step() -> None:
    question = asked(office([("move", 0.5), ("cancel", 0.45)], "date, new_time, event_id", forbid=["remove"]))
    assert question == GoalQuestion("Is this what you mean?", (Option(("move",), "Move an event"), NONE_OF_THESE))


def test_small_talk_leads_to_words_and_to_no_question() -> None:
    for candidates in ([], [("move", 0.1)], [("move", 0.25), ("cancel", 0.2)]):
        now = office(candidates)
        assert now.decision == Explore((), "no goal fits")
        assert now.tools == ()


def test_a_goal_that_is_wanted_but_open_is_asked_for_though_none_is_likelier_than_each() -> None:
    assert [option.goals for option in asked(office([("tell", 0.3), ("jot", 0.3)])).options] == [("tell",), ("jot",), ()]


def test_a_limit_leads_to_the_question() -> None:
    now = office([("move", 0.5), ("cancel", 0.45)], engine="uniform-cost", limit=Limit(expansions=1))
    assert asked(now)


def test_a_conjunction_is_a_candidate_like_any_other() -> None:
    question = asked(office([("tell", 0.5), (("tell", "jot"), 0.45)]))
    assert [option.text for option in question.options] == ["Tell people", "Tell people and Take a note", "none of these"]


def test_the_checked_entity_is_the_one_that_is_acted_on() -> None:
    refunds = """
    type order  fact eligible(order)  fact refunded(order)
    tool check(o: order) { produces eligible(o) risk read }
    tool refund(o: order) { requires eligible(o) produces refunded(o) risk send }
    goal refund_order(o: order) { "Refund an order." achieves refunded(o) }
    """
    now = office([("refund_order(b)", 0.95)], "eligible(a)", refunds)
    assert now.steps == (Step("check", ("b",)),)
    both = asked(office([("refund_order(a)", 0.5), ("refund_order(b)", 0.45)], "eligible(a), eligible(b)", refunds))
    assert [option.text for option in both.options] == ["Refund an order (a)", "Refund an order (b)", "none of these"]


def test_goals_of_the_same_description_are_told_apart_by_their_names() -> None:
    same = OFFICE.replace('"Tell people."', '"Cancel an event."')
    texts = [option.text for option in asked(office([("cancel", 0.5), ("tell", 0.45)], domain=same)).options]
    assert texts == ["Cancel an event: cancel", "Cancel an event: tell", "none of these"]


# Before the question


def test_the_longest_shared_prefix_is_found_where_the_preferred_step_does_not_lead_to_it() -> None:
    domain = loads(
        """
        fact a fact b fact c fact x fact y
        tool early { produces a risk read }
        tool other { produces b risk read }  tool next { requires b produces c risk read }
        tool x1 { requires a, c produces x risk read }  tool x2 { requires c produces y risk read }
        """
    )
    reading = reading_of("", [(("x",), 0.5), (("y",), 0.45)])
    found = steps_before_question(domain, reading, state="", **BY)
    assert ([step.action for step in found.steps], found.longest) == (["other", "next"], True)
    considered = consider(domain, reading, solver("in-process", Limit()), state="")
    assert shared_prefix(considered.live[:1]).steps[0] == Step("early")


def test_the_prefix_ends_where_a_goal_is_reached_or_none_is_shared() -> None:
    domain = loads(OFFICE)
    reading = reading_of("", [(("move",), 0.5), (("cancel",), 0.45)])
    assert steps_before_question(domain, reading, state="date, new_time", **BY).steps == (Step("search"),)
    assert steps_before_question(domain, reading, state="date, new_time, event_id", **BY).steps == ()
    same = reading_of("", [(("event_id",), 0.5), (("move",), 0.45)])
    assert steps_before_question(domain, same, state="date, new_time", **BY).steps == (Step("search"),)


# Which question


def test_of_many_goals_those_are_offered_whose_confusion_would_cost_most() -> None:
    facts = "\n".join(f"fact g{n}  tool t{n} {{ produces g{n} cost {cost} risk write }}" for n, cost in enumerate([1, 1, 1, 1, 90]))
    question = asked(office([(f"g{n}", 0.19) for n in range(5)], "", facts))
    assert [option.goals for option in question.options] == [("g0",), ("g1",), ("g2",), ("g4",), ()]


def test_goals_of_which_most_is_done_by_pursuing_the_other_need_least_to_be_told_apart() -> None:
    alone = "\n".join(f"fact g{n}  tool t{n} {{ produces g{n} cost 11 risk write }}" for n in range(2, 6))
    alike = "\n".join(f"fact g{n}  tool t{n} {{ requires common produces g{n} cost 0 risk write }}" for n in range(2))
    facts = f"fact common  tool share {{ produces common cost 10 risk write }}\n{alike}\n{alone}"
    question = asked(office([(f"g{n}", 0.16) for n in range(6)], "", facts))
    assert [option.goals for option in question.options] == [("g2",), ("g3",), ("g4",), ("g5",), ()]


def test_an_answer_is_certain_and_ends_the_doubt() -> None:
    reading, offered = reading_of("handle it", [(("move",), 0.4), (("cancel",), 0.3)]), [("move",), ("cancel",)]
    assert answer_goal(reading, offered, ("cancel",)) == Reading("handle it", (Candidate(("cancel",), 1.0),), 0.0)
    state = "date, new_time, event_id"
    assert frontier_of(loads(OFFICE), answer_goal(reading, offered, ("cancel",)), state=state, **BY).tools == ("remove",)
    nothing = answer_goal(reading, offered, ())
    assert nothing.none == 1
    assert isinstance(frontier_of(loads(OFFICE), nothing, state=state, **BY).decision, Explore)


def test_after_none_of_these_what_was_not_offered_keeps_its_proportions() -> None:
    reading = reading_of("handle it", [(("move",), 0.5), (("cancel",), 0.3), (("find",), 0.1)])
    left = answer_goal(reading, [("move",), ("cancel",)], ())
    assert left.candidates == (Candidate(("find",), pytest.approx(0.5)),)
    assert left.none == pytest.approx(0.5)


@pytest.mark.parametrize("offered", [[], [()]])
def test_whoever_wants_none_where_nothing_was_offered_wants_no_goal(offered: list[Goals]) -> None:
    """Else the same would be asked again for ever."""
    assert answer_goal(reading_of("handle it", [(("move",), 0.5)]), offered, ()).none == 1


# Policies


@pytest.mark.parametrize(
    ("policy", "p", "asks"),
    [
        (TOP_GOAL, 0.3, False),
        (THRESHOLDED, 0.69, True),
        (THRESHOLDED, 0.8, False),
        (RISK_SENSITIVE, 0.8, True),
        (RISK_SENSITIVE, 0.86, False),
        (LEAST_COMMITMENT, 0.8, False),
    ],
)
def test_the_variants_of_the_paper_and_ours(policy: GoalPolicy, p: float, asks: bool) -> None:
    reading = reading_of("", [(("cancel",), p)])
    now = frontier_of(loads(OFFICE), reading, state="date", policy=policy, **BY)
    assert isinstance(now.decision, Clarify) is asks
    assert now.tools == (() if asks else ("search",))


# Results


def test_the_result_says_what_was_read_and_why_it_is_doubtful() -> None:
    data = office([("move", 0.5), ("cancel", 0.3)], "date, new_time, event_id", forbid=["remove"]).to_dict()
    assert data["goal"] == []
    assert data["options"] == [{"goals": ["move"], "text": "Move an event"}, {"goals": [], "text": "none of these"}]
    assert "outcome" not in data
    assert data["reading"] == {
        "request": "",
        "candidates": [{"goals": ["move"], "p": 0.5}, {"goals": ["cancel"], "p": 0.3}],
        "none": 0.2,
        "signals": [
            {"doubt": "low-confidence", "detail": "the most probable goal has 0.5 of the 0.7 that it takes"},
            {"doubt": "risky-path", "detail": "the plan reaches write: the most probable goal has 0.5 of the 0.73 that takes"},
        ],
        "left": [{"goals": ["cancel"], "why": "unreachable", "detail": "nothing can add gone"}],
        "findings": [],
    }
    assert "reading" not in frontier(loads(OFFICE), state="date", goal="cancel", **BY).to_dict()
    assert office([]).to_dict()["why"] == "no goal fits"


def test_a_plan_is_for_the_most_probable_goal() -> None:
    domain = loads(OFFICE)
    found = plan(domain, state="date", candidates=[("cancel", 0.4), ("jot", 0.3)], **BY)
    assert [str(step) for step in found.steps] == ["search", "remove"]
    assert plan(domain, state="date", candidates=[("cancel", 0.1)], **BY).problem.wanted == ()


def test_the_frontier_shows_registered_tools_only() -> None:
    domain = toolplan.load("domains/workspace.toolplan")
    names = [goal.name for goal in domain.goals.values() if not goal.parameters][:6]
    for mode in MODES:
        now = frontier(domain, candidates=[(name, 0.16) for name in names], mode=mode, **BY)
        assert set(now.tools) <= domain.tools.keys()


# The command line


def printed(command: str, *arguments: str) -> tuple[int, str]:
    ran = CliRunner().invoke(app, [command, "workspace", *arguments])
    return ran.exit_code, ran.output


def test_the_command_line_takes_candidates() -> None:
    given = ("--state", "date,event_description,new_time")
    code, out = printed("frontier", *given, "--candidate", "move_event=0.5", "--candidate", "cancel_event=0.4", "--candidate", "none=0.1")
    assert code == 0
    assert "reading: move_event 0.5, cancel_event 0.4, none 0.1\n" in out
    assert "call:    search_events\n" in out
    assert "shared:  1 step before the question: search_events\n" in out
    code, out = printed("frontier", *given, "--candidate", "send_reply=0.5", "--candidate", "cancel_event=0.45", "--json")
    data = json.loads(out)
    assert (code, data["decision"], data["before_question"]) == (0, "clarify", [])
    assert [option["goals"] for option in data["options"]] == [["send_reply"], ["cancel_event"], []]
    code, out = printed("plan", *given, "--candidate", "move_event=0.5")
    assert (code, "update_event" in out) == (0, True)
    assert printed("plan", *given, "--candidate", "none=1") == (0, "nothing is planned: no goal fits\n")


def test_the_command_line_says_what_is_wrong_with_a_candidate() -> None:
    code, out = printed("frontier", "--candidate", "move_event=much")
    assert code == 1
    assert "1 | move_event=much\n  |            ^^^^" in out
    code, out = printed("plan", "--candidate", "=0.5")
    assert (code, "the goals of a candidate are a text or several texts" in out) == (1, True)
    assert printed("frontier")[0] == printed("plan")[0] == 2
