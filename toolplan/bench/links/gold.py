"""Sets of tools with the links between them that somebody else wrote down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from toolplan.catalog import RealTool


class Pair(NamedTuple):
    """Two tools, the one that returns something and the one that takes it."""

    producer: str
    consumer: str


class Edge(NamedTuple):
    """What one call of a chain needs of another, by their places. `argument` is what is filled, empty where the gold names none."""

    producer: int
    consumer: int
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """The gold calls of one request, in order, as names of tools, and the edges between them.

    `given` are by call the names of the arguments whose values the request gives.
    """

    request: str
    calls: tuple[str, ...]
    edges: frozenset[Edge]
    given: tuple[frozenset[str], ...]

    def pairs(self) -> Iterator[Pair]:
        """The two tools of each edge."""
        return (Pair(self.calls[edge.producer], self.calls[edge.consumer]) for edge in self.edges)

    def parts(self) -> Iterator[Chain]:
        """The smaller chains that edges hold together, by their first calls. Calls without edges are in none."""
        groups: list[set[int]] = []
        for edge in sorted(self.edges):
            joined = [group for group in groups if group & {edge.producer, edge.consumer}]
            groups = [group for group in groups if group not in joined] + [{edge.producer, edge.consumer}.union(*joined)]
        for group in sorted(map(sorted, groups)):
            place = {old: new for new, old in enumerate(group)}
            edges = frozenset(Edge(place[one], place[other], name) for one, other, name in self.edges if one in place)
            yield Chain(self.request, tuple(self.calls[old] for old in group), edges, tuple(self.given[old] for old in group))


@dataclass(frozen=True, slots=True)
class Gold:
    """Tools, and the pairs of them that are linked. `judged` are the pairs of which the gold says whether they are linked, linked or not.

    A gold of recorded requests says it of two tools where some request calls them in this order. One that is a graph says it of all.
    `arguments` are the arguments that are filled in each pair, as far as the gold names them. One that does not teach is another view of the
    data of one that does, or no record of use, and no weights are fitted to it.
    """

    name: str
    tools: tuple[RealTool, ...]
    linked: frozenset[Pair]
    judged: frozenset[Pair]
    arguments: frozenset[tuple[Pair, str]] = frozenset()
    chains: tuple[Chain, ...] = ()
    teaches: bool = True


def of_chains(name: str, tools: Iterable[RealTool], requests: Sequence[Chain], chains: Iterable[Chain]) -> Gold:
    """A gold of recorded `requests`; `chains` are those of them, or the parts, that a plan has to find."""
    called = {Pair(*pair) for request in requests for pair in combinations(request.calls, 2)}
    filled = {(Pair(one.calls[edge.producer], one.calls[edge.consumer]), edge.argument) for one in requests for edge in one.edges}
    return Gold(
        name,
        tuple(tools),
        frozenset(pair for pair, _ in filled if pair.producer != pair.consumer),
        frozenset(pair for pair in called if pair.producer != pair.consumer),
        frozenset((pair, argument) for pair, argument in filled if argument),
        tuple(chains),
    )


def of_graph(name: str, tools: Sequence[RealTool], linked: Iterable[Pair]) -> Gold:
    """A gold that is a graph over all tools. Its loops are left out: no tool is linked to itself."""
    every = frozenset(Pair(one.name, other.name) for one in tools for other in tools if one is not other)
    return Gold(name, tuple(tools), frozenset(linked) & every, every)
