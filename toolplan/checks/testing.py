"""Test blocks found and run: each clause, in order, in the world that the clauses before it have made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolplan.checks.expectations import Finding, Verdict, clause_of, expected, failed, never, never_reached
from toolplan.checks.scripts import NoRanker, ScriptError, after, read
from toolplan.checks.stages import Stage
from toolplan.checks.worlds import Engine, World
from toolplan.domain import Domain, Expectation, Scenario
from toolplan.goals.readings import reading_of
from toolplan.language.codes import Code, Severity
from toolplan.language.diagnostics import DomainError, render
from toolplan.language.loading import check
from toolplan.language.source import Location
from toolplan.planning.inputs import build_scenario
from toolplan.session.turns import TurnReading

NO_FAULT_OF_THE_TEST = frozenset([Code.ENGINE_MISSING, Code.ENGINE_CRASHED, Code.ENGINE_NOT_BELIEVED, Code.UNKNOWN_ENGINE, Code.BAD_LIMIT])
CANNOT_RUN = "the test cannot be run"


@dataclass(frozen=True, slots=True)
class Case:
    """A test block, with the domain that it is run in and where it stands."""

    domain: Domain
    scenario: Scenario
    location: Location

    @property
    def name(self) -> str:
        """What the test says of itself."""
        return self.scenario.name

    @property
    def file(self) -> str:
        """The file that it stands in, as it was asked for."""
        return self.location.source.name

    @property
    def line(self) -> int:
        """The line of its name, from one."""
        return self.location.start[0]


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a test; without findings it passed."""

    test: Case
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of the findings."""
        verdicts = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in (Verdict.FAILED, Verdict.UNDECIDED) if verdict in verdicts), Verdict.PASSED)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings))

    def to_dict(self) -> dict[str, object]:
        """The report as JSON values."""
        findings = [{"clause": f.clause, "verdict": f.verdict.value, "report": list(f.lines)} for f in self.findings]
        return {
            "file": self.test.file,
            "line": self.test.line,
            "name": self.test.name,
            "verdict": self.verdict.value,
            "findings": findings,
        }


def load_tests(path: str) -> list[Case]:
    """The tests that stand in a file or a domain that ships, in order. Raises DomainError where it cannot be used."""
    return [test for test in load_all_tests(path) if test.file == path]


def load_all_tests(path: str) -> list[Case]:
    """The same, after the tests of all that it imports, which here are run with everything that `path` adds to their own file."""
    resolved = check(path)
    errors = [finding for finding in resolved.diagnostics if finding.severity is Severity.ERROR]
    if errors:
        raise DomainError(errors)
    places = [place for (kind, _), place in resolved.places.items() if kind.startswith("test in ")]
    return [Case(resolved.domain, scenario, place) for scenario, place in zip(resolved.domain.tests, places, strict=True)]


def run(test: Case, engine: Engine) -> Report:
    """Run one test. Raises DomainError where the engine is missing or fails; what is wrong with the test itself is a finding."""
    try:
        return Report(test, tuple(_findings(test, engine)))
    except DomainError as error:
        if any(finding.code in NO_FAULT_OF_THE_TEST for finding in error.diagnostics):
            raise
        lines = [line for finding in error.diagnostics for line in render(finding).splitlines()]
        return Report(test, (failed(CANNOT_RUN, lines),))


def _findings(test: Case, engine: Engine) -> Iterator[Finding]:
    scenario = test.scenario
    wants = bool(scenario.wanted or scenario.request or scenario.candidates)
    if scenario.script and not wants:
        yield failed(CANNOT_RUN, ["what is expected depends on a `goal`, and it names none"])
        return
    start = build_scenario(test.domain, scenario.given, scenario.wanted)
    stage = Stage.begun(test.domain, start.state, engine.settings)
    try:
        _begin(stage, scenario)
        worlds = [World.of(stage, engine)]
        yield from _played(scenario, worlds)
    except NoRanker:
        yield Finding(CANNOT_RUN, Verdict.UNDECIDED, ("no ranker is installed that reads a `request`: list its `candidates`",))
        return
    for rule in scenario.never:
        for atom in rule.atoms:
            is_planned = wants and rule.without is None and (atom.fact in test.domain.tools or atom.fact in test.domain.asks)
            finding = never(worlds, atom) if is_planned else never_reached(start, engine.limit, atom, rule.without)
            if finding is not None:
                yield finding


def _begin(stage: Stage, scenario: Scenario) -> None:
    """Say in the session what the test wants: a request as it is taken for or read, or else its goal."""
    request = scenario.request or ""
    if scenario.candidates:
        goals = reading_of(request, ((candidate.goals, float(candidate.p)) for candidate in scenario.candidates))
        stage.session.hear(request, TurnReading(request, goals))
    elif request:
        stage.session.hear(request, read(stage, request))
    elif scenario.wanted:
        # In parentheses no condition can be taken for an argument of the one before it.
        stage.session.want(*(wanted.label if wanted.goal else f"({wanted.label})" for wanted in scenario.wanted))


def _played(scenario: Scenario, worlds: list[World]) -> Iterator[Finding]:
    """Hold the script against the last of `worlds`, to which each thing that happens adds one; what cannot happen ends it."""
    for part in scenario.script:
        if isinstance(part, Expectation):
            if (finding := expected(worlds[-1], part)) is not None:
                yield finding
            continue
        try:
            worlds.append(after(worlds[-1], part, scenario.wanted))
        except ScriptError as error:
            yield failed(clause_of(part), [str(error)])
            return


def tally(reports: Sequence[Report]) -> dict[str, int]:
    """How many tests ended in each way."""
    return {verdict.value: sum(report.verdict is verdict for report in reports) for verdict in Verdict}
