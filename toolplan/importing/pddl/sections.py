"""`(define (domain NAME) ...)` and `(define (problem NAME) ...)` taken apart into sections."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from toolplan.importing.pddl.expressions import Expression, Group, Word, read_expressions
from toolplan.importing.pddl.features import SECTIONS
from toolplan.importing.pddl.findings import Findings
from toolplan.language.source import Location, Span

REPEATED = frozenset([":action"])
"""Sections that stand as often as one likes."""


@dataclass(frozen=True)
class Definition:
    """A domain or a problem: the word that names it (None where it is missing) and its sections, those that were not reported."""

    name: Word | None
    sections: tuple[Group, ...]
    span: Span

    def all(self, keyword: str) -> Iterator[Group]:
        """The sections that start with `keyword`."""
        return (section for section in self.sections if section.head == keyword)

    def first(self, keyword: str) -> Group | None:
        """The section that starts with `keyword`."""
        return next(self.all(keyword), None)

    def items(self, keyword: str) -> tuple[Expression, ...]:
        """What stands in that section."""
        section = self.first(keyword)
        return section.items[1:] if section else ()


def read_definition(findings: Findings, kind: str, known: Collection[str]) -> Definition:
    """The one definition of a source: of a `domain` or a `problem`, whose sections start with the `known` words."""
    top = read_expressions(findings)
    whole = next((item for item in top if isinstance(item, Group) and item.head == "define"), None)
    for item in top:
        if whole is None or item is not whole:
            findings.unexpected(f"one `(define ({kind} NAME) ...)`", item.shown, item.span)
            break
    if whole is None:
        end = len(findings.source.text)
        if not top and not findings.diagnostics:
            findings.unexpected(f"`(define ({kind} NAME) ...)`", "nothing", Span(end, end))
        return Definition(None, (), Span(end, end))
    return Definition(_name(findings, kind, whole), tuple(_sections(findings, whole.items[2:], known)), whole.span)


def _name(findings: Findings, kind: str, whole: Group) -> Word | None:
    title = whole.items[1] if len(whole.items) > 1 else whole
    if isinstance(title, Group) and title.head == kind and len(title.items) == 2:
        name = title.items[1]
        if isinstance(name, Word) and name.kind == "a name":
            return name
    hint = (
        "the file of the domain comes first, then that of the problem" if isinstance(title, Group) and title.head in KINDS - {kind} else ""
    )
    findings.unexpected(f"`({kind} NAME)`", title.shown, title.span, hint)
    return None


KINDS = frozenset(["domain", "problem"])


def _sections(findings: Findings, items: Collection[Expression], known: Collection[str]) -> Iterator[Group]:
    first: dict[tuple[str, str], Location] = {}
    for item in items:
        if isinstance(item, Group) and item.head in known:
            if item.head in REPEATED or findings.is_first("section", item.head, item.items[0].span, first):
                yield item
        elif isinstance(item, Group) and item.head in SECTIONS:
            findings.unsupported(SECTIONS[item.head], item.items[0].span)
        else:
            shown = item.items[0] if isinstance(item, Group) and item.items else item
            findings.unexpected("a section", shown.shown, shown.span, f"there are {', '.join(f'`{word}`' for word in known)}")
