"""A value in a result to the few words that it can be told from others by. Third parties may have written them: one line of plain text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

LONGEST = 120
"""Characters of a label."""
LONGEST_PART = 60
"""Characters of a text that can be part of a label; a longer one is no name."""
TELLING = (
    *("title", "summary", "subject", "name", "displayName", "display_name", "fullName", "full_name", "login"),
    *("from", "date", "start", "end", "due", "path", "status", "state"),
)
"""Keys whose values tell one item from another, the most telling first."""
MOST_KEYS = 50
"""Keys of an item that are looked at where none of them is telling."""
MOST_PARTS = 3
"""Texts of such an item that a label shows."""
REACH = 500
"""Characters before and after a match that may belong to its record."""
UNSEEN = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])
"""Categories of characters that are not shown, or that change how others are."""


def line(text: str, longest: int = LONGEST) -> str:
    """`text` in one line of at most `longest` characters, without any that is not seen."""
    start = text[: 4 * longest]
    # What is printable has no such character, which is cheaper to see.
    seen = start if start.isprintable() else "".join(" " if unicodedata.category(each) in UNSEEN else each for each in start)
    one = " ".join(seen.split())
    return one if len(one) <= longest and len(start) == len(text) else one[: longest - 3].rstrip() + "..."


def item_label(value: object, holders: Iterable[object]) -> str:
    """The label of `value` in the JSON of a result: what is telling in it, or else in the innermost of `holders` that has such."""
    items = [item for item in (value, *holders) if isinstance(item, dict)]
    for item in items:
        if telling := [part for key in TELLING if key in item and (part := _part(item[key])) and part != value]:
            return line(", ".join(telling))
    return line(", ".join(islice(_first_parts(items, value), MOST_PARTS))) or shown(value)


def record_label(text: str, start: int, end: int, before: int, after: int) -> str:
    """The label of the match `text[start:end]`: the lines of its record.

    A record reaches from blank line to blank line. Where the match before, which ends at `before`, stands in the same one, it begins with
    the line of its match; and it ends where the line of the next match begins, which starts at `after`.
    """
    first = text.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH)
    last = _found(text.find("\n", end, end + REACH), min(len(text), end + REACH))
    floor = max(before, first - REACH, 0)
    head = text[floor:first]
    above = head.rpartition("\n\n")[2] if floor == 0 or "\n\n" in head else ""
    ceiling = last + REACH if after == len(text) else min(last + REACH, text.rfind("\n", last, after) + 1)
    below = text[last:ceiling].partition("\n\n")[0]
    tells = len(re.findall(r"\w+", text[first:start] + text[end:last])) > 1
    own = text[first:last].splitlines() if tells else []
    lines = (line(each, LONGEST_PART) for each in (*above.splitlines(), *own, *below.splitlines()))
    return line(", ".join(filter(None, lines))) or line(text[start:end])


def shown(value: object) -> str:
    """A JSON value in a line."""
    return line(as_text(value))


def as_text(value: object) -> str:
    """A JSON value as text: a text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _found(position: int, default: int) -> int:
    return position if position >= 0 else default


def _part(value: object) -> str:
    """A short text; of an object, such as the start of an event, its first one."""
    if isinstance(value, dict):
        return next(filter(None, map(_part, filter(_is_text, islice(value.values(), MOST_KEYS)))), "")
    return line(value) if isinstance(value, str) and len(value) <= LONGEST_PART else ""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _first_parts(items: Iterable[Mapping[str, object]], value: object) -> Iterator[str]:
    for item in items:
        yield from (part for each in islice(item.values(), MOST_KEYS) if (part := _part(each)) and part != value)
