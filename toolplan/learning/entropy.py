"""Whether there is inertia at all: how much the last tools say about the next one, and how few places arguments come from.

The tools of a run are taken for a Markov chain of order 0, 1 or 2, as in AutoTool (AAAI 2026). Runs count apart: nothing precedes the first
tool of one. All is read from a graph, so that it costs the same after a million runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import log, log2, sqrt
from statistics import NormalDist
from typing import NamedTuple

from toolplan.learning.graph import Graph

Counts = Mapping[tuple[str, ...], Mapping[str, int]]


class Entropy(NamedTuple):
    """What is not known of the next tool, in bits, where the last `order` tools are known; `steps` have so many before them."""

    order: int
    bits: float
    steps: int


class LikelihoodRatio(NamedTuple):
    """How much better a chain of `order` fits than one of the order below: G squared, its degrees of freedom, and the chance of that much.

    The degrees count only what was seen: for each shorter context, the longer ones that end in it, and the tools that follow it.
    """

    order: int
    g_squared: float
    degrees: int
    p: float


class Guessed(NamedTuple):
    """How often the next tool is the one that follows the last `order` tools most often in all other steps: `right` of `steps`.

    A step is never among those that it is guessed from, so that rare sequences, which make an entropy too low, are not taken for a rule.
    """

    order: int
    right: int
    steps: int

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where there are no steps."""
        return self.right / self.steps if self.steps else 0.0


class Share(NamedTuple):
    """How often what comes first comes first: `top` of `of`, as `first` after or for `what`."""

    what: str
    first: str
    top: int
    of: int


def entropies(graph: Graph, orders: Iterable[int] = (0, 1, 2)) -> Iterator[Entropy]:
    """The conditional entropy of each order, over all steps that have so many before them."""
    for order in orders:
        counts = _counts(graph, order)
        totals = {before: sum(after.values()) for before, after in counts.items()}
        steps = sum(totals.values())
        bits = -sum(n * log2(n / totals[before]) for before, after in counts.items() for n in after.values()) / steps if steps else 0.0
        yield Entropy(order, bits, steps)


def likelihood_ratios(graph: Graph, orders: Iterable[int] = (1, 2)) -> Iterator[LikelihoodRatio]:
    """Each order against the one below it, over the same steps."""
    for order in orders:
        counts = _counts(graph, order)
        shorter: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        endings: Counter[tuple[str, ...]] = Counter()
        for before, after in counts.items():
            shorter[before[1:]].update(after)
            endings[before[1:]] += 1
        g_squared = 0.0
        for before, after in counts.items():
            total, wider = sum(after.values()), shorter[before[1:]]
            g_squared += 2 * sum(n * log(n / total * wider.total() / wider[tool]) for tool, n in after.items())
        degrees = sum((endings[before] - 1) * (len(after) - 1) for before, after in shorter.items())
        yield LikelihoodRatio(order, g_squared, degrees, _chance(g_squared, degrees))


def guessed(graph: Graph, orders: Iterable[int] = (0, 1, 2)) -> Iterator[Guessed]:
    """What can be guessed with each order, over all steps that have so many before them."""
    for order in orders:
        counts = _counts(graph, order).values()
        yield Guessed(order, sum(map(_guessed, counts)), sum(sum(after.values()) for after in counts))


def _guessed(after: Mapping[str, int]) -> int:
    """The steps to the most frequent tool, if it stays the most frequent one without any of them."""
    first, *others = sorted(after.values(), reverse=True)
    return first if first - 1 > max(others, default=0) else 0


def successors(graph: Graph, size: int = 1) -> Iterator[Share]:
    """For each window of `size` tools the tool that follows it most often, the most frequent windows first."""
    counts = _counts(graph, size)
    for before, after in sorted(counts.items(), key=lambda each: (-sum(each[1].values()), each[0])):
        first = min(after, key=lambda tool: (-after[tool], tool))
        yield Share(" > ".join(before), first, after[first], sum(after.values()))


def sources(graph: Graph) -> Iterator[Share]:
    """For each argument the place that its values come from most often, the arguments with the most values first."""
    for (tool, argument), places in sorted(graph.sources.items(), key=lambda each: (-each[1].total(), each[0])):
        first = min(places, key=lambda place: (-places[place], place))
        yield Share(f"{tool}({argument})", f"{first.tool} / {first.at}", places[first], places.total())


def _counts(graph: Graph, order: int) -> Counts:
    """How often each tool followed each window of `order` tools."""
    if order == 0:
        return {(): dict(graph.executions)} if graph.executions else {}
    windows = ((before, edges) for before, edges in graph.sequences.items() if len(before) == order)
    return {before: {tool: weight.done + weight.failed for tool, weight in edges.items()} for before, edges in windows}


def _chance(g_squared: float, degrees: int) -> float:
    """The upper tail of the chi-squared distribution, by the cube root that is nearly normal (Wilson and Hilferty, PNAS 17, 1931)."""
    if degrees <= 0:
        return 1.0
    spread = 2 / (9 * degrees)
    return NormalDist().cdf(-((g_squared / degrees) ** (1 / 3) - (1 - spread)) / sqrt(spread))
