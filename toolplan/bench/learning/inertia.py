"""The figures of AutoTool (AAAI 2026) on published runs, beside those of the paper; and what contracts have ready on the same runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toolplan.bench.learning.datasets import DATASETS, Dataset
from toolplan.bench.learning.growth import SIZES, growth
from toolplan.bench.learning.replays import Replay, Replayer
from toolplan.bench.learning.saved import saved
from toolplan.bench.real.agreement import Titled
from toolplan.bench.tables import Row
from toolplan.learning.entropy import Share, entropies, likelihood_ratios, sources, successors
from toolplan.learning.graph import Graph, learned
from toolplan.learning.selection import Adaptive, Context, Settings
from toolplan.learning.traces import Record
from toolplan.retrieval.documents import Document
from toolplan.retrieval.scorers import Scorer, overlap

FIXED, ADAPTIVE = Settings(), Settings(rule=Adaptive())
RULES: Mapping[str, Settings] = {"as in the paper": FIXED, "ours, adaptive": ADAPTIVE}
THRESHOLDS, ALPHAS = (0.1, 0.2, 0.3, 0.5, 0.7), (0.0, 0.3, 0.5, 0.7, 1.0)
SHOWN = 3
CALL_SECONDS = 1.0
"""What a call of a model is taken to last for the share of the overhead: no set has measured it, and few models are quicker."""
PAPER_SPEEDUPS = {
    "AlfWorld, ReAct": (1.18, 1.60, 2.87),
    "ScienceWorld, ReAct": (1.31, 1.30, 1.41),
    "ToolQuery-Academia, ReAct": (1.20, 1.15, 0.92),
    "AlfWorld, Reflexion": (1.29, 1.33, 1.20),
    "ScienceWorld, Reflexion": (1.28, 0.93, 1.20),
    "ToolQuery-Academia, Reflexion": (1.26, 1.33, 1.19),
}
"""How many times the calls, the tokens read and the tokens written without inertia are of those with it."""
PAPER_SUCCESSORS = (Share("go_to", "look_around", 887, 1000), Share("focus_on > wait", "look_around", 557, 1000))
PAPER_SOURCES = (Share("use(target)", "move / source", 448, 1000), Share("pick_up(OBJ)", "focus_on / OBJ", 401, 1000))


@dataclass(frozen=True, slots=True)
class Order(Row):
    """What the last `order` tools leave open of the next, and whether they say more than one tool less: G squared, its degrees, its p."""

    data: str
    order: int
    bits: float
    steps: int
    g_squared: float | None
    degrees: int | None
    p: str


@dataclass(frozen=True, slots=True)
class Concentration(Row):
    """What most often follows a tool, or gives an argument its value, and how often in percent."""

    data: str
    what: str
    first: str
    percent: float
    of: int | None


@dataclass(frozen=True, slots=True)
class Saved(Row):
    """Calls `predicted` and executed, in percent of all; how many of these have the right tool, and are right; and what right ones save, in
    percent of all calls and tokens.

    The paper ran agents, and gives what they called their model less than without inertia, right or wrong; it says nothing of accuracy.
    """

    data: str
    rule: str
    calls: int | None
    predicted: float
    right_tools: float | None
    right_calls: float | None
    calls_saved: float | None
    tokens_in_saved: float
    tokens_out_saved: float


@dataclass(frozen=True, slots=True)
class Overhead(Row):
    """What predicting and learning take for each call, and their share of a run in which a call of the model takes a second."""

    data: str
    rule: str
    microseconds_a_call: float
    percent_of_run: float


@dataclass(frozen=True, slots=True)
class Sensitivity(Row):
    """The rule of the paper with another threshold and another part of the context."""

    data: str
    threshold: float
    alpha: float
    predicted: float
    right_calls: float
    calls_saved: float


@dataclass(frozen=True, slots=True)
class Difference(Row):
    """In what a set differs from the paper's."""

    data: str
    runs: int
    calls: int
    difference: str


def tables(folder: Path, scorer: Scorer = overlap, sizes: tuple[int, ...] = SIZES) -> Iterator[Titled]:
    """All tables, of the sets that lie in `folder`. `scorer` says how well a tool fits a thought, where the runs have thoughts.

    `sizes` are the numbers of synthetic steps after which the graph is measured, in order.
    """
    sets = [_Set(dataset, folder / dataset.folder) for dataset in DATASETS if (folder / dataset.folder).is_dir()]
    yield Titled("The sets, and in what they differ from the runs of the paper", [one.difference() for one in sets])
    yield Titled("What the last tools leave open of the next one", [*_paper_orders(), *(row for one in sets for row in one.orders())])
    yield Titled(
        "What follows most often, and where arguments come from", [*_paper_shares(), *(row for one in sets for row in one.shares())]
    )
    played = [(one.dataset.name, rule, one.replay(settings, scorer)) for one in sets for rule, settings in RULES.items()]
    yield Titled("Saved by inertia, from a cold start (percent)", [*_paper_saved(), *(_saved(*one) for one in played)])
    yield Titled("Overhead", [_overhead(*one) for one in played])
    yield Titled("The rule of the paper, by threshold and alpha (percent)", [row for one in sets for row in one.sensitivity(scorer)])
    yield Titled("Calls without a model: ready by contracts, and by inertia, on the measured half", list(saved(folder)))
    yield Titled("The graph after synthetic steps", list(growth(sizes)))


class _Set:
    """A set that was read."""

    def __init__(self, dataset: Dataset, folder: Path) -> None:
        self.dataset = dataset
        self.records: list[Record] = list(dataset.read(folder))
        self.tools = dataset.tools(folder)
        self.graph: Graph = learned(self.records)

    def difference(self) -> Difference:
        runs = len({record.trace for record in self.records})
        return Difference(self.dataset.name, runs, self.graph.executions.total(), self.dataset.difference)

    def orders(self) -> Iterator[Order]:
        ratios = {ratio.order: ratio for ratio in likelihood_ratios(self.graph)}
        for order, bits, steps in entropies(self.graph):
            ratio = ratios.get(order)
            tested = (ratio.g_squared, ratio.degrees, _chance(ratio.p)) if ratio is not None else (None, None, "")
            yield Order(self.dataset.name, order, bits, steps, *tested)

    def shares(self) -> Iterator[Concentration]:
        for size in (1, 2):
            yield from _concentrations(self.dataset.name, list(successors(self.graph, size))[:SHOWN])
        yield from _concentrations(self.dataset.name, list(sources(self.graph))[:SHOWN])

    def replay(self, settings: Settings, scorer: Scorer) -> Replay:
        return Replayer(settings, _context(scorer), self.tools).play(self.records)

    def sensitivity(self, scorer: Scorer) -> Iterator[Sensitivity]:
        thoughtful = any(getattr(record, "thought", "") for record in self.records)
        for threshold in THRESHOLDS:
            for alpha in ALPHAS if thoughtful else (FIXED.alpha,):
                result = self.replay(replace(FIXED, threshold=threshold, alpha=alpha), scorer)
                yield Sensitivity(
                    self.dataset.name,
                    threshold,
                    alpha,
                    _percent(result.acted, result.calls),
                    _percent(result.right_calls, result.acted),
                    _percent(result.right_calls, result.calls),
                )


def _context(scorer: Scorer) -> Context:
    """The score of each tool by its name, which is all that most sets have of it."""
    return lambda thought, tools: [min(1.0, max(0.0, score)) for score in scorer(thought, [Document(tool) for tool in tools])]


def _concentrations(data: str, shares: Sequence[Share]) -> Iterator[Concentration]:
    for share in shares:
        yield Concentration(data, share.what, share.first, _percent(share.top, share.of), share.of)


def _saved(data: str, rule: str, result: Replay) -> Saved:
    return Saved(
        data,
        rule,
        result.calls,
        _percent(result.acted, result.calls),
        _percent(result.right_tools, result.acted),
        _percent(result.right_calls, result.acted),
        _percent(result.right_calls, result.calls),
        _percent(result.saved.read, result.tokens.read),
        _percent(result.saved.written, result.tokens.written),
    )


def _overhead(data: str, rule: str, result: Replay) -> Overhead:
    each = result.seconds / result.calls
    return Overhead(data, rule, 1e6 * each, 100 * each / (CALL_SECONDS + each))


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def _paper_orders() -> Iterator[Order]:
    yield Order("the paper", 0, 3.50, 6014, None, None, "")
    yield Order("the paper", 1, 2.52, 6014, 9390.70, 361, "< 0.001")
    yield Order("the paper", 2, 1.93, 6014, 5437.03, 3914, "< 0.001")


def _paper_shares() -> Iterator[Concentration]:
    for share in (*PAPER_SUCCESSORS, *PAPER_SOURCES):
        yield Concentration("the paper", share.what, share.first, _percent(share.top, share.of), None)


def _paper_saved() -> Iterator[Saved]:
    for what, speedups in PAPER_SPEEDUPS.items():
        calls, read, written = (100 * (1 - 1 / speedup) for speedup in speedups)
        yield Saved("the paper", what, None, calls, None, None, None, read, written)
