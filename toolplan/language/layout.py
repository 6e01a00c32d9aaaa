"""Parts to lines: lists that are broken where they do not fit, and columns that align. Nothing here knows the language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

WIDTH = 100
"""Columns of a line, unless something that cannot be broken is longer."""
LEEWAY = 10
"""Columns by which a line may be too long for the sake of a description or a comment that aligns with others."""
COMMENT_GAP = 2
"""Blanks before a comment at the end of a line."""


class Joint(NamedTuple):
    """What stands between two parts: `ends` before the blank or line break, `starts` after it."""

    ends: str
    starts: str


COMMA = Joint(",", "")
OR = Joint("", "or ")
SPACE = Joint("", "")


@dataclass(frozen=True, slots=True)
class Series:
    """Parts between two brackets, which may be broken at each joint."""

    opening: str
    parts: tuple[Part, ...]
    closing: str = ""
    joint: Joint = COMMA


Part = str | Series
"""What cannot be broken, or what can. A string may hold the line breaks of a text: these are no breaks of the layout."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its text, a description that aligns with those of its neighbours of the same `kind`, and a comment."""

    text: str
    description: str = ""
    comment: str = ""
    kind: str = ""


def prefixed(prefix: str, part: Part) -> Part:
    """`part` with `prefix` in front of it, on the same line."""
    return prefix + part if isinstance(part, str) else replace(part, opening=prefix + part.opening)


def flat(part: Part) -> str:
    """`part` without a break."""
    if isinstance(part, str):
        return part
    return part.opening + f"{part.joint.ends} {part.joint.starts}".join(map(flat, part.parts)) + part.closing


def fill(part: Part, column: int, reserve: int = 0) -> list[str]:
    """`part` as lines, the first of which starts at `column`; the others are indented below its first part.

    A part that does not fit on the rest of a line goes to the next one, and is broken itself only where it does not fit there.
    `reserve` is the width of what will follow on the last line.
    """
    text = flat(part)
    if isinstance(part, str) or not part.parts or fits(text, column + reserve):
        return [text]
    margin = _after(part.opening, column)
    lines = [part.opening]
    broken = False
    for number, inner in enumerate(part.parts):
        last = number == len(part.parts) - 1
        ends = part.closing if last else part.joint.ends
        room = len(ends) + (reserve if last else 0)
        at = _after(lines[-1], column if len(lines) == 1 else 0)
        lead = part.joint.starts if number else ""
        if number and (broken or not fits(f" {lead}{flat(inner)}", at + room)):
            lines.append(" " * margin + lead)
            at = margin
        elif number:
            lines[-1] += f" {lead}"
            at += 1
        first, *others = fill(inner, at + len(lead), room)
        lines[-1] += first
        lines += others
        lines[-1] += ends
        broken = bool(others) or "\n" in first
    return lines


def fits(text: str, column: int) -> bool:
    """Whether `text` may stand on one line from `column` on."""
    return "\n" not in text and column + len(text) <= WIDTH


def render(lines: Iterable[Line]) -> list[str]:
    """The lines as text: descriptions in a column among neighbours of one kind, and so the comments of lines that follow each other."""
    described = [line for _, run in groupby(lines, lambda line: line.kind) for line in _described(list(run))]
    runs = groupby(described, lambda line: bool(line.comment) and "\n" not in line.text)
    return [text for _, run in runs for text in _aligned([(line.text, line.comment) for line in run], COMMENT_GAP)]


def _described(lines: Sequence[Line]) -> list[Line]:
    texts = _aligned([(line.text, line.description) for line in lines], 1)
    return [replace(line, text=text) for line, text in zip(lines, texts, strict=True)]


def _aligned(pairs: Sequence[tuple[str, str]], gap: int) -> list[str]:
    """Left and right of each pair, all rights in one column; a left that would push others too far stands out."""
    most = WIDTH + LEEWAY - gap
    # What is too wide by itself is so in any column.
    near = [(len(left), len(right)) for left, right in pairs if right and len(left) + len(right) <= most]
    widths = {len(left) for left, right in pairs if right}
    column = max((width for width in widths if all(left > width or width + right <= most for left, right in near)), default=0)
    return [f"{left:<{column}}{' ' * gap}{right}" if right else left for left, right in pairs]


def _after(text: str, column: int) -> int:
    """The column after `text` that starts at `column`."""
    end = text.rfind("\n")
    return column + len(text) if end < 0 else len(text) - end - 1
