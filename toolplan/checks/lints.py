"""Everything that `toolplan check` finds: errors, the lints of the language, those that plan, and what of it the author allows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from toolplan.checks import goal_pairs, reachability, results
from toolplan.language import loading
from toolplan.language.allowances import without_allowed
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, quoted
from toolplan.language.resolve import Resolved
from toolplan.language.source import Source

GATHERED = {
    Code.TOOL_WITHOUT_GOAL: "{} tools are relevant to no goal",
    Code.UNPORTABLE_NAME: "the names of {} real tools hold more than letters, digits, `_` and `-`",
    Code.UNOWNED_TOOL: "{} tools have no owner, and others of their servers have",
}
"""Findings of which a file gets one for all, and what it says."""
MOST_NAMED = 3
"""Names that such a finding lists."""


def check(path: str | os.PathLike[str]) -> Resolved:
    """The domain in a file, with every finding that its author does not allow."""
    return linted(loading.check(path))


def check_text(text: str, name: str = "<text>", directory: str | os.PathLike[str] | None = None) -> Resolved:
    """The domain in `text`, with every finding that its author does not allow."""
    return linted(loading.check_text(text, name, directory))


def linted(resolved: Resolved) -> Resolved:
    """`resolved` after the lints that plan, without what its blocks allow; where there are errors, as it is."""
    if any(finding.severity is Severity.ERROR for finding in resolved.diagnostics):
        return resolved
    attempts = reachability.attempts(resolved.domain)
    planned = [finding for rule in (*reachability.RULES, *goal_pairs.RULES) for finding in rule(resolved, attempts)]
    kept = without_allowed([*resolved.diagnostics, *results.unreadable_results(resolved), *planned], resolved.allowed)
    rank = {file.source: number for number, file in enumerate(resolved.files)}

    def place(finding: Diagnostic) -> tuple[int, int]:
        return (rank[finding.location.source], finding.location.span.start) if finding.location else (-1, 0)

    return replace(resolved, diagnostics=gathered(sorted(kept, key=place)))


def gathered(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """`findings`, with one a file instead of many that say the same of many tools."""
    groups: dict[tuple[Code, Source] | Diagnostic, list[Diagnostic]] = {}
    for finding in findings:
        several = finding.code in GATHERED and finding.location
        groups.setdefault((finding.code, several.source) if several else finding, []).append(finding)
    return [group[0] if len(group) == 1 else _joined(group) for group in groups.values()]


def _joined(group: list[Diagnostic]) -> Diagnostic:
    names = [quoted(finding.block[1]) for finding in group if finding.block]
    shown = ", ".join([*names[:MOST_NAMED], *(["..."] if len(names) > MOST_NAMED else [])])
    return replace(group[0], message=f"{GATHERED[group[0].code].format(len(group))}: {shown}", block=None)
