"""Fixes to texts: which edits of which findings can be made together, and the texts after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolplan.language.diagnostics import Diagnostic
from toolplan.language.source import Source, Span


@dataclass(frozen=True, slots=True)
class Mending:
    """The findings that are mended, and the texts that this makes of their sources."""

    mended: tuple[Diagnostic, ...]
    texts: Mapping[Source, str]


def mend(findings: Iterable[Diagnostic], sources: Iterable[Source]) -> Mending:
    """Make the fixes of `findings` that touch `sources` alone and do not overlap; each is made as a whole or not at all."""
    edits: dict[Source, dict[Span, str]] = {source: {} for source in sources}
    mended = []
    taken = _Taken()
    for finding in findings:
        if finding.fix and all(edit.location.source in edits for edit in finding.fix) and taken.take(finding):
            mended.append(finding)
            for edit in finding.fix:
                edits[edit.location.source][edit.location.span] = edit.replacement
    return Mending(tuple(mended), {source: _edited(source.text, own) for source, own in edits.items() if own})


class _Taken:
    """The characters that fixes replace so far."""

    def __init__(self) -> None:
        self._taken: dict[Source, set[int]] = {}

    def take(self, finding: Diagnostic) -> bool:
        """Take what the fix of `finding` replaces, unless something of it is taken."""
        wanted = [(edit.location.source, range(edit.location.span.start, edit.location.span.end + 1)) for edit in finding.fix]
        if any(not self._taken.get(source, set()).isdisjoint(places) for source, places in wanted):
            return False
        for source, places in wanted:
            self._taken.setdefault(source, set()).update(places)
        return True


def _edited(text: str, edits: Mapping[Span, str]) -> str:
    parts = []
    at = 0
    for span in sorted(edits):
        parts += [text[at : span.start], edits[span]]
        at = span.end
    return "".join([*parts, text[at:]])
