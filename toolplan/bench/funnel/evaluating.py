"""A suite, run with every menu, as often as asked, and again under every change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from toolplan.bench.choosers import Chooser
from toolplan.bench.funnel.changes import Change, Contracts
from toolplan.bench.funnel.figures import LayerRow, OperatingRow, PairRow, RepeatRow, TagRow, by_tag, layers, operating, pairs, repeated
from toolplan.bench.funnel.flips import Decided, Flip, FlipRow, OwnRow, compared, decisions, names_before, own
from toolplan.bench.funnel.keeping import Keeping, Unkept
from toolplan.bench.funnel.likeness import NegativeRow, Negatives
from toolplan.bench.funnel.menus import Menu
from toolplan.bench.funnel.records import Layer, Measured, Run
from toolplan.bench.funnel.running import Clock, run
from toolplan.bench.funnel.suite import Suite
from toolplan.domain import Principal
from toolplan.planning.inputs import build
from toolplan.retrieval import Scorer

Note = Callable[[str], None]


@dataclass(frozen=True)
class Evaluation:
    """What came of a suite: the `runs` of each menu, the first of several, and the figures made of all of them."""

    domain: str
    chooser: str
    suite: Suite
    runs: Mapping[str, Sequence[Run]]
    layers: tuple[LayerRow, ...]
    tags: tuple[TagRow, ...]
    operating: tuple[OperatingRow, ...]
    negatives: tuple[NegativeRow, ...]
    pairs: tuple[PairRow, ...]
    repeats: tuple[RepeatRow, ...] = ()
    changes: tuple[FlipRow, ...] = ()
    own: tuple[OwnRow, ...] = ()
    flips: tuple[Flip, ...] = field(default=(), repr=False)

    def share(self, layer: Layer, menu: str) -> float | None:
        """In how many of its cases `layer` held with `menu`, from 0 to 1; None where there was none."""
        row = next(row for row in self.layers if (row.menu, row.layer) == (menu, layer.value))
        return row.held / row.cases if row.cases else None

    def to_dict(self) -> dict[str, object]:
        """All of it as JSON values: the tables, each a list of rows, the flips, and every run."""
        tables = ("layers", "tags", "operating", "negatives", "pairs", "repeats", "changes", "own")
        return {
            "domain": self.domain,
            "chooser": self.chooser,
            "tasks": len(self.suite.tasks),
            **{name: [row.to_dict() for row in getattr(self, name)] for name in tables},
            "flips": [flip.to_dict() for flip in self.flips],
            "runs": [run.to_dict() for runs in self.runs.values() for run in runs],
        }


@dataclass(frozen=True)
class Evaluator:
    """Runs suites. `clock` is read before and after each look, `note` is told what is being run, and `keeping` has what was run before."""

    contracts: Contracts
    chooser: Chooser
    scorer: Scorer
    clock: Clock
    note: Note
    keeping: Keeping = field(default_factory=Unkept)

    def evaluate(self, suite: Suite, menus: Sequence[Menu], repeats: int, changes: Mapping[str, Change]) -> Evaluation:
        """`suite` with each of `menus`, `repeats` times, and once more under each of `changes`. The first runs make the figures."""
        domain, catalog = self.contracts
        measured = {menu.name: [self._runs(self.contracts, suite, menu, f"run {turn + 1}") for turn in range(repeats)] for menu in menus}
        firsts = {name: [each.run for each in turns[0]] for name, turns in measured.items()}
        negatives = Negatives(domain, catalog, suite.tasks, self.scorer)
        rows, flips = self._changed(suite, menus, firsts, changes)
        return Evaluation(
            domain=domain.name,
            chooser=self.chooser.name,
            suite=suite,
            runs=firsts,
            layers=tuple(row for name, runs in firsts.items() for row in layers(name, runs)),
            tags=tuple(row for name, runs in firsts.items() for row in by_tag(name, runs, suite.tasks)),
            operating=tuple(operating(name, turns[0]) for name, turns in measured.items()),
            negatives=tuple(row for name, runs in firsts.items() for row in negatives.rows(name, runs)),
            pairs=tuple(pairs(firsts)),
            repeats=tuple(
                repeated(name, [[each.run for each in turn] for turn in turns]) for name, turns in measured.items() if repeats > 1
            ),
            changes=rows,
            own=tuple(self._own(suite, changes)),
            flips=flips,
        )

    def _runs(self, contracts: Contracts, suite: Suite, menu: Menu, what: str) -> list[Measured]:
        ran: list[Measured] = []
        for number, task in enumerate(suite.tasks, 1):
            self.note(f"{menu.name}, {what}: task {number} of {len(suite.tasks)}")
            made = partial(run, contracts.domain, task, menu, self.chooser, self.clock, contracts.catalog)
            ran.append(self.keeping.run((self.chooser.name, menu.name, what, task.id), made))
        return ran

    def _changed(
        self, suite: Suite, menus: Sequence[Menu], before: Mapping[str, Sequence[Run]], changes: Mapping[str, Change]
    ) -> tuple[tuple[FlipRow, ...], tuple[Flip, ...]]:
        rows: list[FlipRow] = []
        flips: list[Flip] = []
        for name, change in changes.items():
            contracts = change(self.contracts, suite)
            names = names_before(self.contracts.domain, contracts.domain)
            for menu in menus:
                after = [each.run for each in self._runs(contracts, suite, menu, name)]
                row, found = compared(name, before[menu.name], after, names)
                rows.append(row)
                flips += found
        return tuple(rows), tuple(flips)

    def _own(self, suite: Suite, changes: Mapping[str, Change]) -> Iterator[OwnRow]:
        """Our own decisions on the way of each task that has a goal, for its principal, and under each of `changes`."""
        before = self.contracts.domain
        ways: list[tuple[Principal, list[Decided]]] = []
        for task in (task for task in suite.tasks if task.goals and changes):
            self.note(f"our own decisions: {task.id}")
            domain = before.for_principal(task.principal)
            ways.append((task.principal, list(decisions(domain, [build(domain, dict(task.state), list(task.goals))]))))
        for name, change in changes.items():
            self.note(f"our own decisions, {name}")
            after = change(self.contracts, suite).domain
            counted = [own(way, after.for_principal(principal)) for principal, way in ways]
            yield OwnRow(name, sum(states for states, _ in counted), sum(flipped for _, flipped in counted))
