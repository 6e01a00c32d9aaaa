"""The tool inertia graph of AutoTool (AAAI 2026): which tool follows which, and out of which values the arguments of a tool were taken.

A node is a tool, and inside it are its arguments and the places of its results. A *sequence edge* leads from the last tools of a run to the
next one; a *dependency edge* leads from an argument, or a place in a result, to a later argument that had the same value. Edges count, so
graphs of parts of the runs add up to the graph of all of them. A graph keeps names of tools, arguments and places, and no value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolplan.learning.open_runs import OpenRuns
from toolplan.learning.runs import LONGEST_WINDOW, Place, Run
from toolplan.learning.traces import Ended, Execution, Failed, Record, Requested

LOST = 0.5
"""What a step weighs less in a run that ended in failure: the step itself may have been right."""


class Weight(NamedTuple):
    """How often an edge was followed: by an execution that did not fail, by one that failed, and in a run that ended in failure."""

    done: int = 0
    failed: int = 0
    lost: int = 0

    @property
    def strength(self) -> float:
        """Raised by success, lowered by failure, at least 0."""
        return max(0.0, self.done - self.failed - LOST * self.lost)

    def plus(self, other: Weight) -> Weight:
        """Both together."""
        return Weight(self.done + other.done, self.failed + other.failed, self.lost + other.lost)


NOTHING = Weight()
DONE, FAILED, LOSS = Weight(done=1), Weight(failed=1), Weight(lost=1)
Sequence = tuple[str, ...]


class Edges(NamedTuple):
    """How many edges of each kind there are."""

    sequences: int
    dependencies: int


@dataclass
class Graph:
    """Counts of what followed what. `arguments` counts for each tool in how many executions it was given which argument."""

    executions: Counter[str] = field(default_factory=Counter)
    arguments: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sequences: defaultdict[Sequence, dict[str, Weight]] = field(default_factory=lambda: defaultdict(dict))
    sources: defaultdict[Place, Counter[Place]] = field(default_factory=lambda: defaultdict(Counter))

    def required(self, tool: str) -> tuple[str, ...]:
        """The arguments that every execution of `tool` was given, by name: what a call needs, as far as runs can tell."""
        given = self.arguments.get(tool, Counter[str]())
        return tuple(sorted(name for name, times in given.items() if times == self.executions[tool]))

    def successors(self, before: Sequence) -> Mapping[str, Weight]:
        """What followed `before`."""
        return self.sequences.get(before, {})

    @property
    def edges(self) -> Edges:
        """How many edges there are, each counted once: what a graph takes in memory."""
        return Edges(sum(map(len, self.sequences.values())), sum(map(len, self.sources.values())))

    def add(self, other: Graph) -> None:
        """Count what `other` has counted, too. Graphs of whole runs add up to that of all of them, in any order."""
        self.executions.update(other.executions)
        for tool, names in other.arguments.items():
            self.arguments[tool].update(names)
        for before, edges in other.sequences.items():
            for tool, weight in edges.items():
                self._weigh(before, tool, weight)
        for argument, places in other.sources.items():
            self.sources[argument].update(places)

    def count(self, run: Run, execution: Execution) -> list[tuple[Sequence, str]]:
        """Count `execution`, the next of `run`, and give the sequence edges that it follows. Nothing of `run` changes."""
        tool = execution.tool
        self.executions[tool] += 1
        if execution.arguments:
            self.arguments[tool].update(execution.arguments.keys())
        weight = FAILED if isinstance(execution.result, Failed) else DONE
        edges = [(before, tool) for before in run.windows(LONGEST_WINDOW)]
        for before, _ in edges:
            self._weigh(before, tool, weight)
        for name, place in run.sources(execution.arguments):
            self.sources[Place(tool, name)][place] += 1
        return edges

    def lose(self, edges: Iterable[tuple[Sequence, str]]) -> None:
        """Count that a run which followed `edges` ended in failure."""
        for before, tool in edges:
            self._weigh(before, tool, LOSS)

    def _weigh(self, before: Sequence, tool: str, weight: Weight) -> None:
        edges = self.sequences[before]
        edges[tool] = edges.get(tool, NOTHING).plus(weight)


@dataclass(slots=True)
class _Open:
    """A run that goes on, and the sequence edges that it has followed."""

    run: Run = field(default_factory=Run)
    followed: Counter[tuple[Sequence, str]] = field(default_factory=Counter)


class Learner:
    """A graph that grows with each record, and the runs that are open."""

    def __init__(self, graph: Graph | None = None) -> None:
        self.graph = Graph() if graph is None else graph
        self._open = OpenRuns(_Open)

    def run(self, trace: str) -> Run:
        """The run called `trace`, as far as it has come; a new one where there is none."""
        return self._open.of(trace).run

    def learn(self, record: Record) -> None:
        """Count what `record` says."""
        match record:
            case Execution(trace=trace):
                open_ = self._open.of(trace)
                open_.run.settle(record.batch)
                open_.followed.update(self.graph.count(open_.run, record))
                open_.run.append(record)
            case Ended(trace, success):
                followed = self._open.end(trace).followed
                if not success:
                    self.graph.lose(followed.elements())
            case Requested():
                pass


def learned(records: Iterable[Record]) -> Graph:
    """The graph of `records`."""
    learner = Learner()
    for record in records:
        learner.learn(record)
    return learner.graph
