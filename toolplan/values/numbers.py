"""Numbers in digits and in words, and amounts of money."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from re import Match
from typing import NamedTuple

from toolplan.values.vocabulary import ORDINALS, TENS, UNITS, S, alternatives

_MULTIPLES = {"dozen": 12, "hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "m": 10**6, "billion": 10**9, "bn": 10**9}
_SYMBOL = r"(?:(?:us|a|c)?[$]|[€£¥₹₽])"
_CODE = r"(?:usd|eur|gbp|jpy|chf|cad|aud|inr|cny)"
_MONEY = rf"(?:dollars?|bucks?|euros?|pounds?(?: sterling)?|francs?|yen|rupees?|{_CODE})"
_DIGITS = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,6}|0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?"

_BELOW_100 = rf"(?:{alternatives(TENS)}(?:[ -]{alternatives(list(UNITS)[1:10])})?|{alternatives(UNITS)})(?!\w)"
_BELOW_1000 = rf"(?:(?:an?|{alternatives(list(UNITS)[1:])}) hundred(?: (?:and )?{_BELOW_100})?|{_BELOW_100})"
_WORDS = (
    rf"(?:half an? (?:dozen|hundred|thousand|million|billion)|(?:a|{_BELOW_100}) dozen"
    rf"|(?:(?:a|{_BELOW_1000}) billion(?!\w)(?:,? (?:and )?|\b))?(?:(?:a|{_BELOW_1000}) million(?!\w)(?:,? (?:and )?|\b))?"
    rf"(?:(?:a|{_BELOW_1000}) thousand(?!\w)(?:,? (?:and )?{_BELOW_1000})?|{_BELOW_1000}|(?<= million)|(?<= billion)))"
)
_NUMBER = re.compile(
    rf"(?<![0-9] )(?:(?<![\w.,:/#@&=?$€£%*+'-])|(?<=(?<![\w)])-)(?<!--))(?P<before>{_SYMBOL} ?|{_CODE} )?"
    rf"(?:(?P<digits>{_DIGITS})(?:(?(before)(?P<short>k|m|bn)(?!\w)|(?!))|{S}(?P<long>hundred|thousand|million|billion)(?!\w))?"
    rf"|(?P<mixed>{_BELOW_100}) and a half(?: (?P<times>hundred|thousand|million|billion)(?!\w))?|(?P<words>{_WORDS})(?! and a half))"
    rf"(?![\w]|[.,:/ -][0-9])(?:[ -]{{1,2}}(?P<after>{_MONEY})(?!\w)|(?P<sign>[€£¥₹]))?"
)
_PRONOUN_BEFORE = re.compile(
    r"(?<!\w)(?:the|this|that|which|other|another|each|every|any|no|some|last|first|second|third|next|new|old|good|nice|better|best|cheaper"
    r"|cheapest|right|wrong|same|different|bigger|smaller|earlier|later|only|a)[ ]{1,3}$"
)
_COUNTED_BEFORE = re.compile(
    r"(?<!\w)(?:just|exactly|at least|(?:tables?|seats?|rooms?|party|group|booking|reservation) (?:for|of))[ ]{1,3}$"
)
_PRONOUN_AFTER = re.compile(
    r"[ ]{0,3}(?:$|[.,;:!?)-]|(?:of|or|and|another|that|which|who|thing|things|way|day|time|by|more|last|question|second|moment|on|in|at"
    r"|for|from|to|is|was|with|please|instead|if|but|as|i|you|we|they|it|the|has|will|would|should)(?!\w))"
)


class Number(NamedTuple):
    """A number in a text. `is_amount`: it was written with a currency or a fraction."""

    start: int
    end: int
    value: int | float
    is_amount: bool


def numbers(text: str) -> Iterator[Number]:
    """The numbers in `text`, which is plain, that are not part of a longer word, name or code, and do not follow each other like digits."""
    read = list(_numbers(text))
    ends = {each.end + 1 for each in read}
    starts = {each.start - 1 for each in read}
    return (each for each in read if each.start not in ends and each.end not in starts)


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        if match["words"] == "one" and not match["after"] and not _counts(match):
            continue
        value = _value(match)
        if value is not None:
            start = match.start()
            if match["digits"] and start and text[start - 1] == "-":
                start, value = start - 1, -value
            amount = any(match[name] for name in ("before", "after", "sign", "mixed")) or "." in (match["digits"] or "")
            yield Number(start, match.end(), value, amount)


def number(text: str) -> int | float | None:
    """The number that `text`, which is plain, is as a whole."""
    if text == "one":
        return 1
    return next((each.value for each in numbers(text) if (each.start, each.end) == (0, len(text))), None)


def ordinal(text: str) -> int | None:
    """The number of `2nd` or `second`, which `text` is as a whole."""
    digits = re.fullmatch("([0-9]{1,9})(?:st|nd|rd|th)", text)
    return int(digits[1]) if digits else ORDINALS.get(text)


TOO_LARGE = 10**4300
"""The least whole number that Python does not write out."""


def exact(number: int | float) -> int | float | None:
    """The number, an int where that says the same; none if it is not finite, or JSON is not written with so many digits."""
    if isinstance(number, int):
        return number if abs(number) < TOO_LARGE else None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _counts(match: Match[str]) -> bool:
    """Whether `one` is a number here and no pronoun."""
    start = match.start()
    if _COUNTED_BEFORE.search(match.string, max(0, start - 20), start):
        return True
    is_pronoun = _PRONOUN_BEFORE.search(match.string, max(0, start - 12), start) or _PRONOUN_AFTER.match(match.string, match.end())
    return not is_pronoun


def _value(match: Match[str]) -> int | float | None:
    if match["words"]:
        return _said(match["words"])
    if match["mixed"]:
        return exact((_said(match["mixed"]) + 0.5) * _MULTIPLES.get(match["times"], 1))
    digits = match["digits"].replace(",", "")
    factor = _MULTIPLES.get(match["short"] or match["long"], 1)
    if "." not in digits:
        return int(digits) * factor
    if len(digits.replace(".", "").strip("0")) > 15:
        return None
    return exact(round(float(digits) * factor, 9) if factor > 1 else float(digits))


def _said(words: str) -> int:
    if words.startswith("half"):
        return _MULTIPLES[words.split()[-1]] // 2
    total = part = 0
    for word in re.findall("[a-z]+", words):
        if word == "and":
            continue
        multiple = _MULTIPLES.get(word)
        if multiple is None:
            part += 1 if word in ("a", "an") else TENS.get(word, 0) + UNITS.get(word, 0)
        elif multiple <= 100:
            part *= multiple
        else:
            total, part = total + part * multiple, 0
    return total + part
