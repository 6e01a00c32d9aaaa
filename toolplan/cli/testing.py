"""`toolplan test`: the test blocks of domain files, run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer

from toolplan.checks.expectations import Verdict
from toolplan.checks.testing import Case, Report, load_all_tests, load_tests, run, tally
from toolplan.checks.worlds import Engine
from toolplan.cli.exits import Exit
from toolplan.cli.options import AsJson, Expansions, Seconds, limit_of
from toolplan.cli.options import Engine as EngineName
from toolplan.cli.output import fail, reporting, say, show_json
from toolplan.cli.texts import domain_files
from toolplan.language.diagnostics import Diagnostic, DomainError, visible

EXAMPLE = "Example: toolplan test calendar files"

MARKS = {Verdict.PASSED: ".", Verdict.FAILED: "F", Verdict.UNDECIDED: "U"}
COLORS = {Verdict.PASSED: "green", Verdict.FAILED: "red", Verdict.UNDECIDED: "yellow"}


def command(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Domain files, directories of them, or names of domains that ship.", show_default=False),
    ],
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print the name of every test.")] = False,
    keyword: Annotated[str, typer.Option("--keyword", "-k", metavar="EXPRESSION", help="Only tests whose names hold this.")] = "",
    with_imports: Annotated[bool, typer.Option("--with-imports", help="Run the tests of imported files too, with all the tools.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report there.", show_default=False)] = None,
    engine: EngineName = "auto",
    seconds: Seconds = 30.0,
    expansions: Expansions = 1_000_000,
    as_json: AsJson = False,
) -> None:
    """Run the tests of domain files."""
    tests = _collected(files, with_imports=with_imports, as_json=as_json)
    chosen = [test for test in tests if keyword.casefold() in test.name.casefold()]
    if tests and not chosen:
        typer.echo(f"none of {len(tests)} tests has `{keyword}` in its name", err=True)
        raise typer.Exit(Exit.USAGE)
    planner = Engine(engine, limit_of(seconds, expansions))
    with reporting(as_json=as_json):
        reports = [run(test, planner) for test in chosen]
    if junit is not None:
        _write(junit, _junit(reports))
    if as_json:
        show_json({"tests": [report.to_dict() for report in reports], **tally(reports)})
    else:
        _show(reports, names=verbose)
    verdicts = {report.verdict for report in reports}
    if Verdict.FAILED in verdicts:
        raise typer.Exit(Exit.INPUT)
    if Verdict.UNDECIDED in verdicts:
        raise typer.Exit(Exit.LIMIT)


def _collected(names: Sequence[str], *, with_imports: bool, as_json: bool) -> list[Case]:
    """The tests of all files; where one of them cannot be used, no test is run."""
    tests: list[Case] = []
    findings: list[Diagnostic] = []
    for file in dict.fromkeys(file for name in names for file in _files(name)):
        try:
            tests += load_all_tests(file) if with_imports else load_tests(file)
        except DomainError as error:
            findings += error.diagnostics
    if findings:
        fail(dict.fromkeys(findings), as_json=as_json)
    return tests


def _files(name: str) -> list[str]:
    return sorted(str(Path(file)) for file in domain_files([name])) if os.path.isdir(name) else [name]


def _show(reports: Sequence[Report], *, names: bool) -> None:
    for file, group in groupby(reports, key=lambda report: report.test.file):
        ended = list(group)
        if names:
            for report in ended:
                say(f"{visible(file)}: {visible(report.test.name)} {_styled(report.verdict, report.verdict.value)}")
        else:
            say(f"{visible(file)} {''.join(_styled(report.verdict, MARKS[report.verdict]) for report in ended)}")
    for report in reports:
        if report.findings:
            verdict = _styled(report.verdict, report.verdict.value.upper())
            say(f'\n{verdict} {visible(report.test.file)}:{report.test.line} "{visible(report.test.name)}"')
            for line in str(report).splitlines():
                say(f"  {visible(line)}")
    say(("\n" if reports else "") + ", ".join(_counts(reports)))


def _counts(reports: Sequence[Report]) -> list[str]:
    """`N passed, N failed`, and how many were not decided, if any."""
    return [f"{number} {verdict}" for verdict, number in tally(reports).items() if number or verdict != Verdict.UNDECIDED.value]


def _styled(verdict: Verdict, text: str) -> str:
    return typer.style(text, fg=COLORS[verdict])


def _junit(reports: Sequence[Report]) -> ElementTree.ElementTree[ElementTree.Element]:
    """The reports as JUnit XML, a suite for each file. Without times, so that the same tests give the same bytes."""
    root = ElementTree.Element("testsuites", {"name": "toolplan", **_totals(reports)})
    for file, group in groupby(reports, key=lambda report: report.test.file):
        ended = list(group)
        suite = ElementTree.SubElement(root, "testsuite", {"name": visible(file), **_totals(ended)})
        for report in ended:
            place = {"classname": visible(file), "file": visible(file), "line": str(report.test.line)}
            case = ElementTree.SubElement(suite, "testcase", {"name": visible(report.test.name), **place})
            if report.findings:
                kind = "failure" if report.verdict is Verdict.FAILED else "error"
                found = ElementTree.SubElement(case, kind, type=report.verdict.value, message=visible(report.findings[0].clause))
                found.text = "\n".join(map(visible, str(report).splitlines()))
    ElementTree.indent(root)
    return ElementTree.ElementTree(root)


def _totals(reports: Sequence[Report]) -> dict[str, str]:
    ended = tally(reports)
    return {"tests": str(len(reports)), "failures": str(ended["failed"]), "errors": str(ended["undecided"])}


def _write(path: Path, tree: ElementTree.ElementTree[ElementTree.Element]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        typer.echo(f"cannot write {path}: {(error.strerror or str(error)).lower()}", err=True)
        raise typer.Exit(Exit.USAGE) from None
