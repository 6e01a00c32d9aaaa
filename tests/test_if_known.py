"""Arguments that are passed if a fact is known: `passes rooms = rooms if known`."""

from __future__ import annotations

from datetime import datetime

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.checks.lints import check_text
from toolplan.checks.schemas import against_schemas
from toolplan.frontier import Act, Call, Done
from toolplan.goals.readings import Reading
from toolplan.language.codes import Code
from toolplan.planning.plans import Atom, Status
from toolplan.session import Allowed, Refused, Session
from toolplan.session.readers.prompts import statable
from toolplan.session.trust import beliefs_of
from toolplan.session.turns import Stated, TurnReading

NOTHING = Reading("", (), 1.0)
HOTELS = """
domain hotels "Hotels"
fact city: text "where"
fact rooms: integer "how many rooms"
fact hotels "the hotels that were found"
tool search calls "SearchHotel" {
  "Look for hotels." requires city passes location = city, number_of_rooms = rooms if known produces hotels risk read
}
goal look { "Look for a hotel." achieves hotels given city }
"""


def talk_of(*turns: str, text: str = HOTELS) -> Session:
    talk = Session(toolplan.loads(text))
    for turn in turns:
        talk.hear(turn)
    return talk


def call_of(talk: Session) -> Call:
    """The call that needs no model."""
    decision = talk.next().decision
    assert isinstance(decision, Act)
    assert decision.ready is not None
    return decision.ready


def test_what_nobody_said_is_left_out_and_not_asked_for() -> None:
    assert call_of(talk_of("Look for a hotel in Paris")).values == {"location": "Paris"}


def test_what_was_said_on_its_own_is_passed() -> None:
    assert call_of(talk_of("Look for a hotel in Paris", "3 rooms please")).values == {"location": "Paris", "number_of_rooms": 3}


def test_a_model_may_not_make_it_up_but_may_repeat_what_is_known() -> None:
    talk = talk_of("Look for a hotel in Paris")
    refused = talk.propose("SearchHotel", {"location": "Paris", "number_of_rooms": 2})
    assert isinstance(refused, Refused)
    assert refused.reason == "`number_of_rooms` of `SearchHotel` must be what is known, and nothing else"
    assert isinstance(talk.would("SearchHotel", {"number_of_rooms": None}), Allowed)
    talk.hear("2 rooms")
    assert isinstance(talk.propose("SearchHotel", {"number_of_rooms": "2"}), Allowed)


def test_the_call_is_made_again_once_it_is_known() -> None:
    talk = talk_of("Look for a hotel in Paris")
    for words, rooms in (("2 rooms", 2), ("make it 4 rooms", 4)):
        call = call_of(talk)
        talk.start(call)
        talk.observe(call, {})
        assert isinstance(talk.next().decision, Done)
        talk.hear(words)
        assert call_of(talk).values["number_of_rooms"] == rooms


def test_what_is_known_without_its_value_is_for_a_model_to_give() -> None:
    talk = Session(toolplan.loads(HOTELS), state={"city", "rooms"})
    talk.want("look")
    refused = talk.propose("SearchHotel", {"location": "Paris"})
    assert isinstance(refused, Refused)
    assert refused.reason == "`number_of_rooms` of `SearchHotel` must be given"
    assert isinstance(talk.propose("SearchHotel", {"location": "Paris", "number_of_rooms": 2}), Allowed)


def test_what_is_only_claimed_is_not_known() -> None:
    talk = Session(toolplan.loads(HOTELS), state={"city": "Paris", "rooms?": 2})
    talk.want("look")
    assert call_of(talk).values == {"location": "Paris"}


def test_the_plan_is_the_same_whether_it_is_known_or_not() -> None:
    domain = toolplan.loads(HOTELS)
    assert toolplan.plan(domain, state="city", goal="look").steps == toolplan.plan(domain, state="city, rooms", goal="look").steps


def test_users_may_add_it_so_that_nothing_has_to_make_it_known() -> None:
    assert not check_text(HOTELS).diagnostics


def test_a_required_parameter_wants_more_than_if_known() -> None:
    schema = {"type": "object", "properties": {"location": {}, "number_of_rooms": {}}, "required": ["location", "number_of_rooms"]}
    findings = against_schemas(check_text(HOTELS), Catalog([RealTool("SearchHotel", "", schema)]))
    assert [finding.code for finding in findings] == [Code.MISSING_REAL_PARAMETER]


SALONS = """
fact city: text "where"
fact is_unisex: boolean "whether the salon is unisex"
fact found
tool search calls "FindSalon" { requires city passes city = city, unisex = is_unisex if known produces found risk read }
ask sexes { "Is it for everybody?" produces is_unisex }
goal salon { "Look for a salon." achieves found given city }
"""


def test_a_boolean_is_passed_as_it_was_said() -> None:
    assert call_of(talk_of("Look for a unisex salon in Paris", text=SALONS)).values == {"city": "Paris", "unisex": True}


@pytest.mark.parametrize(
    ("state", "passed"), [({"is_unisex": True}, {"unisex": True}), ({"is_unisex": False}, {"unisex": False}), ({"is_unisex": None}, {})]
)
def test_a_boolean_in_the_state_is_a_value(state: dict[str, object], passed: dict[str, object]) -> None:
    talk = Session(toolplan.loads(SALONS), state={"city": "Paris", **state})
    talk.want("salon")
    assert call_of(talk).values == {"city": "Paris", **passed}


def test_a_boolean_that_is_answered_is_a_value() -> None:
    asking = SALONS.replace("requires city", "requires city, is_unisex")
    talk = talk_of("Look for a salon in Paris", text=asking)
    talk.next()
    talk.answer({"is_unisex": True})
    assert call_of(talk).values["unisex"] is True


@pytest.mark.parametrize(
    ("turn", "passed"),
    [
        ("Look for a salon in Paris, not unisex", {"unisex": False}),
        ("Look for a salon in Paris. Unisex? No.", {"unisex": False}),
        ("Find a salon in Paris, unisex: false", {"unisex": False}),
        ("Find a salon in Paris, unisex: yes", {"unisex": True}),
        ("Look for a salon in Paris, unisex or not", {}),
    ],
)
def test_a_boolean_is_what_the_words_say(turn: str, passed: dict[str, object]) -> None:
    assert call_of(talk_of(turn, text=SALONS)).values == {"city": "Paris", **passed}


@pytest.mark.parametrize("answer", [True, False])
def test_a_button_answers_a_question_for_a_boolean(answer: bool) -> None:
    talk = talk_of("Look for a salon in Paris", text=SALONS.replace("requires city", "requires city, is_unisex"))
    talk.next()
    talk.answer(answer)
    assert call_of(talk).values == {"city": "Paris", "unisex": answer}


@pytest.mark.parametrize(("words", "value", "known"), [("unisex", True, True), ("not unisex", True, False), ("not unisex", False, True)])
def test_what_a_reader_makes_of_a_boolean_has_to_be_what_its_words_mean(words: str, value: bool, known: bool) -> None:
    domain = toolplan.loads(SALONS)
    turn = TurnReading(f"a salon, {words}", NOTHING, (Stated(Atom("is_unisex"), value, words),))
    (belief,) = beliefs_of(domain, turn, datetime(2026, 11, 30))
    assert (belief.status is Status.KNOWN, belief.value) == (known, value)


SEATS = """
fact city: text "where to"
fact flights: text
fact seat: text "the seat"
fact booked
tool search { "Look for flights." requires city passes city = city, seat = seat if known produces flights returns flights = $.f risk read }
tool pick { "Find a seat." requires flights passes flight = flights produces seat returns seat = $.seat risk read }
tool book { "Book." requires flights, seat passes flight = flights, seat = seat produces booked risk read }
goal fly { "Fly somewhere." achieves booked given city }
"""


def test_what_a_later_call_finds_out_does_not_make_the_call_again() -> None:
    talk = Session(toolplan.loads(SEATS), state={"city": "Paris"})
    talk.want("fly")
    called = []
    while len(called) < 5 and isinstance(talk.next().decision, Act):
        call = call_of(talk)
        called.append(call.tool)
        talk.start(call)
        talk.observe(call, {"f": "AF 1", "seat": "7a"})
    assert called == ["search", "pick", "book"]


def test_what_was_claimed_and_left_out_is_passed_once_it_is_said() -> None:
    talk = Session(toolplan.loads(HOTELS), state={"city": "Paris", "rooms?": 2})
    talk.want("look")
    call = call_of(talk)
    talk.start(call)
    talk.observe(call, {})
    talk.hear("2 rooms please")
    assert call_of(talk).values == {"location": "Paris", "number_of_rooms": 2}


def test_a_call_that_was_ready_before_it_was_said_is_made_again() -> None:
    talk = talk_of("Look for a hotel in Paris")
    call = call_of(talk)
    talk.hear("2 rooms")
    talk.start(call)
    talk.observe(call, {})
    assert call_of(talk).values["number_of_rooms"] == 2


def test_nothing_is_checked_of_what_is_left_out() -> None:
    checked = HOTELS.replace("produces hotels", "checks rooms <= 4 produces hotels")
    assert call_of(talk_of("Look for a hotel in Paris", text=checked)).values == {"location": "Paris"}
    assert call_of(talk_of("Look for a hotel in Paris", "3 rooms please", text=checked)).values["number_of_rooms"] == 3
    decision = talk_of("Look for a hotel in Paris", "9 rooms please", text=checked).next().decision
    assert not isinstance(decision, Act) or decision.ready is None


def test_a_model_that_reads_may_state_it_too() -> None:
    assert list(statable(toolplan.loads(HOTELS))) == ["city", "rooms"]
