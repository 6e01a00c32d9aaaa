"""What commands print: results to stdout, findings and progress to stderr, with --json nothing but JSON to stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from toolplan.cli.exits import Exit
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import Diagnostic, DomainError, render

FAILURES = (Code.ENGINE_MISSING, Code.ENGINE_CRASHED, Code.ENGINE_NOT_BELIEVED)
COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def show_json(data: object) -> None:
    """Print `data` as JSON, two blanks an indent, keys in order of insertion."""
    text = json.dumps(data, indent=2, ensure_ascii=not _takes_unicode())
    # What is half of a character becomes an escape, which means the same in JSON.
    print(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def show_findings(findings: Iterable[Diagnostic]) -> None:
    """Print findings to stderr, the severity coloured on a terminal."""
    for finding in findings:
        headline, _, rest = render(finding).partition("\n")
        severity, _, message = headline.partition(": ")
        styled = typer.style(severity, fg=COLORS[finding.severity], bold=True)
        typer.echo(_encodable(f"{styled}: {message}\n{rest}".rstrip() + "\n"), err=True)


@contextmanager
def reporting(*, as_json: bool) -> Iterator[None]:
    """Turn a DomainError into findings and the exit code for them."""
    try:
        yield
    except DomainError as error:
        fail(error.diagnostics, as_json=as_json)


def fail(findings: Iterable[Diagnostic], *, as_json: bool) -> NoReturn:
    """Print `findings` and exit: 5 where a planner is to blame, else 1."""
    findings = list(findings)
    if as_json:
        show_json({"diagnostics": [finding.to_dict() for finding in findings]})
    else:
        show_findings(findings)
    blamed = any(finding.code in FAILURES for finding in findings)
    raise typer.Exit(Exit.INTERNAL if blamed else Exit.INPUT)


def say(line: str = "") -> None:
    """Print one line of a result."""
    typer.echo(_encodable(line))


def _takes_unicode() -> bool:
    return (sys.stdout.encoding or "ascii").lower().replace("-", "") in ("utf8", "utf16")


def _encodable(text: str) -> str:
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)
