"""Goals recognised from what the user does and says."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from toolplan import loads
from toolplan.goals.readings import Reading, reading_of
from toolplan.goals.recognition import Did, Told, UserAction, regrets, unregretted, updated
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom, Limit, Step
from toolplan.planning.problem import State

OFFICE = loads("""
fact date "the day" fact new_time "the new time" fact reason trust user
fact event fact moved fact cancelled fact archived fact draft closed
tool search { requires date produces event risk read }
tool move { requires event, new_time produces moved risk write }
tool cancel { requires event produces cancelled risk write }
tool note_reason by user { produces reason risk read }
tool archive { requires reason, draft produces archived risk write }
tool discard by user { removes draft produces cancelled risk write cost 9 }
goal move_event { achieves moved given date, new_time }
goal cancel_event { achieves cancelled given date }
goal archive_draft { achieves archived }
""")
MOVE, CANCEL, ARCHIVE = ("move_event",), ("cancel_event",), ("archive_draft",)


def reading(**weights: float) -> Reading:
    return reading_of("take care of it", [((goal,), weight) for goal, weight in weights.items()])


def state(text: str = "") -> State:
    return build(OFFICE, text, MOVE).state


def told(before: str, *facts: str) -> Told:
    return Told(state(before), tuple(map(Atom, facts)))


def p(reading: Reading, goals: tuple[str, ...]) -> float:
    return next((candidate.p for candidate in reading.candidates if candidate.goals == goals), 0.0)


def regrets_of(*seen: UserAction) -> tuple[Fraction | float, ...]:
    return regrets(OFFICE, reading(move_event=0.4, cancel_event=0.3, archive_draft=0.2).candidates, seen)


def test_what_serves_a_goal_has_no_regret_and_what_does_not_costs_what_it_took() -> None:
    assert regrets_of(told("", "new_time")) == (0, 5, 5)
    assert regrets_of(told("", "date")) == (0, 0, 5)
    assert regrets_of(Did(state("draft"), Step("note_reason"))) == (1, 1, 0)


def test_regrets_add_up_over_what_the_user_did() -> None:
    assert regrets_of(told("", "new_time"), told("date, new_time", "reason")) == (5, 10, 10)


def test_what_the_user_said_moves_the_reading_towards_the_goal_it_serves() -> None:
    before = reading(move_event=0.4, cancel_event=0.45)
    after = updated(OFFICE, before, [told("", "new_time")])
    assert p(after, MOVE) > p(before, MOVE)
    assert p(after, CANCEL) < p(before, CANCEL)
    assert after.candidates[0].goals == MOVE
    assert after.none > before.none
    assert (after.request, after.findings) == (before.request, before.findings)


@pytest.mark.parametrize("seen", [[], [told("", "new_time")], [told("", "date")], [Did(state("date"), Step("search"))] * 3])
def test_a_reading_adds_up_to_one(seen: list[UserAction]) -> None:
    after = updated(OFFICE, reading(move_event=0.4, cancel_event=0.35, archive_draft=0.05), seen)
    assert sum(candidate.p for candidate in after.candidates) + after.none == pytest.approx(1)


def test_evidence_ends_ambiguity_without_a_question() -> None:
    before = reading(move_event=0.45, cancel_event=0.42)
    policy = OFFICE.policy
    assert before.candidates[0].p < policy.confidence
    after = updated(OFFICE, before, [told("", "new_time")])
    assert after.candidates[0].p > policy.confidence
    assert after.candidates[0].p - max(p(after, CANCEL), after.none) > policy.margin
    assert after.candidates[1].p < policy.plausible


def test_what_serves_all_candidates_alike_changes_nothing() -> None:
    before = reading(move_event=0.4, cancel_event=0.35)
    after = updated(OFFICE, before, [told("", "date"), Did(state("date"), Step("search"))])
    assert [c.p for c in after.candidates] == pytest.approx([c.p for c in before.candidates])
    assert after.none == pytest.approx(before.none)


def test_what_serves_no_candidate_raises_none() -> None:
    before = reading(move_event=0.6, cancel_event=0.3)
    after = updated(OFFICE, before, [told("", "reason")])
    assert after.none > 0.9
    assert p(after, MOVE) / p(after, CANCEL) == pytest.approx(2)


def test_none_is_never_lowered_against_the_goal_that_is_served() -> None:
    before = reading(move_event=0.5, cancel_event=0.3)
    after = updated(OFFICE, before, [told("", "new_time")])
    assert after.none / p(after, MOVE) == pytest.approx(before.none / p(before, MOVE))


def test_steps_of_the_agent_between_those_of_the_user_are_no_evidence() -> None:
    # The agent searched between the two: a formula over the first and the last state would count its step as the user's saving.
    seen = [told("", "date"), told("date, event", "new_time")]
    assert regrets_of(*seen)[:2] == (0, 5)
    assert all(regret >= 0 for regret in regrets_of(*seen))
    assert regrets_of() == (0, 0, 0)


def test_the_goals_of_no_regret_are_told_exactly() -> None:
    candidates = reading(move_event=0.5, cancel_event=0.3, archive_draft=0.1).candidates

    def left(*seen: UserAction) -> list[tuple[str, ...]]:
        return [candidate.goals for candidate in unregretted(OFFICE, candidates, seen)]

    assert left() == [MOVE, CANCEL, ARCHIVE]
    assert left(told("", "date")) == [MOVE, CANCEL]
    assert left(told("", "date"), Did(state("date"), Step("search"))) == [MOVE, CANCEL]
    assert left(told("", "date"), Did(state("date, event"), Step("cancel"))) == [CANCEL]
    assert left(Did(state("draft"), Step("note_reason"))) == [ARCHIVE]


def test_a_goal_that_the_user_puts_out_of_reach_is_given_up() -> None:
    thrown_away = Did(state("draft, reason"), Step("discard"))
    assert regrets_of(thrown_away)[2] == math.inf
    after = updated(OFFICE, reading(archive_draft=0.9), [thrown_away])
    assert after.candidates == ()
    assert after.none == 1


def test_a_reading_of_which_nothing_is_left_is_none() -> None:
    after = updated(OFFICE, reading(archive_draft=1.0), [Did(state("draft, reason"), Step("discard"))])
    assert (after.candidates, after.none) == ((), 1.0)


def test_a_goal_that_comes_within_reach_has_no_regret_and_one_that_stays_out_pays_the_step() -> None:
    assert regrets_of(told("reason", "draft"))[2] == 0
    assert regrets_of(told("", "new_time"))[2] == 5


def test_what_is_told_costs_what_it_saves_the_goal_that_it_serves_best() -> None:
    assert regrets_of(told("", "event")) == (0, 0, 1)
    assert regrets_of(told("", "moved")) == (0, 3, 3)


def test_acting_on_a_goal_that_is_reached_already_is_evidence_against_it() -> None:
    assert regrets_of(told("date, new_time, event, moved", "date"))[0] == 5


def test_a_conjunction_is_one_goal() -> None:
    candidates = reading_of("both", [((*MOVE, *CANCEL), 0.5), (CANCEL, 0.4)]).candidates
    assert regrets(OFFICE, candidates, [told("", "new_time")]) == (0, 5)


def test_what_is_not_decided_within_the_limit_is_no_evidence() -> None:
    seen = [told("", "reason")]
    candidates = reading(move_event=0.5).candidates
    assert regrets(OFFICE, candidates, seen) == (5,)
    assert regrets(OFFICE, candidates, seen, engine="in-process", limit=Limit(seconds=0.0)) == (0,)


def test_beta_says_how_much_a_regret_counts() -> None:
    before = reading(move_event=0.4, cancel_event=0.4)
    found = [p(updated(OFFICE, before, [told("", "new_time")], beta=beta), CANCEL) for beta in (0.0, 0.1, 1.0, 1000.0)]
    assert found[0] == pytest.approx(0.4)
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0
