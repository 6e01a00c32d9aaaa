"""What a step costs, and what a graph takes: synthetic runs with as many distinct sequences as chance brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from random import Random
from time import process_time

from toolplan.bench.tables import Row
from toolplan.learning.graph import Graph, Learner
from toolplan.learning.traces import Ended, Execution, Record, Returned

SIZES = (1_000, 10_000, 100_000, 1_000_000)
TOOLS, SUCCESSORS, LENGTH, SHARDS = 100, 3, 20, 8
"""Tools, how many may follow each, steps of a run, and shards that are merged."""
MOST_MICROSECONDS = 50.0


@dataclass(frozen=True, slots=True)
class Growth(Row):
    """The graph after so many steps: processor time of a step, distinct edges of both kinds, and bytes of all objects in it for each edge.

    `merged_is_whole` says whether the graphs of shards of the runs add up to the graph of all, and `promised` whether a step took less than
    50 microseconds.
    """

    steps: int
    microseconds_a_step: float
    sequence_edges: int
    dependency_edges: int
    kilobytes: float
    bytes_an_edge: float
    merged_is_whole: bool
    promised: bool


def growth(sizes: tuple[int, ...] = SIZES, seed: int = 1) -> Iterator[Growth]:
    """A row for each number of steps, the smallest first: of the same steps the first so many, up to the end of a run."""
    learner, shards = Learner(), [Learner() for _ in range(SHARDS)]
    spent, steps, left = 0.0, 0, sorted(sizes)
    for number, run in enumerate(_runs(ceil(max(sizes) / LENGTH), seed)):
        begun = process_time()
        for record in run:
            learner.learn(record)
        spent += process_time() - begun
        for record in run:
            shards[number % SHARDS].learn(record)
        steps += LENGTH
        while left and steps >= left[0]:
            left.pop(0)
            yield _row(steps, spent, learner.graph, [shard.graph for shard in shards])


def _row(steps: int, spent: float, graph: Graph, shards: list[Graph]) -> Growth:
    merged = Graph()
    for shard in shards:
        merged.add(shard)
    sequences, dependencies = graph.edges
    taken, each = _bytes(graph), 1e6 * spent / steps
    an_edge = taken / (sequences + dependencies)
    return Growth(steps, each, sequences, dependencies, taken / 1024, an_edge, merged == graph, each < MOST_MICROSECONDS)


def _runs(count: int, seed: int) -> Iterator[list[Record]]:
    """Runs in which each tool is followed by one of a few, and is given what an earlier one returned or what nobody has seen."""
    draw = Random(seed)
    follows = [[draw.randrange(TOOLS) for _ in range(SUCCESSORS)] for _ in range(TOOLS)]
    for number in range(count):
        trace, tool, found = f"r{number}", draw.randrange(TOOLS), "start"
        run: list[Record] = []
        for step in range(LENGTH):
            new = f"v{number}.{step}"
            arguments = {"id": found, "note": f"n{number}.{step}"}
            run.append(Execution(trace, f"tool_{tool}", arguments, Returned({"items": [{"id": new}, {"id": f"{new}b"}]})))
            tool, found = draw.choice(follows[tool]), new
        run.append(Ended(trace, draw.random() < 0.9))
        yield run


def _bytes(graph: Graph) -> int:
    """All objects that `graph` holds, each counted once."""
    seen: set[int] = set()
    waiting: list[object] = [graph.executions, graph.arguments, graph.sequences, graph.sources]
    taken = 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        taken += sys.getsizeof(one)
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, tuple):
            waiting += one
    return taken
