"""A text with a name, and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of offsets into a text, in characters."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text and the name to print for it: a path as the user wrote it, or `<state>`, `<goal>`."""

    name: str
    text: str

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line starts. Only `\\n` ends a line, as in every editor's count."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of `offset`, both counted from one, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of line `number`, without its end."""
        start = self.line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


class Location(NamedTuple):
    """A span in its source."""

    source: Source
    span: Span

    @property
    def start(self) -> tuple[int, int]:
        """Line and column of the first character."""
        return self.source.position(self.span.start)

    @property
    def end(self) -> tuple[int, int]:
        """Line and column after the last character."""
        return self.source.position(self.span.end)
