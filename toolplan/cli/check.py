"""`toolplan check`: every finding about domain files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_findings, show_json
from toolplan.domain import Domain
from toolplan.language import loading
from toolplan.language.codes import Severity
from toolplan.language.diagnostics import Diagnostic

EXAMPLE = "Example: toolplan check workspace"


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Domain files, or names of domains that ship.", show_default=False)],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check domain files: syntax, names, types, and what is probably not meant."""
    checked = [(name, loading.check(name)) for name in files]
    findings = list(dict.fromkeys(finding for _, resolved in checked for finding in resolved.diagnostics))
    if as_json:
        show_json(
            {
                "files": [{"file": name, **_counts(resolved.domain)} for name, resolved in checked],
                "diagnostics": [finding.to_dict() for finding in findings],
            }
        )
    else:
        show_findings(findings)
        for name, resolved in checked:
            say(f"{name}: {_summary(resolved.domain, resolved.diagnostics)}")
    stops = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    if any(finding.severity in stops for finding in findings):
        raise typer.Exit(Exit.INPUT)


def _counts(domain: Domain) -> dict[str, int]:
    asks = [ask for ask in domain.asks.values() if not ask.implied]
    return {
        "tools": len(domain.tools),
        "facts": len(domain.facts),
        "goals": len(domain.goals),
        "asks": len(asks),
        "tests": len(domain.tests),
    }


def _summary(domain: Domain, findings: Sequence[Diagnostic]) -> str:
    severities = [finding.severity for finding in findings]
    counts = [_plural(severities.count(severity), severity.value) for severity in Severity if severity in severities]
    if Severity.ERROR in severities:
        return ", ".join(counts)
    contents = [_plural(number, kind.removesuffix("s")) for kind, number in _counts(domain).items() if number]
    return f"{', '.join(contents)}; {', '.join(counts) or 'no findings'}"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
