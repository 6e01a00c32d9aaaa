"""Arguments that are passed if a fact is known: `passes rooms = rooms if known`."""

from __future__ import annotations

import pytest

import toolplan
from toolplan.catalog import Catalog, RealTool
from toolplan.checks.lints import check_text
from toolplan.checks.schemas import against_schemas
from toolplan.frontier import Act, Call, Done
from toolplan.language.codes import Code
from toolplan.session import Allowed, Refused, Session

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
