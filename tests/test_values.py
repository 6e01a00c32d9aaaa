"""What texts and JSON values mean: a table of expressions, the normal forms, and what holds of any text."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplan.domain import VALUE_TYPES, ValueType
from toolplan.values import Misfit, Normal, found, normal

# A Wednesday, before the clocks change on 28 March.
NOW = datetime(2027, 3, 3, 10, 15, tzinfo=ZoneInfo("Europe/Berlin"))

DATES = """
today | 2027-03-03
tomorrow | 2027-03-04
Tomorrow's | 2027-03-04
yesterday | 2027-03-02
later today | 2027-03-03
the day after tomorrow | 2027-03-05
day after tomorrow | 2027-03-05
the day before yesterday | 2027-03-01
Monday | 2027-03-08
Wednesday | 2027-03-03
thursday's | 2027-03-04
Sunday | 2027-03-07
this Saturday | 2027-03-06
this sunday | 2027-03-07
next Monday | 2027-03-08
next tuesday | 2027-03-09
next Wednesday | 2027-03-10
last Friday | 2027-02-26
this coming Friday | 2027-03-05
sunday this week | 2027-03-07
friday next week | 2027-03-12
Wednesday next week | 2027-03-10
next week Thursday | 2027-03-11
Friday of this week | 2027-03-05
Monday week | 2027-03-15
the 5th | 2027-03-05
the 3rd | 2027-03-03
the 2nd | 2027-04-02
the 31st | 2027-03-31
the fifth | 2027-03-05
Friday the 5th | 2027-03-05
Monday, the 12th | 2027-04-12
March 8th | 2027-03-08
march 8 | 2027-03-08
8 March | 2027-03-08
8th of March | 2027-03-08
the 8th of march | 2027-03-08
Mar. 8 | 2027-03-08
Sept 9 | 2027-09-09
2nd of March | 2028-03-02
March 3rd | 2027-03-03
the first of May | 2027-05-01
May the fourth | 2027-05-04
the twenty-first of June | 2027-06-21
29 February | 2028-02-29
14th of this month | 2027-03-14
2nd of next month | 2027-04-02
8 March 2027 | 2027-03-08
March 8th, 2027 | 2027-03-08
December 24, 2026 | 2026-12-24
24 Dec 2026 | 2026-12-24
Tuesday, December 1, 2026 | 2026-12-01
Tue, 1 Dec 2026 | 2026-12-01
2026-12-01 | 2026-12-01
2026/12/01 | 2026-12-01
12/24 | 2027-12-24
24/12 | 2027-12-24
12/24/2026 | 2026-12-24
24/12/2026 | 2026-12-24
5/5/2027 | 2027-05-05
24.12.2026 | 2026-12-24
5.6.2027 | 2027-06-05
in 3 days | 2027-03-06
in two weeks | 2027-03-17
in a week | 2027-03-10
in a month | 2027-04-03
in 1 year | 2028-03-03
3 days ago | 2027-02-28
a week ago | 2027-02-24
two months ago | 2027-01-03
two weeks from now | 2027-03-17
a week from Monday | 2027-03-15
two days after tomorrow | 2027-03-06
two weeks before March 8th | 2027-02-22
3 days before 2026-12-01 | 2026-11-28
"""

TIMES = """
4 PM | 16:00:00
4pm | 16:00:00
4 p.m. | 16:00:00
4:30pm | 16:30:00
4.30 pm | 16:30:00
12 am | 00:00:00
12 PM | 12:00:00
11:45 am | 11:45:00
one pm | 13:00:00
eleven am | 11:00:00
16:00 | 16:00:00
9:45 | 09:45:00
04:30 | 04:30:00
4:30 | 16:30:00
00:15 | 00:15:00
16:00:30 | 16:00:30
noon | 12:00:00
midday | 12:00:00
midnight | 00:00:00
12 noon | 12:00:00
at 4 | 16:00:00
at ten | 10:00:00
four o'clock | 16:00:00
9 o’clock | 09:00:00
11 oclock | 11:00:00
half past four | 16:30:00
quarter to five | 16:45:00
a quarter past 3 | 15:15:00
quarter past 11 | 11:15:00
ten past 4 | 16:10:00
20 minutes past 4 | 16:20:00
at ten to five | 16:50:00
at half four | 16:30:00
4:30 in the evening | 16:30:00
half past 2 in the afternoon | 14:30:00
half past 12 in the afternoon | 12:30:00
quarter to 5 in the evening | 16:45:00
5 o'clock in the evening | 17:00:00
five in the evening | 17:00:00
at five in the evening | 17:00:00
ten in the night | 22:00:00
half past 8 in the night | 20:30:00
evening 5 | 17:00:00
afternoon 3:15 | 15:15:00
afternoon 12:30 | 12:30:00
evening, 5:30 | 17:30:00
morning 11:30 | 11:30:00
night 9:45 | 21:45:00
8 in the morning | 08:00:00
7 at night | 19:00:00
4 PM CET | 16:00:00+01:00
4 pm UTC | 16:00:00+00:00
16:00 UTC+2 | 16:00:00+02:00
4 PM Europe/Berlin | 16:00:00+01:00
9 am America/New_York | 09:00:00-05:00
9 am ET | 09:00:00-05:00
3 pm Pacific time | 15:00:00-08:00
16:00 +05:30 | 16:00:00+05:30
"""

MOMENTS = """
tomorrow 3pm | 2027-03-04T15:00:00+01:00
tomorrow at 4 PM | 2027-03-04T16:00:00+01:00
4 PM tomorrow | 2027-03-04T16:00:00+01:00
at 4 tomorrow | 2027-03-04T16:00:00+01:00
Friday at noon | 2027-03-05T12:00:00+01:00
noon on Friday | 2027-03-05T12:00:00+01:00
next Tuesday at half past four | 2027-03-09T16:30:00+01:00
next Tuesday, 2pm | 2027-03-09T14:00:00+01:00
Wednesday 16:00 | 2027-03-03T16:00:00+01:00
Wednesday at 10 | 2027-03-10T10:00:00+01:00
10 am today | 2027-03-03T10:00:00+01:00
tomorrow morning at 6 | 2027-03-04T06:00:00+01:00
Friday evening at 7 | 2027-03-05T19:00:00+01:00
tonight at 8 | 2027-03-03T20:00:00+01:00
this evening 5 | 2027-03-03T17:00:00+01:00
8 tonight | 2027-03-03T20:00:00+01:00
the 5th at 5pm | 2027-03-05T17:00:00+01:00
March 28th at 4 PM | 2027-03-28T16:00:00+02:00
2 Sept at 9 | 2027-09-02T09:00:00+02:00
3 March at 11.30 | 2027-03-03T11:30:00+01:00
December 1, 2026 09:00 | 2026-12-01T09:00:00+01:00
2026-12-01T09:00:00Z | 2026-12-01T09:00:00+00:00
2026-12-01T09:00:00.250-05:00 | 2026-12-01T09:00:00.250000-05:00
Tue, 01 Dec 2026 09:00:00 +0100 | 2026-12-01T09:00:00+01:00
Tue, 01 Dec 2026 09:00:00 -0500 | 2026-12-01T09:00:00-05:00
Friday at noon CET | 2027-03-05T12:00:00+01:00
tomorrow 4 PM EST | 2027-03-04T16:00:00-05:00
July 1 at 9 am America/New_York | 2027-07-01T09:00:00-04:00
in 2 hours | 2027-03-03T12:15:00+01:00
in half an hour | 2027-03-03T10:45:00+01:00
in 90 minutes | 2027-03-03T11:45:00+01:00
two hours ago | 2027-03-03T08:15:00+01:00
an hour from now | 2027-03-03T11:15:00+01:00
"""

PERIODS = """
this week | 2027-03-01T00:00:00+01:00 | 2027-03-07T23:59:59+01:00
next week | 2027-03-08T00:00:00+01:00 | 2027-03-14T23:59:59+01:00
last week | 2027-02-22T00:00:00+01:00 | 2027-02-28T23:59:59+01:00
next month | 2027-04-01T00:00:00+02:00 | 2027-04-30T23:59:59+02:00
this month | 2027-03-01T00:00:00+01:00 | 2027-03-31T23:59:59+02:00
next year | 2028-01-01T00:00:00+01:00 | 2028-12-31T23:59:59+01:00
this weekend | 2027-03-06T00:00:00+01:00 | 2027-03-07T23:59:59+01:00
in April | 2027-04-01T00:00:00+02:00 | 2027-04-30T23:59:59+02:00
in January | 2028-01-01T00:00:00+01:00 | 2028-01-31T23:59:59+01:00
April 2027 | 2027-04-01T00:00:00+02:00 | 2027-04-30T23:59:59+02:00
the next 3 days | 2027-03-03T10:15:00+01:00 | 2027-03-06T10:15:00+01:00
the last two weeks | 2027-02-17T10:15:00+01:00 | 2027-03-03T10:15:00+01:00
tomorrow morning | 2027-03-04T06:00:00+01:00 | 2027-03-04T11:59:59+01:00
Monday afternoon | 2027-03-08T12:00:00+01:00 | 2027-03-08T17:59:59+01:00
the morning of March 5 | 2027-03-05T06:00:00+01:00 | 2027-03-05T11:59:59+01:00
this afternoon | 2027-03-03T12:00:00+01:00 | 2027-03-03T17:59:59+01:00
tonight | 2027-03-03T18:00:00+01:00 | 2027-03-03T23:59:59+01:00
last night | 2027-03-02T18:00:00+01:00 | 2027-03-02T23:59:59+01:00
from Monday to Wednesday | 2027-03-08T00:00:00+01:00 | 2027-03-10T23:59:59+01:00
from Tuesday to Thursday | 2027-03-09T00:00:00+01:00 | 2027-03-11T23:59:59+01:00
Monday through Friday | 2027-03-08T00:00:00+01:00 | 2027-03-12T23:59:59+01:00
Mon-Fri | 2027-03-08T00:00:00+01:00 | 2027-03-12T23:59:59+01:00
from March 8 to March 10 | 2027-03-08T00:00:00+01:00 | 2027-03-10T23:59:59+01:00
from the 5th to the 9th | 2027-03-05T00:00:00+01:00 | 2027-03-09T23:59:59+01:00
between the 30th and the 2nd | 2027-03-30T00:00:00+02:00 | 2027-04-02T23:59:59+02:00
March 8-10 | 2027-03-08T00:00:00+01:00 | 2027-03-10T23:59:59+01:00
8-10 March 2028 | 2028-03-08T00:00:00+01:00 | 2028-03-10T23:59:59+01:00
tomorrow between 3 and 5 pm | 2027-03-04T15:00:00+01:00 | 2027-03-04T17:00:00+01:00
tomorrow from 9 to 11 | 2027-03-04T09:00:00+01:00 | 2027-03-04T11:00:00+01:00
sunday 2-4 | 2027-03-07T14:00:00+01:00 | 2027-03-07T16:00:00+01:00
from 11 to 1 pm on Friday | 2027-03-05T11:00:00+01:00 | 2027-03-05T13:00:00+01:00
from 9 am to 2 tomorrow | 2027-03-04T09:00:00+01:00 | 2027-03-04T14:00:00+01:00
Friday from 10 pm to 2 am | 2027-03-05T22:00:00+01:00 | 2027-03-06T02:00:00+01:00
from tomorrow 4 PM to Friday noon | 2027-03-04T16:00:00+01:00 | 2027-03-05T12:00:00+01:00
"""

DURATIONS = """
an hour | PT1H
an hour and a half | PT1H30M
one and a half hours | PT1H30M
90 minutes | PT1H30M
1.5 hours | PT1H30M
half an hour | PT30M
a quarter of an hour | PT15M
30-minute | PT30M
30 min | PT30M
2 hrs | PT2H
2h30 | PT2H30M
1h 15m | PT1H15M
2 hours and 15 minutes | PT2H15M
two weeks | P14D
3 months | P3M
18 months | P1Y6M
36 hours | P1DT12H
45 seconds | PT45S
PT90M | PT1H30M
P1DT2H | P1DT2H
"""

NUMBERS = """
7 | integer | 7
1,200 | integer | 1200
2,340,000 | integer | 2340000
-3 | integer | -3
twelve | integer | 12
forty four | integer | 44
twenty-six | integer | 26
a hundred | integer | 100
one hundred and sixteen | integer | 116
twelve hundred | integer | 1200
two thousand five hundred | integer | 2500
3 million | integer | 3000000
half a dozen | integer | 6
two dozen | integer | 24
12.5 | decimal | 12.5
two and a half | decimal | 2.5
one and a half million | decimal | 1500000
half a million dollars | decimal | 500000
one million two hundred thousand | integer | 1200000
1,200.75 | decimal | 1200.75
$12.50 | decimal | 12.5
€1,200 | decimal | 1200
USD 50 | decimal | 50
23 bucks | decimal | 23
200 euros | decimal | 200
one hundred and thirty four dollars | decimal | 134
$5k | decimal | 5000
$1.5 million | decimal | 1500000
"""

# Sentences whose values stand in a row: kind and value. What else is in them is no value, or has no one meaning.
SENTENCES = [
    ("Move tomorrow's dentist appointment to 4 PM", ["date 2027-03-04", "time 16:00:00"]),
    ("Move it from Monday to Friday at 3", ["date 2027-03-08", "datetime 2027-03-05T15:00:00+01:00"]),
    ("Reschedule the review from 3 to 5 pm.", ["time 15:00:00", "time 17:00:00"]),
    ("A slot between 3 and 5 pm?", ["time 15:00:00", "time 17:00:00"]),
    ("Move the call. I am away from Monday to Friday", ["period ('2027-03-08T00:00:00+01:00', '2027-03-12T23:59:59+01:00')"]),
    ("Write to Bob.X@Example.COM and ann@example.org.", ["email Bob.X@example.com", "email ann@example.org"]),
    ("See (https://Example.com/a_(b)?on=2026-12-01), please", ["url https://example.com/a_(b)?on=2026-12-01"]),
    ('Call it "Friday at noon" and share it on Monday', ["quoted Friday at noon", "date 2027-03-08"]),
    ("Rename ‘draft 2’ to “Thesis, part 3”", ["quoted draft 2", "quoted Thesis, part 3"]),
    ("«A» „B“ `C` 'D e' \"F's\"", ["quoted A", "quoted B", "quoted C", "quoted D e", "quoted F's"]),
    ("It's Ann's and the students' 5 books", ["integer 5"]),
    ("Book two tickets for 3 people at 7 pm", ["integer 2", "integer 3", "time 19:00:00"]),
    ("Two hours from 3 pm", ["duration PT2H", "time 15:00:00"]),
    ("For 3 days from Monday", ["duration P3D", "date 2027-03-08"]),
    ("Yes, please. Is it true?", ["boolean True", "boolean True"]),
    ("No meetings", []),
    ("Put dinner in on Saturday at 8", ["date 2027-03-06"]),
    ("Is it on 5/6, or on 05/06/2027?", []),
    ("next Friday or next weekend", []),
    ("Friday at midnight", []),
    ("every Monday, early next week, at the end of the month", []),
    ("13:00 in the morning", []),
    ("tomorrow 4 PM Atlantis time", []),
    ("4 PM CST", []),
    ("2 or 3 days, 2-3 hours", []),
    ("February 30", []),
    ("Friday, 9 March 2027", []),
    ("the 5th floor, the second option, the first of them", []),
    ("the other one, the cheap one, one of them, no one", []),
    ("a ride for a group of one, please", ["integer 1"]),
    ("Version 1.2.3 of order ABC-123, #42, 555-0123, 0161 496 0222, room 007", []),
    ("I may go soon. March on! The sun sat and we wed.", []),
    ("open 24/7, 3 times a day, $20 an hour", ["integer 3", "decimal 20"]),
    ("Good morning, 5 eggs", ["integer 5"]),
    ("It was 2026-12-01T09:00 or 2026-12-01 10:00:00", ["datetime 2026-12-01T09:00:00+01:00", "datetime 2026-12-01T10:00:00+01:00"]),
    ("move the 2pm to Thursday at 11", ["time 14:00:00", "datetime 2027-03-04T11:00:00+01:00"]),
    ("move Friday's 3pm to Monday", ["datetime 2027-03-05T15:00:00+01:00", "date 2027-03-08"]),
    ("Move my 9am to 10", ["time 09:00:00", "time 10:00:00"]),
    ("Change the dinner from 7pm to 8", ["time 19:00:00", "time 20:00:00"]),
    ("change the quantity from 3 to 5", ["integer 3", "integer 5"]),
    ("Remind me 30 minutes before tomorrow's 3pm call", ["datetime 2027-03-04T14:30:00+01:00"]),
    ("2 hours after 4 pm", []),
    ("Mon 8 Mar 9:00-10:30", ["period ('2027-03-08T09:00:00+01:00', '2027-03-08T10:30:00+01:00')"]),
    ("on the 10th and the 12th of April", ["date 2027-04-10", "date 2027-04-12"]),
    ("on Dec 24th, 25th and 26th", ["date 2027-12-24"]),
    ("8:00 PM - 9:00 PM PST", ["time 20:00:00-08:00", "time 21:00:00-08:00"]),
    ("a week on Tuesday, and next month on the 3rd", ["date 2027-03-16", "date 2027-04-03"]),
    ("May 5 people come on May 6 or Sept. 3?", ["integer 5", "date 2027-05-06", "date 2027-09-03"]),
    ("9am–5pm Mon–Fri", []),
    ("The 15th.", ["date 2027-03-15"]),
    ("the weekend of March 13th, the 2nd of the month", ["date 2027-03-13"]),
    ("a million and a half", []),
    ("in 24-hour format, in 5-minute steps, earlier this week, the past month", ["integer 24", "duration PT5M"]),
    ("half past midnight, this time next week", []),
    ("twenty twenty-seven", []),
    ("Deliver 4 to 10 Downing Street at 17h30", ["integer 4", "integer 10", "time 17:30:00"]),
    ("It took us 2 seconds, wait a second", ["duration PT2S"]),
    ("Nothing here", []),
    ("", []),
]

INTEGER, DECIMAL, BOOLEAN = ValueType("integer"), ValueType("decimal"), ValueType("boolean")
DATE, DATETIME, DURATION = ValueType("date"), ValueType("datetime"), ValueType("duration")
EMAIL, URL, TEXT, SCHEMA = ValueType("email"), ValueType("url"), ValueType("text"), ValueType("schema", ("file.json",))
METHOD = ValueType("enum", ("credit_card", "Bank Transfer", "cash"))
KINDS = [METHOD if kind == "enum" else ValueType(kind) for kind in VALUE_TYPES]


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def readings(text: str) -> list[str]:
    return [f"{each.kind} {each.value}" for each in found(text, NOW)]


@pytest.mark.parametrize("frame", ["Let us do it on {}, please", "on {}."])
@pytest.mark.parametrize(
    ("words", "reading"),
    [
        (words, f"{kind} {value}")
        for kind, table in (("date", DATES), ("time", TIMES), ("datetime", MOMENTS), ("duration", DURATIONS))
        for words, value in rows(table)
    ]
    + [(words, f"period {(first, last)}") for words, first, last in rows(PERIODS)]
    + [(words, f"{kind} {value}") for words, kind, value in rows(NUMBERS)],
)
def test_an_expression_means_one_value_wherever_it_stands(words: str, reading: str, frame: str) -> None:
    assert readings(frame.format(words)) == [reading]


@pytest.mark.parametrize(("text", "values"), SENTENCES)
def test_a_sentence_has_these_values_and_no_others(text: str, values: list[str]) -> None:
    assert readings(text) == values


def test_what_was_found_keeps_its_place_and_its_words() -> None:
    text = "İstanbul – on  Friday at\tnoon…"
    (each,) = found(text, NOW)
    assert (each.words, each.value) == ("Friday at\tnoon", "2027-03-05T12:00:00+01:00")
    assert text[each.start : each.end] == each.words


@pytest.mark.parametrize(("words", "value"), rows(DATES))
def test_a_date_in_words_is_normal(words: str, value: str) -> None:
    assert normal(DATE, words, NOW) == Normal(value)


@pytest.mark.parametrize(("words", "value"), rows(MOMENTS))
def test_a_moment_in_words_is_normal(words: str, value: str) -> None:
    assert normal(DATETIME, words, NOW) == Normal(value)


@pytest.mark.parametrize(("words", "value"), rows(DURATIONS))
def test_a_duration_in_words_is_normal(words: str, value: str) -> None:
    assert normal(DURATION, words, NOW) == Normal(value)


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (INTEGER, "twelve", 12),
        (INTEGER, " 1,200 ", 1200),
        (INTEGER, 12.0, 12),
        (INTEGER, "$120", 120),
        (INTEGER, "one", 1),
        (INTEGER, "2nd", 2),
        (INTEGER, "third", 3),
        (DECIMAL, "$12.50", 12.5),
        (DECIMAL, "12.00", 12),
        (DECIMAL, 0.1, 0.1),
        (DECIMAL, 3, 3),
        (BOOLEAN, "Yes", True),
        (BOOLEAN, False, False),
        (DATE, "2026-12-01T00:00:00Z", "2026-12-01"),
        (DATE, "on Friday.", "2027-03-05"),
        (DATETIME, "2026-12-01T09:00:00", "2026-12-01T09:00:00"),
        (DATETIME, "2026-12-01 09:00", "2026-12-01T09:00:00"),
        (DATETIME, "2026-12-01T09:00:00Z", "2026-12-01T09:00:00+00:00"),
        (DATETIME, "4 PM", "2027-03-03T16:00:00+01:00"),
        (DATETIME, 1798797600, "2027-01-01T10:00:00+00:00"),
        (DATETIME, 1798797600000, "2027-01-01T10:00:00+00:00"),
        (DURATION, "a day", "P1D"),
        (DURATION, "PT0S", "PT0S"),
        (EMAIL, "mailto:Ann@Example.ORG", "Ann@example.org"),
        (EMAIL, "Ann Lee <ann@example.org>", "ann@example.org"),
        (URL, "HTTPS://Example.com/A", "https://example.com/A"),
        (DECIMAL, 1e300, 1e300),
        (INTEGER, 10**400, 10**400),
        (DATE, "0500-01-01", "0500-01-01"),
        (METHOD, "Credit card", "credit_card"),
        (METHOD, "bank_transfer", "Bank Transfer"),
        (TEXT, "  as it is ", "as it is"),
        (SCHEMA, {"a": [1, None]}, {"a": [1, None]}),
        (None, [" x ", {"a": 1.5}], [" x ", {"a": 1.5}]),
        (None, " x ", "x"),
    ],
)
def test_a_value_has_one_normal_form(kind: ValueType | None, raw: object, value: object) -> None:
    read = normal(kind, raw, NOW)
    assert read == Normal(value)
    assert isinstance(read, Normal)
    assert type(read.value) is type(value)


@pytest.mark.parametrize(
    ("kind", "raw", "reason"),
    [
        (INTEGER, True, "`true` is no whole number"),
        (INTEGER, 12.5, "`12.5` is no whole number"),
        (INTEGER, "007", "`007` is no whole number"),
        (INTEGER, "12 or 13", "`12 or 13` is no whole number"),
        (DECIMAL, float("nan"), "`nan` is no number"),
        (DECIMAL, float("inf"), "`inf` is no number"),
        (DECIMAL, "12,5", "`12,5` is no number"),
        (DECIMAL, "0.12345678901234567", "`0.12345678901234567` is no number"),
        (DECIMAL, None, "`null` is no number"),
        (BOOLEAN, 1, "`1` is neither true nor false"),
        (DATE, "soon", "`soon` is no date"),
        (DATE, "5/6", "`5/6` may be 6 May 2027 or 5 June 2027"),
        (DATE, "next Friday", "`next Friday` may be 5 March 2027 or 12 March 2027"),
        (DATE, "this week", "`this week` is more than one day"),
        (DATE, "4 PM", "`4 PM` names no day"),
        (DATE, "2026-12-01T09:00:00Z", "`2026-12-01T09:00:00Z` has a time of day, so it is more than a date"),
        (DATE, "2026-13-01", "`2026-13-01` is no date"),
        (DATE, 20261201, "`20261201` is no date"),
        (DATE, "Friday or Saturday", "`Friday or Saturday` is no date"),
        (DATETIME, "tomorrow", "`tomorrow` has no time of day"),
        (DATETIME, "9 am", "`9 am` names no day, and that of today is over"),
        (DATETIME, "Friday at 8", "`Friday at 8` may be in the morning or in the evening"),
        (DATETIME, "1798797600", "`1798797600` is no date with a time"),
        pytest.param(DATE, 10**5000, "so large a number is no date", id="large"),
        (DATETIME, 5, "`5` is no date with a time"),
        (DATETIME, "tomorrow morning", "`tomorrow morning` is more than one moment"),
        (DURATION, 90, "`90` has no unit of time"),
        (DURATION, "2 or 3 days", "`2 or 3 days` is more than one length of time"),
        (DURATION, "-PT5M", "`-PT5M` is no length of time"),
        (EMAIL, "ann at example.org", "`ann at example.org` is no e-mail address"),
        (EMAIL, "ann@example.org, bob@example.org", "`ann@example.org, bob@example.org` is no e-mail address"),
        (URL, "www.example.com", "`www.example.com` is no web address"),
        (METHOD, "cheque", "`cheque` is none of credit_card, Bank Transfer, cash"),
        (TEXT, 5, "`5` is no text"),
        (SCHEMA, {"a": float("nan")}, "an object is no JSON value"),
        pytest.param(SCHEMA, [10**5000], "a list is no JSON value", id="large in a list"),
        pytest.param(INTEGER, -(10**5000), "so large a number is no whole number", id="large and whole"),
    ],
)
def test_what_is_none_of_the_type_is_told_in_words(kind: ValueType, raw: object, reason: str) -> None:
    assert normal(kind, raw, NOW) == Misfit(reason)


def test_hours_are_as_long_as_they_are_when_clocks_change() -> None:
    before = NOW.replace(day=28, hour=1, minute=30)
    (each,) = found("in 2 hours", before)
    assert each.value == "2027-03-28T04:30:00+02:00"


def test_two_options_that_differ_only_in_case_are_told_apart() -> None:
    kind = ValueType("enum", ("read", "READ"))
    assert normal(kind, "READ", NOW) == Normal("READ")
    assert isinstance(normal(kind, "Read", NOW), Misfit)


def test_a_deep_value_is_json_all_the_same() -> None:
    deep: object = 1
    for _ in range(5 * sys.getrecursionlimit()):
        deep = [deep]
    read = normal(None, deep, NOW)
    assert isinstance(read, Normal)
    assert read.value is deep
    assert normal(DATE, deep, NOW) == Misfit("a list is no date")


def test_what_people_said_to_an_assistant_is_found() -> None:
    """Slots of dates and times in the words of users, one utterance for each expression that they used."""
    spoken = datetime(2019, 3, 1, 8, tzinfo=ZoneInfo("America/Los_Angeles"))
    utterances = [json.loads(line) for line in (Path(__file__).parent / "data/values/sgd.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(utterances) > 150
    read = [
        [[each.words, each.kind, each.value] for each in found(said["text"], spoken) if each.kind in ("date", "time", "datetime")]
        for said in utterances
    ]
    assert read == [said["values"] for said in utterances]


PIECES = st.sampled_from(
    [words for table in (DATES, TIMES, MOMENTS, PERIODS, DURATIONS, NUMBERS) for words, *_ in rows(table)]
    + [
        "from",
        "to",
        "between",
        "and",
        "at",
        "move",
        "on",
        "the",
        "in",
        "of",
        ",",
        ".",
        "-",
        "'",
        '"',
        "“",
        "ſunday",
        "٣",
        "\n",
        "a@b.co",
        "http://x",
        "99999999 years ago",
        "5",
        "next",
        "last",
        "for",
        "week",
        "before",
        "CST",
        "99",
        "0",
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map(" ".join), st.lists(PIECES, max_size=8).map("".join))
ZONES = st.sampled_from(
    [ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("UTC"), timezone(timedelta(hours=5, minutes=30))]
)
MOMENTS_OF_SPEAKING = st.datetimes(timezones=ZONES)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(TEXTS, MOMENTS_OF_SPEAKING)
def test_what_is_found_is_in_order_and_in_its_place(text: str, now: datetime) -> None:
    read = found(text, now)
    assert all(text[each.start : each.end] == each.words and each.words for each in read)
    assert all(before.end <= after.start for before, after in pairwise(read))
    assert read == found(text, now)
    json.dumps([each.value for each in read], allow_nan=False)


@given(TEXTS)
def test_what_is_found_is_normal_for_its_kind(text: str) -> None:
    for each in found(text, NOW):
        if each.kind in VALUE_TYPES:
            assert normal(ValueType(each.kind), each.value, NOW) == Normal(each.value)


@given(st.sampled_from([None, *KINDS]), JSON, MOMENTS_OF_SPEAKING)
def test_a_normal_form_is_its_own(kind: ValueType | None, raw: object, now: datetime) -> None:
    read = normal(kind, raw, now)
    if isinstance(read, Normal):
        assert normal(kind, read.value, now) == read
        json.dumps(read.value, allow_nan=False)
    else:
        assert read.reason


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "a",
            "1",
            "'",
            '"',
            "“",
            "@",
            "-",
            "(",
            "<",
            " ",
            "\n",
            "٣",
            "a@",
            "a.",
            "1 ",
            "1,",
            "1.",
            "1-",
            "1/",
            "' a",
            "http://",
            "P1",
            "utc+",
        ),
        *("on ", "move ", "monday ", "monday to ", "from 3 to ", "between ", "the 5th of ", "march ", "half ", "an hour ", "2 hours and "),
        *("4 PM ", "tomorrow at ", "one hundred and ", "a thousand "),
    ],
)
def test_a_hostile_text_is_read_in_time_that_grows_with_it(piece: str) -> None:
    text = (piece * (50_000 // len(piece) + 1))[:50_000]
    assert all(text[each.start : each.end] == each.words for each in found(text, NOW))
