"""`toolplan check`: every finding about domain files."""

from __future__ import annotations

import enum
import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from toolplan.catalog import Catalog
from toolplan.checks import lints
from toolplan.checks.schemas import against_schemas, read_tools
from toolplan.cli.exits import Exit
from toolplan.cli.fixing import fix_files
from toolplan.cli.options import AsJson
from toolplan.cli.output import reporting, say, show_findings, show_json
from toolplan.domain import Domain
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, DomainError, Edit, quoted, visible
from toolplan.language.reports import github, sarif
from toolplan.language.resolve import Resolved

EXAMPLE = "Example: toolplan check workspace"


class Format(enum.StrEnum):
    """How findings are printed."""

    HUMAN = "human"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Domain files, or names of domains that ship.", show_default=False)],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to print what is found; `--json` is short for json.")] = Format.HUMAN,
    as_json: AsJson = False,
    tools: Annotated[
        Path | None, typer.Option("--tools", metavar="FILE", help="A server's tools/list answer: check the contracts against its schemas.")
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can hardly be meant otherwise, such as a slip in a name.")] = False,
) -> None:
    """Check domain files: syntax, names, types, and what is probably not meant."""
    with reporting(as_json=as_json or form is Format.JSON):
        mended = _fix(files) if fix else []
    checked = [(name, lints.check(name)) for name in files]
    if tools is not None:
        with reporting(as_json=as_json or form is Format.JSON):
            real = read_tools(tools)
        checked = [(name, _against(resolved, real)) for name, resolved in checked]
    findings = list(dict.fromkeys(finding for _, resolved in checked for finding in resolved.diagnostics))
    _show(Format.JSON if as_json else form, checked, findings, mended)
    stops = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    if any(finding.severity in stops for finding in findings):
        raise typer.Exit(Exit.INPUT)


def _against(resolved: Resolved, real: Catalog) -> Resolved:
    return replace(resolved, diagnostics=[*resolved.diagnostics, *against_schemas(resolved, real)])


def _fix(files: Sequence[str]) -> list[Diagnostic]:
    """Mend files, and tell what was mended. Raises DomainError for what is no file: what is read of a pipe cannot be read again."""
    others = [name for name in files if os.path.exists(name) and not os.path.isfile(name)]
    if others:
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot mend {quoted(name)}: it is no file") for name in others])
    try:
        mended = fix_files(files)
    except OSError as error:
        typer.echo(f"cannot write {quoted(str(error.filename))}: {(error.strerror or str(error)).lower()}", err=True)
        raise typer.Exit(Exit.INPUT) from None
    for edit in (edit for finding in mended for edit in finding.fix):
        typer.echo(_mended(edit), err=True)
    return mended


def _mended(edit: Edit) -> str:
    source, span = edit.location
    line, column = edit.location.start
    before = source.text[span.start : span.end].strip()
    done = f"{quoted(before)} is now {quoted(edit.replacement)}" if edit.replacement else f"{quoted(before)} is removed"
    return f"mended {visible(source.name)}:{line}:{column}: {done}"


def _show(form: Format, checked: Sequence[tuple[str, Resolved]], findings: Sequence[Diagnostic], mended: Sequence[Diagnostic]) -> None:
    if form is Format.JSON:
        data: dict[str, object] = {
            "files": [{"file": name, **_counts(resolved.domain)} for name, resolved in checked],
            "diagnostics": [finding.to_dict() for finding in findings],
        }
        show_json(data | ({"mended": [finding.to_dict() for finding in mended]} if mended else {}))
    elif form is Format.SARIF:
        show_json(sarif(findings, version("toolplan")))
    elif form is Format.GITHUB:
        for line in github(findings):
            say(line)
    else:
        show_findings(findings)
        for name, resolved in checked:
            say(f"{name}: {_summary(resolved.domain, resolved.diagnostics)}")


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
