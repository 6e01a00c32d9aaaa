"""A plugin for pytest: the tests of `.toolplan` files as tests of pytest. The only module that imports pytest.

A file is collected where it is named on the command line; with `--toolplan`, or `toolplan = true` in the configuration, every file
that has tests is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolplan.checks.expectations import Verdict
from toolplan.checks.testing import Case, Report, load_tests, run
from toolplan.checks.worlds import Engine
from toolplan.language.diagnostics import DomainError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--toolplan`, and the setting of the same name."""
    text = "collect the tests of all .toolplan files, not only of those that are named"
    parser.getgroup("toolplan").addoption("--toolplan", action="store_true", help=text)
    parser.addini("toolplan", text, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take a domain file where that was asked for."""
    if file_path.suffix != ".toolplan":
        return None
    config = parent.config
    if not (config.getoption("toolplan") or config.getini("toolplan") or parent.session.isinitpath(file_path)):
        return None
    return DomainFile.from_parent(parent, path=file_path)


class DomainFile(pytest.File):
    """A domain file; its tests are those that stand in it, not those of its imports."""

    def collect(self) -> Iterator[DomainTest]:
        """One item for each test block."""
        try:
            tests = load_tests(os.path.relpath(self.path))
        except DomainError as error:
            raise self.CollectError(str(error)) from None
        for test in tests:
            yield DomainTest.from_parent(self, name=test.name, test=test)


class NotAsWritten(Exception):
    """A test block that does not hold, or is not decided."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


class DomainTest(pytest.Item):
    """A test block."""

    def __init__(self, *, test: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.test = test

    def runtest(self) -> None:
        """Run it. Raises NotAsWritten unless it passes."""
        report = run(self.test, Engine())
        if report.verdict is not Verdict.PASSED:
            raise NotAsWritten(report)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:  # type: ignore[override]
        """What does not hold, without a traceback."""
        if isinstance(excinfo.value, NotAsWritten):
            return f"{excinfo.value.report.verdict.value}: {self.test.file}:{self.test.line}\n{excinfo.value}"
        return str(excinfo.value) if isinstance(excinfo.value, DomainError) else str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, self.test.line - 1, self.name
