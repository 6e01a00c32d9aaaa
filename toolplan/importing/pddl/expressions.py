"""The s-expressions of PDDL, with their places. Everything is read in small letters, as PDDL means it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toolplan.importing.pddl.findings import Findings
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Label, quoted
from toolplan.language.source import Span

DEEPEST = 40
"""Brackets inside each other. An `imply` is two levels of the language, which takes 100."""
TOKEN = re.compile(r";[^\n]*|[\s\ufeff]+|[()]|\??[^\s();?\ufeff]+|\?")
NAME = re.compile(r"[a-z0-9_][a-z0-9_-]*")
"""A name. PDDL wants a letter first; planners take digits, and so do many problems."""
NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")

SECTION_WORDS = frozenset(
    f":{name}"
    for name in """
    requirements types constants predicates functions action durative-action derived axiom process event
    domain objects init goal metric
    """.split()
)
"""Words with which a section of a domain or a problem starts, one level below `(define ...)`."""
ACTION_PARTS = (":parameters", ":precondition", ":effect")
"""Words that stand in an action, each before what it names."""


@dataclass(frozen=True, slots=True)
class Word:
    """A name, a variable (`?x`), a keyword (`:init`), a number or a sign."""

    text: str
    span: Span

    @property
    def kind(self) -> str:
        """What it is: `a name`, `a variable` or, where it can be neither, `a word`."""
        if NAME.fullmatch(self.text):
            return "a name"
        return "a variable" if self.text[0] == "?" and NAME.fullmatch(self.text, 1) else "a word"

    @property
    def shown(self) -> str:
        """What messages call it."""
        return quoted(self.text)


@dataclass(frozen=True, slots=True)
class Group:
    """What stands between two brackets."""

    items: tuple[Expression, ...]
    span: Span

    @property
    def head(self) -> str:
        """The word with which it starts; nothing where it starts with none."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""

    @property
    def shown(self) -> str:
        """What messages call it."""
        return quoted(f"({self.head}{' ...' if len(self.items) > 1 else ''})" if self.head else "(...)" if self.items else "()")


Expression = Word | Group


@dataclass(slots=True)
class _Open:
    """A group that is not closed yet."""

    start: int
    items: list[Expression]

    @property
    def head(self) -> str:
        return Group(tuple(self.items[:1]), Span(self.start, self.start)).head

    @property
    def shown(self) -> str:
        return quoted(f"({self.head}")


def read_expressions(findings: Findings) -> tuple[Expression, ...]:
    """The expressions of a source. A bracket that is missing or too many is reported, and read as it was probably meant."""
    reading = _Reading(findings)
    for found in TOKEN.finditer(findings.source.text):
        token, span = found[0], Span(*found.span())
        if token == "(":
            if len(reading.open) == DEEPEST:
                message, hint = f"more than {DEEPEST} brackets inside each other", "name a part of it with a predicate of its own"
                findings.report(Code.NESTED_TOO_DEEP, message, span, hint)
                return ()
            reading.open.append(_Open(span.start, []))
        elif token == ")":
            reading.close(span)
        elif token[0] != ";" and not token.isspace() and token[0] != "\ufeff":
            reading.word(Word(token.lower(), span))
    reading.end()
    return tuple(reading.top)


class _Reading:
    """The groups that are open, and what stands outside of all."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.open: list[_Open] = []
        self.top: list[Expression] = []

    @property
    def _items(self) -> list[Expression]:
        return self.open[-1].items if self.open else self.top

    def word(self, word: Word) -> None:
        """Add `word`. One that starts a section or a part of an action tells what should be open before it, and what should not."""
        if word.text in SECTION_WORDS and self.open and not self.open[-1].items:
            section = self.open.pop()
            self._expect_open(["define"], word, section.start)
            self.open.append(section)
        elif word.text in ACTION_PARTS and self.open and self.open[0].head == "define":
            self._expect_open(["define", ":action"], word, word.span.start)
        self._items.append(word)

    def close(self, span: Span) -> None:
        if self.open:
            self._fold(span.end)
        else:
            self.findings.report(Code.UNBALANCED_PARENTHESES, "this bracket closes nothing", span, "remove it")

    def end(self) -> None:
        """Close what is still open."""
        if self.open:
            self._report_unclosed(self.open[-1], ())
        while self.open:
            self._fold(len(self.findings.source.text))

    def _fold(self, end: int) -> None:
        done = self.open.pop()
        self._items.append(Group(tuple(done.items), Span(done.start, end)))

    def _expect_open(self, heads: Sequence[str], word: Word, end: int) -> None:
        """Close what is open beyond groups with `heads`, or open the last of these again; either is reported."""
        if len(self.open) > len(heads) and self.open[len(heads) - 1].head == heads[-1]:
            self._report_unclosed(self.open[-1], (Label(self.findings.at(word.span), "and here the next part starts"),))
            while len(self.open) > len(heads):
                self._fold(end)
        elif len(self.open) == len(heads) - 1 and self._items and isinstance(closed := self._items[-1], Group) and closed.head == heads[-1]:
            self._items.pop()
            label = Label(self.findings.at(word.span), "but here another part starts")
            message, hint = f"this bracket closes {closed.shown}", "there is one `)` too many, here or before"
            last = Span(closed.span.end - 1, closed.span.end)
            self.findings.report(Code.UNBALANCED_PARENTHESES, message, last, hint, (label,))
            self.open.append(_Open(closed.span.start, list(closed.items)))

    def _report_unclosed(self, group: _Open, labels: tuple[Label, ...]) -> None:
        hint = "count its brackets: there is one `)` too few"
        message = f"{group.shown} is not closed"
        self.findings.report(Code.UNBALANCED_PARENTHESES, message, Span(group.start, group.start + 1), hint, labels)
