"""JSON whose parts know where they stand, in a text that shows none of its values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from pathlib import Path

from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.receipts.reading import bytes_in

STRING = re.compile(r'"(?:[^"\\]|\\.)*"(?P<colon>\s*:)?', re.DOTALL)
SECRET = re.compile(r"(?P<reference>\$\{[^}]*\})|[^\s]", re.DOTALL)
"""A letter of a value. What names a variable of the environment is none."""
SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True)
class Located:
    """A JSON value and its place. The text of the place has asterisks for the letters of all values."""

    value: object
    location: Location
    text: str

    def members(self) -> Iterator[tuple[str, Located, Located]]:
        """The members of an object, also those with one name: name, where the name stands, and value."""
        at = self._skipped(self.location.span.start + 1)
        while self.text[at] == '"':
            name, end = JSONDecoder().raw_decode(self.text, at)
            value = self._part(self._skipped(self._skipped(end) + 1))
            yield name, self._at(name, at, end), value
            at = self._next(value)

    def items(self) -> Iterator[Located]:
        """The items of a list."""
        at = self._skipped(self.location.span.start + 1)
        while self.text[at] != "]":
            item = self._part(at)
            yield item
            at = self._next(item)

    def _part(self, start: int) -> Located:
        value, end = JSONDecoder().raw_decode(self.text, start)
        return self._at(value, start, end)

    def _at(self, value: object, start: int, end: int) -> Located:
        return Located(value, Location(self.location.source, Span(start, end)), self.text)

    def _next(self, part: Located) -> int:
        """Where what follows `part` begins: another part, or the end of the whole."""
        after = self._skipped(part.location.span.end)
        return self._skipped(after + 1) if self.text[after] == "," else after

    def _skipped(self, at: int) -> int:
        found = SPACE.match(self.text, at)
        return found.end() if found else at


def fields_of(part: Located, wrong: Callable[[Located, str, str], None]) -> dict[str, Located]:
    """The members of an object by name; none of what is no object. `wrong` is told what is wrong, where, and what would help."""
    if not isinstance(part.value, dict):
        wrong(part, "this is no object", 'write {"NAME": ...}')
        return {}
    fields: dict[str, Located] = {}
    for name, place, value in part.members():
        if name in fields:
            wrong(place, f"{quoted(name)} stands here twice", "leave one out")
        fields.setdefault(name, value)
    return fields


def located_in(path: Path) -> Located:
    """The value in a file. Raises DomainError where it cannot be read, or is no JSON."""
    try:
        text = bytes_in(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DomainError([Diagnostic(Code.NOT_UTF8, f"{quoted(str(path))} is not UTF-8", None, "save it as UTF-8")]) from None
    return located(str(path), text)


def located(name: str, text: str) -> Located:
    """The value that `text` is. Raises DomainError where it is no JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        at = min(error.pos, len(text) - 1) if isinstance(error, JSONDecodeError) else 0
        # What is a value cannot be told in a text that is no JSON.
        location = Location(Source(name, re.sub(r"\w", "*", text)), Span(max(at, 0), max(at, 0) + 1))
        raise DomainError([Diagnostic(Code.BAD_JSON, f"this is no JSON: {_reason(error)}", location)]) from None
    start = len(text) - len(text.lstrip(" \t\n\r"))
    return Located(value, Location(Source(name, _hidden(text)), Span(start, len(text.rstrip(" \t\n\r")))), text)


def _reason(error: ValueError | RecursionError) -> str:
    match error:
        case JSONDecodeError():
            return error.msg.lower()
        case RecursionError():
            return "it is nested too deep"
        case _:
            return "a number has too many digits"


def _hidden(text: str) -> str:
    """`text`, a JSON value, with asterisks in its strings that are no names of members. It is as long as before."""
    return STRING.sub(lambda found: found[0] if found["colon"] else f'"{SECRET.sub(_masked, found[0][1:-1])}"', text)


def _masked(letter: re.Match[str]) -> str:
    return letter["reference"] or "*"
