"""What runs that ended in success have brought about and nobody has used since: what was wanted, as far as runs can tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplan.learning.contracts import SUPPORT
from toolplan.learning.open_runs import OpenRuns
from toolplan.learning.traces import Ended, Execution, Record, Requested, Returned

LONGEST_REQUEST = 80
"""Letters of a request that can be a phrase."""
Promised = Mapping[str, Collection[str]]
"""The facts that a call of each tool makes known, by the name of the tool: what counts where a trace has no states."""


class Aim(NamedTuple):
    """A fact, by its name: in how many of the runs that `reached` it it was `left` unused, and what the users of these had said."""

    fact: str
    left: int
    reached: int
    requests: tuple[str, ...]


@dataclass
class _Open:
    """A run that goes on: what was said first, and the tools that were called since each fact was added."""

    said: str = ""
    since: dict[str, set[str]] = field(default_factory=dict)


class Reached:
    """Counts, for runs that ended in success, of facts with the tools that were called after them, and of the first request if it is short.

    It grows with the different ones of these.
    """

    def __init__(self, promised: Promised) -> None:
        self._promised = promised
        self._ends: defaultdict[str, Counter[tuple[str, frozenset[str]]]] = defaultdict(Counter)
        self._open = OpenRuns(_Open)

    def observe(self, record: Record) -> None:
        """Go on in the run of `record`; what failed or is unknown has reached nothing."""
        match record:
            case Requested(trace, text):
                run = self._open.of(trace)
                run.said = run.said or (text if len(text) <= LONGEST_REQUEST else "")
            case Execution(trace, tool):
                run = self._open.of(trace)
                for tools in run.since.values():
                    tools.add(tool)
                run.since |= {fact: set() for fact in self._added(record)}
            case Ended(trace, success):
                run = self._open.end(trace)
                for fact, tools in run.since.items() if success else ():
                    self._ends[fact][run.said, frozenset(tools)] += 1

    def add(self, other: Reached) -> None:
        """Count what `other` has counted, too. Runs that are open in either are not in it."""
        for fact, ends in other._ends.items():
            self._ends[fact].update(ends)

    def aims(self, uses: Callable[[str, str], bool]) -> Iterator[Aim]:
        """The facts that most runs which reached them have left unused, where `uses(tool, fact)`; by name. The most frequent requests first."""
        for fact in sorted(self._ends):
            left = Counter[str]()
            for (request, tools), times in self._ends[fact].items():
                if not any(uses(tool, fact) for tool in tools):
                    left[request] += times
            reached = self._ends[fact].total()
            if left.total() >= SUPPORT and 2 * left.total() > reached:
                yield Aim(fact, left.total(), reached, tuple(sorted((text for text in left if text), key=lambda text: (-left[text], text))))

    def _added(self, done: Execution) -> Collection[str]:
        if not isinstance(done.result, Returned):
            return ()
        if done.before is None or done.after is None:
            return self._promised.get(done.tool, ())
        return sorted({atom.partition("(")[0].strip("`") for atom in done.after - done.before})
