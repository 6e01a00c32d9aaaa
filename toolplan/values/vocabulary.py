"""The words of numbers, days and months, as parts of regular expressions and as what they mean.

Patterns run over `plain` text. All their repetitions are bounded, so that a match looks at no more than a constant stretch of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

S = r"[ ]{1,3}"
OPTIONAL_SPACE = r"[ ]{0,3}"
START = r"(?<![\w])"
END = r"(?![\w])"

_SAME_LENGTH: dict[int, int | str] = {
    **{upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)},
    **dict.fromkeys(map(ord, "\t\r\n\v\f\u00a0\u2009\u202f"), " "),
    **dict.fromkeys(map(ord, "‘’ʼ"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒–—−"), "-"),
}


def plain(text: str) -> str:
    """`text` in small ASCII letters, with one kind of space, hyphen and apostrophe each. Every character keeps its place."""
    return text.translate(_SAME_LENGTH)


def alternatives(words: Iterable[str]) -> str:
    """A group that matches any of `words`, the longest first."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) + ")"


UNITS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen".split()
    )
}
TENS = {word: 10 * number for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)}

_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_TEENS = [f"{word}th" for word in list(UNITS)[13:]]
ORDINALS = {
    **{word: number for number, word in enumerate([*_FIRST, *_TEENS, "twentieth"], start=1)},
    **{f"twenty{gap}{word}": 20 + number for number, word in enumerate(_FIRST[:9], start=1) for gap in " -"},
    "thirtieth": 30,
    "thirty first": 31,
    "thirty-first": 31,
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday weds wed", "thursday thurs thur thu", "friday fri", "saturday sat", "sunday sun")
    )
    for name in names.split()
}
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}

SMALL = rf"(?:[0-9]{{1,6}}(?:\.[0-9]{{1,3}})?|{alternatives(TENS)}(?:[ -]{alternatives(list(UNITS)[1:10])})?|{alternatives(UNITS)})"
"""A number as it stands before a unit."""

HOUR = rf"(?:[01]?[0-9]|2[0-4]|{alternatives(list(UNITS)[1:13])})"
DAY_OF_MONTH = rf"(?:(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?|{alternatives(ORDINALS)})"
ORDINAL_DAY = rf"(?:(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)|{alternatives(ORDINALS)})"
WEEKDAY = alternatives(WEEKDAYS)
MONTH = rf"(?:{alternatives(name for name in MONTHS if len(name) < 5)}\.(?=[ ,]{{0,2}}[0-9])|{alternatives(MONTHS)}(?![\w]))"
YEAR = r"(?:19|20|21)[0-9]{2}"


def small(words: str) -> float:
    """What a `SMALL` means."""
    if words[0].isdigit():
        return float(words)
    return sum(TENS.get(word, 0) + UNITS.get(word, 0) for word in re.split("[ -]", words))


def hour(words: str) -> int:
    """What an `HOUR` means."""
    return int(words) if words.isdigit() else UNITS[words]


def day_of_month(words: str) -> int:
    """What a `DAY_OF_MONTH` means."""
    return int(re.sub("[a-z]", "", words)) if words[0].isdigit() else ORDINALS[words]


def month(words: str) -> int:
    """What a `MONTH` means."""
    return MONTHS[words.rstrip(".")]


_FOLLOWING = (
    "today tomorrow tonight this next last in on at to til till until through and or for with from by before after if but so then because "
    "when as not please pls instead sharp thanks thank ok okay is was works work would will should does can could which that also "
    "morning afternoon evening night oclock am pm i we you he she they"
).split()
NOTHING_COUNTED = rf"(?=[ ]{{0,3}}(?:$|[;!?)\]-]|[.,:](?![0-9])|{alternatives([*_FOLLOWING, *WEEKDAYS, *MONTHS])}(?![\w])))"
"""What stands before is not the number of anything: `at 4 tomorrow`, not `at 4 dollars`."""
