"""Findings in the formats of other programs: SARIF 2.1.0 for code scanners, and workflow commands for GitHub Actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, Edit, visible
from toolplan.language.source import Location

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def sarif(findings: Sequence[Diagnostic], version: str) -> dict[str, object]:
    """The findings as a SARIF log of one run of toolplan `version`; its rules are the codes that were found."""
    codes = sorted({finding.code for finding in findings}, key=lambda code: code.number)
    numbers = {code: number for number, code in enumerate(codes)}
    driver = {"name": "toolplan", "version": version, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, numbers[finding.code]) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: Code) -> dict[str, object]:
    page = code.page
    meaning = " ".join(page.split("\n\n")[1].split())
    return {
        "id": code.number,
        "name": code.slug,
        "shortDescription": {"text": re.split(r"(?<=\.) ", meaning)[0]},
        "fullDescription": {"text": meaning},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": code.severity.value},
    }


def _result(finding: Diagnostic, rule: int) -> dict[str, object]:
    text = visible(finding.message) + (f"; {visible(finding.hint)}" if finding.hint else "")
    result: dict[str, object] = {
        "ruleId": finding.code.number,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(finding.location)}] if finding.location else [],
    }
    if finding.labels:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(label.location), "message": {"text": visible(label.message)}}
            for number, label in enumerate(finding.labels)
        ]
    if finding.fix:
        result["fixes"] = [{"artifactChanges": [_change(edit) for edit in finding.fix]}]
    return result


def _change(edit: Edit) -> dict[str, object]:
    place = _place(edit.location)
    replacement = {"deletedRegion": place["region"], "insertedContent": {"text": edit.replacement}}
    return {"artifactLocation": place["artifactLocation"], "replacements": [replacement]}


def _place(location: Location) -> dict[str, object]:
    (line, column), (end_line, end_column) = location.start, location.end
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"artifactLocation": {"uri": _uri(location.source.name)}, "region": region}


def _uri(name: str) -> str:
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")


def github(findings: Iterable[Diagnostic]) -> list[str]:
    """The findings as workflow commands, one a line; GitHub shows them beside the lines of a change."""
    return [_command(finding) for finding in findings]


def _command(finding: Diagnostic) -> str:
    properties = {"title": f"{finding.code.number} {finding.code.slug}"}
    if finding.location:
        (line, column), (end_line, _) = finding.location.start, finding.location.end
        place = {"file": finding.location.source.name, "line": str(line), "col": str(column), "endLine": str(end_line)}
        properties = place | properties
    written = ",".join(f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items())
    text = visible(finding.message) + (f"\n{visible(finding.hint)}" if finding.hint else "")
    return f"::{COMMANDS[finding.severity]} {written}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
