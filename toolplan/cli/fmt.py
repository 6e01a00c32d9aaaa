"""`toolplan fmt`: domain files in the one layout of the language."""

from __future__ import annotations

import errno
import os
import re
import sys
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson
from toolplan.cli.output import say, show_findings, show_json
from toolplan.cli.texts import decoded, domain_files
from toolplan.cli.writing import write_together
from toolplan.language.codes import Code
from toolplan.language.diagnostics import Diagnostic, DomainError, visible
from toolplan.language.formatter import MisreadError, format_source
from toolplan.language.loading import LARGEST_FILE
from toolplan.language.source import Source

EXAMPLE = "Example: toolplan fmt --check --json ."
STDIN = "-"
LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one file: its bytes before and after; or what is wrong, and the exit code for it."""

    name: str
    before: bytes = b""
    after: bytes = b""
    findings: tuple[Diagnostic, ...] = ()
    error: str = ""
    exit: Exit = Exit.OK

    @property
    def changes(self) -> bool:
        """Whether the layout of the file is another."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = (LINE.findall(data.decode("utf-8")) for data in (self.before, self.after))
        lines = unified_diff(before, after, self.name, self.name)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def command(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Files, or directories with .toolplan files; `-` is stdin, to stdout.", show_default=False),
    ],
    check: Annotated[bool, typer.Option("--check", help="Write nothing, list what would change, and exit with 1 if anything.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing, and print what would change.")] = False,
    as_json: AsJson = False,
) -> None:
    """Lay domain files out in the one way. A file that cannot be read, or has its layout already, is left alone."""
    dry = check or diff
    outcomes = [_formatted(path) if dry or path == STDIN else _rewritten(path) for path in domain_files(files)]
    if as_json:
        shown = [_as_data(outcome, diff=diff, text=outcome.name == STDIN and not dry) for outcome in outcomes]
        show_json({"files": shown, "diagnostics": [finding.to_dict() for outcome in outcomes for finding in outcome.findings]})
    else:
        for outcome in outcomes:
            show_findings(outcome.findings)
            if outcome.error:
                typer.echo(outcome.error, err=True)
            if outcome.name == STDIN and not dry:
                typer.echo(outcome.after, nl=False)
            elif outcome.changes:
                say(outcome.diff.removesuffix("\n") if diff else outcome.name)
        if not outcomes:
            typer.echo("no .toolplan files there", err=True)
    codes = [outcome.exit for outcome in outcomes] + [Exit.INPUT for outcome in outcomes if check and outcome.changes]
    if any(codes):
        raise typer.Exit(max(codes))


def _as_data(outcome: _Outcome, *, diff: bool, text: bool) -> dict[str, object]:
    data: dict[str, object] = {"file": outcome.name, "changed": outcome.changes}
    if outcome.error:
        data["error"] = outcome.error
    if diff:
        data["diff"] = outcome.diff
    if text and outcome.exit is Exit.OK:
        data["text"] = outcome.after.decode("utf-8")
    return data


def _rewritten(path: str) -> _Outcome:
    """Lay a file out in its place."""
    outcome = _formatted(path)
    if not outcome.changes:
        return outcome
    try:
        write_together({Path(path): outcome.after})
    except OSError as error:
        message = f"cannot write `{visible(outcome.name)}`: {(error.strerror or str(error)).lower()}"
        return _Outcome(outcome.name, error=message, exit=Exit.USAGE)
    return outcome


def _formatted(path: str) -> _Outcome:
    # A name that is not UTF-8 can be opened, but not printed.
    name = os.fsencode(path).decode("utf-8", "replace")
    try:
        before = sys.stdin.buffer.read() if path == STDIN else _read(path, name)
        return _Outcome(name, before, format_source(Source(name, decoded(before, name))).encode("utf-8"))
    except DomainError as error:
        return _Outcome(name, findings=error.diagnostics, exit=Exit.INPUT)
    except MisreadError as error:
        return _Outcome(name, error=f"{error}: this is a mistake of toolplan, please report it", exit=Exit.INTERNAL)


def _read(path: str, name: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DomainError([Diagnostic(Code.UNREADABLE_FILE, f"cannot read `{visible(name)}`: {reason.lower()}")]) from None
    return data
