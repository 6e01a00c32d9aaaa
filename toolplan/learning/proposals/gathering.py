"""Everything of records that proposals rest on, counted as they go by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from toolplan.domain import Domain
from toolplan.learning.called import contracts_of
from toolplan.learning.contracts import Observed
from toolplan.learning.proposals.flows import Flows
from toolplan.learning.proposals.reached import Reached
from toolplan.learning.traces import Execution, Failed, Record, Returned

MICROSECONDS = 1_000_000


class Gathered:
    """What was seen in states, which value went where, what was reached, how long calls took and how many failed."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.observed = Observed()
        self.flows = Flows()
        self.reached = Reached(promised(domain))
        self.done = Counter[str]()
        self.failed = Counter[str]()
        self._timed = Counter[str]()
        self._microseconds = Counter[str]()

    def observe(self, record: Record) -> None:
        """Count what `record` says. Records of one run come in order; several runs may alternate."""
        self.observed.observe(record)
        self.flows.observe(record)
        self.reached.observe(record)
        if isinstance(record, Execution):
            self._count(record)

    def add(self, other: Gathered) -> None:
        """Count what `other` has counted in other runs, too."""
        self.observed.add(other.observed)
        self.flows.add(other.flows)
        self.reached.add(other.reached)
        for mine, more in (
            (self.done, other.done),
            (self.failed, other.failed),
            (self._timed, other._timed),
            (self._microseconds, other._microseconds),
        ):
            mine.update(more)

    @property
    def seconds(self) -> Mapping[str, Fraction]:
        """How long a call takes on average, of each tool that was measured."""
        return {tool: Fraction(self._microseconds[tool], MICROSECONDS * times) for tool, times in self._timed.items()}

    def _count(self, done: Execution) -> None:
        match done.result:
            case Returned():
                self.done[done.tool] += 1
            case Failed():
                self.failed[done.tool] += 1
        if done.seconds is not None:
            self._timed[done.tool] += 1
            # Whole numbers add up to the same in any order.
            self._microseconds[done.tool] += round(done.seconds * MICROSECONDS)


def gathered(domain: Domain, records: Iterable[Record]) -> Gathered:
    """What `records` say that matters for `domain`."""
    found = Gathered(domain)
    for record in records:
        found.observe(record)
    return found


def promised(domain: Domain) -> Mapping[str, tuple[str, ...]]:
    """The facts that each tool produces, under the names by which it may be called."""
    found: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(name for tool in domain.tools.values() for name in (tool.name, tool.call_name)):
        found[name] = tuple(dict.fromkeys(effect.atom.fact for tool in contracts_of(domain, name) for effect in tool.produces))
    return found
