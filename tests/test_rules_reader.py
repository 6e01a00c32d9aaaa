"""What the reader by rules makes of turns: goals, entities, values, replies. Everything that is stated is compared, so that nothing is wrong."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import toolplan
from toolplan.domain import Domain
from toolplan.goals.readings import Reading, reading_of
from toolplan.planning.inputs import build
from toolplan.planning.plans import Atom
from toolplan.planning.problem import State
from toolplan.session.readers import rules
from toolplan.session.turns import Agreed, Asked, Chosen, Context, Declined, Refused, Reply, Stopped, TurnReading

ROOT = Path(__file__).parents[1]
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=timezone(timedelta(hours=1)))
"""A Monday."""
OFFICE = toolplan.load(ROOT / "domains" / "office.toolplan")
WORKSPACE = toolplan.load(ROOT / "domains" / "workspace.toolplan")
TRIPS = toolplan.loads(
    """
    domain trips "Trips and who goes on them"
    type trip
    type customer
    fact title(trip): text
    fact starts(trip): datetime "when it begins"
    fact ends(trip): datetime "when it is over"
    fact rooms(trip): integer "how many rooms"
    fact travellers(trip): integer "how many people"
    fact comfort(trip): enum("simple", "standard", "luxury")
    fact site(trip): url
    fact lasts(trip): duration
    fact named(customer): text
    fact address(customer): email
    fact booked(trip)
    fact welcomed(customer)
    tool book(t: trip) { "Book." requires title(t), starts(t), ends(t), rooms(t), travellers(t) produces booked(t) risk write }
    tool welcome(c: customer) { "Welcome." requires named(c), address(c) produces welcomed(c) risk send }
    ask which_rooms(t: trip) { "How many rooms?" produces rooms(t) }
    ask which_comfort(t: trip) { "How comfortable?" produces comfort(t) }
    goal book(t: trip) {
      "Have a trip booked."
      achieves booked(t)
      given title(t), starts(t), ends(t), rooms(t), travellers(t), comfort(t), site(t), lasts(t)
      phrases "book {title(t)}", "book {title(t)} for {travellers(t)} people"
    }
    goal welcome(c: customer) {
      "Welcome a customer."
      achieves welcomed(c)
      given named(c), address(c)
      phrases "welcome {c}", "say hello to {c}"
    }
    """
)
STAYS = toolplan.loads(
    """
    domain stays "Houses to stay in, and rides"
    fact stay_city: text "where the house is"
    fact stay_check_in_date: date "the first day"
    fact stay_check_out_date: date "the day of leaving"
    fact stay_rooms: integer "how many rooms"
    fact stay_guests: integer "how many people"
    fact stay_length: integer "the number of days"
    fact stay_style: text "how it is built"
    fact stay_has_garden: boolean "whether there is a garden"
    fact stay_comfort: enum("simple", "simple luxury", "grand luxury")
    fact ride_from_city: text "where the ride begins"
    fact ride_to_city: text "where it goes"
    fact ride_driver: text "by whom"
    fact ride_insurance: boolean "whether it is insured"
    fact ride_alarm_time: datetime "when to be woken"
    fact tour_start_date: date "the day of the tour"
    fact tour_pickup_time: datetime "when the bus leaves"
    fact tour_return_date: date "the last day"
    fact tour_meal_time: datetime "when to eat"
    fact tour_meal_date: date "the day of the meal"
    fact stay_found
    fact ride_taken
    fact tour_taken
    fact tour_eaten
    tool stay_search {
      "Search for a house."
      requires stay_city, stay_check_in_date, stay_check_out_date
      passes city = stay_city, rooms free, guests free, length free, style free, has_garden free, comfort free
      produces stay_found
      risk read
    }
    tool ride_take {
      "Take a ride."
      requires ride_from_city, ride_to_city, ride_insurance, ride_alarm_time
      passes driver free
      produces ride_taken
      risk write
    }
    tool tour_take { "Take a tour." requires tour_start_date, tour_pickup_time, tour_return_date produces tour_taken risk write }
    tool tour_have_meal { "Have a meal." requires tour_meal_time, tour_meal_date produces tour_eaten risk write }
    goal stay_find { "Find a house." achieves stay_found given stay_city, stay_check_in_date, stay_check_out_date }
    goal ride_book { "Take a ride." achieves ride_taken given ride_from_city, ride_to_city, ride_insurance, ride_alarm_time }
    goal tour_book { "Take a tour." achieves tour_taken given tour_start_date, tour_pickup_time, tour_return_date }
    goal tour_eat { "Have a meal." achieves tour_eaten given tour_meal_time, tour_meal_date }
    """
)
DAY = ("2026-12-01T00:00:00+01:00", "2026-12-01T23:59:59+01:00")
MONDAY = ("2026-11-30T00:00:00+01:00", "2026-11-30T23:59:59+01:00")
FRIDAY = ("2026-12-04T00:00:00+01:00", "2026-12-04T23:59:59+01:00")


class Only:
    """A ranker that is sure of one goal."""

    def __init__(self, goal: str) -> None:
        self.goal = goal

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        return reading_of(request, [((self.goal,), 1.0)])


def read(text: str, context: Context, ranker: Only | None = None) -> TurnReading:
    return rules(ranker).read(text, context)


def new(domain: Domain = OFFICE) -> Context:
    return Context(domain, NOW, entities={"mine": "calendar"} if domain is OFFICE else {})


def stated(reading: TurnReading) -> dict[str, object]:
    return {str(each.atom): each.value for each in reading.stated}


def top(reading: TurnReading) -> tuple[str, ...]:
    first = reading.goals.candidates[0] if reading.goals.candidates else None
    return first.goals if first is not None and first.p > reading.goals.none else ()


def window(entity: str, ends: tuple[str, str]) -> dict[str, object]:
    return {f"earliest({entity})": ends[0], f"latest({entity})": ends[1]}


def event(words: str, **more: object) -> dict[str, object]:
    return {"described(event_1)": words, **more}


def mail(words: str, name: str = "message_1") -> dict[str, object]:
    return {f"described({name})": words}


REQUESTS: list[tuple[str, tuple[str, ...], Mapping[str, object]]] = [
    (
        "move tomorrow's dentist appointment to 4 PM",
        ("move_event",),
        event("dentist appointment", **window("event_1", DAY), **{"starts(event_1)": "2026-12-01T16:00:00+01:00"}),
    ),
    ("what is Monday's planning meeting about?", ("summarize_event",), event("planning meeting", **window("event_1", MONDAY))),
    (
        "invite Anna to Monday's planning meeting",
        ("invite_attendee",),
        event("planning meeting", **window("event_1", MONDAY), **{"named(person_1)": "Anna"}),
    ),
    ("draft a reply to the mail about the offer", ("draft_reply",), mail("mail about the offer")),
    ("summarize the mail about the offer", ("summarize_email",), mail("offer")),
    ("until when do they need an answer to the offer?", ("extract_deadline",), mail("offer")),
    (
        "summarize the section on risks of the report",
        ("summarize_section",),
        {"described(file_1)": "report", "section(file_1)": "risks"},
    ),
    ("summarize the report", ("summarize_document",), {"described(file_1)": "report"}),
    (
        "quote the section on risks of the report",
        ("extract_section",),
        {"described(file_1)": "report", "section(file_1)": "risks"},
    ),
    (
        "Could you please move my dentist appointment on Tuesday to Wednesday at 10?",
        ("move_event",),
        event("dentist appointment", **window("event_1", DAY), **{"starts(event_1)": "2026-12-02T10:00:00+01:00"}),
    ),
    (
        "reschedule the planning meeting to Friday 3 pm",
        ("move_event",),
        event("planning meeting", **{"starts(event_1)": "2026-12-04T15:00:00+01:00"}),
    ),
    (
        "I'd like to move my trip to Rome tomorrow to 9 am",
        ("move_event",),
        event("trip to Rome", **window("event_1", DAY), **{"starts(event_1)": "2026-12-01T09:00:00+01:00"}),
    ),
    # Nobody said of which day the time is.
    ("move the dentist appointment to 4 PM", ("move_event",), event("dentist appointment")),
    (
        'move "Q3 review" to tomorrow at 9',
        ("move_event",),
        event("Q3 review", **{"starts(event_1)": "2026-12-01T09:00:00+01:00"}),
    ),
    ("cancel tomorrow's dentist appointment", ("cancel_event",), event("dentist appointment", **window("event_1", DAY))),
    (
        "cancel the meeting with Bob on Friday because I'm sick",
        ("cancel_event",),
        event("meeting with Bob", **window("event_1", FRIDAY)),
    ),
    ("call tomorrow's lunch off", ("cancel_event",), event("lunch", **window("event_1", DAY))),
    # A word for every event of a calendar describes none.
    ("cancel my appointment", ("cancel_event",), {}),
    ("delete all newsletters", ("trash_email",), {}),
    (
        "invite bob@x.org to the planning meeting on Friday",
        ("invite_attendee",),
        event("planning meeting", **window("event_1", FRIDAY), **{"address(person_1)": "bob@x.org"}),
    ),
    (
        "invite Anna and Bob to Friday's budget meeting",
        ("invite_attendee",),
        event("budget meeting", **window("event_1", FRIDAY), **{"named(person_1)": "Anna", "named(person_2)": "Bob"}),
    ),
    ("draft a reply to Anna's mail", ("draft_reply",), mail("Anna's mail")),
    ("reply to the mail from the bank", ("send_reply",), mail("mail from the bank")),
    ("write to Anna that the train is late", ("write_to",), {"named(person_1)": "Anna", "wording(new_message_1)": "the train is late"}),
    (
        "let Bob know that I'll be there at 5, and sorry",
        ("write_to",),
        {"named(person_1)": "Bob", "wording(new_message_1)": "I'll be there at 5, and sorry"},
    ),
    ("archive the newsletter", ("archive_email",), mail("newsletter")),
    ("delete the newsletter", ("trash_email",), mail("newsletter")),
    ("erase the mail with the password", ("erase_email",), mail("mail with the password")),
    # Days say nothing of mails that a contract could use, so they stay in the words.
    ("delete the mail from last Monday", ("trash_email",), mail("mail from last Monday")),
    ("what is in the budget file?", ("summarize_document",), {"described(file_1)": "budget file"}),
    # The day is that of the lunch.
    (
        "cancel tomorrow's lunch and move the dentist appointment to 4 PM",
        ("cancel_event", "move_event"),
        event("lunch", **window("event_1", DAY), **{"described(event_2)": "dentist appointment"}),
    ),
    ("move tomorrow's dentist appointment", ("move_event",), event("dentist appointment", **window("event_1", DAY))),
    (
        "postpone tomorrow's dentist appointment until Friday at 5",
        ("move_event",),
        event("dentist appointment", **window("event_1", DAY), **{"starts(event_1)": "2026-12-04T17:00:00+01:00"}),
    ),
    (
        "push the planning meeting tomorrow back to 6 pm",
        ("move_event",),
        event("planning meeting", **window("event_1", DAY), **{"starts(event_1)": "2026-12-01T18:00:00+01:00"}),
    ),
    ("call off tomorrow's lunch", ("cancel_event",), event("lunch", **window("event_1", DAY))),
    (
        "plan lunch on Friday at noon",
        ("add_event",),
        {"title(new_event_1)": "lunch", "starts(new_event_1)": "2026-12-04T12:00:00+01:00"},
    ),
    ("schedule a review", ("add_event",), {"title(new_event_1)": "review"}),
    (
        "put lunch with Bob into my calendar on Friday from 12 to 1 pm",
        ("add_event",),
        {
            "title(new_event_1)": "lunch with Bob",
            "starts(new_event_1)": "2026-12-04T12:00:00+01:00",
            "ends(new_event_1)": "2026-12-04T13:00:00+01:00",
        },
    ),
    ("answer the mail about the offer", ("send_reply",), mail("mail about the offer")),
    ("what does the mail about the offer say?", ("summarize_email",), mail("offer")),
    ("write to Anna", ("write_to",), {"named(person_1)": "Anna"}),
    ("tell Bob that I'm late", ("write_to",), {"named(person_1)": "Bob", "wording(new_message_1)": "I'm late"}),
    ("send Bob a mail saying I'm late", ("write_to",), {"named(person_1)": "Bob", "wording(new_message_1)": "I'm late"}),
    ("summarize the mail about the offer and archive it", ("summarize_email", "archive_email"), mail("offer")),
    (
        "move tomorrow's dentist appointment to 4 PM and tell Bob that I'm late",
        ("move_event", "write_to"),
        event(
            "dentist appointment",
            **window("event_1", DAY),
            **{"starts(event_1)": "2026-12-01T16:00:00+01:00", "named(person_1)": "Bob", "wording(new_message_1)": "I'm late"},
        ),
    ),
]


REVIEW = {"described(event_2)": "review", **window("event_2", FRIDAY)}
AT_FOUR = event("dentist appointment", **window("event_1", DAY), **{"starts(event_1)": "2026-12-01T16:00:00+01:00"})
SEVERAL: list[tuple[str, tuple[str, ...], Mapping[str, object]]] = [
    ("move tomorrow's dentist appointment to 4 PM and cancel Friday's review", ("move_event", "cancel_event"), {**AT_FOUR, **REVIEW}),
    ("move tomorrow's dentist appointment to 4 PM. Cancel Friday's review.", ("move_event", "cancel_event"), {**AT_FOUR, **REVIEW}),
    (
        "Move the dentist appointment tomorrow to 4 PM, and please cancel the review on Friday",
        ("move_event", "cancel_event"),
        {**AT_FOUR, **REVIEW},
    ),
    (
        "cancel Friday's review and move the dentist appointment tomorrow to 4 PM",
        ("cancel_event", "move_event"),
        {
            **event("review", **window("event_1", FRIDAY)),
            "described(event_2)": "dentist appointment",
            **window("event_2", DAY),
            "starts(event_2)": "2026-12-01T16:00:00+01:00",
        },
    ),
    # The day behind the time is that of the time, and nobody said on which day the appointment is now.
    (
        "move the dentist appointment to 4 PM tomorrow and cancel Friday's review",
        ("move_event", "cancel_event"),
        {**event("dentist appointment", **{"starts(event_1)": "2026-12-01T16:00:00+01:00"}), **REVIEW},
    ),
    # The one day is that of the lunch.
    (
        "move the dentist appointment to 4 PM and cancel tomorrow's lunch",
        ("move_event", "cancel_event"),
        {**event("dentist appointment"), "described(event_2)": "lunch", **window("event_2", DAY)},
    ),
    (
        "move tomorrow's dentist appointment to Friday and cancel the review at 4 pm",
        ("move_event", "cancel_event"),
        {**event("dentist appointment", **window("event_1", DAY)), "described(event_2)": "review"},
    ),
    (
        "plan lunch from 12 to 1 pm on Friday and cancel tomorrow's review",
        ("add_event", "cancel_event"),
        {
            "title(new_event_1)": "lunch",
            "starts(new_event_1)": "2026-12-04T12:00:00+01:00",
            "ends(new_event_1)": "2026-12-04T13:00:00+01:00",
            **event("review", **window("event_1", DAY)),
        },
    ),
    (
        "postpone tomorrow's dentist appointment until 4 pm and invite Anna to Friday's review",
        ("move_event", "invite_attendee"),
        {**AT_FOUR, **REVIEW, "named(person_1)": "Anna"},
    ),
    (
        "move tomorrow's dentist appointment to 4 PM, cancel Friday's review and archive the newsletter",
        ("move_event", "cancel_event", "archive_email"),
        {**AT_FOUR, **REVIEW, **mail("newsletter")},
    ),
    (
        "archive the newsletter, cancel tomorrow's lunch, and move Friday's review to 3 pm",
        ("archive_email", "cancel_event", "move_event"),
        {**mail("newsletter"), **event("lunch", **window("event_1", DAY)), **REVIEW, "starts(event_2)": "2026-12-04T15:00:00+01:00"},
    ),
    (
        "cancel tomorrow's lunch, move Friday's review to 3 pm and tell Bob that I'm late",
        ("cancel_event", "move_event", "write_to"),
        {
            **event("lunch", **window("event_1", DAY)),
            **REVIEW,
            "starts(event_2)": "2026-12-04T15:00:00+01:00",
            "named(person_1)": "Bob",
            "wording(new_message_1)": "I'm late",
        },
    ),
]


@pytest.mark.parametrize(("text", "goals", "facts"), SEVERAL, ids=[text for text, _, _ in SEVERAL])
def test_of_several_wishes_each_takes_what_its_own_clause_says(text: str, goals: tuple[str, ...], facts: Mapping[str, object]) -> None:
    reading = read(text, new())
    assert top(reading) == goals
    assert stated(reading) == facts


@pytest.mark.parametrize(("text", "goals", "facts"), REQUESTS, ids=[text for text, _, _ in REQUESTS])
def test_a_request_in_words(text: str, goals: tuple[str, ...], facts: Mapping[str, object]) -> None:
    reading = read(text, new())
    assert top(reading) == goals
    assert stated(reading) == facts
    assert reading.reply is None


WORKSPACE_REQUESTS: list[tuple[str, str, Mapping[str, object]]] = [
    (
        "move tomorrow's dentist appointment to 4 PM",
        "move_event",
        {"event_description": "dentist appointment", "date": "2026-12-01", "new_time": "2026-12-01T16:00:00+01:00"},
    ),
    (
        "postpone the dentist appointment until Friday at 5",
        "move_event",
        {"event_description": "dentist appointment", "new_time": "2026-12-04T17:00:00+01:00"},
    ),
    ("call off the planning meeting tomorrow", "cancel_event", {"event_description": "planning meeting", "date": "2026-12-01"}),
    ("when am I free on Friday?", "find_free_time", {"date": "2026-12-04"}),
    ("archive the newsletter", "archive_email", {"email_description": "newsletter"}),
    ("find the e-mail about the offer", "find_email", {"email_description": "offer"}),
    ("send an e-mail to anna@example.org", "send_email", {"recipient": "anna@example.org"}),
    # Facts without a value say that something was said.
    ("share the report with Anna", "share_file", {"described(file_1)": True, "named(person_1)": True}),
]


@pytest.mark.parametrize(("text", "goal", "facts"), WORKSPACE_REQUESTS, ids=[text for text, _, _ in WORKSPACE_REQUESTS])
def test_a_request_without_entities(text: str, goal: str, facts: Mapping[str, object]) -> None:
    reading = read(text, new(WORKSPACE))
    assert top(reading) == (goal,)
    assert stated(reading) == facts


TYPED: list[tuple[str, Mapping[str, object]]] = [
    ("book Rome for 4 people", {"title(trip_1)": "Rome", "travellers(trip_1)": 4}),
    ("book Rome, 2 rooms and 4 people", {"title(trip_1)": "Rome", "rooms(trip_1)": 2, "travellers(trip_1)": 4}),
    # Which of the two it counts is not said.
    ("book Rome, 4", {"title(trip_1)": "Rome"}),
    ("book Rome, luxury please", {"title(trip_1)": "Rome", "comfort(trip_1)": "luxury"}),
    ("book Rome, simple or luxury", {"title(trip_1)": "Rome"}),
    ("book Rome, as on https://rome.example", {"title(trip_1)": "Rome", "site(trip_1)": "https://rome.example"}),
    (
        "book Rome, tomorrow at 9, back on Friday at 18:00",
        {"title(trip_1)": "Rome", "starts(trip_1)": "2026-12-01T09:00:00+01:00", "ends(trip_1)": "2026-12-04T18:00:00+01:00"},
    ),
    # One moment may be either end.
    ("book Rome, tomorrow at 9", {"title(trip_1)": "Rome"}),
    ("book Rome and bring me back", {"title(trip_1)": "Rome and bring me back"}),
]


@pytest.mark.parametrize(("text", "facts"), TYPED, ids=[text for text, _ in TYPED])
def test_values_go_to_facts_by_their_types(text: str, facts: Mapping[str, object]) -> None:
    assert stated(read(text, new(TRIPS), Only("book"))) == facts


def house(**facts: object) -> dict[str, object]:
    return {f"stay_{name}": value for name, value in facts.items()}


def ride(**facts: object) -> dict[str, object]:
    return {f"ride_{name}": value for name, value in facts.items()}


SPOKEN: list[tuple[str, str, Mapping[str, object]]] = [
    # Names, by the words before them.
    ("a house in San Juan, please", "stay_find", house(city="San Juan")),
    ("somewhere around Portland, OR with a view", "stay_find", house(city="Portland, OR")),
    ("we want to see the city Bad Homburg", "stay_find", house(city="Bad Homburg")),
    ("can you find me a house in lisbon on friday?", "stay_find", house(city="lisbon")),
    ("I am interested in Jazz and houses", "stay_find", {}),
    ("something in Rome or in Milan", "stay_find", {}),
    ("from Rome to Milan by bus", "ride_book", ride(from_city="Rome", to_city="Milan")),
    ("to the Museum of Modern Art with Anna", "ride_book", ride(to_city="Museum of Modern Art")),
    ("take me to 140 Homer Avenue, driver Anna Miller", "ride_book", ride(to_city="140 Homer Avenue", driver="Anna Miller")),
    ("in Rome there is a lot to see", "ride_book", {}),
    # Arguments that may be left out.
    ("a house with 2 rooms for 4 guests", "stay_find", house(rooms=2, guests=4)),
    ("a house at 140 Homer Avenue", "stay_find", {}),
    ("I saw IT two, and Toy Story Four", "stay_find", {}),
    ("to Anna's house", "ride_book", {}),
    ("the driver that Anna knows", "ride_book", {}),
    ("a simple luxury house", "stay_find", house(comfort="simple luxury")),
    ("simple or grand luxury", "stay_find", {}),
    ("a house with a garden", "stay_find", house(has_garden=True)),
    ("a house without a garden", "stay_find", house(has_garden=False)),
    ("a garden does not matter", "stay_find", {}),
    ("yes, a house", "stay_find", {}),
    # What says yes or no is no more than its own words.
    ("a house with a garden in Rome", "stay_find", house(has_garden=True, city="Rome")),
    ("Fort St. George is too far, so take us to St. Moritz", "ride_book", ride(to_city="St. Moritz")),
    # Names by the words after them.
    ("something in the Art Deco style", "stay_find", house(style="Art Deco")),
    ("a Victorian house, please", "stay_find", house(style="Victorian")),
    ("a Victorian garden house or a Victorian one", "stay_find", {}),
    # Lengths where their unit is counted.
    ("a house for two days", "stay_find", house(length=2)),
    ("a house for two weeks", "stay_find", {}),
    # A day that is said with a time of day, for the facts that the names put together.
    ("dinner on Friday at 8 pm", "tour_eat", {"tour_meal_time": "2026-12-04T20:00:00+01:00", "tour_meal_date": "2026-12-04"}),
    (
        "pick me up on Friday at 9 am, and back on Sunday",
        "tour_book",
        {"tour_pickup_time": "2026-12-04T09:00:00+01:00", "tour_start_date": "2026-12-04", "tour_return_date": "2026-12-06"},
    ),
    # Two days, and one of two.
    ("from the 3rd until the 5th of December", "stay_find", house(check_in_date="2026-12-03", check_out_date="2026-12-05")),
    ("until Friday", "stay_find", house(check_out_date="2026-12-04")),
    ("we want to check in on Friday", "stay_find", house(check_in_date="2026-12-04")),
    ("on Friday", "stay_find", {}),
    ("all of next week", "stay_find", {}),
    # It is ten in the morning, and no day is ever said of an alarm.
    ("wake me at 4 pm", "ride_book", ride(alarm_time="2026-11-30T16:00:00+01:00")),
]


@pytest.mark.parametrize(("text", "goal", "facts"), SPOKEN, ids=[text for text, _, _ in SPOKEN])
def test_what_a_turn_says_without_a_phrase(text: str, goal: str, facts: Mapping[str, object]) -> None:
    assert stated(read(text, Context(STAYS, NOW), Only(goal))) == facts


def test_the_words_of_a_value_mean_it_without_the_rest_of_the_turn() -> None:
    def words(text: str, goal: str) -> dict[str, str]:
        return {str(each.atom): each.words for each in read(text, Context(STAYS, NOW), Only(goal)).stated}

    assert words("dinner on Friday at 8 pm", "tour_eat")["tour_meal_date"] == "Friday"
    assert words("dinner at eight in the evening on the 4th", "tour_eat")["tour_meal_date"] == "on the 4th"
    assert words("a house for two days", "stay_find") == {"stay_length": "two"}
    assert words("we do not want any garden in Rome", "stay_find") == {"stay_has_garden": "not want any garden", "stay_city": "Rome"}


class Nothing:
    """A ranker that finds nothing wanted."""

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        return reading_of(request, [])


def asked_of(goal: str, *facts: str) -> Context:
    asked = Asked("Well?", tuple(Atom(fact) for fact in facts)) if facts else None
    return Context(STAYS, NOW, State(), ((goal,),), asked)


TOLD: list[tuple[str, str, tuple[str, ...], Mapping[str, object]]] = [
    ("I am searching for houses inside NYC.", "stay_find", ("stay_city",), house(city="NYC")),
    ("It should be Rome, please.", "stay_find", ("stay_city",), house(city="Rome")),
    ("Please check Redwood City.", "stay_find", ("stay_city",), house(city="Redwood City")),
    ("i will be traveling from lisbon", "ride_book", ("ride_from_city",), ride(from_city="lisbon")),
    ("It's lisbon.", "stay_find", ("stay_city",), house(city="lisbon")),
    ("I'd like to go to Milan", "ride_book", ("ride_from_city",), ride(to_city="Milan")),
    ("I want a place that my children would enjoy.", "stay_find", ("stay_city",), {}),
    ("From Rome to Milan", "ride_book", ("ride_from_city", "ride_to_city"), ride(from_city="Rome", to_city="Milan")),
    ("yes", "ride_book", ("ride_insurance",), ride(insurance=True)),
    ("No, it's fine", "ride_book", ("ride_insurance",), ride(insurance=False)),
    ("I won't need any insurance", "ride_book", ("ride_insurance",), ride(insurance=False)),
    ("yes", "ride_book", ("ride_insurance", "ride_driver"), {}),
    ("Insurance, yes", "ride_book", ("ride_insurance", "ride_driver"), ride(insurance=True)),
    ("Do it at quarter to 5 in the evening.", "ride_book", ("ride_alarm_time",), ride(alarm_time="2026-11-30T16:45:00+01:00")),
    ("9:30 in the evening", "ride_book", ("ride_alarm_time",), ride(alarm_time="2026-11-30T21:30:00+01:00")),
    # That of today is over.
    ("9:30 in the morning", "ride_book", ("ride_alarm_time",), {}),
    # A question about what there is wants none of it.
    ("is it a simple luxury house?", "stay_find", (), {}),
    ("does it have a garden?", "stay_find", (), {}),
    ("thanks, that's all for today", "stay_find", (), {}),
]


@pytest.mark.parametrize(("text", "goal", "asked", "facts"), TOLD, ids=[text for text, *_ in TOLD])
def test_what_a_turn_says_while_a_request_is_open(text: str, goal: str, asked: tuple[str, ...], facts: Mapping[str, object]) -> None:
    reading = rules(Nothing()).read(text, asked_of(goal, *asked))
    assert stated(reading) == facts


@pytest.mark.parametrize("text", ["Yes, please take the ride", "Yes, that's right. What does it cost?", "Yeah, that's perfect for me"])
def test_yes_to_what_is_proposed_is_the_value_of_nothing(text: str) -> None:
    context = replace(asked_of("ride_book"), asked=Asked("Shall I take it?", proposes=True))
    assert stated(rules(Nothing()).read(text, context)) == {}


def test_no_with_another_value_corrects() -> None:
    context = replace(asked_of("ride_book"), asked=Asked("To Rome?", proposes=True))
    reading = rules(Nothing()).read("No, I want to go to Milan", context)
    assert (reading.reply, stated(reading)) == (None, ride(to_city="Milan"))


def test_of_two_open_goals_the_likelier_takes_the_value() -> None:
    context = replace(asked_of("ride_book"), goals=(("stay_find",), ("ride_book",)))
    assert stated(read("it is near Rome, and with driver Anna", context, Only("ride_book"))) == {
        **ride(driver="Anna"),
        **house(city="Rome"),
    }


def test_a_slot_for_an_entity_takes_the_words_that_describe_it() -> None:
    reading = read("please say hello to Anna Miller", new(TRIPS), Only("welcome"))
    assert stated(reading) == {"named(customer_1)": "Anna Miller"}
    assert [(m.name, m.type, m.words) for m in reading.mentions] == [("customer_1", "customer", "Anna Miller")]


def test_entities_are_mentioned_in_the_words_of_the_turn() -> None:
    reading = read("invite Anna to Monday's planning meeting", new())
    assert [(m.name, m.type, m.words) for m in reading.mentions] == [
        ("person_1", "person", "Anna"),
        ("event_1", "event", "planning meeting"),
    ]


def test_what_may_be_wanted_instead_is_read_as_well() -> None:
    reading = read("delete the report", new(WORKSPACE))
    assert {goal for candidate in reading.goals.candidates[:2] for goal in candidate.goals} == {"delete_email", "delete_file"}
    assert stated(reading) == {"email_description": "report", "described(file_1)": True}


# While a request is open

SAID = {
    "described(event_1)": "dentist appointment",
    "earliest(event_1)": DAY[0],
    "latest(event_1)": DAY[1],
    "starts(event_1)": "2026-12-01T16:00:00+01:00",
}
CONFIRM = Asked("Shall I move the dentist appointment to 4 PM and tell its guests?", proposes=True)
EVENTS = Asked("Which one?", options=("Dentist appointment, Tuesday 9:00", "Dentist check-up, Tuesday 15:00", "Planning meeting, Monday"))


def moving(asked: Asked | None = None, without: tuple[str, ...] = ()) -> Context:
    """The request to move an event, as far as it was said."""
    said = {atom: value for atom, value in SAID.items() if atom.partition("(")[0] not in without}
    state = build(OFFICE, said, ()).state
    words = {"event_1": "dentist appointment"} if "described" not in without else {}
    entities = {"mine": "calendar", "event_1": "event"}
    return Context(OFFICE, NOW, state, (("move_event(mine, event_1)",),), asked, entities, words)


def atoms(*written: str) -> tuple[Atom, ...]:
    parts = [atom.rstrip(")").partition("(") for atom in written]
    return tuple(Atom(fact, (argument,)) for fact, _, argument in parts)


VERDICTS: list[tuple[str, Reply | None]] = [
    *((text, Agreed()) for text in ("yes", "Yes, please.", "sure, go ahead", "ok", "correct", "no problem, go ahead", "👍")),
    *((text, Agreed()) for text in ("yes, move it", "go ahead and move it", "Yes! Thank you very much")),
    *(
        (text, Refused())
        for text in (
            "no",
            "No, don't.",
            "not yet",
            "nope",
            "wait",
            "don't move it",
            "don't do it",
            "no, please do not go ahead",
            "not really",
            "no, leave it as it is",
        )
    ),
    *((text, Declined()) for text in ("I don't know", "no idea", "I'd rather not say", "not sure")),
    *((text, Stopped()) for text in ("stop", "cancel that", "cancel it", "never mind", "forget it", "abort", "Stop it, please.")),
    *(
        (text, None)
        for text in (
            "hmm",
            "yes?",
            "no problem",
            "yes, not now",
            "good question",
            "is that ok?",
            "no, that's fine, go ahead",
            "thanks",
            "what?",
        )
    ),
    *((text, None) for text in ("yes, cancel the planning meeting", "yes, to Bob as well", "yes and no", "ok but only if Bob can come")),
]


@pytest.mark.parametrize(("text", "reply"), VERDICTS, ids=[text for text, _ in VERDICTS])
def test_yes_and_no(text: str, reply: Reply | None) -> None:
    reading = read(text, moving(CONFIRM))
    assert reading.reply == reply
    assert stated(reading) == {}


@pytest.mark.parametrize("text", ["yes but at 5", "yes, at 5 pm", "no, 5 pm", "ok, make it 17:00"])
def test_yes_with_another_value_is_no_consent(text: str) -> None:
    reading = read(text, moving(CONFIRM))
    assert reading.reply is None
    assert stated(reading) == {"starts(event_1)": "2026-12-01T17:00:00+01:00"}
    assert top(reading) == ()


def test_yes_and_another_wish() -> None:
    reading = read("yes, and summarize the mail about the offer", moving(CONFIRM))
    assert reading.reply == Agreed()
    assert top(reading) == ("summarize_email",)
    assert stated(reading) == mail("offer")


def test_yes_and_the_same_wish_differently_is_no_consent() -> None:
    assert read("yes, and move it to 6 pm", moving(CONFIRM)).reply is None


def test_no_and_another_wish() -> None:
    reading = read("no, summarize the report instead", moving(CONFIRM))
    assert reading.reply == Refused()
    assert top(reading) == ("summarize_document",)


def test_a_digression_is_no_reply() -> None:
    reading = read("what is Friday's planning meeting about?", moving(CONFIRM))
    assert reading.reply is None
    assert top(reading) == ("summarize_event",)
    assert stated(reading) == {"described(event_2)": "planning meeting", **window("event_2", FRIDAY)}


CHOICES: list[tuple[str, Reply | None]] = [
    *((text, Chosen(1)) for text in ("the second", "2", "the second one please", "number two", "the check-up", "the 2nd")),
    *((text, Chosen(2)) for text in ("the last one", "planning", "the one on Monday", "3", "the third")),
    ("the dentist appointment", Chosen(0)),
    *((text, Refused()) for text in ("none of these", "neither", "something else", "no", "none")),
    *((text, None) for text in ("dentist", "both", "the first and the second", "4", "not the first")),
]


@pytest.mark.parametrize(("text", "reply"), CHOICES, ids=[text for text, _ in CHOICES])
def test_options(text: str, reply: Reply | None) -> None:
    reading = read(text, moving(EVENTS))
    assert reading.reply == reply
    assert stated(reading) == {}


def test_the_one_with_a_word_that_one_option_has() -> None:
    asked = Asked("Which one?", options=("Dentist", "Dentist, Tom"))
    assert read("the one with Tom", moving(asked)).reply == Chosen(1)
    assert read("the one with Bob", moving(asked)).reply is None


INSTRUCTION = Asked("Switch on the airplane mode.", proposes=True)
REPORTS: list[tuple[str, Reply | None]] = [
    *((text, Agreed()) for text in ("done", "I did", "ok, done", "it's done now.", "I switched it on", "it is on now", "yes", "finished!")),
    *(
        (text, None)
        for text in ("it is off now", "I can't", "is it on?", "I will switch it on", "I haven't switched it on", "airplane mode")
    ),
    ("not yet", Refused()),
]


@pytest.mark.parametrize(("text", "reply"), REPORTS, ids=[text for text, _ in REPORTS])
def test_who_was_told_to_do_something_says_that_it_is_done(text: str, reply: Reply | None) -> None:
    assert read(text, moving(INSTRUCTION)).reply == reply


@pytest.mark.parametrize("text", ["done", "I did", "I moved it"])
def test_that_something_is_done_is_no_consent(text: str) -> None:
    assert read(text, moving(CONFIRM)).reply is None


ANSWERS: list[tuple[str, tuple[str, ...], Mapping[str, object]]] = [
    ("4 pm", ("starts",), {"starts(event_1)": "2026-12-01T16:00:00+01:00"}),
    ("at 4", ("starts",), {"starts(event_1)": "2026-12-01T16:00:00+01:00"}),
    ("5", ("starts",), {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("it's Friday at 5", ("starts",), {"starts(event_1)": "2026-12-04T17:00:00+01:00"}),
    # A part of the answer is none, and says nothing of other facts.
    ("Friday", ("starts",), {}),
    ("what do you mean?", ("starts",), {}),
    ("tomorrow", ("earliest", "latest"), window("event_1", DAY)),
    ("on Monday", ("earliest", "latest"), window("event_1", MONDAY)),
    ("next week", ("earliest", "latest"), window("event_1", ("2026-12-07T00:00:00+01:00", "2026-12-13T23:59:59+01:00"))),
    ("Friday or Saturday", ("earliest", "latest"), {}),
    ("the dentist appointment", ("described",), {"described(event_1)": "dentist appointment"}),
    ("to the dentist appointment tomorrow", ("described", "earliest", "latest"), event("dentist appointment", **window("event_1", DAY))),
    ("one", ("starts",), {}),
    ("at one", ("starts",), {"starts(event_1)": "2026-12-01T13:00:00+01:00"}),
    ("tomorrow's dentist appointment", ("described", "earliest", "latest"), event("dentist appointment", **window("event_1", DAY))),
    ("it", ("described",), {}),
    ("yes", ("described",), {}),
    ("what events are there?", ("described",), {}),
    ("", ("described",), {}),
]


@pytest.mark.parametrize(("text", "facts", "told"), ANSWERS, ids=[f"{text} as {facts[0]}" for text, facts, _ in ANSWERS])
def test_values_that_were_asked_for(text: str, facts: tuple[str, ...], told: Mapping[str, object]) -> None:
    asked, open_too = (facts[:1], facts[1:]) if facts[0] == "described" else (facts, ())
    reading = read(text, moving(Asked("Well?", atoms(*(f"{fact}(event_1)" for fact in asked))), without=(*asked, *open_too)))
    assert stated(reading) == told
    assert top(reading) == ()
    assert reading.reply is None


HALVES: list[tuple[tuple[str, ...], str, Mapping[str, object]]] = [
    (("move the dentist appointment to 4 PM",), "on Friday", {"starts(event_1)": "2026-12-04T16:00:00+01:00"}),
    (("move the dentist appointment to 4 PM", "no, 5 pm"), "it's on Friday", {"starts(event_1)": "2026-12-04T17:00:00+01:00"}),
    (("move the dentist appointment", "to 5"), "Friday", {"starts(event_1)": "2026-12-04T17:00:00+01:00"}),
    (("move the dentist appointment",), "Friday", {}),
]


@pytest.mark.parametrize(("said", "text", "told"), HALVES, ids=[" / ".join((*said, text)) for said, text, _ in HALVES])
@pytest.mark.parametrize("asked", [None, Asked("Which day, and when?", atoms("earliest(event_1)", "latest(event_1)", "starts(event_1)"))])
def test_a_time_that_was_said_comes_on_the_day_that_is_said_later(
    said: tuple[str, ...], text: str, told: Mapping[str, object], asked: Asked | None
) -> None:
    context = replace(moving(asked, without=("earliest", "latest", "starts")), said=said)
    assert stated(read(text, context)) == {**window("event_1", FRIDAY), **told}


def test_a_day_that_was_said_is_the_day_of_the_times_that_are_said_later() -> None:
    asked = Asked("From when to when?", atoms("starts(new_event_1)", "ends(new_event_1)"))
    entities = {"mine": "calendar", "new_event_1": "new_event"}
    context = Context(
        OFFICE,
        NOW,
        State(),
        (("add_event(mine, new_event_1)",),),
        asked,
        entities,
        {"new_event_1": "lunch"},
        said=("plan lunch on Friday",),
    )
    assert stated(read("at noon", context)) == {"starts(new_event_1)": "2026-12-04T12:00:00+01:00"}
    assert stated(read("until 1", context)) == {"ends(new_event_1)": "2026-12-04T13:00:00+01:00"}
    assert stated(read("from noon to 1 pm", context)) == {
        "starts(new_event_1)": "2026-12-04T12:00:00+01:00",
        "ends(new_event_1)": "2026-12-04T13:00:00+01:00",
    }


def writing(asked: Asked) -> Context:
    entities = {"new_message_1": "new_message", "person_1": "person"}
    return Context(OFFICE, NOW, State(), (("write_to(new_message_1, person_1)",),), asked, entities, {})


WORDS: list[tuple[str, str, object]] = [
    ("The train is late.", "wording(new_message_1)", "The train is late"),
    ("say that I'm late", "wording(new_message_1)", "I'm late"),
    ("and the Smiths come, too", "wording(new_message_1)", "and the Smiths come, too"),
    ('"See you"', "wording(new_message_1)", "See you"),
    ("Hello Anna, I'll come at 5. Yours, Bob", "wording(new_message_1)", "Hello Anna, I'll come at 5. Yours, Bob"),
    ("it's anna@example.org, thanks", "address(person_1)", "anna@example.org"),
    ("Anna Smith", "named(person_1)", "Anna Smith"),
    ("I mean Bob", "named(person_1)", "Bob"),
]


@pytest.mark.parametrize(("text", "atom", "value"), WORDS, ids=[text for text, _, _ in WORDS])
def test_words_that_were_asked_for(text: str, atom: str, value: object) -> None:
    reading = read(text, writing(Asked("Well?", atoms(atom))))
    assert stated(reading) == {atom: value}
    assert top(reading) == ()


@pytest.mark.parametrize("text", ["ask Bob", "archive the newsletter", "stop", "I don't have it"])
def test_what_is_no_address(text: str) -> None:
    assert "address(person_1)" not in stated(read(text, writing(Asked("What is their address?", atoms("address(person_1)")))))


def test_an_answer_and_another_wish() -> None:
    reading = read("4 pm, and archive the newsletter", moving(Asked("When?", atoms("starts(event_1)")), without=("starts",)))
    assert stated(reading) == {"starts(event_1)": "2026-12-01T16:00:00+01:00", **mail("newsletter")}
    assert top(reading) == ("archive_email",)


CORRECTIONS: list[tuple[str, Mapping[str, object]]] = [
    ("no, 5 pm", {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("actually 5 pm", {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("make that 5 pm", {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("to Friday", {"starts(event_1)": "2026-12-04T16:00:00+01:00"}),
    # The new time was said for the day that is corrected.
    ("I meant Friday", {**window("event_1", FRIDAY), "starts(event_1)": "2026-12-04T16:00:00+01:00"}),
    ("I meant the planning meeting", {"described(event_1)": "planning meeting"}),
    ("the planning meeting, I mean", {"described(event_1)": "planning meeting"}),
    ("no, thanks", {}),
    ("thanks!", {}),
    ("oh well", {}),
]


@pytest.mark.parametrize(("text", "told"), CORRECTIONS, ids=[text for text, _ in CORRECTIONS])
def test_corrections(text: str, told: Mapping[str, object]) -> None:
    reading = read(text, moving())
    assert stated(reading) == told
    assert top(reading) == ()


@pytest.mark.parametrize("text", ["I meant Wednesday", "no, on Wednesday"])
@pytest.mark.parametrize("asked", [None, CONFIRM])
def test_a_day_of_which_it_is_not_clear_what_is_on_it(text: str, asked: Asked | None) -> None:
    state = build(OFFICE, {**SAID, "starts(event_1)": "2026-12-03T16:00:00+01:00"}, ()).state
    reading = read(text, replace(moving(asked), state=state))
    assert (top(reading), stated(reading), reading.reply) == ((), {}, None)
    assert "Wednesday" in reading.findings[0].message


def test_another_day_once_day_and_time_are_known() -> None:
    known = {"event_description": "dentist", "date": "2026-12-01", "new_time": "2026-12-01T16:00:00+01:00"}
    context = Context(WORKSPACE, NOW, build(WORKSPACE, known, ()).state, (("move_event",),))
    assert stated(read("no, on Wednesday", context)) == {"date": "2026-12-02", "new_time": "2026-12-02T16:00:00+01:00"}


def test_something_of_another_kind() -> None:
    context = Context(OFFICE, NOW, State(), (("summarize_document(file_1)",),), None, {"file_1": "file"}, {"file_1": "report"})
    reading = read("and the mail about the offer", context)
    assert top(reading) == ("summarize_email",)
    assert stated(reading) == mail("mail about the offer")


def test_another_person() -> None:
    entities = {"event_1": "event", "person_1": "person"}
    words = {"event_1": "planning meeting", "person_1": "Anna"}
    context = Context(OFFICE, NOW, State(), (("invite_attendee(mine, event_1, person_1)",),), None, entities, words)
    assert stated(read("make that Bob Miller", context)) == {"named(person_1)": "Bob Miller"}
    assert stated(read("actually the budget meeting", context)) == {"described(event_1)": "budget meeting"}


def test_the_other_one() -> None:
    reading = read("and the other one to 5", moving())
    assert top(reading) == ("move_event",)
    assert [(m.name, m.words) for m in reading.mentions] == [("event_2", "other one")]
    assert stated(reading) == {"described(event_2)": "other one", "starts(event_2)": "2026-12-01T17:00:00+01:00"}


@pytest.mark.parametrize("words", ["it", "that one", "the dentist appointment", "the appointment"])
def test_what_was_spoken_of_before_is_known(words: str) -> None:
    reading = read(f"move {words} to 6 pm", moving())
    assert [m.name for m in reading.mentions] == ["event_1"]
    assert stated(reading) == {"starts(event_1)": "2026-12-01T18:00:00+01:00"}


def test_the_same_words_after_all_is_done_are_another_thing() -> None:
    before = Context(OFFICE, NOW, State(), (), None, {"mine": "calendar", "event_1": "event"}, {"event_1": "dentist appointment"})
    assert [m.name for m in read("move tomorrow's dentist appointment to 4 PM", before).mentions] == ["event_2"]
    assert [m.name for m in read("cancel the dentist appointment", before).mentions] == ["event_1"]
    assert [m.name for m in read("cancel my dentist appointment", before).mentions] == ["event_1"]
    assert [m.name for m in read("cancel a dentist appointment", before).mentions] == ["event_2"]


def moved() -> Context:
    """The request to move an event was done."""
    context = moving()
    return replace(context, goals=(), done=context.goals)


AFTERWARDS: list[tuple[str, tuple[str, ...], Mapping[str, object]]] = [
    ("sorry, at 5", (), {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("5 pm", (), {"starts(event_1)": "2026-12-01T17:00:00+01:00"}),
    ("I meant the planning meeting", (), {"described(event_1)": "planning meeting"}),
    ("I meant Friday", (), {**window("event_1", FRIDAY), "starts(event_1)": "2026-12-04T16:00:00+01:00"}),
    (
        "and the other one to 5",
        ("move_event",),
        {"described(event_2)": "other one", "starts(event_2)": "2026-12-01T17:00:00+01:00"},
    ),
    ("thanks", (), {}),
    # The same wish in the same words is for another one; "it" is the one that was moved.
    (
        "move the dentist appointment to Friday at 5",
        ("move_event",),
        {"described(event_2)": "dentist appointment", "starts(event_2)": "2026-12-04T17:00:00+01:00"},
    ),
    ("move it to 6 pm", ("move_event",), {"starts(event_1)": "2026-12-01T18:00:00+01:00"}),
    ("cancel the dentist appointment", ("cancel_event",), {}),
]


@pytest.mark.parametrize(("text", "goals", "told"), AFTERWARDS, ids=[text for text, _, _ in AFTERWARDS])
def test_what_is_said_after_it_was_done(text: str, goals: tuple[str, ...], told: Mapping[str, object]) -> None:
    reading = read(text, moved())
    assert top(reading) == goals
    assert stated(reading) == told


def test_a_whole_sentence_afterwards_puts_nothing_right() -> None:
    assert not any("event_1" in atom for atom in stated(read("they say that it will rain a lot on Friday", moved())))


def test_the_same_again() -> None:
    for text in ("the same again", "once more, please", "and again"):
        reading = read(text, moved())
        assert (top(reading), stated(reading)) == (("move_event",), {})
        assert [mention.name for mention in reading.mentions] == ["event_1"]
    assert top(read("the same again", new())) == ()


@pytest.mark.parametrize("is_done", [False, True])
def test_and_somebody_else(is_done: bool) -> None:
    entities = {"event_1": "event", "person_1": "person"}
    words = {"event_1": "planning meeting", "person_1": "Anna"}
    goals = (("invite_attendee(mine, event_1, person_1)",),)
    context = Context(OFFICE, NOW, State(), () if is_done else goals, None, entities, words, done=goals if is_done else ())
    for text in ("and Bob", "the same for Bob"):
        reading = read(text, context)
        assert stated(reading) == {"named(person_2)": "Bob"}
        assert [mention.name for mention in reading.mentions] == ["person_2", "event_1"]


def test_and_something_else() -> None:
    words = {"message_1": "newsletter"}
    context = Context(OFFICE, NOW, State(), (), None, {"message_1": "message"}, words, done=(("archive_email(message_1)",),))
    assert stated(read("and the invoice", context)) == mail("invoice", "message_2")
    assert stated(read("do the same for the invoice", context)) == mail("invoice", "message_2")
    assert top(read("and what is in the budget file?", context)) == ("summarize_document",)


def test_what_is_said_of_options_is_none_of_their_values() -> None:
    asked = Asked("Which one?", atoms("described(event_1)"), EVENTS.options)
    assert stated(read("the dentist", moving(asked, without=("described",)))) == {}
    assert stated(read("the second and the last", moving(asked, without=("described",)))) == {}


def test_something_else_of_the_same_kind_is_new() -> None:
    reading = read("cancel the planning meeting", moving())
    assert stated(reading) == {"described(event_2)": "planning meeting"}


STOPPING = [
    ("never mind, summarize the report instead", Stopped(), ("summarize_document",)),
    ("cancel that", Stopped(), ()),
    ("stop sending me newsletters", None, None),
    ("cancel my appointment", None, ("cancel_event",)),
    ("cancel that appointment tomorrow", None, ("cancel_event",)),
]


@pytest.mark.parametrize(("text", "reply", "goals"), STOPPING, ids=[text for text, _, _ in STOPPING])
def test_stopping(text: str, reply: Reply | None, goals: tuple[str, ...] | None) -> None:
    reading = read(text, moving())
    assert reading.reply == reply
    assert goals is None or top(reading) == goals


FORBIDDING = [
    ("draft a reply to the mail about the offer without sending it", ("send",), ("draft_reply",)),
    ("summarize the mail about the offer, but don't send anything", ("send",), ("summarize_email",)),
    ("archive the newsletter, and please do not delete it", ("delete",), ("archive_email",)),
    ("don't move the meeting", ("move_event",), ()),
    ("without telling anyone", ("send",), ()),
    ("I don't want to delete the newsletter, archive it", (), None),
    ("don't forget the milk", (), None),
]


@pytest.mark.parametrize(("text", "forbids", "goals"), FORBIDDING, ids=[text for text, _, _ in FORBIDDING])
def test_forbidding(text: str, forbids: tuple[str, ...], goals: tuple[str, ...] | None) -> None:
    reading = read(text, new())
    assert reading.forbids == forbids
    assert goals is None or top(reading) == goals


class Counting(Only):
    """Notes what it is asked."""

    def __init__(self, goal: str) -> None:
        super().__init__(goal)
        self.asked: list[str] = []

    def rank(self, request: str, domain: Domain, state: State) -> Reading:
        self.asked.append(request)
        return super().rank(request, domain, state)


def test_a_ranker_is_asked_once_about_a_turn_whatever_was_wanted_before() -> None:
    ranker = Counting("summarize_email")
    read("summarize the mails of today", moving(), ranker)
    assert len(ranker.asked) == 1


@pytest.mark.parametrize("text", ["thanks", "Thank you so much!", "hello", "ok great, that's all", "sounds good", "do it", "?", "   ", "…"])
def test_small_talk(text: str) -> None:
    for context in (new(), moving()):
        reading = read(text, context)
        assert (top(reading), stated(reading), reading.reply) == ((), {}, None)


PIECES = (
    "yes no but the a move cancel it that and to at on 5 pm tomorrow Friday ' \" . , ? ! Anna Bob invite mail report stop never mind 's don't "
    "send until summarize section of first second none 2026-12-01 bob@x.org 👍 “ … ( } \\ : ; save as write know without telling"
).split()


@pytest.mark.parametrize("seed", range(60))
def test_any_turn_is_read_and_what_it_states_is_in_it(seed: int) -> None:
    chance = random.Random(seed)
    questions = [None, CONFIRM, EVENTS, *(Asked("?", atoms(f"{fact}(event_1)")) for fact in ("starts", "described", "unheard_of"))]
    for _ in range(5):
        text = " ".join(chance.choices(PIECES, k=chance.randint(0, 14)))
        context = moving(chance.choice(questions))
        reading = read(text, context)
        known = {*context.entities, *(mention.name for mention in reading.mentions)}
        assert all(each.words in text and known.issuperset(each.atom.arguments) for each in reading.stated)
        assert all(mention.words in text for mention in reading.mentions)
        assert read(text, context) == reading
