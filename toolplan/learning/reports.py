"""What runs say of inertia, before anything is done with it: the figures of a graph, a verdict in words, and plots."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplan.learning.entropy import Guessed, Share, entropies, guessed, likelihood_ratios, sources, successors
from toolplan.learning.graph import Graph
from toolplan.learning.intervals import wilson
from toolplan.learning.plots import Bar, bars

FEWEST_STEPS = 100
"""Steps below which nothing is concluded."""
MOSTLY, BETTER = 0.5, 0.1
"""The share of steps that must be guessed for strong inertia; and by how much the lower end of its 95% interval must exceed what the
frequency of tools alone guesses, for there to be any."""
SHOWN = 10
"""Successors and sources that are plotted."""


class Inertia(enum.Enum):
    """Whether what comes next follows from what came last."""

    STRONG = "strong"
    SOME = "some"
    NONE = "none"
    UNTOLD = "untold"


class OrderRow(NamedTuple):
    """What is known of the next tool by the last `order` tools.

    `bits` is the entropy that is left, `guessed` the share of steps that are guessed from the others. `g_squared`, `degrees` and `p`
    compare with one tool less; order 0 has none to compare with.
    """

    order: int
    steps: int
    bits: float
    guessed: float
    g_squared: float | None
    degrees: int | None
    p: float | None


@dataclass(frozen=True, slots=True)
class Report:
    """The orders, what follows each tool and each two tools most often, where each argument comes from most often, and what that means.

    `traced` is the share of argument values that were seen before in the same run.
    """

    orders: tuple[OrderRow, ...]
    successors: tuple[Share, ...]
    second_successors: tuple[Share, ...]
    sources: tuple[Share, ...]
    traced: float
    inertia: Inertia
    verdict: str

    def to_dict(self) -> dict[str, object]:
        """The report as JSON values."""
        return {
            "inertia": self.inertia.value,
            "verdict": self.verdict,
            "traced": round(self.traced, 4),
            "orders": [row._asdict() for row in self.orders],
            "successors": [share._asdict() for share in self.successors],
            "second_successors": [share._asdict() for share in self.second_successors],
            "sources": [share._asdict() for share in self.sources],
        }


def report(graph: Graph) -> Report:
    """What `graph` says. The same graph gives the same report."""
    ratios = {ratio.order: ratio for ratio in likelihood_ratios(graph)}
    guesses = {guess.order: guess for guess in guessed(graph)}
    orders = []
    for order, bits, steps in entropies(graph):
        ratio = ratios.get(order)
        compared = (None, None, None) if ratio is None else (ratio.g_squared, ratio.degrees, ratio.p)
        orders.append(OrderRow(order, steps, bits, guesses[order].share, *compared))
    given = sum(names.total() for names in graph.arguments.values())
    traced = sum(places.total() for places in graph.sources.values()) / given if given else 0.0
    inertia, verdict = _verdict(orders, list(guesses.values()), traced)
    return Report(tuple(orders), tuple(successors(graph)), tuple(successors(graph, 2)), tuple(sources(graph)), traced, inertia, verdict)


def plots(found: Report) -> Mapping[str, str]:
    """SVG files that stand alone, by name: the entropies, and how much of all is what comes first."""
    entropy = [Bar(f"order {row.order}", row.bits, f"{row.bits:.2f} bits") for row in found.orders]
    after, origin = _shares(found.successors), _shares(found.sources)
    return {
        "entropy.svg": bars("What the last tools leave open of the next one", entropy, max((bar.value for bar in entropy), default=0.0)),
        "successors.svg": bars("How often the same tool follows", after, 1.0),
        "sources.svg": bars("How often an argument comes from the same place", origin, 1.0),
    }


def _shares(shares: Sequence[Share]) -> list[Bar]:
    return [Bar(f"{share.what}: {share.first}", share.top / share.of, f"{share.top} of {share.of}") for share in shares[:SHOWN]]


def _verdict(orders: Sequence[OrderRow], guesses: Sequence[Guessed], traced: float) -> tuple[Inertia, str]:
    steps = orders[0].steps
    if steps < FEWEST_STEPS:
        return Inertia.UNTOLD, f"{steps} steps are too few to tell whether there is inertia; {FEWEST_STEPS} are the least"
    frequent, *chained = guesses
    best = max(chained, key=lambda guess: (guess.share, -guess.order))
    if wilson(best.right, best.steps)[0] - frequent.share < BETTER:
        inertia, said = Inertia.NONE, "there is no inertia to speak of"
    elif best.share >= MOSTLY:
        inertia, said = Inertia.STRONG, "there is strong inertia"
    else:
        inertia, said = Inertia.SOME, "there is some inertia"
    how = f"the last {'tool tells' if best.order == 1 else f'{best.order} tools tell'} the next one in {best.share:.0%} of the steps"
    return (
        inertia,
        f"{said}: {how}, where the most frequent tool is it in {frequent.share:.0%}; {traced:.0%} of the arguments were seen before",
    )
