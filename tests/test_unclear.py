"""What is learned about requests that leave their goal open, and what the state says about goals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toolplan.domain import Domain
from toolplan.frontier import Clarify, frontier_of
from toolplan.goals.ambiguity import Doubt
from toolplan.goals.policies import LeastCommitment
from toolplan.goals.rankers.evidence import TOLD, UNTOLD, odds_of_state
from toolplan.goals.readings import Goals, Reading, reading_of
from toolplan.language.loading import loads
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State

pytest.importorskip("numpy")

from toolplan.goals.unclear import Experience, Said, UnclearRequests

OFFICE = """
fact date  fact room  fact moved  fact booked  fact fed
tool move { requires date produces moved risk write }
tool book { requires date, room produces booked risk write }
tool feed { produces fed risk write }
goal move_event { "Move an event." achieves moved given date }
goal book_room { "Book a room." achieves booked given date, room }
goal feed_cat { "Feed the cat." achieves fed }
"""


@pytest.fixture(scope="module")
def office() -> Domain:
    return loads(OFFICE)


def letters(texts: Sequence[str]) -> list[list[float]]:
    """An encoder that counts letters: small, and the same everywhere."""
    return [[float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def read(request: str, *candidates: tuple[Goals, float]) -> Reading:
    return reading_of(request, candidates or ((("move_event",), 0.8), (("book_room",), 0.15)))


NOTHING = State()


def known(*facts: str) -> State:
    return State(frozenset(Atom(fact, ()) for fact in facts))


def said(request: str, *candidates: tuple[Goals, float], state: State = NOTHING) -> Said:
    return Said(read(request, *candidates), state)


CLEAR = ["move lunch", "move the review to noon", "book a room", "book the hall", "feed the cat", "move dinner", "book a table", "feed Tom"]
OPEN = ["whizz up my lunch", "whizz the hall", "whizz Tom", "whizz up a room", "whizz the review", "whizz my dinner", "whizz a cat"]
EXPERIENCE = [Experience(said(text), text in OPEN) for pair in zip(CLEAR, OPEN, strict=False) for text in pair]


@pytest.fixture(scope="module")
def learned() -> UnclearRequests:
    return UnclearRequests.fit(EXPERIENCE, letters)


# The detector


def test_requests_like_those_that_left_their_goal_open_are_doubted(learned: UnclearRequests, office: Domain) -> None:
    now = frontier_of(office, read("whizz the party"), state="date", policy=LeastCommitment((learned,)))
    assert [signal.doubt for signal in now.signals] == [Doubt.LEARNED]
    assert isinstance(now.decision, Clarify)


def test_other_requests_are_not(learned: UnclearRequests, office: Domain) -> None:
    now = frontier_of(office, read("move the party"), state="date", policy=LeastCommitment((learned,)))
    assert now.signals == ()
    assert now.tools == ("move",)


def test_after_the_answer_of_the_user_nothing_is_doubted(learned: UnclearRequests, office: Domain) -> None:
    now = frontier_of(office, read("whizz the party", (("move_event",), 1.0)), state="date", policy=LeastCommitment((learned,)))
    assert now.signals == ()


def test_it_counts_how_sure_the_reading_is() -> None:
    sure, unsure = ((("move_event",), 0.97),), ((("move_event",), 0.3), (("book_room",), 0.3), (("feed_cat",), 0.3))
    experience = [Experience(said("do", *(sure if number % 2 else unsure)), not number % 2) for number in range(40)]
    learned = UnclearRequests.fit(experience, letters)
    assert learned.probability(said("do", *sure)) < learned.usual < learned.probability(said("do", *unsure))


def test_words_count_where_the_embedding_says_nothing() -> None:
    experience = [
        Experience(said(text), text.endswith("it")) for number in range(10) for text in (f"call {number} off it", f"call {number} off tea")
    ]
    learned = UnclearRequests.fit(experience, lambda texts: [[0.0] for _ in texts])
    assert learned.probability(said("now stop it")) > learned.usual > learned.probability(said("now stop tea"))


def test_it_counts_what_was_told() -> None:
    told, nothing = known("date"), NOTHING
    experience = [Experience(said("do", state=state), state is nothing) for _ in range(10) for state in (told, nothing)]
    learned = UnclearRequests.fit(experience, letters)
    assert learned.probability(said("do", state=told)) < learned.usual < learned.probability(said("do", state=nothing))


def test_how_many_requests_left_their_goal_open_makes_no_request_doubtful(office: Domain) -> None:
    """What is seen counts, beside what is usual."""
    mostly_open = [*EXPERIENCE, *([one for one in EXPERIENCE if one.left_open] * 3)]
    learned = UnclearRequests.fit(mostly_open, letters)
    assert learned.usual > 0.75
    assert learned.probability(said("move the party")) < learned.usual < learned.probability(said("whizz the party"))


def test_the_same_experience_teaches_the_same(learned: UnclearRequests) -> None:
    assert UnclearRequests.fit(iter(EXPERIENCE), letters) == learned


@pytest.mark.parametrize("left_open", [True, False])
def test_one_kind_alone_teaches_nothing(left_open: bool) -> None:
    with pytest.raises(ValueError, match="both kinds"):
        UnclearRequests.fit([one._replace(left_open=left_open) for one in EXPERIENCE], letters)


# The state


def test_what_was_told_speaks_for_the_goals_that_use_it(office: Domain) -> None:
    assert odds_of_state(office, known("date")) == [TOLD, TOLD - UNTOLD, 0.0]
    assert odds_of_state(office, known("date", "room")) == [TOLD, 2 * TOLD, 0.0]
    assert odds_of_state(office, known("room")) == [-UNTOLD, TOLD - UNTOLD, 0.0]


def test_what_is_uncertain_was_told_as_well(office: Domain) -> None:
    assert odds_of_state(office, State(uncertain=frozenset([Atom("date", ())]))) == [TOLD, TOLD - UNTOLD, 0.0]


@pytest.mark.parametrize("state", [State(), known("moved")])
def test_a_state_in_which_nothing_was_told_says_nothing(office: Domain, state: State) -> None:
    assert odds_of_state(office, state) == [0.0, 0.0, 0.0]


def test_without_goals_there_are_no_odds() -> None:
    assert odds_of_state(loads("fact a  tool t { produces a risk read }"), known("a")) == []
