"""A written contract watched: what runs do that it does not say, and what it says that they do not do."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from toolplan.domain import Domain, HostReader, Tool
from toolplan.learning.called import contracts_of
from toolplan.learning.contracts import SUPPORT
from toolplan.learning.intervals import wilson
from toolplan.learning.judging import Expected, Lacking, declared, judged, names
from toolplan.learning.traces import Execution, Failed, Record, Returned, Unknown
from toolplan.session.results.matches import Failed as SaysFailed
from toolplan.session.results.matches import InDoubt, Read, ResultReading
from toolplan.session.results.reading import read_result

TOLERANCE = 0.1
"""The share of calls that may differ from a contract before it is said to have drifted."""
NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""The day to which results are read that speak of days without a year: whether a value is there does not depend on it."""


class Kind(enum.StrEnum):
    """Ways in which runs and contracts differ."""

    UNKNOWN_TOOL = "unknown tool"
    UNKNOWN_ARGUMENT = "unknown argument"
    SUCCEEDED = "succeeded without what it requires"
    FAILED = "failed with all it requires"
    MISSING = "promised and not there"
    UNDECLARED = "there and not promised"


OPEN = frozenset({Kind.UNKNOWN_ARGUMENT, Kind.UNDECLARED})
"""Kinds of which nobody knows beforehand what they may be about: any call at all could show one."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference: in `count` of the `cases` in which it could be seen. `subject` is the fact, the argument or the requirement it is about."""

    kind: Kind
    tool: str
    subject: str
    count: int
    cases: int
    tolerance: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of its share."""
        return wilson(self.count, self.cases)

    @property
    def is_drift(self) -> bool:
        """Whether its share is above the tolerance, and hardly by chance; a single call never is."""
        return self.count >= SUPPORT and self.interval[0] > self.tolerance

    def __str__(self) -> str:
        low, high = self.interval
        about = f" {self.subject}" if self.subject else ""
        return f"{self.tool}: {self.kind}{about}, {self.count} of {self.cases} calls ({100 * low:.0f}-{100 * high:.0f}%)"

    def to_dict(self) -> dict[str, object]:
        """The finding as JSON values."""
        low, high = self.interval
        return {
            "kind": str(self.kind),
            "tool": self.tool,
            "subject": self.subject,
            "count": self.count,
            "cases": self.cases,
            "low": round(low, 4),
            "high": round(high, 4),
            "drift": self.is_drift,
        }


def drift(domain: Domain, records: Iterable[Record], tolerance: float = TOLERANCE) -> list[Finding]:
    """All differences, those that are drift first, then by tool. A command that is to fail on drift looks for one that `is_drift`.

    What is required and promised is judged where the states before and after are known; what is promised also where the contract reads
    results, by results in which there is no such place. Of a fact that a state does not list, it is taken that it is not so.
    """
    monitor = Monitor(domain)
    for record in records:
        monitor.observe(record)
    return monitor.findings(tolerance)


Case = tuple[Kind, str, str]
"""A kind of difference, the tool, and what it is about."""


class Monitor:
    """Counts of differences, call by call. Several of them over parts of the runs add up to one over all."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._cases = Counter[Case]()
        self._counts = Counter[Case]()

    def observe(self, record: Record) -> None:
        """Compare a call with its contract; anything else says nothing."""
        if isinstance(record, Execution):
            for case, differs in self._compared(record):
                self._cases[case] += 1
                self._counts[case] += differs

    def add(self, other: Monitor) -> None:
        """Count what `other` has counted, too."""
        self._cases.update(other._cases)
        self._counts.update(other._counts)

    def findings(self, tolerance: float = TOLERANCE) -> list[Finding]:
        """The differences so far, as `drift` gives them."""
        found = [
            Finding(kind, tool, subject, count, self._cases[kind, tool, "" if kind in OPEN else subject], tolerance)
            for (kind, tool, subject), count in self._counts.items()
            if count
        ]
        return sorted(found, key=lambda each: (not each.is_drift, each.tool, tuple(Kind).index(each.kind), each.subject))

    def _compared(self, call: Execution) -> Iterator[tuple[Case, bool]]:
        """What could differ, and whether it does."""
        contracts = contracts_of(self._domain, call.tool)
        yield (Kind.UNKNOWN_TOOL, call.tool, ""), not contracts
        if not contracts:
            return
        passed = [names for names in map(_arguments, contracts) if names]
        if len(passed) == len(contracts):
            yield (Kind.UNKNOWN_ARGUMENT, call.tool, ""), False
            for argument in call.arguments.keys() - frozenset[str]().union(*passed):
                yield (Kind.UNKNOWN_ARGUMENT, call.tool, argument), True
        if isinstance(call.result, Unknown):
            return
        readings = [_read(self._domain, contract, call.result) for contract in contracts]
        failed = all(isinstance(each, SaysFailed) for each in readings)
        if call.before is not None:
            yield from self._in_state(contracts, call, call.before, failed=failed)
        if not failed and (call.before is None or call.after is None):
            yield from _in_result(call.tool, readings)

    def _in_state(self, contracts: Sequence[Tool], call: Execution, before: frozenset[str], *, failed: bool) -> Iterator[tuple[Case, bool]]:
        verdicts = [judged(self._domain, contract, call, before) for contract in contracts]
        expected = [each for verdict in verdicts if not isinstance(verdict, Lacking) for each in verdict]
        if not expected:
            lacking = next((verdict.requirement for verdict in verdicts if isinstance(verdict, Lacking)), "")
            yield (Kind.SUCCEEDED, call.tool, lacking), not failed
            return
        yield (Kind.FAILED, call.tool, ""), failed
        if not failed and call.after is not None and not call.batch:
            may = frozenset[str]().union(*map(declared, contracts))
            yield from _changed(call.tool, may, expected, names(call.after - before), names(before - call.after))


def _changed(
    tool: str, may: frozenset[str], expected: Sequence[Expected], added: frozenset[str], gone: frozenset[str]
) -> Iterator[tuple[Case, bool]]:
    """What was promised, in the way of turning out that is nearest to what was seen, and what a contract does not speak of."""
    seen = added | {f"not {fact}" for fact in gone}
    promises = [each.added | {f"not {fact}" for fact in each.removed} for each in expected]
    promised = min(promises, key=lambda each: (len(each - seen), sorted(each)))
    for subject in sorted(promised):
        yield (Kind.MISSING, tool, subject), subject not in seen
    yield (Kind.UNDECLARED, tool, ""), False
    for subject in sorted(seen - may):
        yield (Kind.UNDECLARED, tool, subject), True


def _arguments(tool: Tool) -> frozenset[str]:
    """What a call may be given; nothing where the contract does not say."""
    interface = tool.interface
    if not interface.passes:
        return frozenset()
    return frozenset(interface.passes) | {each.name for each in tool.parameters} | ({interface.key} if interface.key else set())


def _read(domain: Domain, tool: Tool, result: Returned | Failed) -> ResultReading:
    """What a result says, but for what only a reader of the host can read."""
    if isinstance(result, Failed):
        return SaysFailed(result.message)
    reading = read_result(domain, tool, result.value, NOW, {})
    by_host = {atom for atom, reader in tool.interface.returns if isinstance(reader, HostReader)}
    return Read({atom: each for atom, each in reading.facts.items() if atom not in by_host}) if isinstance(reading, Read) else reading


def _in_result(tool: str, readings: Sequence[ResultReading]) -> Iterator[tuple[Case, bool]]:
    """Whether there is a place in the result for each value that the contract finds there, for the contract that finds most."""
    found = [each.facts for each in readings if isinstance(each, Read)]
    nearest = min(found, key=lambda facts: sum(isinstance(each, InDoubt) for each in facts.values()), default={})
    for atom, each in nearest.items():
        yield (Kind.MISSING, tool, atom.fact), isinstance(each, InDoubt)
