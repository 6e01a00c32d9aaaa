"""Findings as data, and their two renderings: text with a caret, and JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.language.codes import Code, Severity
from toolplan.language.source import Location

LONGEST_QUOTE = 60
"""Characters of one name or text that a message shows."""
WIDEST_LINE = 160
"""Characters of a line that are shown below a message."""


@dataclass(frozen=True, slots=True)
class Label:
    """Another place that belongs to a finding, such as where a name was declared first."""

    location: Location
    message: str


class Edit(NamedTuple):
    """Text to put in the place of what stands at `location`."""

    location: Location
    replacement: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `message` is one sentence, in lower case and without a full stop, names in backquotes; what to do stands in `hint`.
    `location` is None where there is no text to point into, such as a planner that is not installed.
    `fix` are the edits that mend it, where there can hardly be another mend. `block` is the key, in `Resolved.places`, of the tool,
    question, goal or test that the finding is about: what that block allows is dropped.
    """

    code: Code
    message: str
    location: Location | None = None
    hint: str = ""
    labels: tuple[Label, ...] = ()
    fix: tuple[Edit, ...] = ()
    block: tuple[str, str] | None = None

    @property
    def severity(self) -> Severity:
        """The severity of the code."""
        return self.code.severity

    def to_dict(self) -> dict[str, object]:
        """The finding as JSON values: code, slug, severity, message, and where present file, start, end, hint, labels, fix."""
        data: dict[str, object] = {
            "code": self.code.number,
            "slug": self.code.slug,
            "severity": self.severity.value,
            "message": self.message,
        }
        if self.location:
            data |= _place(self.location)
        if self.hint:
            data["hint"] = self.hint
        if self.labels:
            data["labels"] = [_place(label.location) | {"message": label.message} for label in self.labels]
        if self.fix:
            data["fix"] = [_place(edit.location) | {"replacement": edit.replacement} for edit in self.fix]
        return data

    def __str__(self) -> str:
        return render(self)


class DomainError(Exception):
    """Input that is not usable: a domain, a state, a goal, a call, or a planner that is missing or failed.

    `diagnostics` holds every finding, in the order of the text.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n\n".join(render(diagnostic) for diagnostic in self.diagnostics))

    def __reduce__(self) -> tuple[type[DomainError], tuple[tuple[Diagnostic, ...]]]:
        # What an exception is made of anew is its text, where nobody says otherwise: other processes could not raise it.
        return type(self), (self.diagnostics,)


def render(diagnostic: Diagnostic) -> str:
    """The finding as text: headline, place, the line with carets below it, other places, and the hint."""
    lines = [f"{diagnostic.severity.value}[{diagnostic.code.number}]: {visible(diagnostic.message)}"]
    places = [*([diagnostic.location] if diagnostic.location else []), *(label.location for label in diagnostic.labels)]
    gutter = max((len(str(place.start[0])) for place in places), default=1)
    if diagnostic.location:
        lines += _snippet(diagnostic.location, "-->", "^", "", gutter)
    for label in diagnostic.labels:
        lines += _snippet(label.location, ":::", "-", label.message, gutter)
    if diagnostic.hint:
        lines.append(f"{' ' * gutter} = help: {visible(diagnostic.hint)}")
    return "\n".join(lines)


def visible(text: str) -> str:
    """`text` with tabs as four blanks, and characters that would not show or would turn a terminal upside down as escapes."""
    return "".join("    " if character == "\t" else character if _shows(character) else f"\\u{{{ord(character):x}}}" for character in text)


def quoted(text: str) -> str:
    """`text` in backquotes, as messages show what was written: on one line, and cut where it is long."""
    short = text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 3]}..."
    return f"`{visible(' '.join(short.splitlines()))}`"


def chain(names: Sequence[str]) -> str:
    """The names with arrows between them; of many, the first and the last."""
    shown = [*names[:4], "", names[-1]] if len(names) > 6 else names
    return " -> ".join(quoted(name) if name else "..." for name in shown)


def _snippet(location: Location, arrow: str, mark: str, message: str, gutter: int) -> list[str]:
    """The place, and its first line with the span marked below it."""
    number, column = location.start
    text = location.source.line(number)
    cut = max(0, column - WIDEST_LINE // 3) if len(text) > WIDEST_LINE else 0
    before, shown = text[cut : column - 1], text[cut : cut + WIDEST_LINE]
    marked = shown[len(before) : len(before) + location.span.end - location.span.start]
    margin = " " * gutter
    underline = " " * _width(visible(before)) + mark * max(1, _width(visible(marked)))
    return [
        f"{margin}{arrow} {visible(location.source.name)}:{number}:{column}",
        f"{margin} |",
        f"{number:>{gutter}} | {visible(shown)}",
        f"{margin} | {underline}{' ' + visible(message) if message else ''}",
    ]


def _shows(character: str) -> bool:
    return character.isprintable() and unicodedata.category(character) not in {"Cf", "Mn", "Me"}


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _place(location: Location) -> dict[str, object]:
    (line, column), (end_line, end_column) = location.start, location.end
    return {
        "file": location.source.name.encode("utf-8", "backslashreplace").decode("utf-8"),
        "start": {"line": line, "column": column},
        "end": {"line": end_line, "column": end_column},
    }
