"""What is wrong with a PDDL file, collected while it is read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from toolplan.importing.pddl.features import FEATURES
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, Label, quoted
from toolplan.language.source import Location, Source, Span
from toolplan.language.suggest import Suggester

MOST_FINDINGS = 1_000
"""Findings kept for one file: beyond that, more of them help nobody."""
MOST_PLACES = 3
"""Further places shown of a name that is undeclared in several."""


@dataclass
class Findings:
    """The findings about one source so far."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _suggester: Suggester = field(default_factory=Suggester)
    _undeclared: dict[tuple[str, str], int] = field(default_factory=dict)

    def report(self, code: Code, message: str, span: Span, hint: str = "", labels: tuple[Label, ...] = ()) -> None:
        """Keep a finding at `span`."""
        if len(self.diagnostics) < MOST_FINDINGS:
            self.diagnostics.append(Diagnostic(code, message, self.at(span), hint, labels))

    def in_order(self) -> list[Diagnostic]:
        """The findings in the order of the text."""
        return sorted(self.diagnostics, key=lambda finding: finding.location.span if finding.location else Span(0, 0))

    def at(self, span: Span) -> Location:
        """The place of `span`."""
        return Location(self.source, span)

    def unexpected(self, expected: str, found: str, span: Span, hint: str = "") -> None:
        """Report that `found` stands where `expected` should."""
        self.report(Code.UNEXPECTED_EXPRESSION, f"expected {expected}, found {found}", span, hint)

    def undeclared(self, kind: str, name: str, span: Span, declared: Collection[str], otherwise: str = "") -> None:
        """Report that there is no `kind` called `name`, once for all its places."""
        known = self._undeclared.setdefault((kind, name), len(self.diagnostics))
        if known < len(self.diagnostics):
            first = self.diagnostics[known]
            if len(first.labels) < MOST_PLACES:
                self.diagnostics[known] = replace(first, labels=(*first.labels, Label(self.at(span), "and here")))
            return
        hint = self._suggester.hint(name, declared) or otherwise
        self.report(Code.UNDECLARED_NAME, f"undeclared {kind} {quoted(name)}", span, hint)

    def unsupported(self, feature: str, span: Span) -> None:
        """Report a feature of PDDL that the language cannot say; `feature` is a key of `FEATURES`."""
        name, hint = FEATURES[feature]
        self.report(Code.UNSUPPORTED_FEATURE, f"{name} cannot be imported", span, hint)

    def is_first(self, what: str, name: str, span: Span, places: dict[tuple[str, str], Location]) -> bool:
        """Note in `places` that a `what` called `name` is declared at `span`; a second one is reported."""
        here = self.at(span)
        first = places.setdefault((what, name), here)
        if first is not here:
            label = Label(first, "first here")
            self.report(Code.DECLARED_TWICE, f"{what} {quoted(name)} is declared twice", span, "keep one of them", (label,))
        return first is here

    def unknown_requirement(self, name: str, span: Span, known: Collection[str]) -> None:
        """Warn of a requirement that no version of PDDL has."""
        hint = self._suggester.hint(name, known) or "what the domain really uses decides; this word is passed over"
        self.report(Code.UNKNOWN_REQUIREMENT, f"{quoted(name)} is no requirement of PDDL", span, hint)
